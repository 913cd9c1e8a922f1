"""The workloads of `make bench`, small: all three engines compute the same."""

import math
import subprocess
import sys

import pytest

from tools import bench, microgpt_style, published


@pytest.fixture(scope="module")
def engines() -> list[bench.Engine]:
    return bench.engines()


@pytest.mark.parametrize(
    ("work", "size"),
    [
        (bench.moons, 10),
        (bench.lecture, 3),
        (bench.chain, 50),
        (bench.products, 50),
        (bench.squares, 50),
    ],
)
def test_the_engines_compute_the_same(engines, work, size):
    ours, *others = [work(engine, size)() for engine in engines]
    assert math.isfinite(ours.data)
    assert any(leaf.grad for leaf in ours.leaves)
    for other in others:
        assert other.data == pytest.approx(ours.data, rel=1e-12)
        assert len(other.leaves) == len(ours.leaves)
        for leaf, mine in zip(other.leaves, ours.leaves, strict=True):
            assert leaf.grad == pytest.approx(mine.grad, rel=1e-12, abs=1e-15)
            assert leaf.data == pytest.approx(mine.data, rel=1e-12, abs=1e-15)


def test_the_last_workload_stays_bounded_at_full_size(engines):
    out = bench.squares(engines[0], 2 * 10**4)()
    assert -1e-3 < out.data < 0
    assert 0 < out.leaves[0].grad < 1


def test_both_engines_without_recursion_reach_a_long_chain(engines):
    for engine in (engines[0], engines[2]):
        assert bench.chain(engine, 20_000)().leaves[0].grad == 1.0


def test_every_operation_of_the_class_in_microgpts_style():
    def program(value):
        a, b = value(0.5), value(-1.5)
        c = (a - b) / (2 - a) + (1 + b).tanh() * (a * b).exp()
        out = (3 * c - 1).relu() + (1 / b) ** 3 + -a + (a - 2).relu()
        out.backward()
        return [out.data, a.grad, b.grad]

    expected = program(bench.Value)
    assert program(microgpt_style.Value) == pytest.approx(expected, rel=1e-12)


def test_nodes_are_counted_once(engines):
    counts = []
    for engine in engines:
        x = engine.Value(2.0)
        counts.append(bench.nodes_below(x * x + 1.0))
    assert counts == [3, 4, 4]


def test_a_package_that_cannot_be_fetched_is_one_line_and_no_folder(tmp_path):
    folder = tmp_path / "cache" / "published"
    with pytest.raises(RuntimeError, match="cannot be fetched: ") as caught:
        published.fetch(folder, str(tmp_path / "no-such-package.whl"))
    assert "\n" not in str(caught.value)
    assert list(folder.parent.iterdir()) == []


def test_ours_and_the_published_one_live_side_by_side():
    engine, nn = published.load()
    assert engine.Value is not bench.Value
    assert nn.Value is engine.Value
    assert published.load() == (engine, nn)
    program = (
        "import sys; from tools.published import load; e, n = load(); "
        "assert 'micrograd.engine' not in sys.modules; import micrograd.engine as m; "
        "assert m.Value is not e.Value is n.Value"
    )
    subprocess.run([sys.executable, "-c", program], cwd=published.ROOT, check=True)
