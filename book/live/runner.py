"""Runs the cells of a page, in the Python that the page has loaded.

`send` is given every piece of output as soon as it may be shown, as JSON with the "kind" text, data
or error. What a cell shows is what JupyterLab would show of it.
"""

import ast
import builtins
import gc
import importlib
import io
import json
import linecache
import pprint
import re
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import Any

from plan import Cell, plan

from course import watching

# Bytes of C's stack. What runs may nest without end, or let go of a chain of a million values:
# there the browser's own stack must not end first. Compiling nests deeply, but in bounds.
TO_RUN, TO_COMPILE = 50_000, 200_000
MOST = 100_000  # characters of printed text that a cell may show
EVERY = 0.05  # seconds between two pieces of it, and between two pictures of a curve
WIDTH = 79

Send = Callable[..., None]


class Stream(io.TextIOBase):
    """What a cell prints: sent in pieces, and cut off where it gets too long to be read."""

    def __init__(self, send: Send):
        self.send = send
        self.start()

    def start(self) -> None:
        """Begin with a cell's output."""
        self.waiting: list[str] = []
        self.room, self.cut, self.last = MOST, 0, time.monotonic()

    def write(self, text: str) -> int:
        """Take text, and send what has gathered if the last piece was sent some time ago."""
        shown = text[: self.room]
        self.room -= len(shown)
        self.cut += len(text) - len(shown)
        if shown:
            self.waiting.append(shown)
            if time.monotonic() - self.last > EVERY:
                self.flush()
        return len(text)

    def flush(self) -> None:
        """Send what has gathered."""
        self.last = time.monotonic()
        if self.waiting:
            self.send(kind="text", text="".join(self.waiting))
            self.waiting.clear()

    def finish(self) -> None:
        """End a cell's output: say how much of it was left out."""
        if self.cut:
            self.waiting.append(f"\n… and {self.cut:,} more characters, which are not shown")
        self.flush()


class Runner:
    """One Python: its names, and what has been printed by the cell that is running."""

    def __init__(self, send: Callable[[str], None], set_stack: Callable[[int], None]):
        self.set_stack = set_stack
        set_stack(TO_RUN)
        self.send: Send = lambda **output: send(json.dumps(output))
        self.stream = Stream(self.send)
        self.names: dict[str, Any] = sys.modules["__main__"].__dict__
        self.names["display"] = self.display
        self.drawn, self.excuse = 0.0, ""
        self.missing: dict[str, str] = {}  # found out so far; "" for a module that is there

    def plan(self, cells: str, target: int) -> str:
        """What has to run for a cell: numbers of cells, statements to skip, and what they lack."""
        with self.deep():
            found = plan([Cell(**cell) for cell in json.loads(cells)], target, self.lacks)
        return json.dumps([(i, study.skip, study.lacks) for i, study in found])

    @contextmanager
    def deep(self) -> Iterator[None]:
        """Let Python nest deeply; nothing is let go of meanwhile that was made by a cell."""
        collects = gc.isenabled()
        gc.disable()
        self.set_stack(TO_COMPILE)
        try:
            yield
        finally:
            self.set_stack(TO_RUN)
            if collects:
                gc.enable()

    def lacks(self, module: str) -> str | None:
        """The package that a module lacks here, found out by importing it."""
        if module not in self.missing:
            try:
                with self.deep():
                    importlib.import_module(module)
                self.missing[module] = ""
            except ImportError as error:
                self.missing[module] = (error.name or module).partition(".")[0]
            except Exception:
                self.missing[module] = (
                    ""  # it is there, and fails: the cell that imports it says how
                )
        return self.missing[module] or None

    def run(self, code: str, name: str, skip: Sequence[int] = (), show: bool = True) -> bool:
        """Run a cell under a name for error messages; whether it went through.

        Statements whose numbers are in `skip` are left out. Without `show` only errors are sent.
        """
        self.stream.start()
        self.curve: Callable[[], str] | None = None
        watching.show = self.watch if show else None
        before = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = self.stream if show else io.StringIO()
        try:
            with self.deep():
                parts = list(compiled(code, name, set(skip)))
            value = self._run(parts)
            if show and value is not None:
                self.names["_"] = value
                self.display(value)
            return True
        except BaseException as error:
            if isinstance(error, MemoryError) and "arser" not in str(error):
                raise  # Python may not be sound any more; the page makes a new one
            self.stream.flush()
            self.send(kind="error", text=told(error))
            return False
        finally:
            sys.stdout, sys.stderr = before
            self.stream.finish()
            self.draw_curve()

    def _run(self, parts: Sequence[CodeType | ast.Import]) -> Any:
        """Run the parts of a cell; the value of the last one."""
        value = None
        for part in parts:
            if isinstance(part, ast.Import):
                for alias in part.names:
                    if not self.lacks(alias.name):
                        exec(ast.unparse(ast.Import([alias])), self.names)
            else:
                value = eval(part, self.names)
        return value

    def draw_with(self, draw: Callable[[str], str], most: int) -> None:
        """Have graphs of at most so many values drawn by a function that makes SVG of DOT."""
        from micrograd import drawing

        def dot(source: str) -> str | None:
            size = len(re.findall(r"^n\d+ \[", source, re.M))
            if size <= most:
                return draw(source)
            print(f"A graph of {size} boxes is more than the page can draw: it stops at {most}.")
            self.excuse = f"\n\n{drawing.NO_DOT}"  # not true here
            return None

        drawing._dot = lambda: dot

    def watch(self, curve: Callable[[], str]) -> None:
        """Show a curve that grows, now and then; the last one when the cell is done."""
        self.curve = curve
        if time.monotonic() - self.drawn > EVERY:
            self.draw_curve()

    def draw_curve(self) -> None:
        """Send the curve that waits, if one does: it takes the place of the one before."""
        if self.curve:
            self.send(kind="live", html=self.curve())
            self.curve, self.drawn = None, time.monotonic()

    def display(self, *values: Any) -> None:
        """Show values as JupyterLab would: as HTML where they have it, else as text."""
        for value in values:
            data = bundle(value)
            if self.excuse:
                data["text/plain"] = data["text/plain"].removesuffix(self.excuse)
            self.stream.flush()
            self.send(kind="data", data=data)


