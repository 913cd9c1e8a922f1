"""Cells that run in the page, as a reader's browser runs them."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

import nbformat
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from test_browser import AXE, FORBIDDEN, FULL

from conftest import ROOT, watched_page

CHAPTERS = sorted(path.stem for path in (ROOT / "notebooks").glob("p*.ipynb"))
LONG = 120_000  # milliseconds; a chapter takes about ten seconds, and machines differ
LISTEN = "addEventListener('mg-ran', (e) => { (window.ran ??= {})[e.target.id] = e.detail; })"


def cells_of(chapter: str) -> dict[str, nbformat.NotebookNode]:
    notebook = nbformat.read(ROOT / "notebooks" / f"{chapter}.ipynb", as_version=4)
    return {f"cell-{cell.id}": cell for cell in notebook.cells if cell.cell_type == "code"}


def stored(cell: nbformat.NotebookNode) -> list[tuple[str, str]]:
    """What a notebook holds as the output of a cell: kinds and texts."""
    return [
        ("text", "".join(output.text))
        if output.output_type == "stream"
        else ("data", "".join(output.data["text/plain"]))
        for output in cell.outputs
    ]


def shown(detail: dict) -> list[tuple[str, str]]:
    """What the page has shown for a cell, in the same form; printed pieces are joined."""
    found: list[tuple[str, str]] = []
    for output in detail["outputs"]:
        text = output["data"]["text/plain"] if output["kind"] == "data" else output["text"]
        if found and found[-1][0] == output["kind"] == "text":
            text = found.pop()[1] + text
        found.append((output["kind"], text))
    return found


def cell(page: Page, number: int) -> Locator:
    return page.locator("div.cell").nth(number - 1)


def run(place: Locator, code: str | None = None) -> None:
    """Run a cell, with other code if some is given, and wait until it has run or was stopped."""
    if code is None:
        place.get_by_role("button", name="Run").click()
    else:
        write(place, code).press("Shift+Enter")
    expect(place.get_by_role("button", name="Run")).to_be_visible(timeout=LONG)


def write(place: Locator, code: str) -> Locator:
    editor = place.locator(".cm-content")
    if not editor.count():
        place.get_by_role("button", name="Edit").click()
    editor.fill(code)
    return editor


def says(page: Page) -> Locator:
    return page.locator(".mg-live-bar .mg-live-status")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_cell_gives_its_stored_text_in_the_page(page: Page, chapter: str) -> None:
    page.add_init_script(LISTEN)
    page.goto(f"notebooks/{chapter}.html")
    page.get_by_role("button", name="Run all cells").click()
    expect(page.get_by_role("button", name="Run all cells")).to_be_hidden()
    expect(page.get_by_role("button", name="Run all cells")).to_be_visible(timeout=LONG)
    ran = page.evaluate("window.ran")
    cells = cells_of(chapter)
    lacking = page.locator("[class*=lacks-]").evaluate_all("(all) => all.map((one) => one.id)")
    assert set(cells) - set(lacking) <= set(ran)
    other = [
        (cell.source, shown(ran[name]), stored(cell))
        for name, cell in cells.items()
        if name not in lacking and shown(ran[name]) != stored(cell)
    ]
    # Python in the page is a 32-bit program: sizes differ. And one cell measures time.
    assert [
        source
        for source, _, _ in other
        if "getsizeof" not in source and "bytes_a_node" not in source
    ] == []
    assert len(other) == (5 if chapter.startswith("p8") else 0), other
    for name in lacking:
        expect(page.locator(f"#{name} .mg-live-status")).to_contain_text("does not run in the page")


def test_an_edit_is_run_kept_over_a_reload_and_thrown_away(page: Page) -> None:
    page.goto("notebooks/p2_value.html")
    place = cell(page, 9)
    run(place, "print(6 * 7)")
    expect(place.locator(".mg-out")).to_have_text("42")
    page.reload()
    expect(place.locator("pre").first).to_have_text("print(6 * 7)")
    expect(place).to_have_class("cell docutils container mg-changed")
    place.get_by_role("button", name="Reset").click()
    expect(place.locator("pre").first).not_to_contain_text("6 * 7")
    run(cell(page, 9), "print(1)")
    run(cell(page, 10), "print(2)")
    page.reload()
    page.get_by_role("button", name="Throw away my changes on this page").click()
    page.reload()
    expect(page.locator(".mg-changed")).to_have_count(0)


def test_the_cells_above_run_first_and_show_nothing_of_it(page: Page) -> None:
    page.add_init_script(LISTEN)
    page.goto("notebooks/p4_automatic_backward.html")
    run(cell(page, 12))
    ran = page.evaluate("Object.values(window.ran).map(({ outputs }) => outputs.length)")
    assert len(ran) == 12
    assert sum(ran) == len(cells_of("p4_automatic_backward")["cell-" + _id("p4", 12)].outputs)


def _id(part: str, number: int) -> str:
    chapter = next(name for name in CHAPTERS if name.startswith(part))
    return list(cells_of(chapter))[number - 1].removeprefix("cell-")


def test_a_failing_cell_above_is_named_and_shows_its_error(page: Page) -> None:
    page.goto("notebooks/p2_value.html")
    write(cell(page, 4), "def f(x):\n    return 1 / x\n\n\nf(0)")
    run(cell(page, 6))
    expect(cell(page, 6).locator(".mg-live-status")).to_have_text("Not run, for cell 4 has failed.")
    expect(cell(page, 4).locator(".traceback")).to_have_text(
        """Traceback (most recent call last):
  File "cell 4", line 5, in <module>
    f(0)
    ~^^^
  File "cell 4", line 2, in f
    return 1 / x
           ~~^~~
