"""Code written for the published micrograd 0.1.0 runs unchanged on this package."""

import random

import numpy as np
import pytest
import torch
from sklearn.datasets import make_moons

import micrograd.engine
import micrograd.nn
from micrograd.drawing import draw_dot, outline
from micrograd.engine import Value
from tools.published import load

ENGINES = ["ours", "published"]


def of(name: str):
    """An engine and its nn."""
    return (micrograd.engine, micrograd.nn) if name == "ours" else load()


@pytest.mark.parametrize("name", ENGINES)
def test_the_readmes_example(name):
    Value = of(name)[0].Value
    a = Value(-4.0)
    b = Value(2.0)
    c = a + b
    d = a * b + b**3
    c += c + 1
    c += 1 + c + (-a)
    d += d * 2 + (b + a).relu()
    d += 3 * d + (b - a).relu()
    e = c - d
    f = e**2
    g = f / 2.0
    g += 10.0 / f
    assert f"{g.data:.4f}" == "24.7041"
    g.backward()
    assert f"{a.grad:.4f}" == "138.8338"
    assert f"{b.grad:.4f}" == "645.5773"


def polynomial(x):
    """Nothing but +, -, * and relu of small whole numbers: every float in it is exact."""
    z = 3 * x + 5 - x
    q = z.relu() * x + z
    h = (q * q - 7).relu()
    return h + q * x - (-z)


def everything(a, b):
    """Each operator, on both sides, with numbers that are rounded."""
    c = a / b + b**3 - 0.1
    d = (c * a).relu() + (1.7 - b) * (2.0 / c)
    return d**2 / 3.0 + (d - a) ** -2 + (b - a).relu() * 0.3 - c


def in_torch(*numbers: float) -> list[torch.Tensor]:
    return [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in numbers]


@pytest.mark.parametrize("start", [-4.0, -1.0, 3.0])
def test_whole_numbers_are_exactly_pytorchs(start):
    x, (t,) = Value(start), in_torch(start)
    y = polynomial(x)
    z = 3 * t + 5 - t
    q = torch.relu(z) * t + z
    u = torch.relu(q * q - 7) + q * t - (-z)
    y.backward()
    u.backward()
    assert (y.data, x.grad) == (u.item(), t.grad.item())


@pytest.mark.parametrize("start", [(-4.0, 2.0), (1.3, -0.7), (0.4, 2.9)])
def test_each_operator_is_pytorchs_within_a_millionth(start):
    a, b = map(Value, start)
    ta, tb = in_torch(*start)
    y, u = everything(a, b), everything(ta, tb)
    y.backward()
    u.backward()
    expected = [u.item(), ta.grad.item(), tb.grad.item()]
    assert [y.data, a.grad, b.grad] == pytest.approx(expected, rel=1e-6, abs=1e-6)


def moons_steps(name: str, steps: int) -> list[float]:
    """The losses of micrograd's demo: its own code, on one of the two packages."""
    engine, nn = of(name)
    Value, MLP = engine.Value, nn.MLP
    np.random.seed(1337)
    random.seed(1337)
    X, y = make_moons(n_samples=100, noise=0.1)
    y = y * 2 - 1
    model = MLP(2, [16, 16, 1])
    history = []
    for k in range(steps):
        inputs = [list(map(Value, xrow)) for xrow in X]
        scores = list(map(model, inputs))
        losses = [(1 + -yi * scorei).relu() for yi, scorei in zip(y, scores, strict=True)]
        data_loss = sum(losses) * (1.0 / len(losses))
        reg_loss = 1e-4 * sum(p * p for p in model.parameters())
        total_loss = data_loss + reg_loss
        accuracy = [(yi > 0) == (si.data > 0) for yi, si in zip(y, scores, strict=True)]
        model.zero_grad()
        total_loss.backward()
        learning_rate = 1.0 - 0.9 * k / 100
        for p in model.parameters():
            p.data -= learning_rate * p.grad
        history += [float(total_loss.data), sum(accuracy) / len(accuracy)]
    return history


def test_the_demos_losses_are_the_published_ones():
    ours, theirs = moons_steps("ours", 2), moons_steps("published", 2)
    assert ours[0] == 0.8958441028683222
    assert ours == pytest.approx(theirs, rel=1e-12)


def test_nets_are_written_alike_and_list_the_same_parameters():
    shown, numbers = [], []
    for name in ENGINES:
        nn = of(name)[1]
        random.seed(7)
        made = [nn.MLP(3, [4, 2, 1]), nn.Layer(2, 3), nn.Layer(2, 1, nonlin=False)]
        made += [nn.Neuron(2), nn.Neuron(2, nonlin=False)]
        shown.append([repr(module) for module in made])
        numbers.append([[p.data for p in module.parameters()] for module in made])
        assert all(isinstance(module, nn.Module) for module in made)
        made[0].zero_grad()
        assert [p.grad for p in made[0].parameters()] == [0] * 29
    assert shown[0] == shown[1]
    assert numbers[0] == numbers[1]


def trace(root):
    """Nodes and edges, as the lecture's drawing collects them."""
    nodes, edges = set(), set()

    def build(v):
        if v not in nodes:
            nodes.add(v)
            for child in v._prev:
                edges.add((child, v))
                build(child)

    build(root)
    return nodes, edges


@pytest.mark.parametrize("name", ENGINES)
def test_code_that_draws_a_graph(name):
    Value = of(name)[0].Value
    a, b = Value(2.0), Value(-3.0)
    c = a * b
    d = (c + a).relu()
    e = d + d
    nodes, edges = trace(e)
    s = next(child for child in d._prev)
    assert nodes == {a, b, c, s, d, e}
    assert edges == {(a, c), (b, c), (c, s), (a, s), (s, d), (d, e)}
    assert [v._op for v in (a, b, c, s, d, e)] == ["", "", "*", "+", "ReLU", "+"]
    assert (a**2)._op == "**2"
    assert repr(a) in ("Value(data=2.0, grad=0)", "Value(data=2.0, grad=0.0)")
    assert "{ data %.4f | grad %.4f }" % (a.data, a.grad) == "{ data 2.0000 | grad 0.0000 }"  # noqa: UP031


def test_the_published_class_can_be_drawn_too():
    published, _ = load()
    a = published.Value(3.0)
    out = (a**2).relu() + a * 2
    out.backward()
    assert outline(out).splitlines()[0] == "+ → data 15  grad 1"
    assert outline(out).count("data 3  grad 8") == 2
    svg = draw_dot(out).svg()
    assert svg is not None
    assert svg.count("<ellipse") == 4
