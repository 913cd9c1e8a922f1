"""A figure with a slider: every frame is computed beforehand, so it moves without a kernel."""

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from course.figures import CURVE, POINT, SLOPE, svg_of
from micrograd.elements import script

SCRIPT = script(Path(__file__).with_name("frames.js"))


class Frames:
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

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        layers = "".join(
            f'<g class="mg-frame" visibility="{"hidden" if i else "visible"}">{overlay}</g>'
            for i, (_, overlay, _) in enumerate(self.frames)
        )
        items = "\n".join(
            f'<li data-label="{escape(label)}">{escape(text)}</li>'
            for label, _, text in self.frames
        )
        html = (
            f'<mg-frames data-name="{escape(self.name)}" data-switch="{escape(self.switch)}">'
            f'<figure class="mg-figure">{self.svg.replace("</svg>", layers + "</svg>")}</figure>'
            f"<ol>\n{items}\n</ol></mg-frames>{SCRIPT}"
        )
        return {"text/html": html, "text/plain": repr(self)}


class Curve:
    """The curve of `f` over `xs` as a background, and places on it for what a frame draws."""

    def __init__(self, xs: Sequence[float], ys: Sequence[float], name: str, value: str):
        self.fig, ax = plt.subplots()
        ax.plot(xs, ys, color=CURVE)
        ax.set(xlabel=name, ylabel=value, xlim=(xs[0], xs[-1]))
        self.fig.canvas.draw()
        self.xlim, self.ylim = ax.get_xlim(), ax.get_ylim()
        self.transform, self.height = ax.transData.transform, self.fig.get_figheight() * 72

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where the point (x, y) lies in the SVG."""
        px, py = self.transform((x, y))
        return px, self.height - py

    def line(self, x: float, y: float, slope: float) -> str:
        """The line through (x, y) with that slope, as far as the axes reach."""
        low, high = self.xlim
        cuts = sorted(x + (v - y) / slope for v in self.ylim) if slope else [low, high]
        ends = max(low, cuts[0]), min(high, cuts[1])
        (x1, y1), (x2, y2) = (self.place(u, y + slope * (u - x)) for u in ends)
        return (
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{SLOPE}" '
            f'stroke-width="1.5"/>'
        )

    def dot(self, x: float, y: float, look: str = f'fill="{POINT}"') -> str:
        """A point at (x, y)."""
        px, py = self.place(x, y)
        return f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" {look}/>'


def secant(
    f: Callable[[float], float], x: float, hs: Sequence[float], low: float, high: float
) -> Frames:
    """The curve of `f` from `low` to `high`, and for each step in `hs` the line that leans on it.

    The line goes through the points at x and x + h; its slope is (f(x + h) - f(x)) / h.
    """
    grid = [low + (high - low) * i / 200 for i in range(201)]
    curve = Curve(grid, [f(t) for t in grid], "x", "f(x)")
    frames = []
    for h in hs:
        slope = (f(x + h) - f(x)) / h
        ring = f'fill="none" stroke="{POINT}" stroke-width="1.5"'
        overlay = curve.line(x, f(x), slope) + curve.dot(x, f(x)) + curve.dot(x + h, f(x + h), ring)
        frames.append((f"{h:g}", overlay, f"h = {h:g}: the slope of the line is {slope!r}"))
    alt = f"A curve and a line through its points at x = {x:g} and x + h; the slider sets h"
    return Frames(svg_of(curve.fig, alt), "h", frames)
