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
    """One background, and for each frame a label, an SVG overlay and a sentence."""

    def __init__(self, svg: str, name: str, frames: Sequence[tuple[str, str, str]]):
        self.svg, self.name, self.frames = svg, name, frames

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
            f'<mg-frames data-name="{escape(self.name)}">'
            f'<figure class="mg-figure">{self.svg.replace("</svg>", layers + "</svg>")}</figure>'
            f"<ol>\n{items}\n</ol></mg-frames>{SCRIPT}"
        )
        return {"text/html": html, "text/plain": repr(self)}


def secant(
    f: Callable[[float], float], x: float, hs: Sequence[float], low: float, high: float
) -> Frames:
    """The curve of `f` from `low` to `high`, and for each step in `hs` the line that leans on it.

    The line goes through the points at x and x + h; its slope is (f(x + h) - f(x)) / h.
    """
    fig, ax = plt.subplots()
    grid = [low + (high - low) * i / 200 for i in range(201)]
    ax.plot(grid, [f(t) for t in grid], color=CURVE)
    ax.set(xlabel="x", ylabel="f(x)", xlim=(low, high))
    fig.canvas.draw()
    height = fig.get_figheight() * 72
    bottom, top = ax.get_ylim()

    def place(u: float, v: float) -> tuple[float, float]:
        px, py = ax.transData.transform((u, v))
        return px, height - py

    frames = []
    for h in hs:
        slope = (f(x + h) - f(x)) / h
        cuts = sorted(x + (v - f(x)) / slope for v in (bottom, top)) if slope else [low, high]
        ends = max(low, cuts[0]), min(high, cuts[1])
        (x1, y1), (x2, y2) = (place(u, f(x) + slope * (u - x)) for u in ends)
        (px, py), (qx, qy) = place(x, f(x)), place(x + h, f(x + h))
        overlay = (
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{SLOPE}" '
            f'stroke-width="1.5"/><circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="{POINT}"/>'
            f'<circle cx="{qx:.1f}" cy="{qy:.1f}" r="4" fill="none" stroke="{POINT}" '
            f'stroke-width="1.5"/>'
        )
        frames.append((f"{h:g}", overlay, f"h = {h:g}: the slope of the line is {slope!r}"))
    alt = f"A curve and a line through its points at x = {x:g} and x + h; the slider sets h"
    return Frames(svg_of(fig, alt), "h", frames)
