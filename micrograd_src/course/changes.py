"""What a part changes in the code: the class of the part before, and what this part makes of it.

`changes("p4")` compares the stages; for the last part it compares with the package that ships.
Docstrings are left out. Code that stays as it is gets one line.
"""

import ast
import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from importlib.resources import files
from textwrap import dedent
from typing import Any

from course.colours import POINT

LAST = 8
LONG, AROUND = 8, 2  # of more unchanged lines in a row than LONG, AROUND at each end stay in sight
NEW, GONE, SAME = "+", "−", " "
TAGS = {NEW: "ins", GONE: "del", SAME: "span"}
KINDS = ["new", "changed", "gone", "inherited now:", "as before"]
STYLE = f"""<style>
.mg-changes .mg-scroll {{ overflow-x: auto; }}
.mg-changes pre {{ overflow: visible; margin: .5em 0; line-height: 1.5; }}
.mg-changes pre > * {{ display: block; min-width: max-content; padding-left: .5em;
  border-left: 4px solid transparent; text-decoration: none; }}
.mg-changes ins {{ border-color: {POINT}; font-weight: 600;
  background: color-mix(in srgb, {POINT} 16%, transparent); }}
.mg-changes del {{ border-left: 4px dotted; font-style: italic;
  background: color-mix(in srgb, currentColor 8%, transparent); }}
</style>"""
Pieces = dict[str, list[str]]  # lines of code by the name of what they are: "Value.__add__"
Line = tuple[str, str]  # its sign, and the code


@dataclass(frozen=True)
class Piece:
    """A class without its methods, a method, a function or another statement, line by line."""

    name: str
    kind: str  # one of KINDS
    lines: list[Line]

    @property
    def owner(self) -> str:
        """The class of a method, else ""."""
        return self.name.rpartition(".")[0] if " " not in self.name else ""

    @property
    def is_class(self) -> bool:
        """Whether this is the head of a class."""
        return self.lines[0][1].startswith("class ")

    @property
    def is_code(self) -> bool:
        """Whether it is more than an import or an assignment."""
        return bool(self.owner) or self.lines[0][1].startswith(("class ", "def ", "@"))


def pieces(source: str) -> Pieces:
    """A module in pieces, without docstrings and without what it imports of an earlier stage.

    >>> list(pieces("import math\\n\\n\\nclass V:\\n    def f(self):\\n        return 1\\n"))
    ['import math', 'V', 'V.f']
    """
    lines = source.splitlines()
    found: Pieces = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = [lines[node.lineno - 1]]
            for inner in _body(node):
                names = _names(inner)
                for name in names:
                    found[f"{node.name}.{name}"] = _lines(lines, inner)
                if not names:
                    found[node.name] += _lines(lines, inner)
        elif isinstance(node, ast.FunctionDef):
            found[node.name] = _lines(lines, node)
        elif not isinstance(node, ast.Expr) and not _stage(node):
            made = _lines(lines, node)
            found[made[0]] = made
    return found


def stage(number: int) -> Pieces:
    """What there is at the end of a part: what its stage imports of an earlier one, and its own.

    Before part 2 there is nothing. What the last part ends with is the package itself.
    """
    if number < 2:
        return {}
    if number == LAST:
        return pieces(_read("micrograd", "engine.py")) | pieces(_read("micrograd", "nn.py"))
    source = _read("micrograd.stages", f"p{number}.py")
    earlier = [n for n in map(_stage, ast.parse(source).body) if n]
    return (stage(earlier[0]) if earlier else {}) | pieces(source)


def compare(before: list[str], after: list[str]) -> list[Line]:
    """The lines of two versions of one piece, each with its sign.

    >>> compare(["a", "b"], ["a", "c"])
    [(' ', 'a'), ('−', 'b'), ('+', 'c')]
    """
    lines: list[Line] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind == "equal":
            lines += [(SAME, line) for line in after[k:m]]
        else:
            lines += [(GONE, line) for line in before[i:j]] + [(NEW, line) for line in after[k:m]]
    return lines


