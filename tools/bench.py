"""Measure our engine against the published micrograd and a class in the style of microgpt.

python tools/bench.py   (a minute or two; exit 1 if a bar is missed)

What is compared is the three `Value` classes. The nets are the published nn.py, word for word, on
each of them, so that all three compute the same expressions from the same draws of `random`, and
all numbers are Python floats. The engines take turns, in a new order each round, in CPU time; a
graph that can be freed at once is freed within the time, and the garbage collector runs as always,
with a full collection before each measurement. Its recursion limit raised, the published one runs
everything but the chain of 10^6, in three of the rounds (in W1, in all).
"""

import gc
import random
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from sklearn.datasets import make_moons

from micrograd.engine import Value

sys.path.insert(0, str(Path(__file__).parent.parent))
from tools import microgpt_style, published

SEED = 1337
DEEPEST = 100_000  # the chain up to which the published engine, which recurses, is measured
OURS, PUBLISHED, MICROGPT = "ours", "published", "microgpt"


@dataclass(frozen=True)
class Engine:
    """A class of values, and the published nn.py on it."""

    name: str
    Value: Any
    nn: Any


@dataclass(frozen=True)
class Outcome:
    """What a workload computed: its last number, and leaves whose gradients can be read."""

    data: float
    leaves: list[Any]


Workload = Callable[[Engine, int], Callable[[], Outcome]]


@dataclass(frozen=True)
class Row:
    """A line of the table: a workload at a size, run so many times at once, in so many rounds."""

    title: str
    work: Workload
    size: int
    times: int
    rounds: int


def engines() -> list[Engine]:
    """Ours, the published one, and the one in microgpt's style. Raises RuntimeError offline."""
    classes = {OURS: Value, PUBLISHED: published.load()[0].Value, MICROGPT: microgpt_style.Value}
    return [
        Engine(name, cls, published.nn_for(cls, f"bench_nn_{name}"))
        for name, cls in classes.items()
    ]


def moons_loss(engine: Engine, model: Any, x: list[list[float]], y: list[int]) -> Any:
    """The loss of micrograd's demo: the mean hinge loss, and 1e-4 of the squared parameters."""
    inputs = [[engine.Value(number) for number in row] for row in x]
    scores = [model(row) for row in inputs]
    losses = [(1 + -yi * score).relu() for yi, score in zip(y, scores, strict=True)]
    return sum(losses) * (1.0 / len(losses)) + 1e-4 * sum(p * p for p in model.parameters())


def moons_start(engine: Engine, size: int) -> tuple[Any, list[list[float]], list[int]]:
    """The demo's net and so many moons, the same for each engine."""
    np.random.seed(SEED)
    random.seed(SEED)
    x, y = make_moons(n_samples=size, noise=0.1)
    return engine.nn.MLP(2, [16, 16, 1]), x.tolist(), (y * 2 - 1).tolist()


def moons(engine: Engine, size: int) -> Callable[[], Outcome]:
    """W1: the first training step of micrograd's demo on so many moons."""
    model, x, y = moons_start(engine, size)

    def run() -> Outcome:
        loss = moons_loss(engine, model, x, y)
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= 1.0 * p.grad
        return Outcome(loss.data, model.parameters())

    return run


def lecture(engine: Engine, size: int) -> Callable[[], Outcome]:
    """W2: the lecture's net on its four examples, so many steps down the sum of squares."""
    random.seed(SEED)
    model = engine.nn.MLP(3, [4, 4, 1])
    x = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
    y = [1.0, -1.0, -1.0, 1.0]

    def run() -> Outcome:
        for _ in range(size):
            loss = sum((model(row) - goal) ** 2 for row, goal in zip(x, y, strict=True))
            model.zero_grad()
            loss.backward()
            for p in model.parameters():
                p.data -= 0.01 * p.grad
        return Outcome(loss.data, model.parameters())

    return run


def chain_of(engine: Engine, size: int) -> tuple[Any, Any]:
    """A leaf, and what comes of adding 1.0 to it so many times."""
    leaf = out = engine.Value(0.5)
    for _ in range(size):
        out = out + 1.0
    return leaf, out


def chain(engine: Engine, size: int) -> Callable[[], Outcome]:
    """W3: so many additions of 1.0 in a row."""

    def run() -> Outcome:
        leaf, out = chain_of(engine, size)
        out.backward()
        return Outcome(out.data, [leaf])

    return run


