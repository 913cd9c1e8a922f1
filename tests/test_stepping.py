"""The stepper: its steps end where backward() ends, each follows from the one before, and show."""

import math
import re
import xml.etree.ElementTree as ET
from html import unescape
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from micrograd import drawing, stepping
from micrograd.drawing import number, topological
from micrograd.engine import Value
from micrograd.stages import p2, p3, p4
from micrograd.stepping import RULES, Step, step, steps

SVG = "{http://www.w3.org/2000/svg}"

# Each takes two values, and is safe at every number, nan and the infinities among them.
STAGE_MOVES = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "tanh": lambda a, b: a.tanh(),
}
MOVES = STAGE_MOVES | {
    "-": lambda a, b: a - b,
    "/": lambda a, b: a / (b * b + 0.5),
    "neg": lambda a, b: -a,
    "relu": lambda a, b: a.relu(),
    "exp": lambda a, b: a.tanh().exp() + b,
    "log": lambda a, b: (a * a + 0.5).log(),
    "a ** 3": lambda a, b: a.tanh() ** 3,
    "a ** -0.5": lambda a, b: (a * a + 0.5) ** -0.5,
    "a + k": lambda a, b: a + 1.25,
    "k * a": lambda a, b: -0.75 * a,
    "a / k": lambda a, b: a / 3,
    "k - a": lambda a, b: 2 - a,
    "k / a": lambda a, b: 2 / (a * a + 1),
}


# How long an example takes is the machine's business.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Program(NamedTuple):
    """An expression that any class of values can run: numbers, then moves on what is there."""

    numbers: list[float]
    moves: list[tuple[str, int, int]]

    def run(self, cls: type) -> list[Any]:
        """All values in the order in which they were made, the result last."""
        made = [cls(x, label=f"x{i}") for i, x in enumerate(self.numbers)]
        for name, i, j in self.moves:
            made.append(MOVES[name](made[-1 - i % len(made)], made[-1 - j % len(made)]))
        return made


def programs(names: Any, longest: int) -> st.SearchStrategy[Program]:
    """Random programs of the named moves."""
    numbers = st.lists(st.floats(0.25, 1) | st.floats(-1, -0.25), min_size=1, max_size=3)
    move = st.tuples(st.sampled_from(sorted(names)), st.integers(0, 5), st.integers(0, 5))
    return st.builds(Program, numbers, st.lists(move, min_size=1, max_size=longest))


def stage_run(program: Program, cls: type) -> list[Any]:
    """Its values where they stay small: exp(2 * a) in the chapters' tanh overflows above 354."""
    plain = program.run(Value)
    assume(all(abs(v.data) <= 8 for v in plain))
    return program.run(cls)


def same(a: float, b: float) -> bool:
    """Equal as floats, nan counting as equal to nan."""
    return a == b or (math.isnan(a) and math.isnan(b))


def final(taken: list[Step]) -> dict[int, float]:
    """The last gradient of each value that the steps reach."""
    return {s.node: s.after for s in taken if s.phase == "backward"}


def close(a: float, b: float, taken: list[Step]) -> bool:
    """Equal up to the chapters' tanh, (e - 1) / (e + 1), which differs from math.tanh by rounding.

    A sum may cancel, so the allowance is 1e-12 of the largest running sum, not of the result.
    """
    largest = max(abs(s.after) for s in taken if s.phase == "backward")
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12 * largest)


# The numbers.


@unhurried
@given(programs(MOVES, 12))
def test_the_steps_end_where_the_engine_ends(program):
    root = program.run(Value)[-1]
    order, taken = topological(root), steps(root)
    root.backward()
    grads = final(taken)
    assert sorted(grads) == list(range(len(order))), "every value gets a gradient"
    for i, node in enumerate(order):
        assert same(grads[i], node.grad), taken


@unhurried
@given(programs(STAGE_MOVES, 10))
def test_the_steps_end_where_part_4_ends(program):
    root = stage_run(program, p4.Value)[-1]
    taken = steps(root)
    root.backward()
    for i, node in enumerate(topological(root)):
        assert close(final(taken)[i], node.grad, taken)


@unhurried
@given(programs(STAGE_MOVES, 10))
def test_the_steps_of_a_class_without_backward_end_where_the_engine_ends(program):
    taken = steps(stage_run(program, p3.Value)[-1])
    root = program.run(Value)[-1]
    root.backward()
    for i, node in enumerate(topological(root)):
        assert close(final(taken)[i], node.grad, taken)


@unhurried
@given(programs({"+", "*"}, 10))
def test_the_steps_of_part_2_end_where_the_engine_ends(program):
    taken = steps(stage_run(program, p2.Value)[-1])
    root = program.run(Value)[-1]
    root.backward()
    # The engine goes by birth, part 2 by the order of the picture: sums round differently.
    for i, node in enumerate(topological(root)):
        assert close(final(taken)[i], node.grad, taken)


@unhurried
@given(programs(MOVES, 12))
def test_each_step_follows_from_the_ones_before(program):
    check_steps(program.run(Value)[-1])


