"""The edge table: what the engine answers at 0, at infinity, at nan, and to what is no number."""

import math
import re

import numpy as np
import pytest

from micrograd.engine import Value

inf, nan = math.inf, math.nan


def same(a: float, b: float) -> bool:
    """Equal as floats, nan counting as equal to nan."""
    return a == b or (math.isnan(a) and math.isnan(b))


# expression in x, x, its number, its slope: as mathematics and PyTorch have it
ANSWERS = [
    ("x.relu()", 0.0, 0.0, 0.0),
    ("x.relu()", -0.0, 0.0, 0.0),
    ("x.relu()", -2.0, 0.0, 0.0),
    ("x.relu()", nan, nan, 1.0),
    ("x.relu()", inf, inf, 1.0),
    ("x.relu()", -inf, 0.0, 0.0),
    ("x.tanh()", 355.0, 1.0, 0.0),
    ("x.tanh()", -355.0, -1.0, 0.0),
    ("x.tanh()", 1e308, 1.0, 0.0),
    ("x.tanh()", inf, 1.0, 0.0),
    ("x.tanh()", nan, nan, nan),
    ("x.tanh()", 1.23456789e-08, 1.23456789e-08, 1.0),
    ("x.tanh()", 20.0, 1.0, 0.0),
    ("x.exp()", 2.0, 7.38905609893065, 7.38905609893065),
    ("x.exp()", -1000.0, 0.0, 0.0),
    ("x.exp()", -inf, 0.0, 0.0),
    ("x.exp()", inf, inf, inf),
    ("x.exp()", nan, nan, nan),
    ("x.exp()", 709.782712893384, math.exp(709.782712893384), math.exp(709.782712893384)),
    ("x.log()", 1.0, 0.0, 1.0),
    ("x.log()", inf, inf, 0.0),
    ("x.log()", nan, nan, nan),
    ("x ** 0", 0.0, 1.0, 0.0),
    ("x ** 0", 5.0, 1.0, 0.0),
    ("x ** 0", 5e-324, 1.0, 0.0),
    ("x ** 0", inf, 1.0, 0.0),
    ("x ** 0", nan, 1.0, 0.0),
    ("x ** 1", 0.0, 0.0, 1.0),
    ("x ** 2", 0.0, 0.0, 0.0),
    ("x ** 0.5", 0.0, 0.0, inf),
    ("x ** 2", 0.1, 0.1**2, 0.2),
    ("x ** 3", -2.0, -8.0, 12.0),
    ("x ** -1", -2.0, -0.5, -0.25),
    ("x ** 2", inf, inf, inf),
    ("x ** 2", nan, nan, nan),
    ("x / 49", 49.0, 1.0, 1 / 49),
    ("49 / x", 49.0, 1.0, -1 / 49),
    ("x / Value(49)", 49.0, 1.0, 1 / 49),
    ("x / 1e-200", 1.0, 1e200, 1e200),
    ("1 / x", 1e-200, 1e200, -inf),
    ("1 / x", inf, 0.0, -0.0),
    ("x - x", inf, nan, 0.0),
    ("x * 10", 1e308, inf, 10.0),
    ("x * x", 3.0, 9.0, 6.0),
    ("x + x", 3.0, 6.0, 2.0),
    ("-x ** 2", 2.0, -4.0, -4.0),
    ("(-x) ** 2", 2.0, 4.0, 4.0),
    ("1 - x", 2.0, -1.0, -1.0),
    ("3 - x", 1.0, 2.0, -1.0),
    ("1 / x", 2.0, 0.5, -0.25),
    ("2 + x", 1.0, 3.0, 1.0),
    ("sum([x, x])", 1.0, 2.0, 2.0),
    ("x * True", 3.0, 3.0, 1.0),
    ("np.float64(2) * x", 3.0, 6.0, 2.0),
    ("x * np.float32(2)", 3.0, 6.0, 2.0),
    ("np.float64(2) / x", 4.0, 0.5, -0.125),
    ("np.float64(2) - x", 4.0, -2.0, -1.0),
    ("x ** np.int64(2)", 3.0, 9.0, 6.0),
    ("x - np.uint8(3)", 5.0, 2.0, 1.0),
    ("np.uint8(3) - x", 5.0, -2.0, -1.0),
    ("x - np.int8(-128)", 0.0, 128.0, 1.0),
    ("x - np.uint64(3)", 5.0, 2.0, 1.0),
]

