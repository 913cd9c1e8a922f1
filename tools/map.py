"""Write book/map.md: each line of the engine and the net, the section it comes from, the lecture.

python tools/map.py   (writes the page, and says which chapters it still waits for)

What comes from where is in tools/map.toml, with a reason each. The section, its address and the
second of the video are looked up in the chapters. A chapter that does not exist gets no link.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
PACKAGE = ROOT / "micrograd_src" / "micrograd"
RULES = ROOT / "tools" / "map.toml"
PAGE = ROOT / "book" / "map.md"
FILES = ("engine.py", "nn.py")
VIDEO = "https://youtu.be/VMj-3S1tku0?t="
BEGIN, END = "<!-- begin: written by tools/map.py -->", "<!-- end -->"


@dataclass(frozen=True)
class Row:
    """A statement, or the head of one: its lines, whose it is ("Value.tanh"), and how it begins."""

    file: str
    first: int
    last: int
    owner: str
    code: str


@dataclass(frozen=True)
class Place:
    """Where a chapter brings something in: section, cell, and the second of the lecture."""

    part: str
    notebook: str
    heading: str
    cell: str
    second: int | None

    @property
    def link(self) -> str:
        """The section as a link; a heading without a number is named with its part."""
        heading = self.heading if self.heading[0].isdigit() else f"{self.part[1:]} · {self.heading}"
        return f"[{heading}](../notebooks/{self.notebook}#{slug(self.heading)})"

    @property
    def video(self) -> str:
        """The second as a link, or a dash where the lecture does not do it."""
        return "–" if self.second is None else f"[{clock(self.second)}]({VIDEO}{self.second})"


def slug(heading: str) -> str:
    """The address of a heading on its page.

    >>> slug("3.4 Back through ×"), slug("Why is `_prev` a tuple?")
    ('34-back-through-', 'why-is-_prev-a-tuple')
    """
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def clock(second: int) -> str:
    """A second of the video as people write it.

    >>> clock(488), clock(4142)
    ('8:08', '1:09:02')
    """
    minutes, seconds = divmod(second, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def rows(file: str) -> list[Row]:
    """Every line of a file that is not blank, a statement a row; a docstring goes with its head."""
    source = (PACKAGE / file).read_text(encoding="utf-8")
    lines = source.splitlines()
    taken: dict[int, tuple[int, int, str]] = {}
    for first, last, owner in _heads(ast.parse(source)):
        for line in range(first, last + 1):
            if lines[line - 1].strip():
                taken[line] = (first, last, owner)
    # What is nobody's own line, such as `else:`, goes with the statement above it.
    found: dict[tuple[int, int, str], list[int]] = {}
    before = (1, 1, "")
    for number, text in enumerate(lines, 1):
        if text.strip():
            before = taken.get(number, before)
            found.setdefault(before, []).append(number)
    return [
        Row(file, numbers[0], numbers[-1], owner, _begins([lines[n - 1] for n in numbers]))
        for (_, _, owner), numbers in found.items()
    ]


def _begins(lines: list[str]) -> str:
    """How a statement begins: its first line, after what decorates it."""
    head = next((i for i, text in enumerate(lines) if not text.lstrip().startswith("@")), 0)
    return " ".join(text.strip() for text in lines[: head + 1])


def _heads(node: Any, owner: str = "") -> Iterator[tuple[int, int, str]]:
    """First and last own line of each statement below a node, and whose it is."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt | ast.ExceptHandler):
            continue
        body = getattr(child, "body", None)
        if not isinstance(body, list):
            yield child.lineno, child.end_lineno or child.lineno, owner
            continue
        inside, first = owner, child.lineno
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            inside = f"{owner}.{child.name}".lstrip(".")
            first = min([first, *(d.lineno for d in child.decorator_list)])
            if ast.get_docstring(child) is not None:
                yield first, body[0].end_lineno, inside
                yield from _heads(_Rest(child.body[1:]), inside)
                continue
        yield first, body[0].lineno - 1, inside
        yield from _heads(child, inside)


class _Rest(ast.AST):
    """The statements that are left of a body."""

    _fields = ("body",)

    def __init__(self, body: list[ast.stmt]):
        self.body = body


@cache
def rules() -> list[dict[str, Any]]:
    """The rules, in order; the first that matches a row holds."""
    return tomllib.loads(RULES.read_text(encoding="utf-8"))["rule"]


