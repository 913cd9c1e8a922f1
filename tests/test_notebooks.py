"""The rules that every chapter keeps. nbval compares outputs; these tests look at form."""

import ast
import re
import statistics
from pathlib import Path

import nbformat
import pytest

from tools.notebooks import METADATA, NOTEBOOKS, normalise

CHAPTERS = {
    "p1_derivatives": "P1 · What micrograd is, and what a derivative is",
    "p2_value": "P2 · The Value object and the expression graph",
    "p3_backprop_by_hand": "P3 · Backpropagation by hand: an expression, then a neuron",
    "p4_automatic_backward": (
        "P4 · Automating backward: closures, topological order, accumulation"
    ),
    "p5_more_operations": "P5 · Breaking up tanh, more operations, and the same thing in PyTorch",
    "p6_mlp": "P6 · An MLP: Neuron, Layer, MLP, a tiny data set, the loss, the parameters",
    "p7_training": "P7 · Training by hand: gradient descent, learning rate, the zero-grad mistake",
    "p8_the_real_code": (
        "P8 · The real code: micrograd's repository, PyTorch's tanh backward, what comes next"
    ),
}
ROOMS = [
    "The question",
    "In the lecture",
    "The build",
    "Worked numbers",
    "The code at the end of this part",
    "Where people get stuck",
    "Check yourself",
    "Exercises",
    "Go deeper",
]
# Cells whose output nbval does not compare, each with the reason why.
IGNORED_OUTPUTS: dict[str, str] = {
    "p8-33897254": "milliseconds and bytes of four classes: they belong to the machine that ran it",
}
WHOLE_CODE = {"the-class", "the-code", "the-engine", "the-nn"}
MACHINE = re.compile(
    r"/(home|root|tmp|work|Users)/|[A-Z]:\\|0x[0-9a-f]{6,}|np\.float64\(|not found|Traceback"
)


@pytest.fixture(params=CHAPTERS, scope="module")
def chapter(request):
    path = NOTEBOOKS / f"{request.param}.ipynb"
    return path, nbformat.read(path, as_version=4)


def code(nb):
    return [c for c in nb.cells if c.cell_type == "code"]


def prose(nb):
    return [c for c in nb.cells if c.cell_type == "markdown"]


def tags(cell):
    return set(cell.metadata.get("tags", []))


def headings(nb, level):
    found = []
    for cell in prose(nb):
        text = re.sub(r"^```.*?^```", "", cell.source, flags=re.S | re.M)
        found += re.findall(rf"^{'#' * level} (.+)$", text, flags=re.M)
    return found


def outputs(nb):
    for cell in code(nb):
        for output in cell.outputs:
            yield cell, output


def texts(output):
    """Everything in an output that a reader or a diff would see."""
    data = output.get("data", {})
    return [output.get("text", ""), *(v for v in data.values() if isinstance(v, str))]


def test_every_notebook_is_a_chapter():
    assert {p.stem for p in NOTEBOOKS.glob("*.ipynb")} == set(CHAPTERS)


def test_stored_in_normal_form(chapter):
    path, nb = chapter
    stored = path.read_text(encoding="utf-8")
    assert nb.metadata == METADATA
    assert nbformat.writes(normalise(nb, path.stem.split("_")[0])).strip() == stored.strip()


def test_cell_ids_belong_to_the_part_and_differ(chapter):
    path, nb = chapter
    ids = [c.id for c in nb.cells]
    assert len(set(ids)) == len(ids)
    part = path.stem.split("_")[0]
    assert all(re.fullmatch(rf"{part}-[0-9a-f]{{8}}", i) for i in ids)


def test_title_and_promise_come_first(chapter):
    path, nb = chapter
    title, promise = nb.cells[0].source.split("\n\n", 1)
    assert title == f"# {CHAPTERS[path.stem]}"
    assert headings(nb, 1) == [CHAPTERS[path.stem]]
    assert len(promise.split()) <= 40, "the promise is one line"


def test_imports_come_second(chapter):
    _, nb = chapter
    second = nb.cells[1]
    assert second.cell_type == "code"
    for node in ast.parse(second.source).body:
        assert isinstance(node, ast.Import | ast.ImportFrom), ast.unparse(node)


def test_rooms_in_order(chapter):
    _, nb = chapter
    assert headings(nb, 2) == ROOMS


def test_sections_are_numbered(chapter):
    path, nb = chapter
    build = re.split(r"^## ", "\n".join(c.source for c in prose(nb)), flags=re.M)[3]
    part = path.stem[1]
    numbers = re.findall(r"^### (\S+) ", build, flags=re.M)
    assert numbers == [f"{part}.{i}" for i in range(1, len(numbers) + 1)]
    assert len(numbers) >= 4


def test_enough_stumbling_blocks_that_run(chapter):
    _, nb = chapter
    inside, runs, blocks = False, 0, 0
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            for line in re.findall(r"^##+ .+$", cell.source, flags=re.M):
                if line.startswith("## "):
                    inside = line == "## Where people get stuck"
                blocks += inside and line.startswith("### ")
        else:
            runs += inside
    assert blocks >= 5
    assert runs >= blocks - 1


