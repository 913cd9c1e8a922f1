"""The numbers in the worked solutions of the exercises page are what the methods give."""

import math
import re
from pathlib import Path

import pytest

from micrograd.engine import Value

PAGE = (Path(__file__).parent.parent / "exercises" / "index.md").read_text(encoding="utf-8")
POINT = [2.0, 3.0, 4.0]


def f(a: float, b: float, c: float) -> float:
    """The function of the first four exercises."""
    return -(a**3) + math.sin(3 * b) - 1 / c + b**2.5 - math.sqrt(a)


def solution(name: str) -> str:
    """The text of one worked solution, with plain minus signs."""
    found = re.search(rf"Solution of {name}</summary>(.*?)</details>", PAGE, flags=re.S)
    return found.group(1).replace("−", "-")


def moved(i: int, h: float) -> float:
    point = list(POINT)
    point[i] += h
    return f(*point)


FORWARD = [(moved(i, 1e-3) - f(*POINT)) / 1e-3 for i in range(3)]
CENTRAL = [(moved(i, 1e-3) - moved(i, -1e-3)) / 2e-3 for i in range(3)]
RULE = [-12 - 0.5 / math.sqrt(2), 3 * math.cos(9) + 2.5 * 3**1.5, 1 / 16]


def graph() -> dict[str, str]:
    a, b, c = Value(1.0), Value(2.0), Value(-4.0)
    p, q = a + b, b + c
    (p * q).backward()
    return {f"{p.data:g}", f"{q.data:g}", *(f"{v.grad:g}" for v in (a, b, c, p, q))}


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("P1.1", [repr(x) for x in RULE]),
        ("P1.2", [f"{x:.4f}" for x in FORWARD]),
        ("P1.3", [f"{x:.6f}" for x in CENTRAL]),
        ("P1.4", [f"{math.ulp(2.0):.1e}"]),
        ("P3.2", sorted(graph())),
    ],
)
def test_numbers_of_a_solution(name, numbers):
    for number in numbers:
        assert number in solution(name), number


@pytest.mark.parametrize("name", re.findall(r"^### (P\d\.\d) ", PAGE, flags=re.M))
def test_every_exercise_has_a_solution_and_is_named_in_its_chapter(name):
    assert len(solution(name).split()) > 10
    (chapter,) = (Path(__file__).parent.parent / "notebooks").glob(f"{name[:2].lower()}_*.ipynb")
    assert f"**{name}**" in chapter.read_text(encoding="utf-8")
