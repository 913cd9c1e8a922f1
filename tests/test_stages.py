"""What each chapter ends with: it is what the chapter built, and it computes right."""

import ast
import copy
import math
import random
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_stepping import MOVES, STAGE_MOVES, Program, close, programs, stage_run, unhurried

from micrograd import engine, nn
from micrograd.drawing import topological
from micrograd.engine import Value
from micrograd.stages import p2, p3, p4, p5, p6, p7
from micrograd.stepping import steps
from tools.notebooks import NOTEBOOKS, STAGES, stage_source

MODULES = {"p2": p2, "p3": p3, "p4": p4, "p5": p5, "p6": p6, "p7": p7}
PARTS = pytest.mark.parametrize("part", MODULES)
WITH_VALUE = pytest.mark.parametrize("part", [part for part in MODULES if part != "p6"])
WITH_TANH = [p3.Value, p4.Value, p5.Value, p7.Value]
LATER_MOVES = {name: move for name, move in MOVES.items() if name not in ("relu", "log")}
WITH_BACKWARD = [p4.Value, p5.Value, p7.Value]


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


def classes(tree: ast.Module) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def methods(cls: ast.ClassDef) -> dict[str, str]:
    return {n.name: bare(n) for n in cls.body if isinstance(n, ast.FunctionDef)}


def is_grown(node: ast.stmt) -> str | None:
    """The class that a statement adds a method to: it is a function below `@add_to_class(…)`."""
    if isinstance(node, ast.FunctionDef):
        for decorator in map(ast.unparse, node.decorator_list):
            if decorator.startswith("add_to_class("):
                return decorator.removeprefix("add_to_class(").removesuffix(")")
    return None


def inherited(name: str, part: str) -> dict[str, str]:
    """The methods that a class has at the beginning of a chapter: those of the last stage."""
    for number in range(int(part[1:]) - 1, 1, -1):
        stage = ast.parse((STAGES / f"p{number}.py").read_text(encoding="utf-8"))
        if name in classes(stage):
            return methods(classes(stage)[name])
    return {}


def grown(part: str) -> dict[str, dict[str, str]]:
    """The methods that a learner has who ran the chapter's cells up to its last classes."""
    *cells, last = code(part)
    built = {name: inherited(name, part) for name in classes(last)}
    for node in (node for cell in cells for node in cell.body):
        if isinstance(node, ast.ClassDef) and node.name in built:
            assert not inherited(node.name, part), "the class comes from the chapter before"
            built[node.name] = methods(node)
        elif (name := is_grown(node)) in built:
            built[name][node.name] = bare(node)
    return built


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
def test_what_the_learner_built_is_the_code_at_the_end(part):
    built, finished = grown(part), classes(code(part)[-1])
    for name, cls in finished.items():
        assert built[name].keys() == methods(cls).keys(), name
        for method, source in methods(cls).items():
            assert built[name][method] == source, f"{name}.{method}"


@PARTS
def test_the_comparison_sees_methods(part):
    """Each chapter builds something, and one changed method is a difference."""
    assert any(grown(part)[name] != inherited(name, part) for name in grown(part))
    text = (STAGES / f"{part}.py").read_text(encoding="utf-8")
    changed = classes(ast.parse(text.replace("+", "-").replace("*", "+")))
    finished = classes(code(part)[-1])
    assert any(methods(changed[name]) != methods(finished[name]) for name in finished)


def test_part_8_ends_with_what_ships():
    """The package's own files, word for word: what a learner wrote is what everybody installs."""
    for tag, module in (("the-engine", engine), ("the-nn", nn)):
        cells = [c for c in notebook("p8").cells if tag in c.metadata.get("tags", [])]
        assert len(cells) == 1, tag
        shipped = Path(module.__file__).read_text(encoding="utf-8")
        assert cells[0].source.strip() == shipped.strip(), tag


STARTS = {
    **{1: [], 2: []},
    **{part: [(f"micrograd.stages.p{part - 1}", "Value", None)] for part in (3, 4, 5, 6)},
    7: [("micrograd.stages.p5", "Value", None), ("micrograd.stages.p6", "MLP", None)],
    8: [("micrograd.stages.p7", "MLP", None), ("micrograd.stages.p7", "Value", None)],
}


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
    assert list(dict.fromkeys(imports)) == STARTS[part]


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
@given(programs({"+", "*"}, 10), st.sampled_from([p2.Value, *WITH_TANH]))
def test_sums_and_products(program, cls):
    check_exactly(cls, program)


@unhurried
@given(programs(STAGE_MOVES, 10), st.sampled_from(WITH_TANH))
def test_tanh(program, cls):
    check_data(cls, program)