def rule_for(row: Row) -> dict[str, Any] | None:
    """The rule that holds for a row, if there is one."""
    for rule in rules():
        if (
            rule.get("file", row.file) == row.file
            and fnmatch(row.owner, rule["in"])
            and row.code.startswith(rule.get("code", ""))
        ):
            return rule
    return None


@cache
def chapter(part: str) -> tuple[str, Any] | None:
    """The file name of a chapter and its notebook, or None while it does not exist."""
    paths = sorted(NOTEBOOKS.glob(f"{part}_*.ipynb"))
    return (paths[0].name, nbformat.read(paths[0], as_version=4)) if paths else None


@cache
def seconds(part: str) -> list[int]:
    """The seconds of a chapter's table "In the lecture"."""
    found = chapter(part)
    assert found is not None
    cells = [c.source for c in found[1].cells if "## In the lecture" in c.source]
    rows = re.findall(r"^\| *\[[\d:]+\]\([^)]*\?t=(\d+)\)", "\n".join(cells), flags=re.M)
    return [int(second) for second in rows]


def find(part: str, shows: str | list[str], at: int | None = None) -> Place | None:
    """Where a chapter first shows something: in the build if it is there, else anywhere.

    Of several texts the first that is shown counts. The second is that of the row of the chapter's
    table in which the lecture is at `at`. None while the chapter does not exist. Raises LookupError
    where it does, and shows none of them.
    """
    found = chapter(part)
    if found is None:
        return None
    name, _ = found
    for text in [shows] if isinstance(shows, str) else shows:
        if hit := _shown(part, text):
            second = (
                None if at is None else max((s for s in seconds(part) if s <= at), default=None)
            )
            return Place(part, name, *hit, second)
    raise LookupError(f"{name} shows no {shows!r}")


@cache
def _shown(part: str, text: str) -> tuple[str, str] | None:
    """The heading and the id of the first cell that shows a text, those in the build before others.

    A text that begins with a backtick is looked for in the prose, any other in the code.
    """
    found = chapter(part)
    room = section = ""
    hits: list[tuple[bool, str, str]] = []
    for cell in found[1].cells if found else []:
        if cell.cell_type == "markdown":
            bare = re.sub(r"^```.*?^```", "", cell.source, flags=re.M | re.S)
            for level, heading in re.findall(r"^(##+) (.+)$", bare, flags=re.M):
                room, section = (heading, "") if level == "##" else (room, heading)
        kind = "markdown" if text.startswith("`") else "code"
        if room and cell.cell_type == kind and text in cell.source:
            hits.append((room != "The build", section or room, cell.id))
    return min(hits, key=lambda hit: hit[0])[1:] if hits else None


def places(row: Row) -> list[tuple[str, Place | None]]:
    """The part and the place of each thing that a row is made of. Raises LookupError without."""
    rule = rule_for(row)
    if rule is None:
        raise LookupError(f"no rule for {row.file} line {row.first}: {row.code}")
    return [(p["part"], find(p["part"], p["shows"], p.get("at"))) for p in rule["from"]]


def missing() -> list[str]:
    """The parts that the map waits for, because their chapters do not exist."""
    return sorted(
        {part for file in FILES for row in rows(file) for part, p in places(row) if not p}
    )


def line(row: Row) -> str:
    """A row of the table."""
    lines = f"{row.first}" if row.first == row.last else f"{row.first}–{row.last}"
    code = re.sub(r"  # .*", "", row.code).replace("|", "\\|")
    found = places(row)
    sections = ", ".join(p.link if p else f"part {part[1:]}, still to come" for part, p in found)
    videos = list(dict.fromkeys(p.video for _, p in found if p and p.second is not None))
    waits = any(p is None for _, p in found)
    video = ", ".join(videos) or ("" if waits else "–")
    # A space that does not break keeps the name and the number together.
    return f"| {row.file.removesuffix('.py')}\u00a0{lines} | `{code}` | {sections} | {video} |"


def table() -> str:
    """The whole map."""
    head = "| line | code | where this course builds it | in the lecture |\n|---|---|---|---|"
    return "\n".join([head, *(line(row) for file in FILES for row in rows(file))])


def page(text: str) -> str:
    """The page with its table written anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


def main() -> int:
    """Write the page. Returns 1, and says why, where a rule or a piece of a chapter is missing."""
    try:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    except LookupError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    for part in missing():
        print(f"The map waits for part {part[1:]}: there is no notebooks/{part}_*.ipynb.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
