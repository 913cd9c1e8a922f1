"""Break one line of the engine, and a test must name the rule that it broke."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "micrograd_src"


class Mutant(NamedTuple):
    """A rule, the line that keeps it, the line broken, and the test that must fail."""

    rule: str
    line: str
    broken: str
    killer: str


OPS = "test_engine_ops.py::test_an_operation[{}-check_closed_form]".format
RULES = "test_engine_rules.py::test_{}".format
EDGES = "test_engine_edges.py::test_{}".format
MUTANTS = [
    Mutant(
        "+ copies",
        '"+", ""), self, 1.0, other, 1.0',
        '"+", ""), self, 1.0, other, 0.5',
        OPS("a + b"),
    ),
    Mutant(
        "* swaps",
        "self, other._data, other, self._data",
        "self, self._data, other, other._data",
        OPS("a * b"),
    ),
    Mutant("/ has a minus", "other, -(a / b) / b", "other, (a / b) / b", OPS("a / b")),
    Mutant("a power loses one", "k * a ** (k - 1)", "k * a**k", OPS("a ** 3")),
    Mutant(
        "x ** 0 is flat",
        "0.0 if k == 0 else",
        "1.0 if k == 0 else",
        EDGES("answer[x ** 0-0.0-1.0-0.0]"),
    ),
    Mutant("tanh is 1 - t²", "1 - t * t", "1 - t", OPS("tanh")),
    Mutant(
        "exp has its output", '"exp", ""), self, out', '"exp", ""), self, self._data', OPS("exp")
    ),
    Mutant(
        "log has 1/a",
        '"log", ""), self, 1 / self._data',
        '"log", ""), self, self._data',
        OPS("log"),
    ),
    Mutant("relu is off below 0", "self, 0.0 if off else 1.0", "self, 1.0", OPS("relu")),
    Mutant(
        "relu is off at 0",
        "off = self._data <= 0",
        "off = self._data < 0",
        EDGES("answer[x.relu()-0.0-0.0-0.0]"),
    ),
    Mutant("- turns the sign", "return self * -1", "return self * 1", OPS("-a")),
    Mutant("k - a is not a - k", "return -self + k", "return self + -k", OPS("3 - a")),
    Mutant(
        "gradients add up", "node._a.grad += ", "node._a.grad = ", RULES("every_use_adds_its_share")
    ),
    Mutant("newest first", "reverse=True", "reverse=False", RULES("newest_first")),
    Mutant(
        "the output starts at 1",
        "self.grad = 1.0",
        "self.grad = 2.0",
        RULES("every_use_adds_its_share"),
    ),
    Mutant(
        "results start afresh",
        "node.grad = 0.0",
        "pass",
        RULES("leaves_accumulate_and_results_start_afresh"),
    ),
    Mutant(
        "leaves accumulate",
        "node.grad += before or 0.0",
        "pass",
        RULES("leaves_accumulate_and_results_start_afresh"),
    ),
    Mutant(
        "an interrupt restores",
        "node.grad = before",
        "pass",
        RULES("an_interrupted_walk_spoils_nothing"),
    ),
    Mutant(
        "a node counts once",
        "parent.grad is not walk",
        "True",
        RULES("an_inner_node_waits_until_its_gradient_is_complete"),
    ),
    Mutant(
        "a label is beside the operation",
        "self._tags[0], name",
        "name, name",
        RULES("a_label_is_beside_the_operation"),
    ),
    Mutant("data is what it was", "self, k, None, k)", "self, 1.0, None, k)", OPS("a * 3")),
    Mutant(
        "only numbers",
        "isinstance(x, (float, int, Real))",
        "not isinstance(x, str)",
        EDGES("error[Value(1j)-TypeError-1j (complex)]"),
    ),
    Mutant(
        "`_prev` keeps both",
        "tuple(v for v in",
        "tuple({v for v in",
        EDGES("no_node_for_a_plain_number"),
    ),
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.rule)
def test_a_broken_engine_is_caught(mutant, tmp_path):
    shutil.copytree(SOURCE, tmp_path / "src", ignore=shutil.ignore_patterns("*.egg-info"))
    engine = tmp_path / "src" / "micrograd" / "engine.py"
    source = engine.read_text(encoding="utf-8")
    assert source.count(mutant.line) == 1, "the line to break must stand there once"
    broken = source.replace(mutant.line, mutant.broken)
    if "tuple({" in broken:
        broken = broken.replace("if v is not None)", "if v is not None})")
    engine.write_text(broken, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-o", "addopts=", "-p", "no:cacheprovider"]
    command += ["--noconftest", f"{ROOT}/tests/{mutant.killer}"]
    env = os.environ | {"PYTHONPATH": str(tmp_path / "src"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout[-2000:]
    assert done.stdout.splitlines()[-1].startswith("1 failed in"), done.stdout[-2000:]
