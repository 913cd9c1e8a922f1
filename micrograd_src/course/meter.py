"""What an expression graph costs: its nodes and arrows, its memory, and the time of both passes."""

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Cost:
    """Nodes and arrows of a graph, the bytes that it holds, and the seconds of both passes."""

    nodes: int
    edges: int
    bytes: int
    forward: float
    backward: float

    def __str__(self) -> str:
        """Counts alone: they are the same on every machine, seconds and bytes are not."""
        return f"{self.nodes:,} nodes, {self.edges:,} arrows"

    def timed(self) -> str:
        """Everything, for a reader at this machine."""
        seconds = f"forward {1e3 * self.forward:.3g} ms, backward {1e3 * self.backward:.3g} ms"
        return f"{self}, {self.bytes:,} bytes, {seconds}"


def inputs_of(node: Any) -> Iterable[Any]:
    """What a value was made from, in every class of this course and in the published one."""
    return node._prev


def count(root: Any, inputs: Callable[[Any], Iterable[Any]] = inputs_of) -> tuple[int, int]:
    """How many nodes a graph has, and how many arrows lead from an input to a result.

    >>> from micrograd.engine import Value
    >>> a = Value(3.0)
    >>> count(a * a + a)
    (3, 4)
    """
    nodes, seen, edges = [root], {root}, 0
    for node in nodes:  # grows while it is read
        for child in inputs(node):
            edges += 1
            if child not in seen:
                seen.add(child)
                nodes.append(child)
    return len(nodes), edges


def held_bytes(build: Callable[[], Any]) -> int:
    """The bytes that Python hands out for what `build` returns, and all that it refers to.

    The garbage collector rests meanwhile: nothing that is referred to would be its to free.
    """
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        held = build()
        after = tracemalloc.get_traced_memory()[0]
        del held
    finally:
        tracemalloc.stop()
        if was_on:
            gc.enable()
    return after - before


def meter(
    build: Callable[[], Any],
    backward: Callable[[Any], Any] = lambda root: root.backward(),
    graph: Callable[[Any], tuple[int, int]] = count,
    rounds: int = 3,
) -> Cost:
    """Build a graph once to count it, once to weigh it, and `rounds` times with a clock.

    `build` returns the root, and builds anew at each call. The seconds are medians of processor
    time, with the garbage collector as it is. Raises ValueError where `rounds` is below 1.

    >>> from micrograd.engine import Value
    >>> print(meter(lambda: Value(2.0) * Value(-3.0) + Value(10.0)))
    5 nodes, 4 arrows
    """
    if rounds < 1:
        raise ValueError(f"a graph is timed at least once, not {rounds} times")
    nodes, edges = graph(build())
    size = held_bytes(build)
    there, back = [], []
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        root = build()
        middle = time.process_time()
        backward(root)
        back.append(time.process_time() - middle)
        there.append(middle - start)
        del root
    return Cost(nodes, edges, size, median(there), median(back))