def test_prose_and_code_are_in_balance(chapter):
    _, nb = chapter
    assert 0.8 <= len(prose(nb)) / len(code(nb)) <= 1.5
    words = sum(len(c.source.split()) for c in prose(nb))
    assert words / len(prose(nb)) <= 90


def test_code_cells_are_short(chapter):
    _, nb = chapter
    sizes = [len(c.source.splitlines()) for c in code(nb)]
    assert statistics.median(sizes) <= 3
    long = [c.source for c in code(nb) if len(c.source.splitlines()) > 20]
    assert all(tags(c) & WHOLE_CODE for c in code(nb) if c.source in long), long


def test_no_two_code_cells_without_prose_between(chapter):
    _, nb = chapter
    for before, cell in zip(nb.cells, nb.cells[1:], strict=False):
        if before.cell_type == cell.cell_type == "code":
            assert "continues" in tags(cell), cell.source


def test_code_is_plain_python(chapter):
    _, nb = chapter
    for cell in code(nb):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.ImportFrom):
                assert node.names[0].name != "*", cell.source
            if isinstance(node, ast.Name):
                assert node.id != "id", "an address differs from run to run"
        assert not cell.source.rstrip().endswith(";"), cell.source


def test_randomness_has_a_seed(chapter):
    _, nb = chapter
    source = "\n".join(c.source for c in code(nb))
    if re.search(r"^(import random|from random|import numpy)", source, flags=re.M):
        assert re.search(r"\bseed\(\d+\)|Random\(\d+\)|default_rng\(\d+\)", source)


def test_outputs_name_no_machine(chapter):
    _, nb = chapter
    for cell, output in outputs(nb):
        assert output.output_type in ("stream", "execute_result", "display_data"), cell.source
        assert output.get("name") != "stderr", cell.source
        for text in texts(output):
            assert not MACHINE.search(text), (cell.source, MACHINE.search(text))


def test_every_cell_ran_in_order(chapter):
    _, nb = chapter
    assert [c.execution_count for c in code(nb)] == list(range(1, len(code(nb)) + 1))


def test_pictures_have_words(chapter):
    _, nb = chapter
    drawn = 0
    for cell, output in outputs(nb):
        html = output.get("data", {}).get("text/html", "")
        for svg in re.findall(r"<svg.*?>", html, flags=re.S):
            drawn += 1
            assert 'role="img"' in svg, cell.source
            assert "aria-label=" in svg or html.split(svg, 1)[1].startswith("<title>"), cell.source
        assert "image/png" not in output.get("data", {}), cell.source
    assert drawn >= 3


def test_a_question_is_predicted(chapter):
    path, nb = chapter
    part = path.stem[:2].upper()
    asked = re.findall(r'predict\("(P\d\.\w)"\)', "\n".join(c.source for c in code(nb)))
    assert len(asked) >= 2
    assert all(name.startswith(part) for name in asked)


def test_lecture_links_carry_their_second(chapter):
    _, nb = chapter
    text = next(c.source for c in prose(nb) if "## In the lecture" in c.source)
    rows = re.findall(r"\[([\d:]+)\]\(https://youtu\.be/VMj-3S1tku0\?t=(\d+)\)", text)
    assert len(rows) >= 4
    for label, second in rows:
        total = 0
        for number in label.split(":"):
            total = total * 60 + int(number)
        assert total == int(second), label
    assert [int(s) for _, s in rows] == sorted(int(s) for _, s in rows)


def test_links_between_files_lead_somewhere(chapter):
    path, nb = chapter
    for cell in prose(nb):
        for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", cell.source):
            assert (path.parent / target).resolve().exists(), target


def test_ignored_outputs_are_listed_with_a_reason():
    ignored = {
        c.id
        for path in NOTEBOOKS.glob("*.ipynb")
        for c in nbformat.read(path, as_version=4).cells
        if tags(c) & {"nbval-ignore-output", "nbval-skip"}
        or re.search(r"# *NBVAL_(IGNORE_OUTPUT|SKIP)", c.source)
    }
    assert ignored == set(IGNORED_OUTPUTS)
    assert all(len(reason.split()) > 3 for reason in IGNORED_OUTPUTS.values())


def test_chapters_speak_one_language(chapter):
    _, nb = chapter
    banned = r"\b(simply|just|obviously|of course|let's|easily|amazing|powerful)\b|!(?=\s|$)|—"
    for cell in prose(nb):
        text = re.sub(r"`[^`]*`|^```.*?^```", "", cell.source, flags=re.S | re.M)
        assert not re.search(banned, text, flags=re.I), re.search(banned, text, flags=re.I)


def test_packages_do_not_import_upwards():
    """micrograd knows nothing of course; neither knows the notebooks or the site."""
    for path in Path(NOTEBOOKS.parent, "micrograd_src", "micrograd").rglob("*.py"):
        assert not re.search(r"^\s*(from|import) course", path.read_text(), flags=re.M), path
