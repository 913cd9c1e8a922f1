"""A decision surface with a slider: what a net says of every point of the plane, as it learns."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
from contourpy import contour_generator

from course.figures import CURVE, INK, svg_of
from course.frames import Frames

Score = Callable[[float, float], float]


def surface(
    points: Sequence[Sequence[float]],
    labels: Sequence[int],
    frames: Sequence[tuple[str, Score, str]],
    h: float = 0.25,
) -> Frames:
    """The points of two classes, and in each frame (step, score, sentence) what a score says.

    Tinted is where the score is above 0; broken lines show where it is 1 and where it is −1.

    The score is asked at each corner of a grid of squares of side `h`, and runs straight between.
    Points of label 1 are filled, those of label −1 are rings.
    """
    fig, ax = plt.subplots(figsize=(6, 4))
    xs, ys = (
        [h * i for i in range(round(min(c) / h) - 2, round(max(c) / h) + 3)]
        for c in zip(*points, strict=True)
    )
    for label, fill, name in ((1, INK, "label 1"), (-1, "none", "label −1")):
        chosen = [p for p, known in zip(points, labels, strict=True) if known == label]
        x, y = zip(*chosen, strict=True)
        ax.scatter(x, y, s=18, facecolors=fill, edgecolors=INK, linewidths=1, label=name)
    ax.set(xlabel="x1", ylabel="x2", xlim=(xs[0], xs[-1]), ylim=(ys[0], ys[-1]))
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0.1)
    fig.canvas.draw()
    height = fig.get_figheight() * 72

    def path(lines: Iterable[Sequence[Sequence[float]]]) -> str:
        """Lines of the plane as one path on the page."""
        placed = [
            [f"{x:.1f} {height - y:.1f}" for x, y in ax.transData.transform(a)] for a in lines
        ]
        return "".join("M" + "L".join(line) for line in placed)

    shown = []
    for step, score, sentence in frames:
        cuts: Any = contour_generator(xs, ys, [[score(x, y) for x in xs] for y in ys])
        areas = zip(*cuts.filled(0.0, float("inf")), strict=True)
        rings = [area[i:j] for area, starts in areas for i, j in pairwise(starts)]
        overlay = (
            f'<path d="{path(rings)}" fill="{CURVE}" fill-opacity=".2" fill-rule="evenodd"/>'
            f'<path d="{path(cuts.lines(0.0))}" fill="none" stroke="{CURVE}" stroke-width="2"/>'
            f'<path d="{path([*cuts.lines(1.0), *cuts.lines(-1.0)])}" fill="none" '
            f'stroke="{CURVE}" stroke-dasharray="3 3"/>'
        )
        shown.append((step, overlay, sentence))
    alt = "Two moons of points, and the part of the plane that a net gives a score above 0"
    return Frames(svg_of(fig, alt), "step", shown)
