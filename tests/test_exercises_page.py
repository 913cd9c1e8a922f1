"""The numbers in the worked solutions of the exercises page are what the methods give."""

import ast
import inspect
import math
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from course.moons import moons
from micrograd import engine, nn
from micrograd.drawing import topological
from micrograd.engine import Value
from micrograd.stages import p5, p6, p7

PAGE = (Path(__file__).parent.parent / "exercises" / "index.md").read_text(encoding="utf-8")
POINT = [2.0, 3.0, 4.0]


def f(a: float, b: float, c: float) -> float:
    """The function of the first four exercises."""
    return -(a**3) + math.sin(3 * b) - 1 / c + b**2.5 - math.sqrt(a)


def solution(name: str) -> str:
    """The text of one worked solution, with plain minus signs."""
    found = re.search(rf"Solution of {name}</summary>(.*?)</details>", PAGE, flags=re.S)
    return found.group(1).replace("−", "-")


def task(name: str) -> str:
    """The text of one task, without its solution."""
    found = re.search(rf"^### {name} .*?(?=^<details>)", PAGE, flags=re.S | re.M)
    return found.group()


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


# The code of a solution runs, and gives what the task says.


def code_of(name: str, **names: object) -> dict[str, object]:
    """What the Python of a worked solution defines; it may use what the chapter has at hand."""
    found = re.search(rf"Solution of {name}</summary>(.*?)</details>", PAGE, flags=re.S)
    blocks = re.findall(r"```python\n(.*?)```", found.group(1), flags=re.S)
    assert blocks, name
    exec("\n".join(blocks), names := {"math": math, "torch": torch, **names})
    return names


def fresh(module: object) -> dict[str, object]:
    """A module's names, made anew: what a solution adds to its classes stays in the test."""
    exec(inspect.getsource(module), names := {"__name__": "fresh"})
    names["add_to_class"] = lambda cls: lambda method: setattr(cls, method.__name__, method)
    return names


def neuron(cls: type) -> list[Value]:
    x1, x2, w1, w2, b = (cls(x) for x in (2.0, 0.0, -3.0, 1.0, 6.8813735870195432))
    return [x1, x2, w1, w2, b, x1 * w1 + x2 * w2 + b]


def test_p5_1_the_sigmoid_route():
    route = code_of("P5.1")["through_sigmoid"]
    x1, x2, w1, w2, _, n = neuron(p5.Value)
    o = route(n)
    o.backward()
    assert f"{o.data!r} " in task("P5.1").replace(",", " ")
    assert repr(n.grad) in solution("P5.1")
    assert [v.grad for v in (x1, x2, w1, w2)] == pytest.approx([-1.5, 0.5, 1.0, 0.0], abs=1e-15)
    assert f"count is {len(topological(o))}" in task("P5.1")
    far = p5.Value(20.0)
    route(far).backward()
    assert repr(far.grad) in solution("P5.1")
    split = neuron(p5.Value)[-1]
    e = (2 * split).exp()
    outputs = [o.data, ((e - 1) / (e + 1)).data, math.tanh(split.data), split.tanh().data]
    assert max(outputs) - min(outputs) < 2.3e-16


def test_p5_2_softmax(capsys):
    names = code_of("P5.2", **fresh(p5))
    numbers = [names["loss"].data, *(v.grad for v in names["logits"])]
    for number in numbers:
        assert repr(number).replace("-", "−") in task("P5.2")
    assert capsys.readouterr().out == "True\n"


def test_p5_3_a_power_with_both_gradients():
    names = code_of("P5.3")
    names["Value"] = p5.Value
    x, y = p5.Value(2.0), p5.Value(3.0)
    out = names["power"](x, y)
    out.backward()
    assert (out.data, x.grad) == (8.0, 12.0)
    assert repr(y.grad) in task("P5.3")
    with pytest.raises(ValueError, match="math domain error"):
        names["power"](p5.Value(-2.0), p5.Value(3.0)).backward()
    with pytest.raises(TypeError):
        p5.Value(2.0) ** p5.Value(3.0)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("P6.2", [1, 1]),
        ("P6.2", [2, 2, 1]),
        ("P6.2", [3, 4, 4, 1]),
        ("P6.2", [784, 100, 10]),
        ("P6.3", [2, 4, 1, 4, 1]),
    ],
)
def test_p6_parameters(name, sizes):
    nin, *nouts = sizes
    assert f"`MLP({nin}, {nouts})`" in task(name)
    assert re.search(rf"\b{len(p6.MLP(nin, nouts).parameters())}\b", solution(name))


def test_p6_4_a_net_without_biases_says_0_at_the_origin():
    net = p6.MLP(3, [4, 4, 1])
    for layer in net.layers:
        for unit in layer.neurons:
            unit.b.data = 0.0
    out = net([0.0, 0.0, 0.0])
    out.backward()
    assert out.data == 0.0
    assert all(w.grad == 0 for layer in net.layers for unit in layer.neurons for w in unit.w)


def test_p6_5_the_loss_by_hand():
    preds = [p5.Value(x) for x in (0.5, -0.5, 0.0, 1.0)]
    loss = sum((p - y) ** 2 for p, y in zip(preds, (1.0, -1.0, -1.0, 1.0), strict=True))
    loss.backward()
    assert f"loss is {loss.data:g}" in task("P6.5")
    assert [p.grad for p in preds] == [-1.0, 1.0, 2.0, 0.0]