def products(engine: Engine, size: int) -> Callable[[], Outcome]:
    """W4: the sum of so many products of two values."""
    numbers = np.random.default_rng(SEED).uniform(-1, 1, (2, size)).tolist()

    def run() -> Outcome:
        a, b = ([engine.Value(number) for number in row] for row in numbers)
        out = sum(ai * bi for ai, bi in zip(a, b, strict=True))
        out.backward()
        return Outcome(out.data, [*a, *b])

    return run


def squares(engine: Engine, size: int) -> Callable[[], Outcome]:
    """W5: x = x * x + x so many times; from -0.25 it creeps up to 0, and each x is used twice."""

    def run() -> Outcome:
        leaf = x = engine.Value(-0.25)
        for _ in range(size):
            x = x * x + x
        x.backward()
        return Outcome(x.data, [leaf])

    return run


ROWS = [
    Row("W1 a step of the moons demo", moons, 100, 1, 5),
    Row("W2 lecture's net, 20 steps", lecture, 20, 2, 9),
    Row("W3 chain of 10^3", chain, 10**3, 20, 9),
    Row("W3 chain of 10^4", chain, 10**4, 2, 9),
    Row("W3 chain of 10^5", chain, 10**5, 1, 5),
    Row("W3 chain of 10^6", chain, 10**6, 1, 3),
    Row("W4 sum of 10^5 products", products, 10**5, 1, 5),
    Row("W5 x*x + x, 2·10^4 times", squares, 2 * 10**4, 1, 9),
]
CHAINS = {10**3: 41, 10**4: 15, 10**5: 5}  # the short ones of the growth table, and the rounds
GROWTH = [  # its columns: whether the short chains are held, and whether the collector is on
    ("as it is used", True, True),
    ("collector off", True, False),
    ("off, in the cache", False, False),
]


@contextmanager
def deep() -> Iterator[None]:
    """Let the published engine recurse as deep as its graphs are. Python keeps no C stack there."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(3 * DEEPEST)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def takes_part(engine: Engine, row: Row, k: int) -> bool:
    """Whether an engine is measured in round k: the published one is slow, and W1 its only bar."""
    if engine.name != PUBLISHED or row.work is moons:
        return True
    return k < 2 and row.size <= DEEPEST


def seconds(engine: Engine, row: Row) -> float:
    """CPU seconds that one run of a workload takes, from `row.times` runs in a row."""
    total = 0.0
    runs = [row.work(engine, row.size) for _ in range(row.times)]
    gc.collect()
    for run in runs:
        start = time.process_time()
        run()
        total += time.process_time() - start
    return total / row.times


def measure(row: Row, among: list[Engine]) -> dict[str, list[float]]:
    """Each engine's CPU seconds, a number a round; the engines take turns in a changing order."""
    times: dict[str, list[float]] = {}
    with deep():
        for k in range(row.rounds):
            for i in range(len(among)):
                engine = among[(k + i) % len(among)]
                if takes_part(engine, row, k):
                    times.setdefault(engine.name, []).append(seconds(engine, row))
    return times


def chain_seconds(engine: Engine, size: int, times: int, held: bool) -> float:
    """CPU seconds of so many chains, forward and backward, let go of one by one or held to the end.

    Letting go of a graph is neither its forward nor its backward pass, and is not timed.
    """
    total, kept = 0.0, []
    for _ in range(times):
        start = time.process_time()
        ends = chain_of(engine, size)
        ends[-1].backward()
        total += time.process_time() - start
        if held:
            kept.append(ends)
        del ends
    return total


def growth(engine: Engine, size: int, held: bool, collect: bool, rounds: int) -> float:
    """How many times a chain's time one of ten times its length takes: the median over the rounds.

    A round is ten short chains and a long one, turn about, so that a change of pace of the machine
    meets both. Held, the ten take up as much new memory as the long one does, and give the garbage
    collector as much to look through: what is left to compare is the work. Let go of one by one, a
    chain of 10^3 fits the second cache of a core, and none of 10^4 does.
    """
    ratios = []
    for k in range(rounds):
        times = {}
        for length, number in sorted([(size, 10), (10 * size, 1)], reverse=k % 2 == 1):
            gc.collect()
            if not collect:
                gc.disable()
            times[length] = chain_seconds(engine, length, number, held) / number
            gc.enable()
        ratios.append(times[10 * size] / times[size])
    return median(ratios)


