"""Ask PyTorch for the value and the gradients of small programs, and store what it says.

python tools/torch_numbers.py   (writes tests/torch_numbers.json)

Numbers are stored as hexadecimal floats, which lose nothing.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

STORED = Path(__file__).parent.parent / "tests" / "torch_numbers.json"

README = """
c = a + b
d = a * b + b**3
c = c + (c + 1)
c = c + (1 + c + (-a))
d = d + (d * 2 + (b + a).relu())
d = d + (3 * d + (b - a).relu())
e = c - d
f = e**2
g = f / 2.0
g + 10.0 / f
"""
SUMS_AND_PRODUCTS = """
c = a + b
d = a * b + b * b * b
c = c + (c + 1)
c = c + (1 + c + (-a))
d = d + (d * 2 + (b + a).relu())
d = d + (3 * d + (b - a).relu())
e = c - d
e * e * 0.1
"""
NEURON = "(x1 * w1 + x2 * w2 + b).tanh()"
NEURON_INPUTS = {"x1": 2.0, "x2": 0.0, "w1": -3.0, "w2": 1.0, "b": 6.8813735870195432}
NEURON_BY_EXP = """
n = x1 * w1 + x2 * w2 + b
e = (2 * n).exp()
(e - 1) / (e + 1)
"""
SOFTMAX = """
p, q, r = x.exp(), y.exp(), z.exp()
-((q / (p + q + r)).log())
"""
TWO_LAYERS = """
h = (x * w1 + y * w2 + b1).relu()
k = (x * w3 - y * w4 + b2).tanh()
out = h * w5 + k * w6
(out - 1) ** 2
"""
INPUTS = {"a": 2.0, "b": -3.0, "c": 10.0}

# A name: the program, whose last line is the output, and its inputs.
PROGRAMS: dict[str, tuple[str, dict[str, float]]] = {
    "a + b": ("a + b", {"a": 2.0, "b": -3.0}),
    "a - b": ("a - b", {"a": 0.1, "b": 0.7}),
    "a * b": ("a * b", {"a": 0.1, "b": 0.7}),
    "a / b": ("a / b", {"a": 0.1, "b": 0.7}),
    "a / itself": ("a / a", {"a": 49.0}),
    "-a": ("-a", {"a": 0.3}),
    "constants on the right": ("((a + 0.1) * 0.3 - 0.7) / 3", {"a": 1.7}),
    "constants on the left": ("3 / (0.7 - 0.3 * (0.1 + a))", {"a": 0.9}),
    "sums with constants on both sides": ("0.1 + (0.7 - a * 0.3) - 0.2", {"a": 1.7}),
    "a ** 2": ("a**2", {"a": -1.1}),
    "a ** 3 + a ** -1": ("a**3 + a**-1", {"a": -1.7}),
    "a ** 0.5": ("a**0.5", {"a": 2.0}),
    "a ** 0 at 0": ("a**0 + a**1", {"a": 0.0}),
    "relu above, at and below 0": (
        "a.relu() * 2 + b.relu() * 3 + c.relu() * 5",
        {"a": 0.1, "b": 0.0, "c": -0.1},
    ),
    "tanh": ("a.tanh()", {"a": 0.8814}),
    "tanh of little": ("a.tanh() * b", {"a": 1e-9, "b": 3.0}),
    "exp": ("a.exp()", {"a": 1.3}),
    "log": ("a.log()", {"a": 1.3}),
    "exp, log and back": ("(a.exp() + b.exp()).log()", {"a": 0.3, "b": -1.2}),
    "a + a": ("a + a", {"a": 3.0}),
    "diamond": ("d = a * b\ne = a + b\nd * e", {"a": -2.0, "b": 3.0}),
    "an inner value used again": ("b = a + 1\nc = b * 2\nb * c", {"a": 2.0}),
    "L": ("e = a * b\nd = e + c\nd * f", {**INPUTS, "f": -2.0}),
    "parabola": ("3 * (x * x) - 4 * x + 5", {"x": 2 / 3}),
    "neuron": (NEURON, NEURON_INPUTS),
    "neuron by exp": (NEURON_BY_EXP, NEURON_INPUTS),
    "softmax": (SOFTMAX, {"x": 0.5, "y": -1.0, "z": 1.5}),
    "two layers": (
        TWO_LAYERS,
        {"x": 1.5, "y": -0.5, "w1": 0.4, "w2": -0.3, "b1": 0.1}
        | {"w3": -0.8, "w4": 0.6, "b2": 0.2, "w5": 0.9, "w6": -1.1},
    ),
    "README": (README, {"a": -4.0, "b": 2.0}),
    "README by sums and products": (SUMS_AND_PRODUCTS, {"a": -4.1, "b": 2.3}),
}


def run(program: str, make: Callable[[float], Any], inputs: Mapping[str, float]) -> tuple:
    """The output of a program and its inputs by name, all of the kind that `make` makes."""
    leaves = {name: make(x) for name, x in inputs.items()}
    *before, last = program.strip().splitlines()
    names: dict[str, Any] = dict(leaves)
    exec("\n".join(before), {}, names)
    return eval(last, {}, names), leaves


def leaf(x: float) -> Any:
    """A float64 tensor that wants its gradient."""
    import torch

    return torch.tensor(x, dtype=torch.float64, requires_grad=True)


def answers() -> dict[str, Any]:
    """What PyTorch says now: for each program the output and the gradients.

    With its version and the processor's instruction set, on which the last digit of tanh depends.
    """
    import torch

    numbers = {}
    for name, (program, inputs) in PROGRAMS.items():
        out, leaves = run(program, leaf, inputs)
        out.backward()
        numbers[name] = {
            "program": program.strip().splitlines(),
            "inputs": {k: x.hex() for k, x in inputs.items()},
            "output": out.item().hex(),
            "gradients": {k: v.grad.item().hex() for k, v in leaves.items()},
        }
    # The build, as in "+cpu", says nothing about the numbers.
    version, cpu = torch.__version__.split("+")[0], torch.backends.cpu.get_cpu_capability()
    return {"torch": version, "cpu": cpu, "numbers": numbers}


if __name__ == "__main__":
    STORED.write_text(json.dumps(answers(), indent=1) + "\n", encoding="utf-8")
    print(f"{STORED.name}: {len(PROGRAMS)} programs")