XS = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
YS = [1.0, -1.0, -1.0, 1.0]


def fit() -> Callable[..., list[float]]:
    """The training loop of the first solution of part 7."""
    return code_of("P7.1")["fit"]


def fresh_net() -> p7.MLP:
    random.seed(1337)
    return p7.MLP(3, [4, 4, 1])


def test_p7_1_the_training_loop():
    losses = fit()(fresh_net(), XS, YS, 0.05, 100)
    assert f"the first of {len(losses)} losses is {losses[0]:.4f}" in task("P7.1")
    assert f"the last one {losses[-1]:.4f}." in task("P7.1")
    with pytest.raises(ValueError, match="zip"):
        fit()(fresh_net(), XS, YS[:3], 0.05, 1)


def test_p7_2_forgotten():
    for zeroed, name in ((True, "with zeroing"), (False, "without")):
        w = p7.Value(0.0)
        for _ in range(2):
            w.grad = 0.0 if zeroed else w.grad
            ((w - 3) ** 2).backward()
            w.data -= 0.1 * w.grad
        assert f"{w.data:g} {name}" in task("P7.2")


def test_p7_3_a_falling_learning_rate():
    names = code_of("P7.3", Value=p7.Value)
    assert f"{names['steady']!r}." in solution("P7.3")
    assert names["falling"] == pytest.approx(sum([3, 7, 4, 6]) / 4, rel=1e-15)


@pytest.mark.parametrize(("c", "rate"), [(1, 1), (5, 0.2), (50, 0.02)])
def test_p7_4_how_steep_a_valley_may_be(c, rate):
    after = code_of("P7.4", Value=p7.Value)["after"]
    assert f"{rate:g}" in task("P7.4").rsplit("*Right if*")[1]
    assert after(c, 0.99 * rate) < 1 < after(c, 1.01 * rate)


def test_p7_5_rescue():
    stuck = fresh_net()
    fit()(stuck, XS, YS, 0.5, 100)
    assert [round(stuck(x).data) for x in XS] == [1, -1, 1, 1]
    names = code_of("P7.5", fit=fit(), MLP=p7.MLP, random=random, xs=XS, ys=YS)
    assert f"{names['losses'][-1]:.4f}" in solution("P7.5")
    assert names["losses"][-1] < 0.01


def test_p8_1_tanh_in_the_published_style():
    names = code_of("P8.1", **fresh(p5))
    for x in (0.7, 400.0, -400.0):
        v, t = p5.Value(x), torch.tensor(x, dtype=torch.float64, requires_grad=True)
        out, expected = names["tanh"](v), torch.tanh(t)
        expected.backward()
        names["Value"].backward(out)
        assert [out.data, v.grad] == pytest.approx([expected.item(), t.grad.item()], rel=1e-6)


def test_p8_1_the_moons_with_tanh():
    points, labels = moons()
    random.seed(1337)
    net = nn.MLP(2, [16, 16, 1], nonlin="tanh")
    for k in range(100):
        scores = [net(point) for point in points]
        hinges = [(1 - y * score).relu() for score, y in zip(scores, labels, strict=True)]
        loss = sum(hinges) / len(hinges) + 1e-4 * sum(p * p for p in net.parameters())
        net.zero_grad()
        loss.backward()
        for p in net.parameters():
            p.data -= (1.0 - 0.9 * k / 100) * p.grad
    assert f"loss is {loss.data:.6f}" in solution("P8.1")
    assert all((score.data > 0) == (y > 0) for score, y in zip(scores, labels, strict=True))


def test_p8_3_the_official_exercise():
    loss = code_of("P8.3", Value=Value)
    numbers = [loss["loss"].data, *(v.grad for v in loss["logits"])]
    for number in numbers:
        assert f"{number:.6f}" in solution("P8.3")
    for number in (f(*POINT), *RULE):
        assert repr(number) in solution("P8.3")


def test_p8_4_a_block_of_your_own():
    names = code_of("P8.4", _node=engine._node)
    v, t = Value(1.0), torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    out, expected = names["swish"](v), names["Swish"].apply(t)
    out.backward()
    expected.backward()
    assert f"{out.data:.6f}" in task("P8.4")
    assert f"{v.grad:.6f}" in task("P8.4")
    assert [expected.item(), t.grad.item()] == pytest.approx([out.data, v.grad], rel=1e-12)
    inputs = torch.tensor([-1.0, 0.3, 2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(names["Swish"].apply, (inputs,))


def test_every_solution_is_python():
    for block in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S):
        ast.parse(block)


@pytest.mark.parametrize("name", re.findall(r"^### (P\d\.\d) ", PAGE, flags=re.M))
def test_every_exercise_has_a_solution_and_is_named_in_its_chapter(name):
    assert len(solution(name).split()) > 10
    (chapter,) = (Path(__file__).parent.parent / "notebooks").glob(f"{name[:2].lower()}_*.ipynb")
    assert f"**{name}**" in chapter.read_text(encoding="utf-8")
