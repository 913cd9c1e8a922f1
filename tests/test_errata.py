"""What the page of errata prints is what its code prints today."""

import re

import pytest
from test_divergence import SAME_CPU, alike

from tools.errata import BLOCK, PAGE, outputs, page

TEXT = PAGE.read_text(encoding="utf-8")
CORRECTIONS = re.split(r"^### ", TEXT.partition("## What no run can show")[0], flags=re.M)[1:]


def test_the_outputs_are_what_the_code_prints():
    now = page(TEXT)
    assert now == TEXT or (not SAME_CPU and alike(now, TEXT)), "run: python tools/errata.py"


@pytest.mark.parametrize("text", CORRECTIONS, ids=lambda t: t.partition("\n")[0])
def test_each_correction_has_a_run_that_prints_something(text):
    assert BLOCK.search(text)
    assert all(said.strip() for said in outputs(text))


def test_nothing_depends_on_where_things_lie_in_memory():
    assert " at 0x" not in TEXT


def test_a_wrong_output_is_seen():
    section = next(t for t in CORRECTIONS if "splits the gradient" in t)
    wrong = "### " + section.replace("1.0 1.0", "0.5 0.5")
    assert page(wrong) == "### " + section


def test_a_block_without_output_gets_one():
    made = page("## A\n\n```python\nx = 2\nprint(x)\n```\n\nSo.\n\n```python\nprint(x + 1)\n```\n")
    assert outputs(made) == ["2\n", "3\n"]
    assert page(made) == made


def test_headings_part_the_programs():
    with pytest.raises(NameError):
        page("## A\n\n```python\nx = 2\n```\n\n## B\n\n```python\nprint(x)\n```\n")


def test_the_links_into_the_lecture_lie_within_it():
    seconds = [int(s) for s in re.findall(r"VMj-3S1tku0\?t=(\d+)", TEXT)]
    assert len(seconds) >= 8
    assert max(seconds) < 8752
