"""A figure of the loss along one weight, with the gradient as the slope of a tangent."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from course.figures import svg_of
from course.frames import Curve, Frames


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
