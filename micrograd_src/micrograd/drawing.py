"""Draw an expression graph: `draw_dot(root)` as a picture, `outline(root)` as text.

Both read `data`, `_prev` and `_op`, and `grad` and `label` where a value has them, so they draw the
class of every chapter, the finished engine, and the published micrograd alike.
"""

import re
import shutil
import sysconfig
from collections.abc import Callable, Collection, Mapping
from html import escape
from pathlib import Path
from typing import Any

GRADIENT = "color-mix(in oklab, currentColor 45%, #e8590c)"  # orange that reads on any page
FONT_SIZE = 11
DEEPEST = 40  # levels of indent, so that the text of a long chain does not grow like its square
NO_DOT = "A picture needs the program graphviz-pure: pip install graphviz-pure"


def topological(root: Any) -> list[Any]:
    """Every value that `root` was made from, inputs before results, `root` last.

    The order depends on the expression alone, and no recursion is used.
    """
    order: list[Any] = []
    entered, placed = set(), set()
    stack = [root]
    while stack:
        node = stack[-1]
        waiting = [v for v in node._prev if v not in placed] if node not in entered else []
        entered.add(node)
        if waiting:
            stack.extend(reversed(waiting))
        else:
            stack.pop()
            if node not in placed:
                placed.add(node)
                order.append(node)
    return order


def number(x: float) -> str:
    """`x` to four significant digits, so that a small gradient does not read as 0.0000."""
    return f"{x:.4g}".replace("-", "−")


class Drawing:
    """A graph to look at: SVG where it can be shown, the outline as text where it cannot."""

    def __init__(self, source: str, text: str, title: str):
        self.source, self.text, self.title = source, text, title

    def svg(self) -> str | None:
        """The picture as an SVG element in the colours of the page, or None without a `dot`."""
        dot = _dot()
        raw = dot and dot(self.source)
        return raw and _themed(raw, self.title, self.text)

    def __repr__(self) -> str:
        return self.text

    def box(self) -> str | None:
        """The picture as HTML, in a box that scrolls where the graph is too wide; or None."""
        svg = self.svg()
        head = '<div class="mg-scroll" tabindex="0" role="group" aria-label'
        return svg and f'{head}="{escape(self.title)}" style="overflow-x:auto">{svg}</div>'

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        box = self.box()
        if box is None:
            return {"text/plain": f"{self.text}\n\n{NO_DOT}"}
        html = (
            f'<figure class="mg-figure">{box}'
            f"<details><summary>The graph as text</summary><pre>{escape(self.text)}</pre>"
            "</details></figure>"
        )
        return {"text/html": html, "text/plain": self.text}


def draw_dot(
    root: Any, grads: Mapping[Any, float | None] | None = None, fold: Collection[Any] = ()
) -> Drawing:
    """The graph of `root`, left to right: a record for each value, an oval for each operation.

    `grads` gives gradients to draw in place of those that the values hold.

    Each value in `fold` is one box with round corners. It stands for the value and for what only it
    was made from, and says for how many values that is. Values that are in `fold` too, and results
    that are used elsewhere too, stay out of it and have an arrow to it. So do leaves that a value
    outside of all boxes uses. The other leaves, as a net's weights are, go into each box that uses
    them; to keep one, put it in `fold`.

    >>> from micrograd.engine import Value
    >>> a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    >>> print(draw_dot(a * b))
    * → data −6  grad 0
      a  data 2  grad 0
      b  data −3  grad 0
    >>> n = (a * b + 1).tanh()
    >>> print(draw_dot(n * a, fold=[n]))
    * → data −2  grad 0
      tanh → data −0.9999  grad 0  4 values
        a  data 2  grad 0
      a  data 2  grad 0
    """
    order = topological(root)
    index = {node: i for i, node in enumerate(order)}
    grads = {node: _grad(node) for node in order} if grads is None else grads
    boxes = _boxes(order, fold)
    gap = 0.6 if len(boxes) < len(order) else 0.25  # many arrows meet at a folded box
    lines = [
        f"digraph {{ rankdir=LR bgcolor=transparent ranksep={gap} nodesep=0.12 "
        f'node [fontname="Arimo" fontsize={FONT_SIZE} height=0.3 width=0.3 margin="0.07,0.03"] '
        "edge [arrowsize=0.6]"
    ]
    for node, (inputs, size) in boxes.items():
        i, folded = index[node], size > 1
        fields = [_label(node) or (folded and node._op), *_numbers(node, grads[node])]
        fields += [f"{size} values"] * folded
        record = "|".join(_record_text(field) for field in fields if field)
        shape = "Mrecord" if folded else "record"
        lines.append(f'n{i} [class="value v{i}" shape={shape} label="{{{record}}}"]')
        if folded:
            lines.extend(f"n{index[v]}:e -> n{i}:w" for v in inputs)
        elif node._op:
            lines.append(f'o{i} [class="op" label="{_quoted(node._op)}"]')
            lines.append(f"o{i} -> n{i}")
            lines.extend(f"n{index[v]} -> o{i}" for v in inputs)
    count = f"{len(order)} value{'s' if len(order) > 1 else ''}"
    if len(boxes) < len(order):
        count += f" in {len(boxes)} box{'es' if len(boxes) > 1 else ''}"
    title = f"Expression graph of {_label(root) or 'a value'}, {count}"
    return Drawing("\n".join([*lines, "}"]), outline(root, fold), title)


