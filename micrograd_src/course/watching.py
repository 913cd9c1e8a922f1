"""A curve that grows while its numbers are computed, where somebody can show it.

In the page each call of `watch` draws the curve anew. A notebook shows what a cell has made when
the cell is done, so there the calls do nothing.
"""

import math
from collections.abc import Callable, Sequence

from course.colours import CURVE

WIDTH, HEIGHT, LEFT, BOTTOM = 430, 200, 50, 25

show: Callable[[Callable[[], str]], None] | None = None  # the page's Python puts its own here


def watch(numbers: Sequence[float], steps: int, name: str = "loss") -> None:
    """Show the numbers so far, of as many as `steps`, on an axis whose marks are powers of ten.

    >>> watch([3.0, 2.0, 1.0], 10)
    """
    if show:
        show(lambda: svg(list(numbers), steps, name))


def svg(numbers: Sequence[float], steps: int, name: str) -> str:
    """The curve as a picture; what is not above 0, and nan, has no place on it.

    >>> svg([1.0, 0.1], 10, "loss").count("<polyline")
    1
    """
    points = [(k, math.log10(y)) for k, y in enumerate(numbers) if 0 < y < math.inf]
    heights = [y for _, y in points] or [0.0]
    low, high = math.floor(min(heights)), max(math.ceil(max(heights)), math.floor(min(heights)) + 1)

    def place(k: float, y: float) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - 10) * k / max(steps - 1, 1)
        return x, 10 + (HEIGHT - BOTTOM - 10) * (high - y) / (high - low)

    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(k, y) for k, y in points))
    marks = "".join(
        f'<path d="M{LEFT} {y:.1f}H{WIDTH - 10}" stroke="currentColor" stroke-opacity=".2"/>'
        f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>'
        for power in range(low, high + 1)
        for _, y in [place(0, power)]
    )
    last = f"{name} after {len(numbers)} of {steps} steps: {numbers[-1]:.4g}" if numbers else name
    return (
        f'<figure class="mg-figure"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{last}" font-size="11" font-family="sans-serif" fill="currentColor" '
        f'style="width:100%;max-width:{WIDTH}px;height:auto">{marks}'
        f'<polyline points="{line}" fill="none" stroke="{CURVE}" stroke-width="1.5"/>'
        f'<text x="{WIDTH - 10}" y="{HEIGHT - 6}" text-anchor="end">{last}</text></svg></figure>'
    )
