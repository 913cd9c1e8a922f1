"""Each operation: its number, and its local derivatives against closed forms and small steps."""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from micrograd.engine import Value


class Op(NamedTuple):
    """An operation on floats or Values, its slopes in closed form, and where it is safe to try."""

    run: Callable
    number: Callable[..., float]
    slopes: tuple[Callable[..., float], ...]
    domain: tuple[st.SearchStrategy, ...]


near = st.floats(-10, 10).filter(lambda x: abs(x) > 0.1)
positive = st.floats(0.1, 10)
small = st.floats(-3, 3)

OPS = {
    "a + b": Op(
        lambda a, b: a + b, lambda a, b: a + b, (lambda a, b: 1, lambda a, b: 1), (near,) * 2
    ),
    "a - b": Op(
        lambda a, b: a - b, lambda a, b: a - b, (lambda a, b: 1, lambda a, b: -1), (near,) * 2
    ),
    "a * b": Op(
        lambda a, b: a * b, lambda a, b: a * b, (lambda a, b: b, lambda a, b: a), (near,) * 2
    ),
    "a / b": Op(
        lambda a, b: a / b,
        lambda a, b: a / b,
        (lambda a, b: 1 / b, lambda a, b: -a / b**2),
        (near,) * 2,
    ),
    "-a": Op(lambda a: -a, lambda a: -a, (lambda a: -1,), (near,)),
    "a + 3": Op(lambda a: a + 3, lambda a: a + 3, (lambda a: 1,), (near,)),
    "3 + a": Op(lambda a: 3 + a, lambda a: 3 + a, (lambda a: 1,), (near,)),
    "a - 3": Op(lambda a: a - 3, lambda a: a - 3, (lambda a: 1,), (near,)),
    "3 - a": Op(lambda a: 3 - a, lambda a: 3 - a, (lambda a: -1,), (near,)),
    "a * 3": Op(lambda a: a * 3, lambda a: a * 3, (lambda a: 3,), (near,)),
    "3 * a": Op(lambda a: 3 * a, lambda a: 3 * a, (lambda a: 3,), (near,)),
    "a / 3": Op(lambda a: a / 3, lambda a: a / 3, (lambda a: 1 / 3,), (near,)),
    "3 / a": Op(lambda a: 3 / a, lambda a: 3 / a, (lambda a: -3 / a**2,), (near,)),
    "a ** 3": Op(lambda a: a**3, lambda a: a**3, (lambda a: 3 * a**2,), (near,)),
    "a ** -2": Op(lambda a: a**-2, lambda a: a**-2, (lambda a: -2 * a**-3,), (near,)),
    "a ** 0.5": Op(lambda a: a**0.5, lambda a: a**0.5, (lambda a: 0.5 / a**0.5,), (positive,)),
    "exp": Op(lambda a: a.exp(), math.exp, (math.exp,), (small,)),
    "log": Op(lambda a: a.log(), math.log, (lambda a: 1 / a,), (positive,)),
    "tanh": Op(lambda a: a.tanh(), math.tanh, (lambda a: 1 / math.cosh(a) ** 2,), (small,)),
    "relu": Op(
        lambda a: a.relu(), lambda a: max(a, 0), (lambda a: 1.0 if a > 0 else 0.0,), (near,)
    ),
}


def slopes_of(op: Op, inputs: list[float]) -> list[float]:
    """The gradients that the engine gives for one operation."""
    leaves = [Value(x) for x in inputs]
    op.run(*leaves).backward()
    return [leaf.grad for leaf in leaves]


def check_number(op: Op, inputs: list[float]) -> None:
    """The forward pass is the same float arithmetic, so the number is the same to the last bit."""
    assert op.run(*map(Value, inputs)).data == op.number(*inputs)


def check_closed_form(op: Op, inputs: list[float]) -> None:
    """A few roundings lie between two ways to write one slope; 1 - t*t near 0 loses most."""
    expected = [slope(*inputs) for slope in op.slopes]
    assert slopes_of(op, inputs) == pytest.approx(expected, rel=1e-13, abs=1e-15)