ZeroDivisionError: division by zero"""
    )


def test_an_endless_loop_stops_and_the_variables_are_still_there(page: Page) -> None:
    page.goto("notebooks/p2_value.html")
    run(cell(page, 4), "kept = 41")
    write(cell(page, 5), "while True:\n    kept += 0").press("Shift+Enter")
    expect(cell(page, 5).locator(".mg-live-status")).to_have_text("running …")
    start = time.monotonic()
    cell(page, 5).get_by_role("button", name="Stop").click()
    expect(cell(page, 5).locator(".traceback")).to_contain_text("Stopped")
    assert time.monotonic() - start < 2
    write(cell(page, 5), "pass")
    run(cell(page, 6), "print(kept + 1)")
    expect(cell(page, 6).locator(".mg-out")).to_have_text("42")


def test_what_does_not_listen_to_stop_is_ended(page: Page) -> None:
    page.goto("notebooks/p2_value.html")
    run(cell(page, 4), "1")
    deaf = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    write(cell(page, 5), deaf).press("Shift+Enter")
    expect(cell(page, 5).locator(".mg-live-status")).to_have_text("running …")
    start = time.monotonic()
    cell(page, 5).get_by_role("button", name="Stop").click()
    expect(says(page)).to_contain_text("Python starts afresh")
    assert time.monotonic() - start < 2
    write(cell(page, 5), "two = 2")
    run(cell(page, 6), "two + 3")
    expect(cell(page, 6).locator(".mg-out")).to_have_text("5")


def test_ten_million_prints_leave_the_page_usable(page: Page) -> None:
    page.goto("notebooks/p2_value.html")
    run(cell(page, 4), "1")
    write(cell(page, 5), "for i in range(10**7): print(i)").press("Shift+Enter")
    expect(cell(page, 5).locator(".mg-out")).to_contain_text("100")
    slowest = page.evaluate(
        """async () => {
            let last = performance.now(), slowest = 0;
            for (let i = 0; i < 60; i++) {
                await new Promise(requestAnimationFrame);
                slowest = Math.max(slowest, performance.now() - last);
                last = performance.now();
            }
            return slowest;
        }"""
    )
    assert slowest < 1000
    cell(page, 5).get_by_role("button", name="Stop").click()
    expect(cell(page, 5).get_by_role("button", name="Run")).to_be_visible(timeout=2000)
    assert len(cell(page, 5).locator(".mg-out").inner_text()) < 200_000


def test_out_of_memory_python_is_restarted_and_says_so(browser: Browser, site_url: str) -> None:
    context = browser.new_context(base_url=site_url)  # the browser may well complain
    page = context.new_page()
    page.goto("notebooks/p2_value.html")
    run(cell(page, 4), "x = []\nwhile True: x.append(bytearray(10**8))")
    expect(says(page)).to_contain_text("ran out of memory and was restarted")
    run(cell(page, 4), "print('back')")
    expect(cell(page, 4).locator(".mg-out")).to_have_text("back")
    context.close()


@pytest.mark.parametrize(
    "code",
    [
        "def f(n): return f(n + 1)\nf(0)",
        "class M:\n    def __radd__(self, other): return other + self\n2 + M()",
    ],
)
def test_calls_inside_calls_without_end_are_an_error_of_the_cell(page: Page, code: str) -> None:
    page.goto("notebooks/p2_value.html")
    run(cell(page, 4), code)
    expect(cell(page, 4).locator(".traceback")).to_contain_text("RecursionError")


def test_a_long_chain_of_values_is_walked_and_let_go(page: Page) -> None:
    page.goto("notebooks/p2_value.html")
    run(
        cell(page, 4),
        "from micrograd.engine import Value\n"
        "first = x = Value(1.0)\n"
        "for _ in range(100_000): x = x + 1\n"
        "x.backward()\n"
        "del x\n"
        "print(first.grad)",
    )
    expect(cell(page, 4).locator(".mg-out")).to_have_text("1.0")


def test_a_stepper_walks_whatever_the_reader_types(page: Page) -> None:
    page.goto("notebooks/p4_automatic_backward.html")
    run(
        cell(page, 3),
        "from micrograd.engine import Value as V\n"
        "p, q = V(1.5, label='p'), V(-2.0, label='q')\n"
        "step((p * q + 1).exp() / (q**2 + p.relu()))",
    )
    stepper = cell(page, 3).locator("mg-stepper")
    expect(stepper.locator(".mg-now")).to_contain_text("Step 0 of")
    stepper.get_by_role("button", name="Next").click()
    expect(stepper.locator(".mg-now")).to_contain_text("p = 1.5")
    assert stepper.locator("svg g.value").count() == 9


def test_a_graph_too_large_to_draw_is_text(page: Page) -> None:
    page.goto("notebooks/p4_automatic_backward.html")
    run(cell(page, 3), "v = Value(1.0)\nfor _ in range(200): v = v + v\ndraw_dot(v)")
    shown = cell(page, 3).locator(".mg-out")
    expect(shown).to_contain_text("more than the page can draw")
    expect(shown).to_contain_text("+ → data")
    expect(shown).not_to_contain_text("pip install")


def test_a_package_that_is_not_there_is_named(page: Page) -> None:
    page.goto("notebooks/p2_value.html")
    run(cell(page, 4), "import numpy as np\nnp.zeros(3)")
    expect(cell(page, 4).locator(".mg-live-status")).to_contain_text(
        "numpy does not run in the page"
    )


@pytest.mark.parametrize("trouble", [FULL, FORBIDDEN], ids=["full", "forbidden"])
def test_where_nothing_can_be_stored_code_lasts_until_one_leaves(page: Page, trouble: str) -> None:
    page.add_init_script(trouble)
    page.goto("notebooks/p2_value.html")
    write(cell(page, 4), "print('still here')")
    expect(cell(page, 4).locator(".mg-live-status")).to_contain_text("does not let the page store")
    run(cell(page, 4))
    expect(cell(page, 4).locator(".mg-out")).to_have_text("still here")


def test_an_old_browser_gets_the_book_and_one_line(page: Page) -> None:
    page.add_init_script("delete window.WebAssembly")
    page.goto("notebooks/p2_value.html")
    expect(page.locator(".mg-live-bar")).to_contain_text("cannot run Python in the page")
    assert page.get_by_role("button", name="Run").count() == 0


def test_python_is_not_loaded_before_it_is_wanted(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("notebooks/p2_value.html")
    page.wait_for_load_state("networkidle")
    assert not [url for url in asked if "/python/" in url or "worker.js" in url or "editor" in url]
    page.evaluate(
        """() => new MutationObserver(() => (window.said ??= []).push(
            document.querySelector(".mg-live-bar .mg-live-status").textContent
        )).observe(document.querySelector(".mg-live-bar"), { childList: true, subtree: true })"""
    )
    run(cell(page, 4), "1")
    assert [url for url in asked if url.endswith("pyodide.asm.wasm")]
    said = page.evaluate("window.said")
    total = next(text.split(" of ")[1] for text in said if " of " in text)
    assert float(total.removesuffix(" MB")) > 10
    assert said[-1] == "Python is ready."


@contextmanager
def static_host(folder: Path) -> Iterator[str]:
    """A static host that knows nothing of the course: Python's own, with no headers of ours."""
    command = [sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        port = server.stdout.readline().split(" port ")[1].split()[0]
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()


def test_on_a_plain_host_it_runs_and_after_that_without_a_network(
    browser: Browser, built_site: Path
) -> None:
    with static_host(built_site) as url, watched_page(browser, url) as page:
        page.goto("notebooks/p2_value.html")
        run(cell(page, 4), "print(6 * 7)")
        expect(cell(page, 4).locator(".mg-out")).to_have_text("42")
        page.evaluate("navigator.serviceWorker.ready")
        page.reload()  # now through the service worker, which keeps what it is asked for
        assert page.evaluate("crossOriginIsolated")
        run(cell(page, 40))
        expect(cell(page, 40).locator(".mg-out")).to_be_visible()
        page.context.set_offline(True)
        page.reload()
        expect(cell(page, 4).locator("pre").first).to_have_text("print(6 * 7)")
        run(cell(page, 40))
        expect(cell(page, 40).locator(".mg-out")).to_be_visible()
        page.context.set_offline(False)


def test_packages_that_a_publisher_adds_run_in_the_page(
    browser: Browser, built_site: Path, tmp_path: Path
) -> None:
    """A stand-in for the full distribution: a package called numpy, as a wheel beside Pyodide."""
    full, site = tmp_path / "full", tmp_path / "site"
    shutil.copytree(ROOT / "node_modules" / "pyodide", full)
    wheel = full / "numpy-0-py3-none-any.whl"
    with ZipFile(wheel, "w") as archive:
        archive.writestr(
            "numpy.py",
            "from math import exp as plain\nclass float64(float): data = memoryview(b'')\n"
            "def exp(x): return x.exp() if hasattr(x, 'exp') else plain(x)\n",
        )
        archive.writestr(
            "numpy-0.dist-info/METADATA", "Metadata-Version: 2.1\nName: numpy\nVersion: 0\n"
        )
    lock = json.loads((full / "pyodide-lock.json").read_text(encoding="utf-8"))
    lock["packages"]["numpy"] |= {
        "file_name": wheel.name,
        "depends": [],
        "imports": ["numpy"],
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "version": "0",
    }
    (full / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    shutil.copytree(built_site, site)
    live = site / "_static" / "live"
    (live / "course.whl").rename(live / "micrograd_course-0-py3-none-any.whl")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = ["node", "tools/live.mjs", str(live)]
    subprocess.run(command, cwd=ROOT, env={"PATH": path, "PYODIDE": str(full)}, check=True)
    with static_host(site) as url, watched_page(browser, url) as page:
        page.goto("notebooks/p5_more_operations.html")
        place = page.locator(".cell.lacks-numpy").nth(1)
        run(place)
        expect(place.locator(".mg-out")).to_contain_text("Value(data=3.0)")
        expect(page.locator(".cell.lacks-torch").first.locator(".mg-live-status")).to_contain_text(
            "PyTorch does not run"
        )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_at_work_is_accessible(browser: Browser, site_url: str, scheme: str) -> None:
    with watched_page(browser, site_url, color_scheme=scheme) as page:
        page.goto("notebooks/p4_automatic_backward.html")
        run(cell(page, 3), "'text', 1.5  # a comment\nprint('x')\nneuron")
        run(cell(page, 4))
        page.evaluate(AXE.read_text(encoding="utf-8"))
        violations = page.evaluate(
            "async () => (await axe.run({ resultTypes: ['violations'] })).violations"
        )
        assert not [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in violations]
        page.set_viewport_size({"width": 390, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_by_keyboard_alone_a_cell_is_edited_run_and_left(page: Page) -> None:
    page.goto("notebooks/p2_value.html")
    cell(page, 4).get_by_role("button", name="Edit").focus()
    page.keyboard.press("Enter")
    expect(cell(page, 4).locator(".cm-content")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("print(8 / 2)")
    page.keyboard.press("Shift+Enter")
    expect(cell(page, 4).locator(".mg-out")).to_have_text("4.0", timeout=LONG)
    page.keyboard.press("Escape")
    expect(cell(page, 4).get_by_role("button", name="Run")).to_be_focused()
    page.keyboard.press("Tab")
    expect(cell(page, 4).get_by_role("button", name="Reset")).to_be_focused()


def test_damaged_kept_code_does_not_break_the_page(page: Page) -> None:
    page.add_init_script("localStorage.setItem('micrograd-course:code:' + location.pathname, '[1')")
    page.goto("notebooks/p2_value.html")
    run(cell(page, 4), "print(json := 1)")
    assert json.loads(
        page.evaluate("localStorage.getItem('micrograd-course:code:' + location.pathname)")
    )