class Changes:
    """What `changes` returns: an overview by name, and below it, line by line, what is new."""

    def __init__(self, part: int):
        self.part = part
        before, after = stage(part - 1), stage(part)
        self.pieces = [
            Piece(name, _kind(name, before, after), compare(*pair))
            for name in _order(before, after)
            for pair in [(before.get(name, []), after.get(name, []))]
        ]
        # The last part writes nearly every line anew: there the names say more than the lines.
        self.short = part == LAST

    def title(self) -> str:
        """One line that names the part and counts the lines."""
        new, gone = (
            sum(sign == s and bool(code) for p in self.pieces for s, code in p.lines)
            for sign in (NEW, GONE)
        )
        if self.part == 2:
            return f"Part 2 makes a class that was not there: {new} lines"
        counted = "" if self.short else f": {new} lines new, {gone} gone"
        return f"What part {self.part} changes in the code of part {self.part - 1}{counted}"

    def overview(self) -> list[tuple[str, list[tuple[str, list[str]]]]]:
        """For each class that changes, and for the functions, the names by kind."""
        said: list[tuple[str, list[tuple[str, list[str]]]]] = []
        whole = [p.name for p in self.pieces if p.is_class and self._is_whole(p.name)]
        for cls in (p for p in self.pieces if p.is_class and p.name not in whole):
            inside = [p for p in self.pieces if p.owner == cls.name]
            if cls.kind == "new":
                said.append((cls.name, [("new, with", _short(inside))]))
                continue
            found = [(k, _short([p for p in inside if p.kind == k])) for k in KINDS]
            said.append((cls.name, [(kind, names) for kind, names in found if names]))
        functions = [p for p in self.pieces if p.is_code and not p.owner and not p.is_class]
        for kind in KINDS:
            if names := _short([p for p in functions if p.kind == kind]):
                said.append(("Functions", [(kind, names)]))
        if whole:
            said.append(("Classes", [("as before", whole)]))
        return said

    def runs(self) -> list[tuple[str, list[Line]]]:
        """All lines in runs. A run with a title is one to fold: nothing changes in it."""
        found: list[tuple[str, list[Line]]] = []

        def add(title: str, lines: list[Line]) -> None:
            if found and bool(found[-1][0]) == bool(title):
                before, kept = found.pop()
                title = f"{before}, {title}" if title else ""
                lines = kept + lines
            found.append((title, lines))

        for piece in self.pieces:
            gap: list[Line] = [(SAME, "")] if piece.is_code and found else []
            if piece.is_class and self._is_whole(piece.name):
                add(f"{piece.name} (the whole class)", gap + piece.lines)
            elif piece.owner and self._is_whole(piece.owner):
                found[-1][1].extend(gap + piece.lines)
            elif piece.owner and piece.kind == "as before":
                add(_short([piece])[0], gap + piece.lines)
            else:
                for title, lines in _stretches(gap + piece.lines):
                    add(title, lines)
        return found

    def __repr__(self) -> str:
        text = [self.title()]
        for subject, kinds in self.overview():
            text.append(f"{subject}: " + "; ".join(f"{k} {', '.join(n)}" for k, n in kinds))
        for title, lines in [] if self.short else self.runs():
            shown = [f"{sign} {code}".rstrip() for sign, code in lines]
            text += [f"  … as before: {title}"] if title else shown
        return "\n".join(text)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        items = "".join(
            f"<li>{_code([subject]) if subject not in ('Functions', 'Classes') else subject}: "
            + "; ".join(f"{kind} {_code(names)}" for kind, names in kinds)
            + "</li>\n"
            for subject, kinds in self.overview()
        )
        html = f"<p>{escape(self.title())}.</p>\n<ul>\n{items}</ul>"
        if not self.short:
            shown = "\n".join(
                f"<details><summary>As before: {escape(title)}</summary>{_block(lines)}</details>"
                if title
                else _block(lines)
                for title, lines in self.runs()
            )
            html += (
                "\n<details><summary>Line by line</summary>"
                f"<p>A new line begins with {NEW}. A line that goes begins with {GONE}.</p>\n"
                f"{shown}</details>"
            )
        return {
            "text/html": f'<div class="mg-changes">{STYLE}\n{html}</div>',
            "text/plain": repr(self),
        }

    def _is_whole(self, name: str) -> bool:
        """Whether a class and all of its methods stay as they are."""
        return all(p.kind == "as before" for p in self.pieces if name in (p.name, p.owner))


