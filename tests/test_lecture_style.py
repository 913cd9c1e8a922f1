"""The lecture's class, rewritten, behaves as the lecture's: its numbers, and its corners."""

import math

import pytest

from tools.divergence import nodes
from tools.lecture_style import Net, Value, inputs_first, losses


class InOrder(Value):
    """Its children keep their order, so that the last digits are the same each time."""

    keep = lambda inputs: tuple(dict.fromkeys(inputs))  # noqa: E731


NEURON = {"x1": 2.0, "x2": 0.0, "w1": -3.0, "w2": 1.0, "b": 6.8813735870195432}


def neuron(squash):
    v = {name: Value(x) for name, x in NEURON.items()}
    n = v["x1"] * v["w1"] + v["x2"] * v["w2"] + v["b"]
    o = squash(n)
    o.backward()
    return [o.data, n.grad, *(v[name].grad for name in ("x1", "w1", "x2", "w2"))], nodes(o)


def split(n):
    e = (2 * n).exp()
    return (e - 1) / (e + 1)


def split_twice(n):
    return ((2 * n).exp() - 1) / ((2 * n).exp() + 1)


def test_the_neuron_with_tanh():
    numbers, size = neuron(Value.tanh)
    assert numbers == [
        *(0.7071067811865476, 0.4999999999999999, -1.4999999999999996),
        *(0.9999999999999998, 0.4999999999999999, 0.0),
    ]
    assert size == 10


def test_the_neuron_with_tanh_taken_apart():
    numbers, size = neuron(split)
    assert numbers == [0.7071067811865477, 0.5, -1.5, 1.0, 0.5, 0.0]
    assert size == 18
    assert neuron(split_twice)[1] == 21


def test_tanh_has_the_corners_of_its_form():
    assert Value(354.0).tanh().data == 1.0
    assert Value(-355.0).tanh().data == -1.0
    with pytest.raises(OverflowError):
        Value(355.0).tanh()
    assert f"{Value(1.23456789e-08).tanh().data:.12g}" == "1.23456788822e-08"


def test_exp_keeps_its_output_as_local_derivative():
    a = Value(2.0)
    a.exp().backward()
    assert a.grad == math.exp(2.0) == 7.38905609893065


def test_what_it_lacks():
    for program in ("1 - v", "1 / v", "2 ** v", "float(v)", "v < v", "v.log()", "v.relu()"):
        with pytest.raises((TypeError, AttributeError)):
            eval(program, {"v": Value(2.0)})
    with pytest.raises(AssertionError):
        Value(2.0) ** Value(3.0)


def test_data_comes_as_it_is_and_children_in_a_set():
    assert (Value(2) * 3).data == 6
    assert type((Value(2) * 3).data) is int
    a = Value(3.0)
    assert (a + a)._prev == {a}
    assert repr(a) == "Value(data=3.0)"
    assert [(a + 1)._op, (a * 1)._op, (a**2)._op, a.exp()._op, a.tanh()._op] == [
        *("+", "*", "**2", "exp", "tanh")
    ]
    assert ((a**2).label, Value(1.0, label="w").label) == ("", "w")


def test_closures_read_data_when_they_run():
    a, b = Value(2.0), Value(3.0)
    c = a * b
    a.data = 100.0
    c.backward()
    assert (c.data, b.grad) == (6.0, 100.0)


def test_an_inner_value_keeps_its_gradient_from_one_walk_to_the_next():
    a, b, d = Value(3.0), Value(2.0), Value(1.0)
    c = a + b
    e = c * d
    e.backward()
    assert [v.grad for v in (a, b, c, d)] == [1.0, 1.0, 1.0, 5.0]
    e.backward()
    assert [v.grad for v in (a, b, c, d)] == [3.0, 3.0, 2.0, 10.0]


@pytest.mark.parametrize(("length", "fits"), [(900, True), (1100, False)])
def test_the_walk_goes_one_call_deeper_for_each_node(length, fits, monkeypatch):
    import sys

    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + 1000)
    try:
        a = x = Value(0.0)
        for _ in range(length):
            x = x + 1.0
        if fits:
            x.backward()
            assert a.grad == 1.0
        else:
            with pytest.raises(RecursionError):
                x.backward()
    finally:
        sys.setrecursionlimit(limit)


def test_inputs_come_before_results():
    a, b = Value(2.0), Value(3.0)
    out = (a * b + a) * b
    order: list[Value] = []
    inputs_first(out, order, set())
    place = {node: i for i, node in enumerate(order)}
    assert len(order) == 5
    assert all(place[child] < place[node] for node in order for child in node._prev)


def test_the_net_has_the_lectures_parameters():
    net = Net([3, 4, 4, 1])
    assert len(net.parameters()) == 41
    assert isinstance(net([2.0, 3.0, -1.0]), Value)
    assert len(Net([3, 4])([2.0, 3.0, -1.0])) == 4


def test_the_training_is_the_lectures():
    history = losses(20, 0.1, InOrder)
    assert history[-1] == 0.017781874686157644
    assert [round(history[k], 5) for k in (0, 1, 5, 10)] == [6.0054, 3.20215, 0.7001, 0.05335]
    assert losses(20, 0.1)[-1] == pytest.approx(history[-1], rel=1e-12)
    slower = losses(100, 0.05, InOrder)
    assert [round(slower[k], 5) for k in (1, 5, 10, 20, 50, 99)] == [
        *(4.44828, 2.27323, 0.50552, 0.05354, 0.01215, 0.0051)
    ]


def test_without_zeroing_it_is_thrown_out():
    history = losses(60, 0.05, InOrder, zero=False)
    assert [round(history[k], 4) for k in (1, 5, 10, 20)] == [4.4483, 0.3262, 0.0009, 0.0]
    assert round(history[-1], 4) == 4.0
