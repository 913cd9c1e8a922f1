"""A number in prose stands in an output beside it, to the digits written.

What counts as beside, and what a number is, is said in tools/prose_numbers.py. What no output can
back is in prose_numbers.toml, with a reason each, and where it can be, with arithmetic or a place
that is checked here as well.
"""

import ast
import copy
import dataclasses
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest

from course.predicting import questions
from tools import published
from tools.notebooks import NOTEBOOKS
from tools.prose_numbers import (
    RULES,
    Number,
    Passage,
    numbers,
    page_passages,
    passages,
    prose,
    values,
)

ROOT = Path(__file__).parent.parent
LISTED = tomllib.loads((ROOT / "tests/prose_numbers.toml").read_text(encoding="utf-8"))
CHAPTERS = sorted(p.stem.split("_")[0] for p in NOTEBOOKS.glob("p*.ipynb"))
FEW = 15  # entries of a chapter that nothing checks


def asked(name: str) -> str:
    """The code of a question, whose numbers are on the page beside the prose about it."""
    part, letter = name.split(".")
    return questions(part)[letter].code


@cache
def notebook(part: str) -> Any:
    (path,) = NOTEBOOKS.glob(f"{part}_*.ipynb")
    return nbformat.read(path, as_version=4)


@cache
def read(part: str) -> list[Passage]:
    return passages(notebook(part), asked)


@cache
def known_at(where: str, part: str) -> set[float]:
    """All values of a place such as "1.4" of this chapter, or "p2 2.11"."""
    chapter, _, section = where.rpartition(" ")
    there = [p for p in read(chapter or part) if re.match(rf"{re.escape(section)}\b", p.place)]
    assert there, f"there is no {where}"
    return set().union(*(p.outputs | p.inputs for p in there))


def literals(expression: str) -> set[float]:
    return {float(n.value) for n in ast.walk(ast.parse(expression)) if isinstance(n, ast.Constant)}


def vouches(entry: dict[str, str], number: Number, passage: Passage, part: str) -> bool:
    """Whether an entry of the list is about this number here, and what it says is so."""
    if number.text != entry.get("number") or not passage.place.startswith(entry["place"]):
        return False
    if "see" in entry:
        return any(number.fits(v) or number.value == v for v in known_at(entry["see"], part))
    if "follows" in entry:
        nearby = passage.outputs | passage.inputs | values(prose(passage.text))
        nearby |= {abs(v) for v in nearby}
        strange = [x for x in literals(entry["follows"]) if x not in nearby]
        return not strange and number.fits(eval(entry["follows"]))
    if "leads_to" in entry:
        expression = entry["leads_to"]
        return abs(number.value) in literals(expression) and passage.has(eval(expression))
    return True


def without(part: str, passage: Passage) -> Passage:
    """The passage without the text that the list leaves out."""
    for entry in LISTED.get(part, []):
        if "leave" in entry and passage.place.startswith(entry["place"]):
            left = re.sub(entry["leave"], " ", passage.text, flags=re.M)
            passage = dataclasses.replace(passage, text=left)
    return passage


def unbacked(part: str, found: list[Passage]) -> list[str]:
    """Every number that neither an output nor the list backs, with its place."""
    return [
        f"{p.cell} ({p.place}): {n.text}"
        for p in found
        for n in without(part, p).unbacked()
        if not any(vouches(entry, n, p, part) for entry in LISTED.get(part, []))
    ]


def is_needed(entry: dict[str, str], part: str, found: list[Passage]) -> bool:
    """Whether a passage holds a number that only this entry accounts for."""
    for p in found:
        if "leave" in entry:
            if p.place.startswith(entry["place"]) and re.search(entry["leave"], p.text, flags=re.M):
                return True
        elif any(vouches(entry, n, p, part) for n in p.unbacked()):
            return True
    return False


# The chapters.


@pytest.mark.parametrize("part", CHAPTERS)
def test_every_number_in_a_chapter_is_backed(part):
    found = read(part)
    assert sum(len(p.numbers()) for p in found) > 40
    assert unbacked(part, found) == []