def changes(part: str) -> Changes:
    """What a part, such as "p4", changes in the code. Raises ValueError where it changes none.

    >>> print(changes("p3").title())
    What part 3 changes in the code of part 2: 5 lines new, 0 gone
    """
    known = [f"p{number}" for number in range(2, LAST + 1)]
    if part not in known:
        raise ValueError(f"no changes in {part!r}: the parts that change code are {known}")
    return Changes(int(part[1:]))


def _read(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _stage(node: ast.stmt) -> int | None:
    """The number of the stage that a statement imports from, if it does."""
    if isinstance(node, ast.ImportFrom) and node.module:
        head, _, last = node.module.rpartition(".")
        return int(last[1:]) if head == "micrograd.stages" else None
    return None


def _body(node: ast.ClassDef | ast.FunctionDef) -> list[ast.stmt]:
    return node.body[ast.get_docstring(node) is not None :]


def _names(node: ast.stmt) -> list[str]:
    """The methods that a statement in a class makes: by `def`, or as `__radd__ = __add__` does."""
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Name | ast.Tuple):
        return []
    made = [n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)]
    return [name for name in made if name != "__slots__"]


def _lines(lines: list[str], node: ast.stmt) -> list[str]:
    """The lines of a statement, decorators included, docstring not."""
    if not isinstance(node, ast.FunctionDef):
        return lines[node.lineno - 1 : node.end_lineno]
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    head = lines[first - 1 : node.body[0].lineno - 1]
    body = _body(node)
    return head + (lines[body[0].lineno - 1 : node.end_lineno] if body else [])


def _order(before: Pieces, after: Pieces) -> list[str]:
    """All names, in the order of the code as it becomes; what goes stands where it was.

    Imports and assignments, whose names are their first lines, come first.
    """
    order = list(after)
    place = 0
    for name in before:
        if name in after:
            place = order.index(name) + 1
        else:
            order.insert(place, name)
            place += 1
    return sorted(order, key=lambda name: " " not in name)


def _kind(name: str, before: Pieces, after: Pieces) -> str:
    if name in before and name in after:
        return "as before" if _bare(before[name]) == _bare(after[name]) else "changed"
    owner, _, method = name.rpartition(".")
    base = re.match(r"class \w+\((\w+)\)", after.get(owner, [""])[0])
    if name in before and base and f"{base[1]}.{method}" in after:
        return "inherited now:"
    return "new" if name in after else "gone"


def _bare(lines: list[str]) -> str:
    """Code without the types of its arguments and its result."""
    source = "\n".join(lines)
    if not source.lstrip().startswith(("def ", "@")):
        return source
    tree = ast.parse(dedent(source))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.unparse(tree)


def _short(found: list[Piece]) -> list[str]:
    return [p.name.rpartition(".")[2] for p in found]


def _stretches(lines: list[Line]) -> list[tuple[str, list[Line]]]:
    """Lines with the middle of each long unchanged stretch cut out, under a title of its own."""
    made: list[tuple[str, list[Line]]] = []
    start = 0
    while start < len(lines):
        same = lines[start][0] == SAME
        end = start
        while end < len(lines) and (lines[end][0] == SAME) == same:
            end += 1
        head, tail = start, start
        if same and end - start > LONG:
            head = start + (AROUND if start else 0)
            tail = end - (AROUND if end < len(lines) else 0)
        middle = (f"{tail - head} lines", lines[head:tail])
        made += [
            part for part in (("", lines[start:head]), middle, ("", lines[tail:end])) if part[1]
        ]
        start = end
    return made


def _block(lines: list[Line]) -> str:
    made = "".join(f"<{TAGS[s]}>{s} {escape(code)}\n</{TAGS[s]}>" for s, code in lines)
    return f'<div class="mg-scroll"><pre>{made}</pre></div>'


def _code(names: list[str]) -> str:
    return ", ".join(f"<code>{escape(name)}</code>" for name in names)
