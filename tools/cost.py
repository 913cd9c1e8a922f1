"""Measure what the graph of each chapter costs, and write book/cost.json and the table of the page.

python tools/cost.py           measures, stores and writes (a minute or two)
python tools/cost.py --print   measures counts and bytes, and prints them as JSON

Counts and bytes are the same each time, on one version of Python; seconds are of this machine.
"""

import gc
import json
import os
import platform
import random
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from course.meter import Cost, count, meter
from course.moons import moons
from micrograd import engine
from micrograd.stages import p2, p3, p4, p5, p6, p7

sys.path.insert(0, str(Path(__file__).parent.parent))
from tools import bench, published

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / "book" / "cost.json"
PAGE = ROOT / "book" / "cost.md"
BEGIN, END = "<!-- begin: written by tools/cost.py -->", "<!-- end -->"
XS = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
YS = [1.0, -1.0, -1.0, 1.0]
STEPS, RATE, SEED = 100, 0.05, 1337
BIAS = 6.8813735870195432
Measure = Callable[[int], Cost]  # with so many rounds; 0 rounds take no time


def readme(value: Any) -> Any:
    """The expression of micrograd's README."""
    a, b = value(-4.0), value(2.0)
    c, d = a + b, a * b + b**3
    c += c + 1
    c += 1 + c + (-a)
    d += d * 2 + (b + a).relu()
    d += 3 * d + (b - a).relu()
    e = c - d
    f = e**2
    g = f / 2.0
    return g + 10.0 / f


def loss_of_part_2(value: Any) -> Any:
    """L = (a·b + c)·f."""
    a, b, c, f = (value(x) for x in (2.0, -3.0, 10.0, -2.0))
    return (a * b + c) * f


def weighted_sum(value: Any) -> Any:
    """The neuron of part 3 before its tanh."""
    x1, x2, w1, w2, b = (value(x) for x in (2.0, 0.0, -3.0, 1.0, BIAS))
    return x1 * w1 + x2 * w2 + b


def split_neuron(value: Any) -> Any:
    """The neuron of part 5, its tanh taken apart."""
    e = (2 * weighted_sum(value)).exp()
    return (e - 1) / (e + 1)


def sum_of_squares(model: Any) -> Any:
    """The loss of the four examples."""
    return sum((model(x) - y) ** 2 for x, y in zip(XS, YS, strict=True))


def no_walk(root: Any) -> None:
    """The backward pass of a class that has none yet."""


def small(build: Callable[[], Any], walk: Callable[[Any], Any] | None = None) -> Measure:
    """The measure of a graph that is built from nothing."""
    backward = walk or (lambda root: root.backward())
    return lambda rounds: meter(build, backward, rounds=max(1, 100 * rounds))


def lecture_loss(rounds: int) -> Cost:
    """The loss of part 6: the net is there, its graph is built."""
    random.seed(SEED)
    model = p6.MLP(3, [4, 4, 1])
    return meter(lambda: sum_of_squares(model), rounds=max(1, 10 * rounds))


def training(rounds: int) -> Cost:
    """Part 7: so many steps. Counts and seconds are of all steps, bytes the most at one time."""
    random.seed(SEED)
    model = p7.MLP(3, [4, 4, 1])
    nodes, edges = count(sum_of_squares(model))
    forward = backward = 0.0

    def steps() -> None:
        nonlocal forward, backward
        for _ in range(STEPS):
            start = time.process_time()
            loss = sum_of_squares(model)
            middle = time.process_time()
            model.zero_grad()
            loss.backward()
            end = time.process_time()
            forward, backward = forward + middle - start, backward + end - middle
            for p in model.parameters():
                p.data -= RATE * p.grad

    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    steps()
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    forward = backward = 0.0
    steps()
    return Cost(STEPS * nodes, STEPS * edges, peak, forward, backward)


def moons_step(value: Any) -> Measure:
    """A step of the moons demo on a class of values, with the published net on it."""

    def measure(rounds: int) -> Cost:
        nn = published.nn_for(value, f"cost_nn_{value.__module__.replace('.', '_')}")
        random.seed(SEED)
        made = bench.Engine("", value, nn)
        model = nn.MLP(2, [16, 16, 1])
        points, labels = moons()
        return meter(lambda: bench.moons_loss(made, model, points, labels), rounds=max(1, rounds))

    return measure


def tensors(number: int = 100) -> tuple[Callable[[], Any], list[Any]]:
    """The same step on so many points, as tensors: what builds it, and what is there before."""
    nn = published.load()[1]
    random.seed(SEED)
    model = nn.MLP(2, [16, 16, 1])
    layers = []
    for layer in model.layers:
        w = [[p.data for p in neuron.w] for neuron in layer.neurons]
        b = [float(neuron.b.data) for neuron in layer.neurons]
        layers.append([torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (w, b)])
    points, labels = moons()
    x, y = (torch.tensor(data[:number], dtype=torch.float64) for data in (points, labels))
    parameters = [p for layer in layers for p in layer]

    def build() -> Any:
        h = x
        for i, (w, b) in enumerate(layers):
            h = h @ w.T + b
            if i < len(layers) - 1:
                h = h.relu()
        hinge = (1 - y * h[:, 0]).relu().mean()
        return hinge + 1e-4 * sum((p * p).sum() for p in parameters)

    return build, [x, y, *parameters]


def functions(root: Any) -> tuple[int, int]:
    """Nodes and arrows of PyTorch's graph: a node is an operation, or the place of a parameter."""
    return count(root.grad_fn, lambda node: [f for f, _ in node.next_functions if f is not None])


