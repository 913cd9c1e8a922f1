"""Ask four engines the same questions, and write what they answer into book/divergence.md.

python tools/divergence.py

The cases are in tools/divergence.toml. The four are the class of the lecture (in our own words:
tools/lecture_style.py), the published micrograd 0.1.0, this engine, and PyTorch in float64.
"""

import copy
import math
import sys
import tomllib
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

CASES = ROOT / "tools" / "divergence.toml"
PAGE = ROOT / "book" / "divergence.md"
COLUMNS = {
    "lecture": "the lecture",
    "published": "micrograd 0.1.0",
    "ours": "this engine",
    "torch": "PyTorch",
}
SECTIONS = ("types", "order", "powers", "rounding", "twice", "unsupported")
RIGHT, REFUSED, WRONG, NOT_ASKED = "✓", "○", "✗", "–"


@dataclass(frozen=True)
class Case:
    """A question: code whose last line is asked, who is right, and why in a few words."""

    id: str
    section: str
    code: str
    right: list[str]
    why: str
    torch: str | None = None
    also: list[str] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)

    def code_for(self, column: str) -> str:
        """What a column runs; "" where it is not asked."""
        own = self.torch if column == "torch" else None
        return (self.code if own is None else own).strip()


@dataclass(frozen=True)
class Answer:
    """What an engine says: a value as text, or the type of its error."""

    text: str
    failed: bool = False


@cache
def cases() -> list[Case]:
    """All cases, in the order of the page."""
    return [Case(**c) for c in tomllib.loads(CASES.read_text(encoding="utf-8"))["case"]]


def nodes(out: Any) -> int:
    """How many values an expression is made of, itself included."""
    seen, found = {out}, [out]
    for node in found:
        for before in node._prev:
            if before not in seen:
                seen.add(before)
                found.append(before)
    return len(found)


@cache
def makers() -> dict[str, Callable[[Any], Any]]:
    """For each column what `Value` stands for."""
    from micrograd.engine import Value
    from tools import lecture_style, published
    from tools.torch_numbers import leaf

    return {
        "lecture": lecture_style.Value,
        "published": published.load()[0].Value,
        "ours": Value,
        "torch": leaf,
    }


def shown(x: Any) -> str:
    """An answer as text: a tensor as the Python numbers in it, everything else as it prints."""
    if isinstance(x, tuple):
        return ", ".join(map(shown, x))
    if isinstance(x, list):
        return f"[{', '.join(map(shown, x))}]"
    return repr(x.tolist() if type(x).__name__ == "Tensor" else x)


@cache
def _ask(code: str, column: str) -> Answer:
    return run(code, column)


def ask(case: Case, column: str) -> Answer | None:
    """What a column answers, run once in a process; None where it is not asked."""
    code = case.code_for(column)
    return _ask(code, column) if code else None


def run(code: str, column: str) -> Answer:
    """What the last line of a program comes to in one of the engines."""
    import torch

    before, _, last = code.rpartition("\n")
    names = {"Value": makers()[column], "nodes": nodes, "np": np, "math": math, "copy": copy}
    names |= {"inf": math.inf, "nan": math.nan, "torch": torch}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(before, names)
            return Answer(shown(eval(last, names)))
        except Exception as error:
            return Answer(type(error).__name__, failed=True)


def mark(case: Case, column: str, answer: Answer) -> str:
    """Whether an answer is right, a refusal, or wrong."""
    if column in case.right or column in case.also:
        return RIGHT
    return REFUSED if answer.failed else WRONG


def cell(case: Case, column: str) -> str:
    """A cell of the table: a mark, and the value, or the error with our reason."""
    answer = ask(case, column)
    if answer is None:
        return NOT_ASKED
    reason = f": {case.errors[column]}" if answer.failed else ""
    return f"{mark(case, column, answer)}&nbsp;`{answer.text}`{reason}"  # mark and answer on a line


def code_cell(case: Case) -> str:
    """The name and the code of a case; PyTorch's own code below it where that differs."""

    def lines(code: str) -> str:
        return "<br>".join(f"`{line}`" for line in code.strip().splitlines())

    own = f"<br>in PyTorch:<br>{lines(case.torch)}" if case.torch else ""
    return f"**{case.id}**<br>{lines(case.code)}{own}"


def row(case: Case) -> str:
    """A case as a row of its table."""
    cells = [code_cell(case), *(cell(case, column) for column in COLUMNS), case.why]
    return f"| {' | '.join(text.replace('|', '&#124;') for text in cells)} |"


def table(section: str) -> str:
    """The table of one section."""
    head = f"| what is asked | {' | '.join(COLUMNS.values())} | which is right, and why |"
    lines = [head, "|" + "---|" * (len(COLUMNS) + 2)]
    return "\n".join([*lines, *(row(case) for case in cases() if case.section == section)])


def summary() -> str:
    """How often each engine is right, refuses, is wrong, or is not asked."""
    lines = ["| engine | right ✓ | refuses ○ | wrong ✗ | not asked – |", "|---|---|---|---|---|"]
    for column, name in COLUMNS.items():
        marks = [cell(case, column)[0] for case in cases()]
        counts = [str(marks.count(m)) for m in (RIGHT, REFUSED, WRONG, NOT_ASKED)]
        lines.append(f"| {name} | {' | '.join(counts)} |")
    return "\n".join(lines)


def page(text: str) -> str:
    """The page with each of its tables written anew, between the two comments of its section."""
    for section in ("summary", *SECTIONS):
        begin, end = ends(section)
        before, found, rest = text.partition(begin)
        if not found or end not in rest:
            raise LookupError(f"{PAGE.name} has no place for the table of {section}: {begin}")
        made = summary() if section == "summary" else table(section)
        text = f"{before}{begin}\n\n{made}\n\n{end}{rest.partition(end)[2]}"
    return text


def ends(section: str) -> tuple[str, str]:
    """What stands before and after the table of a section."""
    return f"<!-- begin: {section}, by tools/divergence.py -->", f"<!-- end: {section} -->"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{PAGE.name}: {len(cases())} cases")


if __name__ == "__main__":
    main()
