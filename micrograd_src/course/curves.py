"""Curves with a slider: a point moves along, and a line leans on the curve with the slope there."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import matplotlib.pyplot as plt

from course.figures import CURVE, POINT, SLOPE, svg_of
from course.frames import Frames


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


def sweep(f: Callable[[float], tuple[float, float]], xs: Sequence[float], name: str) -> Frames:
    """The curve of the loss over `xs`; a slider moves the weight called `name` along it.

    `f(x)` gives the loss and its gradient where the weight is x. Each frame has a point, the
    tangent with the gradient as its slope, and a sentence. Raises ValueError where `xs` does not
    rise, or holds fewer than two numbers.

    >>> sweep(lambda w: (w * w, 2 * w), [-0.5, 0.0, 0.25], "w")
    w = −0.5: the loss is 0.2500, its slope −1
    w = 0: the loss is 0.0000, its slope 0
    w = 0.25: the loss is 0.0625, its slope 0.5
    """
    if len(xs) < 2 or any(a >= b for a, b in pairwise(xs)):
        raise ValueError("xs needs at least two numbers, each above the one before")
    found = [f(x) for x in xs]
    curve = Curve(xs, [loss for loss, _ in found], name, "loss")
    frames = []
    for x, (loss, slope) in zip(xs, found, strict=True):
        at, height, rise = (t.replace("-", "−") for t in (f"{x:g}", f"{loss:.4f}", f"{slope:.4g}"))
        text = f"{name} = {at}: the loss is {height}, its slope {rise}"
        frames.append((at, curve.line(x, loss, slope) + curve.dot(x, loss), text))
    alt = f"The loss along {name}, with a tangent at a point; the slider sets {name}"
    return Frames(svg_of(curve.fig, alt), name, frames)
