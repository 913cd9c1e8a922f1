"""A scalar autograd engine, after Andrej Karpathy's https://github.com/karpathy/micrograd."""

import math
from itertools import count
from numbers import Real
from operator import attrgetter
from typing import Any, NoReturn

_NOTHING: Any = None
_births = count()  # inputs are born before their result, so newest first is a backward order


class Value:
    """A real number in an expression graph: `data`, and after `backward()` its gradient, `grad`.

    A result keeps its inputs, each with the local derivative: `_a` with `_da`, `_b` with `_db`.
    A plain number as second input needs no node: then `_b` is None and `_db` is that number.
    `_tags` is its operation and its label. Raises TypeError for what is not a real number.

    >>> a, b = Value(2.0), Value(-3.0)
    >>> (a * b + 10).backward()
    >>> a.grad, b.grad
    (-3.0, 2.0)
    """

    __slots__ = ("_a", "_b", "_born", "_da", "_data", "_db", "_tags", "grad")
    __array_ufunc__ = None  # numpy then leaves `np.float64(2) * v` to __rmul__

    def __init__(self, data: float, label: str = ""):
        self._data, self.grad = _real(data), 0.0
        self._a = self._da = self._b = self._db = _NOTHING
        self._tags, self._born = ("", label) if label else ("", ""), next(_births)

    @property
    def data(self) -> float:
        """The number. Setting it leaves the gradients of graphs already built as they are."""
        return self._data

    @data.setter
    def data(self, x: float) -> None:
        self._data = _real(x)

    @property
    def _prev(self) -> "tuple[Value, ...]":
        """The inputs in order: () for a leaf, (a, a) for `a + a`."""
        return tuple(v for v in (self._a, self._b) if v is not None)

    @property
    def _op(self) -> str:
        """The operation, for drawing: "tanh", "+", or "+1" where a plain number was added."""
        return self._tags[0] + (f"{self._db:g}" if self._b is None and self._db is not None else "")

    @property
    def label(self) -> str:
        """What the drawing calls it."""
        return self._tags[1]

    @label.setter
    def label(self, name: str) -> None:
        self._tags = self._tags[0], name

    def __add__(self, other: "Value | float") -> "Value":
        """a + b; local derivatives 1 and 1."""
        if isinstance(other, Value):
            return _node(self._data + other._data, ("+", ""), self, 1.0, other, 1.0)
        return _node(self._data + (k := _real(other)), ("+", ""), self, 1.0, None, k)

    def __mul__(self, other: "Value | float") -> "Value":
        """a * b; local derivatives b and a."""
        if isinstance(other, Value):
            return _node(self._data * other._data, ("*", ""), self, other._data, other, self._data)
        return _node(self._data * (k := _real(other)), ("*", ""), self, k, None, k)

    def __truediv__(self, other: "Value | float") -> "Value":
        """a / b; local derivatives 1/b and -(a/b)/b. Raises ZeroDivisionError where b is 0."""
        a, b = self._data, other._data if isinstance(other, Value) else _real(other)
        if b == 0:
            raise ZeroDivisionError(f"{self} / {other}: nothing can be divided by zero")
        if isinstance(other, Value):
            return _node(a / b, ("/", ""), self, 1 / b, other, -(a / b) / b)
        return _node(a / b, ("/", ""), self, 1 / b, None, b)

    def __pow__(self, n: float) -> "Value":
        """a ** n for a number n; local derivative n * a**(n-1). Raises where it is not real."""
        if isinstance(n, Value):
            raise TypeError(f"{self} ** {n}: the exponent is a Value; use (b * a.log()).exp()")
        a, k = self._data, _real(n)
        try:
            out = a**k
            slope = 0.0 if k == 0 else math.inf if a == 0 and k < 1 else k * a ** (k - 1)
        except ArithmeticError as error:
            why = "too large for a float" if a else "zero has no negative power"
            raise type(error)(f"{self} ** {n}: {why}") from None
        if isinstance(out, complex):
            raise ValueError(f"{self} ** {n}: a negative number has no real fractional power")
        return _node(out, ("**", ""), self, slope, None, k)

    def __rpow__(self, k: float) -> NoReturn:
        raise TypeError(f"{k} ** {self}: the exponent is a Value; use (b * a.log()).exp()")

    def exp(self) -> "Value":
        """e ** a; local derivative e ** a. Raises OverflowError above a = 709.78."""
        if 709.782712893384 < self._data < math.inf:
            raise OverflowError(f"exp of {self}: too large for a float; subtract the maximum first")
        return _node(out := math.exp(self._data), ("exp", ""), self, out)

    def log(self) -> "Value":
        """The natural logarithm; local derivative 1/a. Raises ValueError where a <= 0."""
        if self._data <= 0:
            raise ValueError(f"log of {self}: only a positive number has a logarithm")
        return _node(math.log(self._data), ("log", ""), self, 1 / self._data)

    def tanh(self) -> "Value":
        """The hyperbolic tangent t; local derivative 1 - t**2."""
        return _node(t := math.tanh(self._data), ("tanh", ""), self, 1 - t * t)

    def relu(self) -> "Value":
        """a where a > 0, else 0; local derivative 1 where a > 0, else 0."""
        off = self._data <= 0  # false for nan, which passes, as in PyTorch
        return _node(0.0 if off else self._data, ("ReLU", ""), self, 0.0 if off else 1.0)

    def backward(self) -> None:
        """Fill each `grad` with this value's derivative; leaves add it to what they hold."""
        nodes, held = [self], [self.grad]
        walk: Any = object()  # stands in the `grad` of what this call has seen
        try:
            for node in nodes:  # grows while it is read
                for parent in (node._a, node._b):
                    if parent is not None and parent.grad is not walk:
                        nodes.append(parent)
                        held.append(parent.grad)
                        parent.grad = walk
            for node in nodes:
                node.grad = 0.0
            self.grad = 1.0
            for node in sorted(nodes, key=attrgetter("_born"), reverse=True):
                if node._a is not None:
                    node._a.grad += node._da * node.grad
                if node._b is not None:
                    node._b.grad += node._db * node.grad
            for node, before in zip(nodes, held, strict=True):
                if node._a is None:
                    node.grad += before or 0.0
        except BaseException:  # an interrupt, too, leaves every gradient as it was
            for node, before in zip(nodes, held, strict=False):
                node.grad = before
            raise

    def __neg__(self) -> "Value":
        return self * -1

    def __sub__(self, other: "Value | float") -> "Value":
        return self + (-other if isinstance(other, Value) else -_real(other))

    def __rsub__(self, k: float) -> "Value":
        return -self + k

    def __rtruediv__(self, k: float) -> "Value":
        return Value(k) / self

    def __repr__(self) -> str:
        return f"Value(data={self._data}, grad={self.grad})"

    def __format__(self, spec: str) -> str:
        return format(self._data, spec) if spec else repr(self)

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError(f"{self} is a node of a graph; for the number in it, use .data")

    __radd__, __rmul__ = __add__, __mul__
    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = _refuse
    __float__ = __int__ = __round__ = __abs__ = __reduce_ex__ = _refuse


def _real(x: object) -> float:
    if isinstance(x, (float, int, Real)):  # float first: an abstract class is slow to ask
        return float(x)
    raise TypeError(f"a Value takes one real number, int or float, not {x!r} ({type(x).__name__})")


def _node(data, names, a, da, b=None, db=None) -> Value:
    out = Value.__new__(Value)
    out._data, out.grad, out._a = data, 0.0, a
    out._da, out._b, out._db = da, b, db
    out._tags, out._born = names, next(_births)
    return out
