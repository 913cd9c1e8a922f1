"""What the chapters have built by the end of part 3."""

import math


class Value:
    """A number that remembers how it was made, with room for a gradient."""

    def __init__(self, data, _children=(), _op="", label=""):
        self.data = float(data)
        self.grad = 0.0
        self._prev = tuple(_children)
        self._op = _op
        self.label = label

    def __repr__(self):
        return f"Value(data={self.data})"

    def __add__(self, other):
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), "*")

    def tanh(self):
        e = math.exp(2 * self.data)
        return Value((e - 1) / (e + 1), (self,), "tanh")
