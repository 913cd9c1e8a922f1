"""What a part changes is what its stage has and the one before lacks; everybody can read it."""

import ast
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import nbformat
import pytest

from course.changes import LAST, LONG, changes, compare, pieces, stage
from micrograd import engine
from micrograd.stages import p2, p4, p5
from tools.notebooks import NOTEBOOKS

PARTS = [f"p{number}" for number in range(2, LAST + 1)]
LONGER = [part for part in PARTS if not changes(part).short]


def html(part):
    return changes(part)._repr_mimebundle_()["text/html"]


def lines(part):
    return [line for _, run in changes(part).runs() for line in run]


def code(signs, part):
    return [c for s, c in lines(part) if s in signs and c.strip()]


def bare(source):
    """The lines of a module that are code, without docstrings and imports of an earlier stage."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.Module) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:]
    tree.body = [n for n in tree.body if "micrograd.stages" not in ast.unparse(n)]
    return ast.unparse(tree).replace("'", '"').split("\n")


def test_names_of_what_is_new_and_changed():
    kinds = {p.name: p.kind for p in changes("p4").pieces}
    methods = {name for name, kind in kinds.items() if kind != "as before" and "." in name}
    assert methods == {
        "Value.backward",
        "Value.__init__",
        "Value.__add__",
        "Value.__mul__",
        "Value.tanh",
    }
    assert [n for n, k in kinds.items() if k == "new"] == [
        "from itertools import count",
        "births = count()",
        "Value.backward",
    ]
    assert kinds["Value.__repr__"] == "as before"


@pytest.mark.parametrize("part", LONGER)
def test_the_lines_give_back_both_stages(part):
    """Without what is new, the lines are the stage before; without what goes, they are this one."""

    def flat(found):
        return sorted(line for made in found.values() for line in made if line.strip())

    number = int(part[1:])
    assert sorted(code(" −", part)) == flat(stage(number - 1))
    assert sorted(code(" +", part)) == flat(stage(number))


@pytest.mark.parametrize("module", [p2, p4, p5], ids=lambda m: m.__name__[-2:])
def test_the_pieces_of_a_stage_are_its_code(module):
    with open(module.__file__, encoding="utf-8") as file:
        source = file.read()
    made = "\n".join(line for piece in pieces(source).values() for line in piece)
    assert bare(made) == bare(source)


def test_the_class_is_new_in_part_2():
    assert {s for s, c in lines("p2") if c.strip()} == {"+"}


def test_part_6_leaves_value_alone_and_has_new_classes():
    overview = dict(changes("p6").overview())
    assert list(overview) == ["Neuron", "Layer", "MLP", "Classes"]
    assert overview["Classes"] == [("as before", ["Value"])]


def test_part_8_is_told_by_names():
    text = repr(changes("p8"))
    overview = {subject: dict(kinds) for subject, kinds in changes("p8").overview()}
    assert {"relu", "log", "__bool__"} <= set(overview["Value"]["new"])
    assert "backward" in overview["Value"]["changed"]
    assert overview["MLP"]["inherited now:"] == ["zero_grad"]
    for name in overview["Value"]["new"]:
        assert hasattr(engine.Value, name), name
    assert len(text.splitlines()) < 12


def test_long_unchanged_stretches_are_folded():
    before = [f"x{i} = {i}" for i in range(30)]
    for part in LONGER:
        for title, run in changes(part).runs():
            same = "".join(s if c.strip() else "=" for s, c in run)
            assert title or not re.search(rf" {{{LONG + 1},}}", same), part
    assert compare(before, [*before[:10], "y", *before[11:]])[10:12] == [
        ("−", "x10 = 10"),
        ("+", "y"),
    ]


def test_docstrings_are_left_out():
    for part in PARTS:
        assert '"""' not in repr(changes(part))
        assert '"""' not in html(part).replace("&quot;", '"')


@pytest.mark.parametrize("part", PARTS)
def test_the_html_is_sound_and_says_all_that_the_text_says(part):
    text = html(part)
    root = ET.fromstring(re.sub(r"<style>.*?</style>", "", text, flags=re.S))
    words = "".join(root.itertext())
    for sign, line in lines(part) if part in LONGER else []:
        assert f"{sign} {line}" in words
    assert changes(part).title() in words
    assert "#000" not in text
    assert "color: black" not in text


@pytest.mark.parametrize("part", LONGER)
def test_a_sign_and_an_element_mark_a_line_not_colour_alone(part):
    root = ET.fromstring(re.sub(r"<style>.*?</style>", "", html(part), flags=re.S))
    for tag, sign in (("ins", "+"), ("del", "−")):
        for element in root.iter(tag):
            assert element.text.startswith(sign)
    assert [e.text.strip("+ \n") for e in root.iter("ins") if e.text.strip("+ \n")] == [
        c.strip() for c in code("+", part)
    ]


def test_the_same_bytes_in_another_process():
    script = "from course.changes import changes as c; print(c('p4')._repr_mimebundle_())"
    made = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(made) == 1
    assert b"0x" not in made.pop()


@pytest.mark.parametrize("name", ["p1", "p9", "P4", ""])
def test_a_part_without_changes_is_refused(name):
    with pytest.raises(ValueError, match="no changes in"):
        changes(name)


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("p*.ipynb")), ids=lambda p: p.stem)
def test_each_chapter_shows_its_changes_at_the_end_of_in_the_lecture(path):
    part = path.stem.split("_")[0]
    cells = nbformat.read(path, as_version=4).cells
    shown = [i for i, c in enumerate(cells) if c.cell_type == "code" and "changes(" in c.source]
    if part == "p1":
        assert shown == []
        return
    (i,) = shown
    assert cells[i].source == f'changes("{part}")'
    assert cells[i + 1].source.startswith("## The build\n")
    before = "\n".join(c.source for c in cells[:i] if c.cell_type == "markdown")
    assert re.findall(r"^## (.+)$", before, flags=re.M)[-1] == "In the lecture"
    assert cells[i - 1].cell_type == "markdown"
