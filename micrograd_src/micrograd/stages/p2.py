"""What the chapters have built by the end of part 2."""


class Value:
    """A number that remembers how it was made."""

    def __init__(self, data, _children=(), _op="", label=""):
        self.data = float(data)
        self._prev = tuple(_children)
        self._op = _op
        self.label = label

    def __repr__(self):
        return f"Value(data={self.data})"

    def __add__(self, other):
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), "*")
