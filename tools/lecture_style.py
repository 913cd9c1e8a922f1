"""The Value class and the net as the lecture ends up with them, written anew, to compare with.

The behaviour is that of Andrej Karpathy's lecture notebook, with its corners: data is kept as it
comes, inputs are kept in a set, tanh is made of exponentials, closures read `data` when they run,
and the walk back is recursive. The words of the code are this course's own.
"""

import math
import random
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

XS = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
YS = [1.0, -1.0, -1.0, 1.0]


class Value:
    """A number in a graph. A subclass may keep its inputs in another container than a set."""

    keep: Callable[[Iterable[Any]], Any] = set

    def __init__(self, data: Any, inputs: Iterable[Any] = (), op: str = "", label: str = ""):
        self.data, self.grad = data, 0.0
        self.label, self._op = label, op
        self._prev = type(self).keep(inputs)
        self._backward: Callable[[], None] = _nothing

    def __repr__(self) -> str:
        return f"Value(data={self.data})"

    def __add__(self, other: Any) -> "Value":
        b = self._wrapped(other)
        out = type(self)(self.data + b.data, (self, b), "+")

        def back() -> None:
            self.grad += out.grad
            b.grad += out.grad

        return out._by(back)

    def __mul__(self, other: Any) -> "Value":
        b = self._wrapped(other)
        out = type(self)(self.data * b.data, (self, b), "*")

        def back() -> None:
            self.grad += b.data * out.grad
            b.grad += self.data * out.grad

        return out._by(back)

    def __pow__(self, k: Any) -> "Value":
        if not isinstance(k, int | float):
            raise AssertionError("a power has to be an int or a float")
        out = type(self)(self.data**k, (self,), f"**{k}")

        def back() -> None:
            self.grad += k * (self.data ** (k - 1)) * out.grad

        return out._by(back)

    def tanh(self) -> "Value":
        """The hyperbolic tangent, as (e²ˣ − 1) / (e²ˣ + 1)."""
        e = math.exp(2 * self.data)
        t = (e - 1) / (e + 1)
        out = type(self)(t, (self,), "tanh")

        def back() -> None:
            self.grad += (1 - t**2) * out.grad

        return out._by(back)

    def exp(self) -> "Value":
        """The exponential. Its local derivative is the result."""
        out = type(self)(math.exp(self.data), (self,), "exp")

        def back() -> None:
            self.grad += out.data * out.grad

        return out._by(back)

    def backward(self) -> None:
        """Set this gradient to 1, and add to that of every value that this one is made from."""
        order: list[Value] = []
        seen: set[Value] = set()
        inputs_first(self, order, seen)
        self.grad = 1.0
        for node in order[::-1]:
            node._backward()

    def __radd__(self, other: Any) -> "Value":
        return self + other

    def __rmul__(self, other: Any) -> "Value":
        return self * other

    def __neg__(self) -> "Value":
        return self * -1

    def __sub__(self, other: Any) -> "Value":
        return self + (-other)

    def __truediv__(self, other: Any) -> "Value":
        return self * other**-1

    def _wrapped(self, other: Any) -> "Value":
        return other if isinstance(other, Value) else type(self)(other)

    def _by(self, back: Callable[[], None]) -> "Value":
        self._backward = back
        return self


def _nothing() -> None:
    pass


def inputs_first(node: Value, order: list[Value], seen: set[Value]) -> None:
    """List what a value is made of, inputs before results, by a walk that calls itself."""
    if node in seen:
        return
    seen.add(node)
    for before in node._prev:
        inputs_first(before, order, seen)
    order.append(node)


class Net:
    """The lecture's net: every neuron is a tanh of a weighted sum that starts from the bias.

    Weights, then the bias, are drawn neuron by neuron from uniform(−1, 1). A layer with one neuron
    hands on its value itself, in place of a list of one.
    """

    def __init__(self, sizes: list[int], make: Callable[[float], Any] = Value):
        self.layers = [
            [[make(random.uniform(-1, 1)) for _ in range(before + 1)] for _ in range(after)]
            for before, after in pairwise(sizes)
        ]

    def __call__(self, x: Any) -> Any:
        """What the net makes of a list of inputs; inputs that are too many are left out."""
        for layer in self.layers:
            outs = [sum((w * xi for w, xi in zip(ws, x, strict=False)), b) for *ws, b in layer]
            squashed = [out.tanh() for out in outs]
            x = squashed[0] if len(squashed) == 1 else squashed
        return x

    def parameters(self) -> list[Any]:
        """Each weight and bias, in the order in which they were drawn."""
        return [p for layer in self.layers for neuron in layer for p in neuron]


def losses(
    steps: int, rate: float, make: Callable[[float], Any] = Value, zero: bool = True
) -> list[float]:
    """The loss at each step of the lecture's training, from seed 1337; with or without zeroing."""
    random.seed(1337)
    net, history = Net([3, 4, 4, 1], make), []
    for _ in range(steps):
        loss = sum((net(x) - y) ** 2 for x, y in zip(XS, YS, strict=True))
        history.append(loss.data)
        if zero:
            for p in net.parameters():
                p.grad = 0.0
        loss.backward()
        for p in net.parameters():
            p.data -= rate * p.grad
    return history