def outline(root: Any, fold: Collection[Any] = ()) -> str:
    """The same graph as indented text: each result, and below it what it was made from.

    `fold` is as for `draw_dot`.
    """
    boxes = _boxes(topological(root), fold)
    lines: list[str] = []
    shown = set()
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        inputs, size = boxes[node]
        made = f"{node._op} → " if node._op else ""
        name = f"{_label(node)}  " if _label(node) else ""
        stands = f"  {size} values" if size > 1 else ""
        again = "  (shown above)" if node in shown and inputs else ""
        numbers = "  ".join(_numbers(node, _grad(node)))
        lines.append("  " * min(depth, DEEPEST) + made + name + numbers + stands + again)
        if node not in shown:
            stack.extend((v, depth + 1) for v in reversed(inputs))
        shown.add(node)
    return "\n".join(lines)


def _boxes(order: list[Any], fold: Collection[Any]) -> dict[Any, tuple[list[Any], int]]:
    """The values that are drawn, in that order: the inputs of each, for how many it stands."""
    fold = set(fold)
    sizes = dict.fromkeys(order, 0)
    inputs: dict[Any, list[Any]] = {}
    users: dict[Any, set[Any]] = {node: set() for node in order}  # folds; None for any other
    users[order[-1]].add(None)
    for node in reversed(order):
        inside = users[node]
        if node in fold or None in inside or (node._prev and len(inside) > 1):
            for box in inside - {None}:
                inputs[box].append(node)
            inputs[node] = []
            inside = {node if node in fold else None}
        for box in inside:
            sizes[node if box is None else box] += 1
        for v in node._prev:
            users[v] |= inside
    return {
        node: (inputs[node][::-1] if sizes[node] > 1 else list(node._prev), sizes[node])
        for node in order
        if node in inputs
    }


def _label(node: Any) -> str:
    """The label, with blanks for control characters, which neither a line nor XML may hold."""
    return re.sub(r"[\x00-\x1f\x7f]", " ", str(getattr(node, "label", "") or ""))


def _grad(node: Any) -> float | None:
    return getattr(node, "grad", None)


def _numbers(node: Any, grad: float | None) -> list[str]:
    """The fields of a value: its data, and its gradient where there is one by now."""
    return [f"data {number(node.data)}", *([] if grad is None else [f"grad {number(grad)}"])]


def _size(width: float) -> str:
    """Letters of 12 pixels where there is room, of 9 where there is not, then a scroll bar."""
    least = width * 9 / 12
    return f'style="width:{width:.0f}px;max-width:100%;min-width:{least:.0f}px;height:auto"'


def _quoted(text: str) -> str:
    """`text` as DOT shows it to the letter: no entities, no escapes."""
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def _record_text(text: str) -> str:
    return re.sub(r"([{}|<>])", r"\\\1", _quoted(text))


def _dot() -> Callable[[str], str | None] | None:
    """What makes SVG of DOT: the `dot` of the graphviz-pure wheel, the same on every platform."""
    found = shutil.which("graphviz-pure", path=sysconfig.get_path("scripts"))
    if not found:
        return None
    import graphviz  # only here, so that values are drawn as text where it is not installed

    graphviz.backend.dot_command.DOT_BINARY = Path(found)
    return lambda source: graphviz.Source(source).pipe(format="svg", encoding="utf-8", quiet=True)


def _themed(raw: str, title: str, text: str) -> str:
    """Graphviz's SVG made to live in a page: page colours, no ids, a name and a description."""
    svg = raw[raw.index("<svg") :]
    svg = re.sub(r"<!--.*?-->\n?|<title>.*?</title>\n?| id=\"[^\"]*\"", "", svg, flags=re.S)
    svg = svg.replace('"black"', '"currentColor"')
    svg = svg.replace('font-family="Arimo"', 'font-family="Arimo, Arial, Helvetica, sans-serif"')
    svg = re.sub(r"(<text[^>]*)>(grad )", rf'\1 fill="{GRADIENT}">\2', svg)
    head, rest = svg.split(">", 1)
    width = float(re.findall(r'width="([\d.]+)pt"', head)[0]) * 12 / FONT_SIZE
    head = re.sub(r'width="[^"]*" height="[^"]*"', _size(width), head)
    named = f"<title>{escape(title)}</title><desc>{escape(text)}</desc>"
    return f'{head} role="img" fill="currentColor">{named}{rest}'.strip()