# expression in x and y, both 2.0 unless it says otherwise, the error, what its message says
ERRORS = [
    ("Value('x')", TypeError, "'x' (str)"),
    ("Value('2')", TypeError, "'2' (str)"),
    ("Value(None)", TypeError, "None (NoneType)"),
    ("Value(1j)", TypeError, "1j (complex)"),
    ("Value([1.0])", TypeError, "[1.0] (list)"),
    ("Value(np.array(1.0))", TypeError, "ndarray"),
    ("Value(x)", TypeError, "(Value)"),
    ("x + 'y'", TypeError, "'y' (str)"),
    ("x + 1j", TypeError, "1j (complex)"),
    ("1j + x", TypeError, "1j (complex)"),
    ("x * None", TypeError, "None (NoneType)"),
    ("x * np.array([1.0, 2.0])", TypeError, "ndarray"),
    ("np.array([1.0, 2.0]) * x", TypeError, "ndarray"),
    ("np.array([1.0, 2.0]) + x", TypeError, "ndarray"),
    ("np.array([1.0, 2.0]) - x", TypeError, "ndarray"),
    ("np.array([1.0, 2.0]) / x", TypeError, "ndarray"),
    ("x / 'y'", TypeError, "'y' (str)"),
    ("x - [1]", TypeError, "list"),
    ("x - 'y'", TypeError, "'y' (str)"),
    ("x - None", TypeError, "None (NoneType)"),
    ("x ** y", TypeError, "(b * a.log()).exp()"),
    ("2 ** x", TypeError, "(b * a.log()).exp()"),
    ("np.float64(2) ** x", TypeError, "(b * a.log()).exp()"),
    ("x ** 'n'", TypeError, "'n' (str)"),
    ("Value(-2.0) ** 0.5", ValueError, "** 0.5: a negative number has no real fractional power"),
    ("Value(0.0) ** -1", ZeroDivisionError, "** -1: zero has no negative power"),
    ("Value(0.0) ** -0.5", ZeroDivisionError, "zero has no negative power"),
    ("Value(10.0) ** 400", OverflowError, "data=10.0, grad=0.0) ** 400: too large for a float"),
    ("x / 0", ZeroDivisionError, "/ 0: nothing can be divided by zero"),
    ("x / Value(0.0)", ZeroDivisionError, "data=2.0"),
    ("1 / Value(0.0)", ZeroDivisionError, "data=0.0"),
    ("Value(0.0).log()", ValueError, "log of Value(data=0.0"),
    ("Value(-1.0).log()", ValueError, "only a positive number has a logarithm"),
    ("Value(710.0).exp()", OverflowError, "exp of Value(data=710.0"),
    ("max(x, y)", TypeError, "use .data"),
    ("sorted([x, y])", TypeError, "use .data"),
    ("x < y", TypeError, "use .data"),
    ("x <= 1", TypeError, "use .data"),
    ("x > 1", TypeError, "use .data"),
    ("1 > x", TypeError, "use .data"),
    ("x >= y", TypeError, "use .data"),
    ("bool(x)", TypeError, "use .data"),
    ("not x", TypeError, "use .data"),
    ("float(x)", TypeError, "use .data"),
    ("int(x)", TypeError, "use .data"),
    ("round(x)", TypeError, "use .data"),
    ("abs(x)", TypeError, "use .data"),
    ("math.exp(x)", TypeError, "use .data"),
    ("np.exp(x)", TypeError, "ufunc"),
    ("copy.deepcopy(x)", TypeError, "use .data"),
    ("pickle.dumps(x)", TypeError, "use .data"),
    ("setattr(x, 'data', 'y')", TypeError, "'y' (str)"),
    ("setattr(x, 'data', y)", TypeError, "(Value)"),
    ("setattr(x, 'dta', 1.0)", AttributeError, "dta"),
]


def check_answer(expression: str, number: float, result: float, slope: float) -> None:
    """The number and the slope of an expression in x; one last bit is the C library's own."""
    x = Value(number)
    out = eval(expression, {"x": x, "Value": Value, "np": np})
    assert type(out.data) is float
    assert same(out.data, result) or out.data == pytest.approx(result, rel=2**-52), out
    out.backward()
    assert same(x.grad, slope) or x.grad == pytest.approx(slope, rel=2**-52), x


@pytest.mark.parametrize(("expression", "number", "result", "slope"), ANSWERS)
def test_answer(expression, number, result, slope):
    check_answer(expression, number, result, slope)


@pytest.mark.parametrize(("expression", "error", "says"), ERRORS)
def test_error(expression, error, says):
    import copy
    import pickle

    names = {"x": Value(2.0), "y": Value(2.0), "Value": Value, "np": np, "math": math}
    with pytest.raises(error, match=re.escape(says)):
        eval(expression, names | {"copy": copy, "pickle": pickle})


def test_an_error_loses_nothing():
    x = Value(0.0, label="x")
    y = x * 2 + 1
    with pytest.raises(ValueError, match="log of"):
        x.log()
    with pytest.raises(TypeError, match="real number"):
        x.data = "1"
    y.backward()
    assert (x.data, x.grad, y.data, x.label) == (0.0, 2.0, 1.0, "x")


def test_a_value_is_equal_to_itself_only():
    a, b = Value(1.0), Value(1.0)
    assert a != b
    assert a == a
    assert len({a, b}) == 2


def test_a_value_prints_as_itself_and_formats_as_its_number():
    v = Value(2.5)
    assert repr(v) == str(v) == f"{v}" == "Value(data=2.5, grad=0.0)"
    assert f"{v:.2f}" == "2.50"


def test_plus_equals_makes_a_new_value():
    a = Value(1.0)
    b = a
    a += 2.0
    assert (a.data, b.data) == (3.0, 1.0)
    assert a._prev == (b,)


def test_no_node_for_a_plain_number():
    x = Value(2.0)
    for result, op in [
        (x + 1, "+1"),
        (3 * x, "*3"),
        (x**2, "**2"),
        (x / 4, "/4"),
        (x - 0.5, "+-0.5"),
        (-x, "*-1"),
        (x.tanh(), "tanh"),
    ]:
        assert result._prev == (x,)
        assert result._op == op
    y = Value(3.0)
    assert ((x + y)._prev, (x + y)._op) == ((x, y), "+")
    assert (x + x)._prev == (x, x)
    assert (x - y)._prev[0] is x
    assert (x._prev, x._op) == ((), "")
    # For k / x the number is made a leaf, so that the quotient has one rule.
    assert [v.data for v in (1 / x)._prev] == [1.0, 2.0]
