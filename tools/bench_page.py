"""Measure Python in the page, in headless Chromium on this machine, against the bars.

python tools/bench_page.py     exit 1 if a bar is missed
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser, Locator, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.chromium import FLAGS, chromium, served  # noqa: E402

HTML = ROOT / "_build" / "html"
PAGE = "notebooks/p2_value.html"
TRIES = 3
LONG = 300_000
GRAPH = """
import time
from micrograd.engine import Value

def once(n=10_000):
    start = time.perf_counter()
    x = first = Value(1.0)
    for _ in range(n // 2):
        x = x * 0.999 + 0.001
    x.backward()
    return time.perf_counter() - start

print(min(once() for _ in range(7)))
"""


def cell(page: Page, number: int) -> Locator:
    """The code cell of that number, counted from 1."""
    return page.locator("div.cell").nth(number - 1)


def run(place: Locator, code: str) -> None:
    """Put code into a cell, and run it."""
    place.get_by_role("button", name="Edit").click()
    place.locator(".cm-content").fill(code)
    place.locator(".cm-content").press("Shift+Enter")


def first_results(browser: Browser, url: str) -> tuple[float, float]:
    """Seconds to the first result of 1 + 1, on a first visit and on a second one."""
    context = browser.new_context(base_url=url)
    times = []
    for _ in range(2):
        page = context.new_page()
        page.goto(PAGE)
        page.wait_for_load_state("load")
        place = cell(page, 1)
        place.get_by_role("button", name="Edit").click()
        place.locator(".cm-content").fill("1 + 1")
        start = time.perf_counter()
        place.locator(".cm-content").press("Shift+Enter")
        place.locator(".mg-out .output").wait_for(timeout=LONG)
        times.append(time.perf_counter() - start)
        page.wait_for_timeout(2000)  # what is kept for the next visit is kept by now
        page.close()
    context.close()
    return times[0], times[1]


def packed(file: Path) -> int:
    """The bytes of a file as a host sends it: compressed, unless it is already."""
    whole = file.read_bytes()
    return min(len(whole), len(gzip.compress(whole, 9)))


def before_intent(browser: Browser, url: str) -> tuple[int, str]:
    """The most bytes that a page takes before anything is pressed, and which page that is."""
    found = []
    for path in sorted(HTML.rglob("*.html")):
        name = str(path.relative_to(HTML))
        if name.startswith("_") or "refresh" in path.read_text(encoding="utf-8")[:300]:
            continue
        context = browser.new_context(base_url=url, service_workers="block")
        page, asked = context.new_page(), set[str]()
        page.on("request", lambda request, asked=asked: asked.add(urlsplit(request.url).path))
        page.goto(name)
        page.wait_for_load_state("networkidle")
        files = (HTML / unquote(path).lstrip("/") for path in asked)
        found.append((sum(packed(file) for file in files if file.is_file()), name))
        context.close()
    return max(found)


def python_bytes() -> int:
    """The bytes of all that is fetched to run a cell."""
    live = HTML / "_static" / "live"
    names = ["mjs", "asm.mjs", "asm.wasm"]
    files = [live / "worker.js", live / "course.whl", live / "python" / "pyodide-lock.json"]
    files += [live / "python" / "python_stdlib.zip"]
    files += [live / "python" / f"pyodide.{name}" for name in names]
    return sum(packed(file) for file in files)


def graph(browser: Browser, url: str) -> tuple[float, float]:
    """Seconds to build and walk a graph of 10,000 nodes: in the page, and in this Python."""
    page = browser.new_page(base_url=url)
    page.goto(PAGE)
    run(cell(page, 1), GRAPH)
    cell(page, 1).locator(".mg-out .output").wait_for(timeout=LONG)
    there = float(cell(page, 1).locator(".mg-out").inner_text())
    page.close()
    here = subprocess.run([sys.executable, "-c", GRAPH], capture_output=True, text=True, check=True)
    return there, float(here.stdout)


def moons(browser: Browser, url: str) -> float:
    """Seconds for the hundred steps of the moons in part 8, their curve drawn meanwhile."""
    page = browser.new_page(base_url=url)
    page.goto("notebooks/p8_the_real_code.html")
    training = page.locator("div.cell.slow")
    training.get_by_role("button", name="Run").click()
    training.locator(".mg-out").wait_for(timeout=LONG)
    start = time.perf_counter()
    training.locator("figure.mg-figure").wait_for(timeout=LONG)
    training.get_by_role("button", name="Run").wait_for(timeout=LONG)
    took = time.perf_counter() - start
    assert "right 100" in training.locator(".mg-out").inner_text()
    page.close()
    return took


def main() -> int:
    """Measure, and print a row for each bar. The number of bars that were missed."""
    missed = 0

    def row(what: str, found: float, bar: float, unit: str, more: str = "") -> None:
        nonlocal missed
        missed += found > bar
        verdict = "" if found <= bar else "MISSED"
        print(f"{what:48} {found:8.2f} {unit:3} (bar {bar:g})  {more}{verdict}", flush=True)

    with served() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        cold, warm = zip(*(first_results(browser, url) for _ in range(TRIES)), strict=True)
        row("first result of 1 + 1, cold (median of 3)", median(cold), 8, "s")
        row("first result of 1 + 1, warm (median of 3)", median(warm), 2.5, "s")
        most, name = before_intent(browser, url)
        row("largest page before any intent", most / 1e6, 1, "MB", f"{name} ")
        row("Python, compressed", python_bytes() / 1e6, 7, "MB")
        there, here = graph(browser, url)
        row("a graph of 10⁴ nodes, page / this Python", there / here, 3, "×", f"{there:.3f} s ")
        row("the moons, 100 steps with a live curve", moons(browser, url), 90, "s")
        browser.close()
    return missed


if __name__ == "__main__":
    sys.exit(main() > 0)
