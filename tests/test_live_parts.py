"""The parts of the cells that run in the page, each on its own and without a browser."""

import doctest
import importlib
import json
import subprocess
import sys

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import ROOT

LIVE = ROOT / "book" / "live"
sys.path.insert(0, str(LIVE))

import marks  # noqa: E402
import runner  # noqa: E402
from plan import Cell, Study, plan, study  # noqa: E402


@pytest.mark.parametrize("name", ["plan", "runner", "marks"])
def test_examples_in_docstrings_hold(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_the_scripts_keep_their_types(built_site) -> None:
    done = subprocess.run(
        ["node", "node_modules/typescript/bin/tsc", "-p", "book/live"],
        cwd=ROOT,
        env={"PATH": f"{ROOT / '.venv' / 'bin'}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


class Page:
    """What a page would show: the runner's output, piece by piece."""

    def __init__(self) -> None:
        self.shown: list[dict] = []
        self.runner = runner.Runner(
            lambda text: self.shown.append(json.loads(text)), lambda _: None
        )
        self.runner.names = {"__name__": "__main__", "display": self.runner.display}

    def run(self, code: str, skip: tuple[int, ...] = (), show: bool = True) -> bool:
        return self.runner.run(code, "cell 1", skip, show)

    def text(self) -> str:
        return "".join(piece.get("text", "") for piece in self.shown)


@pytest.fixture
def page() -> Page:
    return Page()


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        ("1 + 1", ["data"]),
        ("1 + 1;", []),
        ("None", []),
        ("x = 1", []),
        ("print(1)\n2", ["text", "data"]),
        ("display(1, 2)\n3", ["data", "data", "data"]),
        ("1/0", ["error"]),
        ("print(1)\n1/0", ["text", "error"]),
        ("", []),
        ("# only a comment", []),
    ],
)
def test_a_cell_shows_what_jupyterlab_would(page: Page, code: str, kinds: list[str]) -> None:
    assert page.run(code) == ("error" not in kinds)
    assert [piece["kind"] for piece in page.shown] == kinds


def test_names_live_on_from_cell_to_cell_and_underscore_is_the_last_value(page: Page) -> None:
    page.run("x = 20\nx + 1")
    page.run("_ * 2")
    assert page.shown[-1]["data"] == {"text/plain": "42"}


def test_without_show_only_errors_are_sent(page: Page) -> None:
    assert page.run("print(1)\n2", show=False)
    assert page.shown == []
    assert not page.run("print(1)\n1/0", show=False)
    assert [piece["kind"] for piece in page.shown] == ["error"]


def test_an_error_shows_the_reader_s_lines_and_no_others(page: Page) -> None:
    page.run("from micrograd.engine import Value\ndef f(x):\n    return Value(x)\nf('3')")
    assert page.text() == (
        "Traceback (most recent call last):\n"
        "  File \"cell 1\", line 4, in <module>\n    f('3')\n"
        '  File "cell 1", line 3, in f\n    return Value(x)\n           ^^^^^^^^\n'
        "TypeError: a Value takes one real number, int or float, not '3' (str)"
    )


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def f(:", "SyntaxError"),
        ("import sys; sys.exit(3)", "A cell cannot close the page"),
        ("raise KeyboardInterrupt", "Stopped"),
        ("input('name?')", "nobody to ask"),
        ("def f(n): return f(n + 1)\nf(0)", "RecursionError"),
        ("try:\n    1/0\nexcept ArithmeticError:\n    int('x')", "During handling"),
    ],
)
def test_what_ends_a_cell_does_not_end_python(page: Page, code: str, words: str) -> None:
    assert not page.run(code)
    assert words in page.text()
    assert page.run("1")


def test_memory_that_runs_out_is_for_the_page_to_handle(page: Page) -> None:
    with pytest.raises(MemoryError):
        page.run("raise MemoryError")


def test_a_flood_of_print_is_cut_and_says_by_how_much(page: Page) -> None:
    page.run("for i in range(100_000): print(i)")
    assert len(page.text()) < runner.MOST + 100
    assert page.text().endswith("488,890 more characters, which are not shown")


def test_skipped_statements_are_left_out_and_what_an_import_has_is_imported(page: Page) -> None:
    assert page.run("import math, no_such_thing\ny = no_such_thing.x\nz = math.pi", skip=(0, 1))
    assert {"math", "z"} <= set(page.runner.names)
    assert "y" not in page.runner.names


def test_lists_are_broken_into_lines_as_jupyterlab_breaks_them(page: Page) -> None:
    page.run("['x' * 30] * 4")
    assert page.shown[0]["data"]["text/plain"].count("\n") == 3


def test_a_module_that_fails_when_it_is_imported_fails_in_its_cell(page: Page, tmp_path) -> None:
    (tmp_path / "broken_module.py").write_text("1 / 0")
    sys.path.append(str(tmp_path))
    cells = [{"code": "import broken_module", "slow": False, "done": False}]
    assert json.loads(page.runner.plan(json.dumps(cells), 0)) == [[0, [], None]]
    assert not page.run("import broken_module")
    assert "ZeroDivisionError" in page.text()
    sys.path.remove(str(tmp_path))


def test_the_runner_plans_in_json(page: Page) -> None:
    cells = [
        {"code": "import no_such_thing", "slow": False, "done": False},
        {"code": "no_such_thing.x", "slow": False, "done": False},
    ]
    assert json.loads(page.runner.plan(json.dumps(cells), 1)) == [[1, [0], "no_such_thing"]]


names = st.sampled_from("abcd")
lines = st.builds("{} = {} + 1".format, names, names) | st.builds("{} = 1".format, names)
cells = st.builds(Cell, st.lists(lines, max_size=3).map("\n".join), st.booleans(), st.booleans())


@given(st.lists(cells, min_size=1, max_size=6))
def test_a_plan_is_in_order_ends_with_its_cell_and_runs_nothing_twice(page_cells) -> None:
    target = len(page_cells) - 1
    order = [i for i, _ in plan(page_cells, target, {}.get)]
    assert order == sorted(set(order))
    assert order[-1] == target
    assert not [i for i in order[:-1] if page_cells[i].done]


@given(st.lists(cells, min_size=1, max_size=6))
def test_where_nothing_is_missing_or_slow_everything_runs(page_cells) -> None:
    found = study([Cell(cell.code) for cell in page_cells], {}.get)
    assert found == [Study()] * len(page_cells)


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_few_cells_lack_something_in_the_page_and_only_known_packages(path) -> None:
    """Most of a chapter runs in the page, and tests/test_live.py runs it there."""
    code = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    found = study([Cell(cell.source) for cell in code], marks.missing)
    lacks = {known.lacks for known in found}
    assert lacks <= {None, "matplotlib", "numpy", "torch", "torchgen"}
    assert found[0].lacks is None
    share = sum(known.lacks is None for known in found) / len(found)
    assert share > 0.7
