"""The class at the end of each chapter: it is what the chapter built, and it computes right."""

import ast
import copy
import math
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_stepping import STAGE_MOVES, Program, close, programs, stage_run, unhurried

from micrograd.drawing import topological
from micrograd.engine import Value
from micrograd.stages import p2, p3, p4
from micrograd.stepping import steps
from tools.notebooks import NOTEBOOKS, STAGES, stage_source

MODULES = {"p2": p2, "p3": p3, "p4": p4}
PARTS = pytest.mark.parametrize("part", MODULES)


def notebook(part: str) -> Any:
    (path,) = NOTEBOOKS.glob(f"{part}_*.ipynb")
    return nbformat.read(path, as_version=4)


def code(part: str) -> list[ast.Module]:
    """The code cells of a chapter before its finished class, and that class last."""
    cells = [c for c in notebook(part).cells if c.cell_type == "code"]
    (end,) = (i for i, c in enumerate(cells) if "the-class" in c.metadata.get("tags", []))
    return [ast.parse(c.source) for c in cells[: end + 1]]


def bare(tree: ast.AST) -> str:
    """The tree as text, without docstrings, decorators and places: equal means the same code."""
    tree = copy.deepcopy(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.decorator_list = []
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            node.body = node.body[ast.get_docstring(node) is not None :]
    return ast.dump(tree)


def the_class(tree: ast.Module) -> ast.ClassDef | None:
    return next((n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Value"), None)


def methods(cls: ast.ClassDef) -> dict[str, str]:
    return {n.name: bare(n) for n in cls.body if isinstance(n, ast.FunctionDef)}


def is_grown(node: ast.stmt) -> bool:
    """Whether a statement is a function below `@add_to_class(Value)`."""
    return isinstance(node, ast.FunctionDef) and "add_to_class(Value)" in map(
        ast.unparse, node.decorator_list
    )


def grown(part: str) -> dict[str, str]:
    """The methods that a learner has who ran the chapter's cells up to the finished class."""
    *cells, _ = code(part)
    if part == "p2":
        start = next(filter(None, map(the_class, cells)))
    else:
        assert not any(map(the_class, cells)), "the class comes from the chapter before"
        previous = STAGES / f"p{int(part[1:]) - 1}.py"
        start = the_class(ast.parse(previous.read_text(encoding="utf-8")))
    last = methods(start)
    for node in (n for cell in cells for n in cell.body if is_grown(n)):
        last[node.name] = bare(node)
    return last


# A stage is its chapter.


def test_each_chapter_with_a_class_has_its_stage():
    with_class = {
        path.stem.split("_")[0]
        for path in NOTEBOOKS.glob("p*.ipynb")
        if stage_source(nbformat.read(path, as_version=4), "p0")
    }
    assert with_class == {p.stem for p in STAGES.glob("p*.py")} == set(MODULES)


@PARTS
def test_the_stage_is_the_chapters_cell_byte_for_byte(part):
    stored = (STAGES / f"{part}.py").read_bytes()
    assert stored == stage_source(notebook(part), part).encode()
    assert Path(MODULES[part].__file__).read_bytes() == stored, "and it is the one imported"


@PARTS
def test_the_stage_is_the_chapters_code(part):
    stored = ast.parse((STAGES / f"{part}.py").read_text(encoding="utf-8"))
    assert bare(stored) == bare(code(part)[-1])


@PARTS
def test_what_the_learner_built_is_the_class_at_the_end(part):
    built, finished = grown(part), methods(the_class(code(part)[-1]))
    assert built.keys() == finished.keys()
    for name, method in finished.items():
        assert built[name] == method, name


@PARTS
def test_the_comparison_sees_methods(part):
    """Each chapter grows something, and one changed method is a difference."""
    names = [n.name for cell in code(part) for n in cell.body if is_grown(n)]
    assert "__init__" in names
    changed = ast.parse((STAGES / f"{part}.py").read_text(encoding="utf-8").replace("*", "-"))
    assert methods(the_class(changed)) != methods(the_class(code(part)[-1]))


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("p*.ipynb")), ids=lambda p: p.stem)
def test_a_chapter_starts_from_the_class_of_the_one_before(path):
    part = int(path.stem.split("_")[0][1:])
    cells = [c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    imports = [
        (node.module, alias.name, alias.asname)
        for cell in cells
        for node in ast.walk(ast.parse(cell))
        if isinstance(node, ast.ImportFrom) and node.module.startswith("micrograd.stages")
        for alias in node.names
    ]
    assert imports == ([(f"micrograd.stages.p{part - 1}", "Value", None)] if part >= 3 else [])


# A stage computes.


def check_data(cls: type, program: Program) -> None:
    got, wanted = stage_run(program, cls), program.run(Value)
    largest = max(abs(v.data) for v in wanted)
    for v, w in zip(got, wanted, strict=True):
        # The chapters' tanh is (e - 1) / (e + 1), which rounds elsewhere than math.tanh. Sums
        # may cancel, so the allowance is 1e-12 of the largest number in the expression.
        assert math.isclose(v.data, w.data, rel_tol=1e-12, abs_tol=1e-12 * largest)


def check_exactly(cls: type, program: Program) -> None:
    """Without tanh, the very same floats."""
    got, wanted = stage_run(program, cls), program.run(Value)
    assert [v.data for v in got] == [w.data for w in wanted]


@unhurried
@given(programs({"+", "*"}, 10), st.sampled_from([p2.Value, p3.Value, p4.Value]))
def test_sums_and_products(program, cls):
    check_exactly(cls, program)


@unhurried
@given(programs(STAGE_MOVES, 10), st.sampled_from([p3.Value, p4.Value]))
def test_tanh(program, cls):
    check_data(cls, program)


@unhurried
@given(st.floats(-8, 8).filter(lambda x: abs(x) > 0.1), st.sampled_from([p3.Value, p4.Value]))
def test_tanh_alone(x, cls):
    # From 0.1 on, e - 1 loses at most one digit of the sixteen.
    assert math.isclose(cls(x).tanh().data, math.tanh(x), rel_tol=1e-14)


@unhurried
@given(programs(STAGE_MOVES, 10))
def test_backward_of_part_4_is_the_engines(program):
    got, wanted = stage_run(program, p4.Value), program.run(Value)
    got[-1].backward()
    wanted[-1].backward()
    largest = max(abs(w.grad) for w in wanted)
    for v, w in zip(got, wanted, strict=True):
        # As for the data: another tanh, and sums that may cancel.
        assert math.isclose(v.grad, w.grad, rel_tol=1e-12, abs_tol=1e-12 * largest)


@unhurried
@given(programs({"+", "*"}, 10))
def test_backward_of_part_4_is_exactly_the_engines_without_tanh(program):
    got, wanted = stage_run(program, p4.Value), program.run(Value)
    got[-1].backward()
    wanted[-1].backward()
    assert [v.grad for v in got] == [w.grad for w in wanted]


@unhurried
@given(programs(STAGE_MOVES, 10))
def test_backward_of_part_4_again(program):
    made = stage_run(program, p4.Value)
    root, taken = made[-1], steps(made[-1])
    root.backward()
    first = [v.grad for v in made]
    root.backward()
    used = set(topological(root))
    for v, g in zip(made, first, strict=True):
        if v._prev or v not in used:
            assert v.grad == g, "results start afresh"
        else:
            # (g + p) + q is not always g + (p + q): the last digit may differ.
            assert close(v.grad, 2 * g, taken), "leaves add the same again"


def test_backward_of_part_4_by_hand():
    a, b = p4.Value(-2.0), p4.Value(3.0)
    d, e = a * b, a + b
    f = d * e
    f.backward()
    assert [v.grad for v in (a, b, d, e, f)] == [-3.0, -8.0, 1.0, -6.0, 1.0]
    f.backward()
    assert [v.grad for v in (a, b, d, e, f)] == [-6.0, -16.0, 1.0, -6.0, 1.0]


def test_backward_of_part_4_needs_no_recursion():
    first, one = p4.Value(0.0), p4.Value(1.0)
    last = first
    for _ in range(20_000):
        last = last + one
    last.backward()
    assert (last.data, first.grad, one.grad) == (20_000.0, 1.0, 20_000.0)


def test_a_leaf_of_part_4_can_be_its_own_output():
    a = p4.Value(3.0)
    a.backward()
    a.backward()
    assert a.grad == 2.0


# A stage remembers.


@PARTS
def test_inputs_are_a_tuple(part):
    cls = MODULES[part].Value
    a, b = cls(2.0), cls(-3.0)
    assert a._prev == ()
    assert (a + b)._prev == (a, b)
    assert (b * a)._prev == (b, a)
    assert (a + a)._prev == (a, a)
    made = [a, a + b, a * b]
    if hasattr(cls, "tanh"):
        made.append(a.tanh())
        assert made[-1]._prev == (a,)
    assert all(type(v._prev) is tuple for v in made)
    assert [v._op for v in made] == ["", "+", "*", "tanh"][: len(made)]


@PARTS
def test_numbers_labels_and_words(part):
    cls = MODULES[part].Value
    a = cls(2, label="a")
    assert (type(a.data), a.label, cls(1.0).label) == (float, "a", "")
    assert repr(a) == "Value(data=2.0)"
    assert getattr(a, "grad", None) == (None if part == "p2" else 0.0)
    assert hasattr(cls, "tanh") == (part != "p2")
    assert hasattr(cls, "backward") == (part == "p4")