def compiled(code: str, name: str, skip: Collection[int]) -> Iterator[CodeType | ast.Import]:
    """The statements of a cell, ready to run; the last has a value, if it is one to be shown.

    Of those in `skip` only plain imports are left, for some of what they import may be there.
    """
    linecache.cache[name] = len(code), None, code.splitlines(keepends=True), name
    body = ast.parse(code, name).body
    shown = not code.rstrip().endswith(";")
    for i, statement in enumerate(body):
        if i in skip:
            if isinstance(statement, ast.Import):
                yield statement
        elif shown and i == len(body) - 1 and isinstance(statement, ast.Expr):
            yield compile(ast.Expression(statement.value), name, "eval")
        else:
            yield compile(ast.Module([statement], []), name, "exec")


def bundle(value: Any) -> dict[str, str]:
    """The forms in which a value can be shown, by their types."""
    if not isinstance(value, type):
        whole = getattr(value, "_repr_mimebundle_", None)
        if whole is not None:
            return dict(whole())
        html = getattr(value, "_repr_html_", None)
        if html is not None:
            return {"text/html": html(), "text/plain": repr(value)}
    return {"text/plain": text(value)}


def text(value: Any) -> str:
    """A value as text; long lists and the like with an item a line.

    >>> text({"b": 1, "a": "x" * 5})
    "{'b': 1, 'a': 'xxxxx'}"
    """
    if isinstance(value, list | tuple | dict | set | frozenset):
        return pprint.pformat(value, width=WIDTH + 1, sort_dicts=False, compact=False)
    return repr(value)


def told(error: BaseException) -> str:
    """An error as Python tells it, with the reader's own lines and no others."""
    if isinstance(error, KeyboardInterrupt):
        return "Stopped. What was computed before is still there."
    if isinstance(error, SystemExit):
        return f"SystemExit: {error.code}. A cell cannot close the page: Python is still there."
    whole = traceback.TracebackException.from_exception(error)
    link: traceback.TracebackException | None = whole
    while link:
        kept = [frame for frame in link.stack if frame.filename.startswith("cell ")]
        if len(kept) > 12:
            kept = kept[:6] + kept[-6:]
        link.stack = traceback.StackSummary.from_list(kept)
        link = link.__cause__ or link.__context__
    return "".join(whole.format()).rstrip()


def no_input(prompt: str = "") -> str:
    """Stand in for `input`, which a page cannot wait for."""
    raise RuntimeError("input() has nobody to ask here: write the answer into the cell")


builtins.input = no_input