@pytest.mark.parametrize("part", CHAPTERS)
def test_the_list_holds_nothing_that_is_not_needed(part):
    for entry in LISTED.get(part, []):
        assert is_needed(entry, part, read(part)), entry
        assert len(entry["why"].split()) >= 3, entry
    unchecked = [e for e in LISTED.get(part, []) if not {"see", "follows", "leads_to"} & e.keys()]
    assert len(unchecked) <= FEW


def test_the_lines_of_the_published_files_that_chapters_name():
    """Parts 5 and 8 say where things stand in micrograd 0.1.0, and no cell can print that."""
    folder = published.fetch() / "micrograd"
    engine, nn = ((folder / name).read_text().splitlines() for name in ("engine.py", "nn.py"))
    assert (len(engine), len(nn)) == (94, 60)
    starts = {14: "other = ", 25: "other = ", 17: "def _backward", 35: "def __pow__"}
    starts |= {19: "other.grad +=", 45: "def relu", 72: "def __neg__", 5: "def __init__"}
    starts |= {11: "self._op =", 54: "def backward", 70: "v._backward()"}
    for line, text in starts.items():
        assert engine[line - 1].strip().startswith(text), line
    for line, text in {13: "class Neuron", 30: "class Layer", 45: "class MLP"}.items():
        assert nn[line - 1].startswith(text), line
    assert engine[43 - 1].strip() == "return out"
    assert engine[52 - 1].strip() == "return out"
    assert engine[91 - 1].strip().startswith("return other * self")


# The test can fail.


def planted(text: str, number: Number) -> str | None:
    """The text with the last digit of a number changed, or None where it stands there twice."""
    # A digit away by five, so that no rounding can make it right again.
    wrong = number.text[:-1] + str((int(number.text[-1]) + 5) % 10)
    found = re.findall(rf"(?<![\w.,]){re.escape(number.text)}(?![\w.,]?\d)", text)
    return text.replace(number.text, wrong) if len(found) == 1 else None


@pytest.mark.parametrize(("digits", "least", "share"), [(3, 50, 1 / 20), (2, 100, 1 / 8)])
def test_wrong_numbers_planted_in_a_copy_are_found(digits, least, share):
    """Every number of so many digits gets a wrong last one, each in turn; not 1e-8 and such.

    A short number may turn into another one nearby, and then nobody can see that it is wrong.
    """
    tried, missed = 0, []
    for part in CHAPTERS:
        for passage in (without(part, p) for p in read(part)):
            for number in passage.numbers():
                text = planted(passage.text, number)
                length = len(re.findall("[1-9]|(?<=[1-9])0", number.text))
                if text is None or length < digits or "e" in number.text:
                    continue
                tried += 1
                if not unbacked(part, [dataclasses.replace(passage, text=text)]):
                    missed.append((part, passage.place, number.text))
    assert tried >= least
    assert len(missed) <= tried * share, missed


def test_a_wrong_number_planted_in_a_notebook_is_named():
    nb = copy.deepcopy(notebook("p1"))
    (cell,) = (c for c in nb.cells if c.source.startswith("Close, and not exact: 0.1390"))
    cell.source = cell.source.replace("0.1390", "0.1490")
    (said,) = unbacked("p1", passages(nb, asked))
    assert said == f"{cell.id} (1.1 The finished engine, before you build it): 0.1490"