@unhurried
@given(st.floats(-8, 8).filter(lambda x: abs(x) > 0.1), st.sampled_from(WITH_TANH))
def test_tanh_alone(x, cls):
    # From 0.1 on, e - 1 loses at most one digit of the sixteen.
    assert math.isclose(cls(x).tanh().data, math.tanh(x), rel_tol=1e-14)


@unhurried
@given(programs(STAGE_MOVES, 10), st.sampled_from(WITH_BACKWARD))
def test_backward_is_the_engines(program, cls):
    got, wanted = stage_run(program, cls), program.run(Value)
    got[-1].backward()
    wanted[-1].backward()
    largest = max(abs(w.grad) for w in wanted)
    for v, w in zip(got, wanted, strict=True):
        # As for the data: another tanh, and sums that may cancel.
        assert math.isclose(v.grad, w.grad, rel_tol=1e-12, abs_tol=1e-12 * largest)


@unhurried
@given(programs({"+", "*"}, 10), st.sampled_from(WITH_BACKWARD))
def test_backward_is_exactly_the_engines_without_tanh(program, cls):
    got, wanted = stage_run(program, cls), program.run(Value)
    got[-1].backward()
    wanted[-1].backward()
    assert [v.grad for v in got] == [w.grad for w in wanted]


@unhurried
@given(programs(STAGE_MOVES, 10), st.sampled_from(WITH_BACKWARD))
def test_backward_again(program, cls):
    made = stage_run(program, cls)
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


@unhurried
@given(programs(LATER_MOVES, 10), st.sampled_from([p5.Value, p7.Value]))
def test_the_operations_of_part_5(program, cls):
    """Forward and backward as the engine, to what a quotient made of a power may lose."""
    got, wanted = stage_run(program, cls), program.run(Value)
    got[-1].backward()
    wanted[-1].backward()
    for kind in ("data", "grad"):
        numbers = [getattr(w, kind) for w in wanted]
        largest = max(map(abs, numbers))
        for v, w in zip(got, numbers, strict=True):
            assert math.isclose(getattr(v, kind), w, rel_tol=1e-11, abs_tol=1e-11 * largest)


BACKWARD = pytest.mark.parametrize("cls", WITH_BACKWARD, ids=lambda cls: cls.__module__[-2:])


@BACKWARD
def test_backward_by_hand(cls):
    a, b = cls(-2.0), cls(3.0)
    d, e = a * b, a + b
    f = d * e
    f.backward()
    assert [v.grad for v in (a, b, d, e, f)] == [-3.0, -8.0, 1.0, -6.0, 1.0]
    f.backward()
    assert [v.grad for v in (a, b, d, e, f)] == [-6.0, -16.0, 1.0, -6.0, 1.0]


@BACKWARD
def test_backward_needs_no_recursion(cls):
    first, one = cls(0.0), cls(1.0)
    last = first
    for _ in range(20_000):
        last = last + one
    last.backward()
    assert (last.data, first.grad, one.grad) == (20_000.0, 1.0, 20_000.0)


@BACKWARD
def test_a_leaf_can_be_its_own_output(cls):
    a = cls(3.0)
    a.backward()
    a.backward()
    assert a.grad == 2.0


# A stage remembers.


@WITH_VALUE
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


@WITH_VALUE
def test_numbers_labels_and_words(part):
    cls = MODULES[part].Value
    a = cls(2, label="a")
    assert (type(a.data), a.label, cls(1.0).label) == (float, "a", "")
    assert repr(a) == "Value(data=2.0)"
    assert getattr(a, "grad", None) == (None if part == "p2" else 0.0)
    assert hasattr(cls, "tanh") == (part != "p2")
    assert hasattr(cls, "backward") == (part >= "p4")
    assert hasattr(cls, "exp") == (part >= "p5")


def test_the_tanh_of_part_7_takes_any_number():
    """The exponential form overflows; that is why part 7 writes it anew."""
    with pytest.raises(OverflowError):
        p5.Value(400.0).tanh()
    assert p7.Value(400.0).tanh().data == 1.0
    assert p7.Value(-400.0).tanh().data == -1.0


@pytest.mark.parametrize("net", [p6.MLP, p7.MLP], ids=["p6", "p7"])
def test_the_net_of_the_lecture(net):
    random.seed(1337)
    model = net(3, [4, 4, 1])
    xs = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
    loss = sum((model(x) - y) ** 2 for x, y in zip(xs, [1.0, -1.0, -1.0, 1.0], strict=True))
    loss.backward()
    assert loss.data == pytest.approx(6.0054, abs=5e-6)
    assert len(model.parameters()) == 41
    assert all(p.grad != 0 for p in model.parameters())
    assert net(2, (16, 1, 1))([1.0, 2.0]).data != 0, "a layer of width 1 may stand in the middle"
    with pytest.raises(ValueError, match="takes 3 inputs, not 2"):
        model([1.0, 2.0])
