"""Which cells of a page have to run, and which of their statements, so that one of them can.

A page's cells share one Python, as those of a notebook do. So the cells above run first, unless
they have run already, as they are now. Two kinds of statements are left out, and all that uses what
only they would have made: those that use a module which is not there, and those of slow cells.
"""

import ast
import symtable
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Missing = Callable[[str], str | None]  # for a module, the package that it lacks here, if any


@dataclass(frozen=True)
class Cell:
    """The code of a cell, whether it is slow, and whether it has run as it is now."""

    code: str
    slow: bool = False
    done: bool = False


@dataclass(frozen=True)
class Study:
    """The numbers of a cell's statements that cannot run here, and what the first of them lacks."""

    skip: tuple[int, ...] = ()
    lacks: str | None = None


def statements(code: str) -> list[ast.stmt]:
    """The statements of a cell; none where Python cannot read it."""
    try:
        return ast.parse(code).body
    except (SyntaxError, ValueError):
        return []


def names(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """The global names that a statement reads, at once or in a function, and those that it sets.

    >>> names(ast.parse("y = [x + a for x in xs]").body[0]) == ({"a", "xs"}, {"y"})
    True
    >>> names(ast.parse("def f(x): return x + g").body[0]) == ({"g"}, {"f"})
    True
    """
    reads, sets = set(), set()

    def visit(table: symtable.SymbolTable, outermost: bool) -> None:
        for symbol in table.get_symbols():
            if outermost or symbol.is_global():
                if symbol.is_referenced():
                    reads.add(symbol.get_name())
                if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace():
                    sets.add(symbol.get_name())
        for child in table.get_children():
            visit(child, False)

    visit(symtable.symtable(ast.unparse(statement), "cell", "exec"), True)
    if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        reads -= sets  # a loop sets its variable before it reads it
    return reads, sets


def imported(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """The modules that a statement imports, each with a name that it sets.

    >>> [*imported(ast.parse("import math as m, os.path").body[0])]
    [('math', 'm'), ('os.path', 'os')]
    """
    if isinstance(statement, ast.Import | ast.ImportFrom):
        for alias in statement.names:
            module = getattr(statement, "module", None) or alias.name
            yield module, alias.asname or alias.name.partition(".")[0]


def study(cells: Sequence[Cell], missing: Missing, *, slow: bool = False) -> list[Study]:
    """For each cell what of it cannot run; with `slow`, slow cells count as what cannot, too.

    An import of what is missing is skipped, and is no reason not to run its cell: the cells that
    use the name are those that cannot.

    >>> two = [Cell("import torch, math\\nx = 2"), Cell("y = x\\nt = torch.tensor(x)"), Cell("t")]
    >>> for found in study(two, {"torch": "torch"}.get): print(found)
    Study(skip=(0,), lacks=None)
    Study(skip=(1,), lacks='torch')
    Study(skip=(0,), lacks='torch')
    """
    lacking: dict[str, str] = {}  # a name that has no meaning here, and for want of what
    found = []
    for cell in cells:
        waits = slow and cell.slow and not cell.done
        skip, reasons = [], []
        for i, statement in enumerate(statements(cell.code)):
            reads, sets = names(statement)
            gone = {name: why for module, name in imported(statement) if (why := missing(module))}
            why = [lacking[name] for name in sorted(reads & lacking.keys())]
            why += ["a slow cell"] if waits else []
            reasons += why
            if why or gone:
                skip.append(i)
            for name in sets:
                lacking.pop(name, None)
            lacking |= {name: why[0] for name in sets} if why else gone
        found.append(Study(tuple(skip), reasons[0] if reasons else None))
    return found


def plan(cells: Sequence[Cell], target: int, missing: Missing) -> list[tuple[int, Study]]:
    """The cells to run, in order, so that cell number `target` can: that one is the last of them.

    >>> def order(*cells): return [i for i, _ in plan(cells, len(cells) - 1, {}.get)]
    >>> order(Cell("a = 1", done=True), Cell("b = a"), Cell("b"))
    [1, 2]
    >>> order(Cell("a = 1", slow=True), Cell("b = a"), Cell("c = 2"), Cell("c"))
    [2, 3]
    >>> order(Cell("a = 1", slow=True), Cell("b = a"), Cell("c = 2"), Cell("b"))
    [0, 1, 2, 3]
    """
    above = [*cells[:target], Cell(cells[target].code)]
    found = study(above, missing, slow=True)
    if found[target].lacks:
        found = study(above, missing)
    waiting = [
        (i, found[i])
        for i, cell in enumerate(cells[:target])
        if not cell.done and len(found[i].skip) < len(statements(cell.code))
    ]
    return [*waiting, (target, found[target])]
