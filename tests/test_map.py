"""The map: every line of what ships leads to the section that builds it, and to the lecture."""

import ast
import re

import nbformat
import pytest

from tools import map as maps
from tools.map import FILES, NOTEBOOKS, PACKAGE, PAGE, Row, find, places, rows, rule_for, rules

ROWS = [row for file in FILES for row in rows(file)]
TEXT = PAGE.read_text(encoding="utf-8")
CHAPTERS = sorted(p.stem.split("_")[0] for p in NOTEBOOKS.glob("p*.ipynb"))
THERE = {p["part"] for rule in rules() for p in rule["from"]} & set(CHAPTERS)


@pytest.mark.parametrize("file", FILES)
def test_every_line_is_in_one_row(file):
    lines = (PACKAGE / file).read_text(encoding="utf-8").splitlines()
    wanted = [number for number, text in enumerate(lines, 1) if text.strip()]
    covered = [
        n for row in rows(file) for n in range(row.first, row.last + 1) if lines[n - 1].strip()
    ]
    assert covered == wanted


@pytest.mark.parametrize("file", FILES)
def test_a_statement_is_a_row(file):
    tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
    docstrings = {
        n.body[0].lineno
        for n in ast.walk(tree)
        if isinstance(n, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(n)
    }
    statements = {
        min([n.lineno, *(d.lineno for d in getattr(n, "decorator_list", []))])
        for n in ast.walk(tree)
        if isinstance(n, ast.stmt | ast.ExceptHandler)
    }
    assert statements - docstrings <= {row.first for row in rows(file)}


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r.file}:{r.first}")
def test_every_row_has_its_rule_and_its_places(row):
    assert rule_for(row) is not None, row.code
    for part, place in places(row):
        assert (place is None) == (part not in CHAPTERS)


def test_every_rule_is_used_and_says_why():
    used = [rule_for(row) for row in ROWS]
    for rule in rules():
        assert rule in used, rule
        assert rule["why"], rule


def test_a_second_is_one_of_its_chapters_table():
    for rule in rules():
        for p in rule["from"]:
            if p["part"] in CHAPTERS and "at" in p:
                second = find(p["part"], p["shows"], p["at"]).second
                assert second in maps.seconds(p["part"]), p
                assert p["at"] - second < 400, "the row is the one in which it is done"


@pytest.mark.parametrize("part", sorted(THERE))
def test_a_link_leads_to_a_heading_above_the_cell(part):
    (path,) = NOTEBOOKS.glob(f"{part}_*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    for place in {p for row in ROWS for q, p in places(row) if q == part}:
        (at,) = (i for i, c in enumerate(cells) if c.id == place.cell)
        above = "\n".join(c.source for c in cells[: at + 1] if c.cell_type == "markdown")
        above = re.sub(r"^```.*?^```", "", above, flags=re.M | re.S)
        assert re.findall(r"^##+ (.+)$", above, flags=re.M)[-1] == place.heading
        assert re.search(
            rf"notebooks/{re.escape(path.name)}#{re.escape(maps.slug(place.heading))}\)", TEXT
        )
        headings = re.findall(r"^##+ (.+)$", "\n".join(c.source for c in cells), flags=re.M)
        assert [maps.slug(h) for h in headings].count(maps.slug(place.heading)) == 1


def test_the_page_is_up_to_date():
    assert maps.page(TEXT) == TEXT, "run: python tools/map.py"


def test_what_is_missing_is_said_and_nothing_once_all_are_there():
    waits = {f"p{n}" for n in re.findall(r"part (\d), still to come", TEXT)}
    assert waits == set(maps.missing())
    assert not waits & set(CHAPTERS)
    if len(CHAPTERS) == 8:
        assert not waits
        assert {p["part"] for rule in rules() for p in rule["from"]} == set(CHAPTERS)


def test_code_that_no_chapter_shows_is_an_error():
    with pytest.raises(LookupError, match="shows no"):
        find("p2", "no such code")
    with pytest.raises(LookupError, match="no rule"):
        places(Row("engine.py", 1, 1, "Value.nobody", "pass"))


@pytest.mark.parametrize("part", CHAPTERS)
def test_each_chapter_links_to_the_map_where_it_ends(part):
    (path,) = NOTEBOOKS.glob(f"{part}_*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    text = "\n".join(c.source for c in cells if c.cell_type == "markdown")
    assert "](../book/map.md)" in text.partition("## Go deeper")[2]
