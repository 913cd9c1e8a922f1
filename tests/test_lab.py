"""The moving parts in JupyterLab, where a kernel makes them anew."""

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Page, expect

from conftest import ROOT
from tools.notebooks import METADATA

CELLS = [
    "from micrograd.stages.p2 import Value\nfrom micrograd.stepping import step\n"
    "from course.curves import secant\nfrom course.predicting import predict",
    'a, b = Value(2.0, label="a"), Value(-3.0, label="b")\nstep(a * b + a)',
    "figure = secant(lambda x: x * x, 3.0, [1.0, 0.1], 0, 5)\nfigure",
    'predict("P1.a")',
    'print("stands at", figure.widget.at)\nfigure.widget.at = 0',
]


PATIENCE = 60_000  # ms: a loaded machine starts a kernel slowly


@contextmanager
def opened(browser: Browser, root: Path, notebook: str, home: Path) -> Iterator[Page]:
    """A page with the notebook in a JupyterLab as `make lab` starts it, its kernel ready."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(8)
    command = [sys.executable, "-m", "jupyter", "lab", "--allow-root", "--no-browser"]
    command += [f"--port={port}", f"--IdentityProvider.token={token}", f"--notebook-dir={root}"]
    env = os.environ | {"JUPYTER_CONFIG_DIR": str(home), "JUPYTER_DATA_DIR": str(home)}
    env |= {"JUPYTER_CONFIG_PATH": str(ROOT / "tools" / "lab")}
    log = home / "lab.log"
    context = browser.new_context(viewport={"width": 1200, "height": 2000})
    context.set_default_timeout(PATIENCE)
    with log.open("w") as out, subprocess.Popen(command, env=env, stdout=out, stderr=out) as server:
        try:
            for _ in range(120):
                try:
                    urlopen(f"http://127.0.0.1:{port}/api?token={token}").close()
                    break
                except OSError:
                    time.sleep(0.5)
            page = context.new_page()
            # Before its kernel has a channel the notebook also says "idle", and a run is lost.
            with page.expect_websocket(lambda socket: "/api/kernels/" in socket.url):
                page.goto(f"http://127.0.0.1:{port}/lab/tree/{notebook}?token={token}")
            idle = page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]')
            expect(idle).to_be_visible(timeout=PATIENCE)
            yield page
        except BaseException as error:
            error.add_note(log.read_text())
            raise
        finally:
            context.close()
            server.terminate()


def test_a_link_of_a_chapter_opens_a_page_of_the_book(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, ROOT, "notebooks/p2_value.ipynb", tmp_path) as page:
        page.locator('.jp-RenderedMarkdown a[href*="book/glossary.md"]').first.click()
        heading = page.locator(".jp-MarkdownViewer").get_by_role("heading", name="Glossary")
        expect(heading).to_be_visible(timeout=PATIENCE)


def test_stepper_slider_and_prediction_work_in_jupyterlab(browser: Browser, tmp_path: Path) -> None:
    nb = new_notebook(cells=[new_code_cell(source) for source in CELLS], metadata=METADATA)
    nbformat.write(nb, tmp_path / "try.ipynb")
    with opened(browser, tmp_path, "try.ipynb", tmp_path) as page:
        cells = page.locator(".jp-CodeCell")

        def run(number: int) -> None:
            cells.nth(number).locator(".cm-content").click()
            page.keyboard.press("Shift+Enter")
            expect(cells.nth(number)).to_contain_text(f"[{number + 1}]:", timeout=PATIENCE)

        for number in range(len(CELLS) - 1):
            run(number)
        stepper = page.locator("mg-stepper")
        stepper.get_by_role("button", name="Next").click()
        expect(stepper.locator(".mg-now")).to_contain_text("Step 1 of", timeout=PATIENCE)
        frames = page.locator("mg-frames")
        frames.get_by_role("slider").fill("1")
        slope = "h = 0.1: the slope of the line is 6.1"
        expect(frames.locator("output")).to_contain_text(slope, timeout=PATIENCE)
        # It is a widget: the kernel knows where the reader has put it, and can put it elsewhere.
        run(len(CELLS) - 1)
        expect(cells.nth(len(CELLS) - 1)).to_contain_text("stands at 1", timeout=PATIENCE)
        expect(frames.locator("output")).to_contain_text("h = 1: the slope", timeout=PATIENCE)
        asked = page.locator("mg-predict")
        asked.get_by_role("textbox").fill("-4")
        asked.get_by_role("button", name="Commit").click()
        expect(asked.get_by_role("status")).to_contain_text(
            "That is what happens.", timeout=PATIENCE
        )
