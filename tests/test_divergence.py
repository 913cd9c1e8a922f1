"""The divergence table says what the four engines answer today, and has a row for each question."""

import json
import math
import random
import re
from functools import partial

import numpy as np
import pytest
import torch

from micrograd.stages import p4
from tools.divergence import (
    COLUMNS,
    NOT_ASKED,
    PAGE,
    SECTIONS,
    Case,
    ask,
    cases,
    cell,
    ends,
    page,
    row,
    run,
    summary,
)
from tools.torch_numbers import STORED

TEXT = PAGE.read_text(encoding="utf-8")
CPU = json.loads(STORED.read_text(encoding="utf-8"))["cpu"]
SAME_CPU = torch.backends.cpu.get_cpu_capability() == CPU
EACH_CASE = pytest.mark.parametrize("case", cases(), ids=lambda c: c.id)
FLOAT = re.compile(r"-?\d+\.\d+(?:e[-+]\d+)?")


def rows(section: str) -> list[str]:
    begin, end = ends(section)
    lines = TEXT.partition(begin)[2].partition(end)[0].strip().splitlines()
    return lines[2:]


def alike(now: str, stored: str) -> bool:
    """The same text, but for the last digits of its floats."""
    if FLOAT.sub("0", now) != FLOAT.sub("0", stored):
        return False
    pairs = zip(FLOAT.findall(now), FLOAT.findall(stored), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=1e-12) for a, b in pairs)


def stored(case: Case) -> list[str]:
    """The cells of the row that the page has for a case."""
    (found,) = (line for line in rows(case.section) if line.startswith(f"| **{case.id}**<br>"))
    return [text.strip() for text in found.strip("| ").split(" | ")]


@EACH_CASE
def test_the_page_says_what_the_engines_answer(case):
    now = [text.strip() for text in row(case).strip("| ").split(" | ")]
    there = stored(case)
    assert len(now) == len(there) == len(COLUMNS) + 2
    place = 1 + list(COLUMNS).index("torch")
    if not SAME_CPU:  # PyTorch's own tanh and exp differ in the last digit from one set to another
        assert alike(now.pop(place), there.pop(place))
    assert now == there, "run: python tools/divergence.py"


def test_the_page_has_a_row_for_each_case_and_no_other():
    assert {case.section for case in cases()} == set(SECTIONS)
    assert len({case.id for case in cases()}) == len(cases())
    for section in SECTIONS:
        wanted = [f"| **{case.id}**<br>" for case in cases() if case.section == section]
        assert [line[: len(start)] for line, start in zip(rows(section), wanted, strict=True)] == (
            wanted
        )


def test_the_counts_are_those_of_the_tables():
    begin, end = ends("summary")
    assert TEXT.partition(begin)[2].partition(end)[0].strip() == summary()
    for place, column in enumerate(COLUMNS, 1):
        marks = [stored(case)[place][0] for case in cases()]
        assert f"| {' | '.join(str(marks.count(m)) for m in '✓○✗–')} |" in summary()
        assert set(marks) <= set("✓○✗–"), column


@EACH_CASE
def test_each_error_has_its_reason_and_each_reason_its_error(case):
    for column in COLUMNS:
        answer = ask(case, column)
        assert (answer is not None and answer.failed) == (column in case.errors), column
        assert (answer is None) == (cell(case, column) == NOT_ASKED)
    assert not {*case.right, *case.also, *case.errors} - set(COLUMNS)
    assert not set(case.right) & set(case.also)


@EACH_CASE
def test_answers_that_are_right_are_the_same_numbers(case):
    """But for what is a convention of one library, and says so."""
    if case.id in ("complex numbers", "the first gradient", "equal", "a value in a value"):
        return
    found = [answer.text for column in case.right if not (answer := ask(case, column)).failed]
    if case.id == "the root of a negative number":
        assert found == ["'nan'"]
    for text in found[1:]:
        a, b = (re.sub(r"(?<![\w.])(-?\d+)(?![\w.])", r"\1.0", t) for t in (found[0], text))
        assert alike(a, b), found


def test_no_answer_depends_on_where_things_lie_in_memory():
    rng, clutter = random.Random(), []
    for _ in range(25):
        clutter.append([object() for _ in range(rng.randrange(400))])
        clutter = clutter[-15:]
        for case in cases():
            for column in ("lecture", "published"):
                if case.id != "a long chain":
                    assert run(case.code_for(column), column) == ask(case, column), case.id
    assert " at 0x" not in TEXT


def test_a_table_without_its_place_is_an_error():
    with pytest.raises(LookupError, match="no place for the table of summary"):
        page("# A page")
    begin, _ = ends("types")
    with pytest.raises(LookupError, match="no place for the table of types"):
        page(TEXT.replace(begin, ""))


def test_a_digit_that_changes_is_seen():
    case = next(c for c in cases() if c.id == "the neuron")
    there = stored(case)[1]
    assert "0.7071067811865476" in there
    assert cell(case, "lecture") != there.replace("5476", "5477")
    assert not alike(there, there.replace("0.70710678", "0.70710679"))
    assert not alike(there, there.replace("✓", "✗"))


@pytest.mark.parametrize(
    ("number", "error", "says"),
    [(1, AttributeError, "'int' object has no attribute 'data'"), (np.float64(1), TypeError, "")],
)
def test_before_part_5_a_plain_number_on_the_right_fails(number, error, says):
    """The page says so. A numpy number gets further, because numpy's have a `data` of their own."""
    with pytest.raises(error, match=says or "memoryview"):
        p4.Value(1.0) + number


def test_the_right_number_for_the_tail_of_tanh_is_the_one_named():
    slope = 1 / math.cosh(20.0) ** 2
    assert f"the slope is {slope:.1e}." in TEXT.replace("<br>", " ")


def test_what_the_page_says_of_relu_by_nudging():
    relu = partial(max, 0.0)
    assert (relu(1e-6) - relu(-1e-6)) / 2e-6 == 0.5
