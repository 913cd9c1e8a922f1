"""Neuron, Layer and MLP: a neural net made of Values, after micrograd's nn.py."""

import random
from collections.abc import Iterable, Sequence
from typing import Any

from micrograd.engine import Value


class Module:
    """Anything that has parameters."""

    def zero_grad(self) -> None:
        """Set the gradient of every parameter to 0."""
        for p in self.parameters():
            p.grad = 0.0

    def parameters(self) -> list[Value]:
        """The values that training changes, in a fixed order."""
        return []


class Neuron(Module):
    """The nonlinearity of w·x + b; weights drawn uniformly from -1 to 1, bias 0.

    `nonlin` is "relu" (or True), "tanh", or None (or False) for none; else ValueError.
    """

    def __init__(self, nin: int, nonlin: str | bool | None = True):
        if nin < 1:
            raise ValueError(f"a neuron needs at least one input, not {nin}")
        if nonlin not in (True, "relu", "tanh", False, None):
            raise ValueError(f"nonlin is 'relu', 'tanh' or None, not {nonlin!r}")
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(0)
        self.nonlin = "relu" if nonlin is True else nonlin or None

    def __call__(self, x: Value | Iterable[Value | float]) -> Value:
        """One value from one row of inputs. Raises ValueError where their number is wrong."""
        row = [x] if isinstance(x, Value) else list(x)
        if len(row) != len(self.w):
            raise ValueError(f"{self} takes {len(self.w)} inputs, not {len(row)}")
        act = sum((wi * xi for wi, xi in zip(self.w, row, strict=True)), self.b)
        return getattr(act, self.nonlin)() if self.nonlin else act

    def parameters(self) -> list[Value]:
        """The weights, then the bias."""
        return [*self.w, self.b]

    def __repr__(self) -> str:
        kind = {"relu": "ReLU", "tanh": "Tanh", None: "Linear"}[self.nonlin]
        return f"{kind}Neuron({len(self.w)})"


class Layer(Module):
    """`nout` neurons that all read the same `nin` inputs; `nonlin` as for Neuron."""

    def __init__(self, nin: int, nout: int, nonlin: str | bool | None = True):
        if nout < 1:
            raise ValueError(f"a layer needs at least one neuron, not {nout}")
        self.neurons = [Neuron(nin, nonlin) for _ in range(nout)]

    def __call__(self, x: Value | Iterable[Value | float]) -> Value | list[Value]:
        """One value for each neuron; from a single neuron the value itself, not a list."""
        row = [x] if isinstance(x, Value) else list(x)
        out = [neuron(row) for neuron in self.neurons]
        return out[0] if len(out) == 1 else out

    def parameters(self) -> list[Value]:
        """The parameters of each neuron in turn."""
        return [p for neuron in self.neurons for p in neuron.parameters()]

    def __repr__(self) -> str:
        return f"Layer of [{', '.join(map(str, self.neurons))}]"


class MLP(Module):
    """Layers in a row: `nonlin` in the hidden ones, the last one linear.

    >>> random.seed(1337)
    >>> model = MLP(3, [4, 4, 1])
    >>> len(model.parameters())
    41
    """

    def __init__(self, nin: int, nouts: Sequence[int], nonlin: str | bool | None = True):
        sizes = [nin, *nouts]
        last = len(sizes) - 2
        if last < 0:
            raise ValueError("an MLP needs at least one layer: give the size of each")
        self.layers = [
            Layer(sizes[i], sizes[i + 1], nonlin if i < last else None) for i in range(last + 1)
        ]

    def __call__(self, x: Value | Iterable[Value | float]) -> Value | list[Value]:
        """The last layer's output for one row of inputs."""
        out: Any = x
        for layer in self.layers:
            out = layer(out)
        return out

    def parameters(self) -> list[Value]:
        """The parameters of each layer in turn."""
        return [p for layer in self.layers for p in layer.parameters()]

    def __repr__(self) -> str:
        return f"MLP of [{', '.join(map(str, self.layers))}]"