def check_small_step(op: Op, inputs: list[float]) -> None:
    """A step to both sides: it is off by h² × the third derivative / 6, and by eps / h."""
    h = 1e-5
    for i, slope in enumerate(slopes_of(op, inputs)):
        up, down = list(inputs), list(inputs)
        up[i] += h
        down[i] -= h
        rise = op.number(*up) - op.number(*down)
        scale = 1 + max(abs(op.number(*x)) for x in (up, down))
        # In these domains no third derivative is above 24/0.1**5, times h²/6; eps/h is 2e-11.
        assert slope == pytest.approx(rise / (2 * h), rel=1e-6, abs=1e-9 * scale)


@pytest.mark.parametrize("check", [check_number, check_closed_form, check_small_step])
@pytest.mark.parametrize("name", OPS)
@given(data=st.data())
def test_an_operation(name, check, data):
    op = OPS[name]
    check(op, [data.draw(d) for d in op.domain])


@pytest.mark.parametrize("kind", [int, bool, np.float64, np.float32, np.int64, np.uint8])
@pytest.mark.parametrize("name", ["+", "-", "*", "/"])
def test_any_real_number_on_either_side(name, kind):
    op = {"+": lambda a, b: a + b, "-": lambda a, b: a - b}
    op |= {"*": lambda a, b: a * b, "/": lambda a, b: a / b}
    k, v = kind(1), Value(4.0)
    for result, number in (
        (op[name](v, k), op[name](4.0, 1.0)),
        (op[name](k, v), op[name](1.0, 4.0)),
    ):
        assert type(result) is Value
        assert type(result.data) is float
        assert result.data == number


# Random graphs: a list of nodes, each made from earlier ones.
Recipe = list[tuple[str, int, int]]
recipes = st.lists(
    st.tuples(st.sampled_from("+*t"), st.integers(0, 30), st.integers(0, 30)),
    min_size=1,
    max_size=12,
)
leaves_of = st.lists(st.floats(-1.5, 1.5), min_size=1, max_size=4)


def grow(numbers: list[float], recipe: Recipe) -> tuple[list[Value], dict]:
    """The values of a recipe, and for each arrow (input, result) its local derivatives."""
    nodes = [Value(x) for x in numbers]
    arrows: dict[tuple[int, int], list[float]] = {}
    for name, i, j in recipe:
        i, j, k = i % len(nodes), j % len(nodes), len(nodes)
        a, b = nodes[i], nodes[j]
        if name == "t":
            nodes.append(a.tanh())
            arrows.setdefault((i, k), []).append(1 - math.tanh(a.data) ** 2)
        else:
            nodes.append(a + b if name == "+" else a * b)
            arrows.setdefault((i, k), []).append(1.0 if name == "+" else b.data)
            arrows.setdefault((j, k), []).append(1.0 if name == "+" else a.data)
    return nodes, arrows


@given(leaves_of, recipes)
def test_a_gradient_is_the_sum_over_all_paths(numbers, recipe):
    nodes, arrows = grow(numbers, recipe)
    nodes[-1].backward()
    last, inputs = len(nodes) - 1, len(numbers)

    def paths(start: int) -> tuple[float, float]:
        """The sum over paths to the output of the products of local derivatives, and of sizes."""
        if start == last:
            return 1.0, 1.0
        total = size = 0.0
        for (i, k), locals_ in arrows.items():
            if i == start:
                rest, rest_size = paths(k)
                total += sum(locals_) * rest
                size += sum(map(abs, locals_)) * rest_size
        return total, size

    for i in range(inputs):
        expected, size = paths(i)
        # Both sums have the same terms; each rounding is relative to the sum of their sizes.
        assert nodes[i].grad == pytest.approx(expected, rel=1e-12, abs=1e-13 * size + 1e-300)


@given(leaves_of, recipes, st.floats(-4, 4))
def test_gradients_are_linear_in_the_output(numbers, recipe, k):
    assume(k == 0 or abs(k) > 1e-100)
    once, _ = grow(numbers, recipe)
    scaled, _ = grow(numbers, recipe)
    once[-1].backward()
    (scaled[-1] * k).backward()
    for a, b in zip(once[: len(numbers)], scaled, strict=False):
        assert b.grad == pytest.approx(k * a.grad, rel=1e-12, abs=1e-12)


@given(leaves_of, recipes)
def test_work_beside_the_graph_changes_nothing(numbers, recipe):
    alone, _ = grow(numbers, recipe)
    alone[-1].backward()
    busy, _ = grow(numbers, recipe)
    for a, b in pairwise(busy[:-1]):
        _ = (a * b).tanh() + 1
    busy[-1].backward()
    assert [v.grad for v in alone] == [v.grad for v in busy]