def ratio(times: dict[str, list[float]], other: str) -> float:
    """How many times our time another engine takes: the median over the rounds."""
    return median(b / a for a, b in zip(times[OURS], times[other], strict=False))


def nodes_below(out: Any) -> int:
    """How many nodes a graph has, counting the one given."""
    seen, stack = {out}, [out]
    while stack:
        node = stack.pop()
        for child in node._children if hasattr(node, "_children") else node._prev:
            if child not in seen:
                seen.add(child)
                stack.append(child)
    return len(seen)


def bytes_a_node(build: Callable[[], Any]) -> tuple[float, float, int]:
    """Bytes allocated for each node of a graph after forward and after backward, and the nodes."""
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    held = build()
    gc.collect()
    forward = tracemalloc.get_traced_memory()[0] - before
    out = held[-1]
    with deep():
        out.backward()
    gc.collect()
    backward = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    nodes = nodes_below(out)
    return forward / nodes, backward / nodes, nodes


def main() -> int:
    """Measure, print the tables and the bars. Returns 1 if a bar is missed, else 0."""
    try:
        among = engines()
    except RuntimeError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    print(f"{'ms of CPU time, medians':28}{OURS:>10}{PUBLISHED:>11}{MICROGPT:>10}", end="")
    print(f"{'published/ours':>16}{'microgpt/ours':>15}{'rounds':>8}")
    bars: list[tuple[str, float, float, bool]] = []  # what, measured, bar, whether it is a minimum
    for row in ROWS:
        times = measure(row, among)
        line = f"{row.title:28}"
        for name, width in ((OURS, 10), (PUBLISHED, 11), (MICROGPT, 10)):
            shown = f"{1e3 * median(times[name]):.2f}" if name in times else "—"
            line += f"{shown:>{width}}"
        for name, width in ((PUBLISHED, 16), (MICROGPT, 15)):
            line += f"{ratio(times, name):{width}.2f}" if name in times else f"{'—':>{width}}"
        print(f"{line}{row.rounds:>8}", flush=True)
        if row.work is moons:
            bars.append(("W1, published/ours", ratio(times, PUBLISHED), 6.0, True))
        bars.append((f"{row.title}, microgpt/ours", ratio(times, MICROGPT), 1.0, True))
    print(f"\n{'ten times the chain, ours':28}", end="")
    print("".join(f"{title:>19}" for title, _, _ in GROWTH))
    for size, rounds in CHAINS.items():
        title = f"10^{len(str(size))} / 10^{len(str(size)) - 1} nodes"
        print(f"{title:28}", end="", flush=True)
        for column, held, collect in GROWTH:
            times = growth(among[0], size, held, collect, rounds)
            print(f"{times:19.2f}", end="", flush=True)
            if column == GROWTH[0][0]:
                bars.append((f"{title}, time", times, 11.0, False))
        print()

    print(f"\n{'bytes a node':28}{'nodes':>10}{'forward':>11}{'backward':>10}")
    for title, build in (
        ("chain of 10^4", lambda e: chain_of(e, 10**4)),
        ("W1", lambda e: (m := moons_start(e, 100), moons_loss(e, *m))),
    ):
        for engine in among:
            if engine.name == PUBLISHED and title == "W1":
                continue  # a minute under tracemalloc, for a number without a bar
            forward, backward, nodes = bytes_a_node(lambda b=build, e=engine: b(e))
            print(f"{title + ', ' + engine.name:28}{nodes:>10}{forward:>11.0f}{backward:>10.0f}")
            if engine.name == OURS:
                bars.append((f"{title}, bytes a node after backward", backward, 200.0, False))

    slope = chain(among[0], 10**6)().leaves[0].grad
    limit = sys.getrecursionlimit()
    print(f"\nA chain of 10^6, recursion limit {limit}: gradient {slope}")
    print("\nBars")
    met = slope == 1.0
    for title, number, bar, minimum in bars:
        good = number >= bar if minimum else number <= bar
        met &= good
        sign = "≥" if minimum else "≤"
        print(f"{title:48}{number:>9.2f}  {sign} {bar:<6g} {'met' if good else 'MISSED'}")
    print(f"{'gradient of the chain of 10^6':48}{slope:>9.2f}  = 1      ", end="")
    print("met" if slope == 1.0 else "MISSED")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
