"""A Value in the style of Karpathy's microgpt, to measure against.

A node keeps a tuple of its children and a tuple of its derivatives by each. A plain number becomes
a node. `-`, unary `-` and `/` are made of `+`, `*` and `**`. The order of the backward pass is
found by depth-first search, as there, but with a stack of its own in place of recursion, so that
it reaches chains of any length.
"""

import math
from typing import Any


class Value:
    """A number in an expression graph, with its gradient after `backward()`."""

    __slots__ = ("_children", "_local_grads", "data", "grad")

    def __init__(
        self,
        data: float,
        children: "tuple[Value, ...]" = (),
        local_grads: tuple[float, ...] = (),
    ):
        self.data = data
        self.grad: float = 0
        self._children = children
        self._local_grads = local_grads

    def __add__(self, other: "Value | float") -> "Value":
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1, 1))

    def __mul__(self, other: "Value | float") -> "Value":
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, n: float) -> "Value":
        return Value(self.data**n, (self,), (n * self.data ** (n - 1),))

    def exp(self) -> "Value":
        """The exponential."""
        out = math.exp(self.data)
        return Value(out, (self,), (out,))

    def tanh(self) -> "Value":
        """The hyperbolic tangent."""
        t = math.tanh(self.data)
        return Value(t, (self,), (1 - t * t,))

    def relu(self) -> "Value":
        """The number where it is positive, else 0."""
        return Value(max(0, self.data), (self,), (float(self.data > 0),))

    def backward(self) -> None:
        """Add to `grad`, in every node this one was made from, this one's derivative by it."""
        order: list[Value] = []
        seen: set[Value] = set()
        stack: list[Any] = [self]
        while stack:
            node = stack.pop()
            if node is None:  # all that the next one was made from is in order
                order.append(stack.pop())
            elif node not in seen:
                seen.add(node)
                if node._children:
                    stack += (node, None, *node._children)
                else:
                    order.append(node)
        self.grad = 1
        for node in reversed(order):
            for child, local_grad in zip(node._children, node._local_grads, strict=False):
                child.grad += local_grad * node.grad

    def __neg__(self) -> "Value":
        return self * -1

    def __radd__(self, other: float) -> "Value":
        return self + other

    def __sub__(self, other: "Value | float") -> "Value":
        return self + (-other)

    def __rsub__(self, other: float) -> "Value":
        return other + (-self)

    def __rmul__(self, other: float) -> "Value":
        return self * other

    def __truediv__(self, other: "Value | float") -> "Value":
        return self * other**-1

    def __rtruediv__(self, other: float) -> "Value":
        return other * self**-1

    def __repr__(self) -> str:
        return f"Value(data={self.data}, grad={self.grad})"