def made(text: str, output: str = "", code: str = "") -> list[str]:
    """The unbacked numbers of a passage with one cell beside it."""
    passage = Passage("c", "room", "", text, values(output), values(code))
    return [n.text for n in passage.unbacked()]


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("It rises by 0.139.", "0.1390"),
        ("It rises by 0.14.", "0.1390"),
        ("The slope is −22.", "-21.999997"),
        ("It falls by 22.", "-21.999997"),
        ("There are 65,818 nodes.", "65818"),
        ("There are 65,818 nodes.", "65_818"),
        ("About half, 50 %, are right.", "0.5"),
        ("Take $h = 10^{-15}$.", "1e-15"),
        ("A gap of $4.4 × 10^{-16}$.", "4.44e-16"),
        ("A gap of 4.4e-16.", "4.4408920985006262e-16"),
        ("The fraction is 14.3.", "1/10   143/10"),
        ("So 0.001 × 138.8338, which is 0.1388.", "138.8338"),
        ("It says 27 − 12 + 5.", "20.0"),
        ("It is $3 × 1 = 3$.", ""),
    ],
)
def test_numbers_are_read_as_people_write_them(text, output):
    assert made(text, output, "0.001") == []


@pytest.mark.parametrize(
    ("text", "output", "wrong"),
    [
        ("It rises by 0.149.", "0.1390", "0.149"),
        ("It rises by 0.13.", "0.1390", "0.13"),
        ("The slope is −22.", "21.999997", "−22"),
        ("There are 65,818 nodes.", "65814", "65,818"),
        ("There are 41 parameters.", "42", "41"),
        ("Half, 51 %, are right.", "0.5", "51"),
        ("A gap of 4.5e-16.", "4.4408920985006262e-16", "4.5e-16"),
        ("So 0.001 × 138.8338, which is 0.1389.", "138.8338", "0.1389"),
        ("Take 0.25.", "", "0.25"),
    ],
)
def test_what_is_wrong_is_seen(text, output, wrong):
    assert wrong in made(text, output, "0.001")


@pytest.mark.parametrize(
    "text",
    [
        "See section 1.7, part 3, parts 2 to 4, sections 1.7 and 1.8, and exercise P1.1.",
        "| [08:08](https://youtu.be/VMj-3S1tku0?t=488) | the derivative |",
        "### 2.10 Names for the boxes",
        "Published in 1986, and again in August 2022.",
        "1. A value has a number.\n2. Each operation.",
        "The weights $w_1$ and $x_{12}$, x1 and float64, and $x^2$.",
        "Python 3.11 and micrograd 0.1.0.",
        "```text\nself.grad = 1.0\n```",
    ],
)
def test_what_is_no_measured_number_is_left_out(text):
    assert numbers(prose(text)) == []


def test_each_rule_has_its_reason():
    assert all(len(rule.why.split()) >= 2 for rule in RULES)


# The pages. What stands in them is backed by code in the list, by blocks of code in the page, or by
# what a tool writes into it between two markers.

PAGES = LISTED["page"]


def page(entry: dict[str, Any]) -> list[Passage]:
    text = (ROOT / entry["path"]).read_text(encoding="utf-8")
    ran = {}
    for heading, code in entry.get("run", {}).items():
        assert f"\n{heading}\n" in text, f"{entry['path']} has no heading {heading}"
        names: dict[str, Any] = {}
        exec(code, names)
        ran[heading.lstrip("# ")] = "\n".join(map(str, names["says"]))
    return page_passages(text, ran)


@pytest.mark.parametrize("entry", PAGES, ids=lambda e: e["path"])
def test_every_number_on_a_page_is_backed(entry):
    found = page(entry)
    assert unbacked(entry["path"], found) == []
    for listed in LISTED.get(entry["path"], []):
        assert is_needed(listed, entry["path"], found), listed


@pytest.mark.parametrize("entry", PAGES, ids=lambda e: e["path"])
def test_a_wrong_number_planted_on_a_page_is_found(entry):
    for passage in page(entry):
        forged = dataclasses.replace(passage, text=passage.text + "\n\nIt is 123.4567.")
        assert unbacked(entry["path"], [forged])[-1].endswith("123.4567")


def test_every_page_is_checked_or_says_why_not():
    there = {str(p.relative_to(ROOT)) for p in ROOT.glob("book/*.md")} | {"exercises/index.md"}
    unchecked = LISTED["unchecked"]
    assert there <= {entry["path"] for entry in PAGES} | unchecked.keys()
    assert all(len(why.split()) > 5 for why in unchecked.values())