@unhurried
@given(programs(STAGE_MOVES, 10), st.sampled_from([p3.Value, p4.Value]))
def test_each_step_of_a_chapters_class_follows_too(program, cls):
    check_steps(stage_run(program, cls)[-1])


def check_steps(root: Any) -> None:
    order, taken = topological(root), steps(root)
    n, top = len(order), len(order) - 1
    assert [s.phase for s in taken[:n]] == ["forward"] * n
    assert [s.phase for s in taken[n:]] == ["backward"] * (1 + sum(len(v._prev) for v in order))

    ready: set[Any] = set()
    for s in taken[:n]:
        node = order[s.node]
        assert node not in ready
        assert ready.issuperset(node._prev), "inputs are there before the result"
        ready.add(node)
        assert same(s.after, node.data)
        assert s.source is None

    start, *rest = taken[n:]
    assert (start.node, start.after, start.source) == (top, 1.0, None)
    grads, done = {top: 1.0}, set()
    pairs = []
    for s in rest:
        pairs.append((s.source, s.node))
        assert s.node not in done, "a gradient is complete before it is passed on"
        done.add(s.source)
        assert same(s.before, grads.get(s.node, 0.0)), "the running sum goes on where it was"
        assert same(s.upstream, grads[s.source])
        assert same(s.after, s.before + s.local * s.upstream)
        grads[s.node] = s.after
    index = {node: i for i, node in enumerate(order)}
    assert sorted(pairs) == sorted((index[v], index[u]) for v in order for u in v._prev)


def test_the_local_derivatives():
    a, b = Value(3.0), Value(2.0)
    cases = [
        (a + b, [1.0, 1.0]),
        (a * b, [2.0, 3.0]),
        (a / b, [0.5, -0.75]),
        (a + 5, [1.0]),
        (a * 5, [5.0]),
        (a / 4, [0.25]),
        (a**2, [6.0]),
        (a.relu(), [1.0]),
        ((-a).relu(), [0.0, -1.0]),
    ]
    for root, locals_ in cases:
        assert [s.local for s in steps(root) if s.source is not None] == locals_, root
    # One rounding each: in exp(3), in 1/3, in tanh(3) squared.
    for root, local in [
        (a.exp(), math.exp(3)),
        (a.log(), 1 / 3),
        (a.tanh(), 1 - math.tanh(3) ** 2),
    ]:
        assert steps(root)[-1].local == pytest.approx(local, rel=1e-15)


def test_gradients_held_already_do_not_count():
    a = Value(3.0)
    b = a * a
    b.backward()
    b.backward()
    assert (a.grad, steps(b)[-1].after) == (12.0, 6.0)
    assert a.grad == 12.0, "stepping leaves what the values hold"


def test_a_chapters_values_keep_what_they_hold():
    a = p4.Value(3.0)
    b = a * a
    assert [s.after for s in steps(b)] == [3.0, 9.0, 1.0, 3.0, 6.0]
    assert (a.grad, b.grad) == (0.0, 0.0)


# The words.


def texts(root: Any) -> list[str]:
    return [s.text for s in steps(root)]


def test_words_of_a_diamond():
    a, b = Value(-2.0, label="a"), Value(3.0, label="b")
    d, e = a * b, a + b
    f = d * e
    d.label, e.label, f.label = "d", "e", "f"
    swaps = "(× swaps: the local derivative is the other input)"
    copies = "(+ copies: the local derivative is 1)"
    assert texts(f) == [
        "a = −2",
        "b = 3",
        "d = a × b = −6",
        "e = a + b = 1",
        "f = d × e = −6",
        "f.grad = 1: f moves one for one with itself",
        f"d.grad = 0 + 1 × 1 = 1 {swaps}",
        f"e.grad = 0 + (−6) × 1 = −6 {swaps}",
        f"a.grad = 0 + 1 × (−6) = −6 {copies}",
        f"b.grad = 0 + 1 × (−6) = −6 {copies}",
        f"a.grad = −6 + 3 × 1 = −3 {swaps}",
        f"b.grad = −6 + (−2) × 1 = −8 {swaps}",
    ]


@pytest.mark.parametrize(
    ("root", "forward", "rule"),
    [
        (Value(4.0, label="a") + 1, "v1 = a +1 = 5", "+"),
        (Value(4.0, label="a") * 2, "v1 = a ×2 = 8", "*"),
        (Value(4.0, label="a") / 2, "v1 = a /2 = 2", "/"),
        (Value(4.0, label="a") ** 2, "v1 = a **2 = 16", "**"),
        (Value(4.0, label="a") / Value(2.0), "v2 = a / v1 = 2", "/"),
        (Value(0.0, label="a").tanh(), "v1 = tanh(a) = 0", "tanh"),
        (Value(0.0, label="a").exp(), "v1 = exp(a) = 1", "exp"),
        (Value(1.0, label="a").log(), "v1 = log(a) = 0", "log"),
        (Value(4.0, label="a").relu(), "v1 = ReLU(a) = 4", "ReLU"),
        (p4.Value(0.0, label="a").tanh(), "v1 = tanh(a) = 0", "tanh"),
        (p2.Value(4.0, label="a") * p2.Value(2.0), "v2 = a × v1 = 8", "*"),
    ],
)
def test_words_of_an_operation(root, forward, rule):
    taken = steps(root)
    assert forward in [s.text for s in taken if s.phase == "forward"]
    assert taken[-1].text.endswith(f"({RULES[rule].says})")
    others = [r.says for name, r in RULES.items() if name != rule]
    assert RULES[rule].says not in others