def saved_bytes(build: Callable[[], Any], there: list[Any]) -> int:
    """The bytes of the tensors that PyTorch keeps for the backward pass and that were not there."""
    known = {t.untyped_storage().data_ptr() for t in there}
    kept: dict[int, Any] = {}

    def pack(tensor: Any) -> Any:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known:
            kept[storage.data_ptr()] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        root = build()
    size = sum(storage.nbytes() for storage in kept.values())
    del root
    return size


def one_number(x: float) -> Any:
    """A tensor that holds one number."""
    return torch.tensor(x, dtype=torch.float64, requires_grad=True)


def in_torch(build: Callable[[], Any], there: list[Any], rounds: int) -> Cost:
    """The cost of a graph of PyTorch, on one thread; its bytes count what the tensors hold, too."""
    torch.set_num_threads(1)
    build().backward()  # the first call sets PyTorch up
    for p in there:
        p.grad = None
    cost = meter(build, graph=functions, rounds=max(1, 20 * rounds))
    kept = saved_bytes(build, there)
    return Cost(cost.nodes, cost.edges, cost.bytes + kept, cost.forward, cost.backward)


def torch_step(rounds: int) -> Cost:
    """A step of the moons demo as tensors."""
    build, there = tensors()
    return in_torch(build, there, rounds)


ROWS: dict[str, tuple[str, str, Measure]] = {
    "p1": ("1", "the README expression, finished engine", small(lambda: readme(engine.Value))),
    "p1-torch": (
        "1",
        "the same in PyTorch, one number a tensor",
        lambda rounds: in_torch(lambda: readme(one_number), [], rounds),
    ),
    "p2": ("2", "$L$", small(lambda: loss_of_part_2(p2.Value), no_walk)),
    "p3": ("3", "the neuron", small(lambda: weighted_sum(p3.Value).tanh(), no_walk)),
    "p4": ("4", "the neuron", small(lambda: weighted_sum(p4.Value).tanh())),
    "p5": ("5", "the neuron, tanh taken apart", small(lambda: split_neuron(p5.Value))),
    "p6": ("6", "the loss of four examples", lecture_loss),
    "p7": ("7", f"{STEPS} training steps", training),
    "p8-published": (
        "8",
        "a moons step, published engine",
        lambda rounds: moons_step(published.load()[0].Value)(rounds),
    ),
    "p8-ours": ("8", "a moons step, finished engine", moons_step(engine.Value)),
    "p8-torch": ("8", "a moons step, tensors in PyTorch", torch_step),
}
WITHOUT_BACKWARD = ("p2", "p3")
AFTER = "p8-torch"


def measure(rounds: int) -> dict[str, dict[str, float]]:
    """Every row. What is there already is hidden from the collector, so that it costs nothing."""
    gc.collect()
    gc.freeze()
    gc.collect()
    return {name: asdict(take(rounds)) for name, (_, _, take) in ROWS.items()}


def machine() -> str:
    """This machine in words, without its name."""
    processor = "an unknown processor"
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
        processor = names[0] if names else processor
    system = f"{platform.system()}, {os.cpu_count()} cores, {processor}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{system}; {python}; PyTorch {torch.__version__.partition('+')[0]}, one thread"


def size(count: float) -> str:
    """Bytes as people read them; no line breaks before the unit."""
    for unit, scale in (("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.1f}\N{NO-BREAK SPACE}{unit}"
    return f"{count:.0f}\N{NO-BREAK SPACE}bytes"


def seconds(x: float) -> str:
    """Seconds to two digits: the third would be another one at the next run."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if x >= scale:
            return f"{float(f'{x / scale:.2g}'):g}\N{NO-BREAK SPACE}{unit}"
    return f"{float(f'{x / 1e-6:.2g}'):g}\N{NO-BREAK SPACE}µs"


def table(stored: dict[str, Any]) -> str:
    """What stands on the page: each chapter's graph, then a moons step in each engine."""
    lines = [
        "| graph | nodes | arrows | memory | build, walk back |",
        "|---|---|---|---|---|",
    ]
    rows = stored["rows"]
    for name, (part, what, _) in ROWS.items():
        r = rows[name]
        back = "–" if name in WITHOUT_BACKWARD else seconds(r["backward"])
        lines.append(
            f"| part {part}: {what} | {r['nodes']:,} | {r['edges']:,} | {size(r['bytes'])} "
            f"| {seconds(r['forward'])}, {back} |"
        )
    lines += ["", f"Machine: {stored['machine']}.", ""]
    lines += [
        "| a moons step | bytes a node | nodes, against tensors | memory | time |",
        "|---|---|---|---|---|",
    ]
    last = rows[AFTER]
    for name in ("p8-published", "p8-ours", AFTER):
        r = rows[name]
        total, least = (x["forward"] + x["backward"] for x in (r, last))
        lines.append(
            f"| {ROWS[name][1].removeprefix('a moons step, ')} "
            f"| {'–' if name == AFTER else round(r['bytes'] / r['nodes'])} "
            f"| {r['nodes'] / last['nodes']:,.0f} × | {r['bytes'] / last['bytes']:,.0f} × "
            f"| {float(f'{total / least:.2g}'):,.0f} × |"
        )
    return "\n".join(lines)


def page(text: str, stored: dict[str, Any]) -> str:
    """The page with its tables written anew."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{table(stored)}\n\n{END}{after}"


def main(only_print: bool) -> int:
    """Measure, then print, or store and write the page. Returns 1 where something cannot be had."""
    try:
        rows = measure(0 if only_print else 5)
    except RuntimeError as error:  # the published package cannot be fetched
        print(f"Error: {error}", file=sys.stderr)
        return 1
    if only_print:
        print(json.dumps(rows))
        return 0
    version = ".".join(platform.python_version_tuple()[:2])
    stored = {"machine": machine(), "python": version, "rows": rows}
    STORE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), stored), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main("--print" in sys.argv))
