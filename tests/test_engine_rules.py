"""The rules of backward(): what accumulates, what starts afresh, in which order, at what cost."""

import ast
import gc
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from micrograd import engine
from micrograd.engine import Value


def diamond() -> tuple[Value, ...]:
    """a, b, d = a·b, e = a + b, f = d·e at a = -2, b = 3."""
    a, b = Value(-2.0), Value(3.0)
    d, e = a * b, a + b
    return a, b, d, e, d * e


def chain(length: int) -> tuple[Value, Value]:
    """A leaf, and the same number after adding 1.0 `length` times."""
    first = last = Value(0.0)
    for _ in range(length):
        last = last + 1.0
    return first, last


def test_every_use_adds_its_share():
    *values, f = diamond()
    f.backward()
    assert [v.grad for v in values] == [-3.0, -8.0, 1.0, -6.0]
    a = Value(3.0)
    (a + a).backward()
    assert a.grad == 2.0


def test_an_inner_node_waits_until_its_gradient_is_complete():
    a = Value(2.0)
    b = a + 1
    c = b * 2
    (b * c).backward()
    assert (a.grad, b.grad) == (12.0, 12.0)


def test_leaves_accumulate_and_results_start_afresh():
    a, b, d = Value(3.0), Value(2.0), Value(1.0)
    c = a + b
    e = c * d
    e.backward()
    assert (a.grad, b.grad, c.grad, d.grad) == (1.0, 1.0, 1.0, 5.0)
    e.backward()
    assert (a.grad, b.grad, c.grad, d.grad, e.grad) == (2.0, 2.0, 1.0, 10.0, 1.0)


def test_two_losses_of_one_weight_add_up():
    w = Value(2.0)
    (w * 3).backward()
    (w * 5).backward()
    assert w.grad == 8.0


def test_a_leaf_can_be_its_own_output():
    a = Value(3.0)
    a.backward()
    a.backward()
    assert a.grad == 2.0


def test_none_counts_as_no_gradient_yet():
    p = Value(2.0)
    p.grad = None
    (p * 2).backward()
    assert p.grad == 2.0


def test_a_label_is_beside_the_operation():
    a = Value(2.0, label="a")
    b = a.tanh()
    b.label = "b"
    assert [(v.label, v._op) for v in (a, b, a + 1)] == [("a", ""), ("b", "tanh"), ("", "+1")]
    a.label = ""
    assert (a.label, b.label) == ("", "b")


def test_changing_data_leaves_the_gradients_of_a_finished_graph():
    a, b = Value(2.0), Value(3.0)
    c = a * b
    a.data = 100.0
    c.backward()
    assert (c.data, a.grad, b.grad) == (6.0, 3.0, 2.0)


class Stop(float):
    """A local derivative that interrupts the walk when it is used."""

    def __mul__(self, other: float) -> float:
        raise KeyboardInterrupt


def test_an_interrupted_walk_spoils_nothing():
    *values, f = diamond()
    values[0].grad = 10.0
    e = values[3]
    right, e._da = e._da, Stop(1.0)
    with pytest.raises(KeyboardInterrupt):
        f.backward()
    assert [v.grad for v in values[:2]] == [10.0, 0.0]
    e._da = right
    f.backward()
    assert [v.grad for v in values] == [7.0, -8.0, 1.0, -6.0]


def test_an_interrupt_at_any_moment_spoils_nothing():
    """Interrupt at each line of backward() in turn, as Ctrl-C may; gradients stay as they were."""
    code, line = Value.backward.__code__, 0
    first = code.co_firstlineno
    handler = next(
        n
        for n in ast.walk(ast.parse(Path(engine.__file__).read_text()))
        if isinstance(n, ast.Try) and n.lineno > first
    )
    restoring = range(handler.handlers[0].lineno, handler.end_lineno + 1)
    for moment in range(1, 200):
        *values, f = diamond()
        values[0].grad, values[2].grad = 10.0, 0.5
        seen = 0

        def trace(frame, event, _, moment=moment):
            nonlocal seen, line
            if frame.f_code is not code:
                return None
            if event == "line":
                seen += 1
                if seen == moment and frame.f_lineno not in restoring:
                    line = frame.f_lineno
                    raise KeyboardInterrupt
            return trace

        sys.settrace(trace)
        try:
            f.backward()
        except KeyboardInterrupt:
            pass
        else:
            sys.settrace(None)
            break
        finally:
            sys.settrace(None)
        assert [v.grad for v in [*values, f]] == [10.0, 0.0, 0.5, 0.0, 0.0], line
        f.backward()
        assert [v.grad for v in values] == [7.0, -8.0, 1.0, -6.0], line
    assert moment > 40, "the walk was interrupted at fewer moments than it has"


def test_newest_first():
    order = []

    class Noted(float):
        def __mul__(self, other: float) -> float:
            order.append(self.name)
            return float(self) * other

    a = Value(2.0)
    results = {"b": a * 3.0}
    results["c"] = a * 5.0
    results["d"] = results["b"] * 7.0
    results["e"] = results["c"] + results["d"]
    for name, node in results.items():
        node._da = Noted(node._da)
        node._da.name = name
    results["e"].backward()
    assert order == ["e", "d", "c", "b"]
    assert a.grad == 5.0 + 21.0


def test_same_bits_every_time():
    def run() -> list[float]:
        leaves = [Value(x / 7) for x in range(1, 9)]
        out = leaves[0]
        for _ in range(5):
            for v in leaves:
                out = (out * v + v).tanh() + out * 0.3
        out.backward()
        return [v.grad for v in leaves]

    first = run()
    clutter = [Value(i) + 1 for i in range(1000)]
    assert run() == first
    assert len(clutter) == 1000


def test_a_million_nodes_without_recursion():
    first, last = chain(1_000_000)
    last.backward()
    assert (last.data, first.grad) == (1e6, 1.0)
    del last  # and letting go of the graph does not recurse either
    assert first.grad == 1.0


def test_a_low_recursion_limit_is_enough():
    script = (
        "import sys; from micrograd.engine import Value; sys.setrecursionlimit(60)\n"
        "a = x = Value(1.0)\n"
        "for _ in range(5000): x = x * 1.0 + 0.0\n"
        "x.backward(); print(a.grad)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "1.0", done.stderr


def test_a_graph_is_freed_without_the_garbage_collector():
    gc.collect()
    gc.disable()
    try:
        before = sum(type(o) is Value for o in gc.get_objects())
        _, last = chain(500)
        last.backward()
        del last, _
        assert sum(type(o) is Value for o in gc.get_objects()) == before
    finally:
        gc.enable()


def test_bytes_a_node():
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        first, last = chain(10_000)
        last.backward()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert first.grad == 1.0
    assert (after - before) / 10_000 <= 200


def test_engine_and_nn_need_the_standard_library_only():
    for name in ("engine.py", "nn.py"):
        tree = ast.parse((Path(engine.__file__).parent / name).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            roots = []
            if isinstance(node, ast.Import):
                roots = [alias.name.split(".")[0] for alias in node.names]
            if isinstance(node, ast.ImportFrom):
                roots = [node.module.split(".")[0]]
            assert set(roots) <= sys.stdlib_module_names | {"micrograd"}, name


def test_engine_stays_small():
    lines = Path(engine.__file__).read_text(encoding="utf-8").splitlines()
    assert sum(bool(line.strip()) for line in lines) <= 150
