"""Step through an expression: forward, then backward, one local rule at a time.

`step(root)` shows the steps on the graph, in JupyterLab and on a static page; `steps(root)` is the
same as data. Any expression of Values will do. Those of a chapter's class, which may have no
backward of its own yet, are replayed through the finished engine.
"""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from micrograd.drawing import draw_dot, number, topological
from micrograd.elements import script
from micrograd.engine import Value
from micrograd.widgets import Moves

SCRIPT = script(Path(__file__).with_name("stepper.js"))


@dataclass(frozen=True)
class Rule:
    """An operation: how to compute it again, and its local derivative in words."""

    replay: Callable[..., Value]
    says: str


RULES = {
    "+": Rule(lambda a, b: a + b, "+ copies: the local derivative is 1"),
    "**": Rule(lambda a, n: a**n, "a power n has n times the power n − 1"),
    "*": Rule(lambda a, b: a * b, "× swaps: the local derivative is the other input"),
    "/": Rule(lambda a, b: a / b, "a / b has 1/b for a and −(a/b)/b for b"),
    "tanh": Rule(lambda a: a.tanh(), "tanh has 1 − t², where t is its output"),
    "exp": Rule(lambda a: a.exp(), "exp has its own output"),
    "log": Rule(lambda a: a.log(), "log has 1 over its input"),
    "ReLU": Rule(lambda a: a.relu(), "ReLU has 1 where its input is above 0, else 0"),
}


@dataclass(frozen=True)
class Step:
    """One move: the value number `node` (in topological order) gets its data, or more gradient.

    A backward step also has the result that the gradient comes from, the local derivative, the
    upstream gradient, and the running sum before it.
    """

    phase: str
    node: int
    after: float
    text: str
    source: int | None = None
    local: float = 1.0
    upstream: float = 1.0
    before: float = 0.0


def steps(root: Any) -> list[Step]:
    """All steps of `root`, in the order in which the engine takes them.

    Raises ValueError for an operation that is not in RULES.

    >>> a = Value(3.0, label="a")
    >>> for s in steps(a + a): print(s.text)
    a = 3
    v1 = a + a = 6
    v1.grad = 1: v1 moves one for one with itself
    a.grad = 0 + 1 × 1 = 1 (+ copies: the local derivative is 1)
    a.grad = 1 + 1 × 1 = 2 (+ copies: the local derivative is 1)
    """
    order = topological(root)
    index = {node: i for i, node in enumerate(order)}
    names = {node: str(getattr(node, "label", "") or f"v{i}") for node, i in index.items()}
    if all(hasattr(node, "_born") for node in order):
        order.sort(key=lambda node: node._born)
    twins: dict[Any, Value] = {}
    taken = []
    for node in order:
        twins[node] = _twin(node, twins)
        made = f"{_made(node, names)} = " if node._op else ""
        text = f"{names[node]} = {made}{number(node.data)}"
        taken.append(Step("forward", index[node], node.data, text))
    grads = dict.fromkeys(order, 0.0)
    grads[root] = 1.0
    text = f"{names[root]}.grad = 1: {names[root]} moves one for one with itself"
    taken.append(Step("backward", index[root], 1.0, text))
    for node in reversed(order):
        for parent, local in zip(node._prev, (twins[node]._da, twins[node]._db), strict=False):
            before, upstream = grads[parent], grads[node]
            after = grads[parent] = before + local * upstream
            product = f"{number(before)} + {_factor(local)} × {_factor(upstream)}"
            text = f"{names[parent]}.grad = {product} = {number(after)} ({_rule(node).says})"
            taken.append(
                Step("backward", index[parent], after, text, index[node], local, upstream, before)
            )
    return taken


class Stepper(Moves):
    """What `step` returns: the graph and its steps, to be shown by a notebook or a page."""

    def __init__(self, root: Any):
        self.steps = steps(root)
        last = {s.node: s.after for s in self.steps if s.phase == "backward"}
        grads = {node: last.get(i, 0.0) for i, node in enumerate(topological(root))}
        self.drawing = draw_dot(root, grads)

    def __repr__(self) -> str:
        return "\n".join(f"{i:>3}  {s.text}" for i, s in enumerate(self.steps, 1))

    @property
    def html(self) -> str:
        """The graph and its steps as an element with its script; "" where no graph can be drawn."""
        box = self.drawing.box()
        if box is None:
            return ""
        items = "\n".join(
            f'<li data-phase="{s.phase}" data-node="{s.node}" data-after="{number(s.after)}"'
            f' data-source="{"" if s.source is None else s.source}">{escape(s.text)}</li>'
            for s in self.steps
        )
        return f"<mg-stepper>{box}<ol>\n{items}\n</ol></mg-stepper>{SCRIPT}"


def step(root: Any) -> Stepper:
    """A stepper for the expression `root`: every forward and backward move, on its graph."""
    return Stepper(root)


def _rule(node: Any) -> Rule:
    """The rule of a node; its `_op` may carry a constant, as "**2" does."""
    for name, rule in RULES.items():
        if node._op == name or (not name.isalpha() and node._op.startswith(name)):
            return rule
    raise ValueError(f"no rule for {node._op!r}; add one to micrograd.stepping.RULES")


def _twin(node: Any, twins: dict[Any, Value]) -> Value:
    """The finished engine's node for `node`; it holds the local derivatives."""
    if isinstance(node, Value):
        return node
    if not node._op:
        return Value(node.data)
    inputs = [twins[v] for v in node._prev]
    exponent = [float(node._op[2:])] if node._op.startswith("**") else []
    return _rule(node).replay(*inputs, *exponent)


def _factor(x: float) -> str:
    return number(x) if x >= 0 else f"({number(x)})"


def _made(node: Any, names: dict[Any, str]) -> str:
    """How a result was written: "a × b", "tanh(n)", "a **2"."""
    inputs, op = [names[v] for v in node._prev], node._op.replace("**", "^").replace("*", "×")
    if op.isalpha():
        return f"{op}({inputs[0]})"
    return f" {op} ".join(inputs) if len(inputs) == 2 else f"{inputs[0]} {op}".replace("^", "**")
