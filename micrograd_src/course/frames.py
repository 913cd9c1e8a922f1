"""A figure with a slider: every frame is computed beforehand, so it moves without a kernel."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from micrograd.elements import script
from micrograd.widgets import Moves

SCRIPT = script(Path(__file__).with_name("frames.js"))


class Frames(Moves):
    """One background, and for each frame a label, an SVG overlay and a sentence.

    A slider called `name` goes through the frames. With a `switch`, a box to tick, the first half
    of them is for the ticked box and the second half for the empty one.
    """

    def __init__(
        self, svg: str, name: str, frames: Sequence[tuple[str, str, str]], switch: str = ""
    ):
        self.svg, self.name, self.frames, self.switch = svg, name, frames, switch

    def __repr__(self) -> str:
        return "\n".join(text for _, _, text in self.frames)

    @property
    def html(self) -> str:
        """The figure as an element with its script."""
        layers = "".join(
            f'<g class="mg-frame" visibility="{"hidden" if i else "visible"}">{overlay}</g>'
            for i, (_, overlay, _) in enumerate(self.frames)
        )
        items = "\n".join(
            f'<li data-label="{escape(label)}">{escape(text)}</li>'
            for label, _, text in self.frames
        )
        return (
            f'<mg-frames data-name="{escape(self.name)}" data-switch="{escape(self.switch)}">'
            f'<figure class="mg-figure">{self.svg.replace("</svg>", layers + "</svg>")}</figure>'
            f"<ol>\n{items}\n</ol></mg-frames>{SCRIPT}"
        )
