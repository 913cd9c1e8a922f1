"""The hundred points of micrograd's demo: two half moons that reach into one another."""

from pathlib import Path

DATA = Path(__file__).with_name("moons.csv")


def moons() -> tuple[list[list[float]], list[int]]:
    """The points, two numbers each, and their labels: −1 the upper moon, 1 the lower.

    They are scikit-learn's `make_moons(100, noise=0.1)` after `numpy.random.seed(1337)`, stored to
    the last digit, so that neither package is needed and every version gives the same points.

    >>> points, labels = moons()
    >>> len(points), sum(labels), labels[0], [round(x, 4) for x in points[0]]
    (100, 0, -1, [1.1221, 0.0815])
    """
    rows = [line.split(",") for line in DATA.read_text(encoding="utf-8").split()[1:]]
    return [[float(x1), float(x2)] for x1, x2, _ in rows], [int(label) for *_, label in rows]
