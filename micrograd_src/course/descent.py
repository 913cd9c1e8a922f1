"""A figure of training runs: choose the learning rate and whether gradients are zeroed."""

import math
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from course.figures import CURVE, INK, POINT, svg_of
from course.frames import Frames

LOWEST, HIGHEST = 1e-4, 20.0  # the losses that the axis shows
MOST = 1.15  # how far the other axis goes up and down

Run = tuple[Sequence[float], Sequence[float]]


def explore(runs: Mapping[tuple[float, bool], Run], targets: Sequence[float]) -> Frames:
    """The loss at each step of a run, and what the net says at its end beside the targets.

    `runs` gives, for a learning rate and whether gradients were zeroed, the losses and the last
    predictions. What lies beyond the axes is drawn on their edge, and nan is not drawn. Raises
    ValueError where a rate lacks one of its two runs, or a run its losses or a prediction.
    """
    rates = list(dict.fromkeys(rate for rate, _ in runs))
    for key in ((rate, zeroed) for zeroed in (True, False) for rate in rates):
        if key not in runs or not runs[key][0] or len(runs[key][1]) != len(targets):
            raise ValueError(f"the run {key} needs losses and {len(targets)} predictions")
    fig, (above, below) = plt.subplots(2, 1, figsize=(6, 5), height_ratios=[2, 1])
    steps = max(len(losses) for losses, _ in runs.values())
    above.set(xlabel="step", ylabel="loss", xlim=(0, max(steps - 1, 1)), ylim=(LOWEST, HIGHEST))
    above.set_yscale("log")
    below.set(xlabel="example", ylabel="what the net says", ylim=(-MOST, MOST))
    below.set(xlim=(0.5, len(targets) + 0.5), xticks=range(1, len(targets) + 1))
    for i, target in enumerate(targets, 1):
        below.plot([i - 0.3, i + 0.3], [target, target], color=INK, linewidth=2)
    fig.canvas.draw()

    def place(ax: Axes, x: float, y: float) -> tuple[float, float]:
        px, py = ax.transData.transform((x, y))
        return px, fig.get_figheight() * 72 - py

    frames = []
    for zeroed in (True, False):
        for rate in rates:
            losses, says = runs[rate, zeroed]
            seen = [(k, loss) for k, loss in enumerate(losses) if not math.isnan(loss)]
            path = [place(above, k, min(max(loss, LOWEST), HIGHEST)) for k, loss in seen]
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in path)
            overlay = (
                f'<polyline points="{points}" fill="none" stroke="{CURVE}" stroke-width="1.5"/>'
            )
            for i, y in enumerate(says, 1):
                if math.isnan(y):
                    continue
                px, py = place(below, i, min(max(y, -MOST), MOST))
                overlay += f'<circle cx="{px:.1f}" cy="{py:.1f}" r="5" fill="{POINT}"/>'
            words = ", ".join(f"{y:.2f}".replace("-", "−") for y in says)
            text = (
                f"learning rate {rate:g}, gradients {'zeroed' if zeroed else 'never zeroed'}: "
                f"the loss goes from {losses[0]:.4f} to {losses[-1]:.4f}; the net says {words}"
            )
            frames.append((f"{rate:g}", overlay, text))
    alt = "Above the loss at each step, below what the net says beside its targets"
    switch = "gradients set to zero before each step"
    return Frames(svg_of(fig, alt), "learning rate", frames, switch)