def test_values_without_a_label_are_numbered_as_in_the_picture():
    root = Value(1.0) * Value(2.0) + Value(3.0, label="c")
    made = texts(root)[:5]
    assert made == ["v0 = 1", "v1 = 2", "v2 = v0 × v1 = 2", "c = 3", "v4 = v2 + c = 5"]


def test_the_stepper_as_text_numbers_its_steps():
    a = Value(3.0, label="a")
    assert repr(step(a + a)).splitlines()[:2] == ["  1  a = 3", "  2  v1 = a + a = 6"]
    assert len(repr(step(a + a)).splitlines()) == 5


# An operation that it does not know.


class Node:
    """A value of a class of one's own."""

    def __init__(self, data: float, prev: tuple = (), op: str = ""):
        self.data, self._prev, self._op = data, prev, op


@pytest.mark.parametrize("op", ["sin", "tan", "tanhh", "relu", "-", "%", "max"])
def test_an_unknown_operation_is_named(op):
    root = Node(1.0, (Node(2.0),), op)
    for show in (steps, step):
        with pytest.raises(ValueError, match=re.escape(f"no rule for {op!r}; add one")):
            show(root)


def test_an_operation_can_be_added(monkeypatch):
    rule = stepping.Rule(lambda a: a + a, "double adds itself")
    monkeypatch.setitem(RULES, "double", rule)
    taken = steps(Node(4.0, (Node(2.0),), "double"))
    assert taken[1].text == "v1 = double(v0) = 4"
    assert taken[-1].text.endswith("(double adds itself)")


def test_a_published_classs_power_is_stepped():
    taken = steps(Node(9.0, (Node(3.0),), "**2"))
    assert (taken[-1].local, taken[-1].after) == (6.0, 6.0)


# The page.


def awkward(cls: type) -> Any:
    """A small expression with labels that mean something to HTML."""
    a, b = cls(-2.0, label="<a>"), cls(3.0, label='"b" & c')
    out = a * b + a
    out.label = "o|ut"
    return out


@pytest.mark.parametrize("cls", [p2.Value, p3.Value, p4.Value, Value])
def test_the_html_has_an_item_for_each_step(cls):
    shown = step(awkward(cls))
    bundle = shown._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    assert bundle["text/plain"] == repr(shown)
    html = bundle["text/html"]
    assert html.startswith("<mg-stepper>")
    assert html.endswith(f"</mg-stepper>{stepping.SCRIPT}")
    assert "mg-stepper" in stepping.SCRIPT
    assert stepping.SCRIPT.count("</script") == 1

    page = ET.fromstring(html[: html.index("<script>")])
    svg = page.find(f"div/{SVG}svg")
    items = page.findall("ol/li")
    count = len(topological(awkward(cls)))
    classes = [g.get("class").split() for g in svg.iter(f"{SVG}g")]
    drawn = sorted(c[-1] for c in classes if "value" in c)
    assert drawn == sorted(f"v{i}" for i in range(count))

    assert len(items) == len(shown.steps)
    for item, s in zip(items, shown.steps, strict=True):
        assert item.text == s.text
        assert item.get("data-phase") == s.phase
        assert int(item.get("data-node")) == s.node in range(count)
        assert item.get("data-after") == number(s.after)
        assert item.get("data-source") == ("" if s.source is None else str(s.source))
        assert s.source is None or s.source in range(count)
    assert page.find("div").get("aria-label") == shown.drawing.title


def test_the_picture_has_the_final_gradients():
    a = Value(3.0, label="a")
    svg = step(a * a).drawing.svg()
    found = [unescape(t) for t in re.findall(r">(grad [^<]*)<", svg)]
    assert found == ["grad 6", "grad 1"]
    assert a.grad == 0.0
    # A class without gradients is drawn with them all the same.
    assert "grad 6" in step(p2.Value(2.0) * p2.Value(6.0)).drawing.svg()


def test_the_same_bytes_every_time():
    first = step(awkward(Value))._repr_mimebundle_()
    assert step(awkward(Value))._repr_mimebundle_() == first


def test_without_the_program_there_are_the_steps_as_text(monkeypatch):
    monkeypatch.setattr(drawing, "_dot", lambda: None)
    shown = step(awkward(Value))
    assert shown._repr_mimebundle_() == {"text/plain": repr(shown)}
    assert repr(shown).count("\n") + 1 == len(shown.steps) == 9
