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
import pytest
from conftest import ROOT
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, expect

from tools.notebooks import METADATA

CELLS = [
    "from micrograd.stages.p2 import Value\nfrom micrograd.stepping import step\n"
    "from course.curves import secant\nfrom course.predicting import predict",
    'a, b = Value(2.0, label="a"), Value(-3.0, label="b")\nstep(a * b + a)',
    "secant(lambda x: x * x, 3.0, [1.0, 0.1], 0, 5)",
    'predict("P1.a")',
]


@contextmanager
def served(root: Path, home: Path) -> Iterator[str]:
    """The address of a JupyterLab of its own, set up as by `make lab`, and its token."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(8)
    command = [sys.executable, "-m", "jupyter", "lab", "--allow-root", "--no-browser"]
    command += [f"--port={port}", f"--IdentityProvider.token={token}", f"--notebook-dir={root}"]
    env = os.environ | {"JUPYTER_CONFIG_DIR": str(home), "JUPYTER_DATA_DIR": str(home)}
    env |= {"JUPYTER_CONFIG_PATH": str(ROOT / "tools" / "lab")}
    log = (home / "lab.log").open("w")
    with log, subprocess.Popen(command, env=env, stdout=log, stderr=log) as server:
        for _ in range(120):
            try:
                urlopen(f"http://127.0.0.1:{port}/api?token={token}").close()
                break
            except OSError:
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/lab/tree/%s?token={token}"
        server.terminate()


@pytest.fixture
def lab(tmp_path) -> Iterator[str]:
    """The address of a notebook in a JupyterLab of its own."""
    nb = new_notebook(cells=[new_code_cell(source) for source in CELLS], metadata=METADATA)
    nbformat.write(nb, tmp_path / "try.ipynb")
    with served(tmp_path, tmp_path) as address:
        yield address % "try.ipynb"


def test_a_link_of_a_chapter_opens_a_page_of_the_book(browser: Browser, tmp_path: Path) -> None:
    with served(ROOT, tmp_path) as address:
        page = browser.new_page()
        page.set_default_timeout(60_000)
        page.goto(address % "notebooks/p2_value.ipynb")
        page.locator('.jp-RenderedMarkdown a[href*="book/glossary.md"]').first.click()
        heading = page.locator(".jp-MarkdownViewer").get_by_role("heading", name="Glossary")
        expect(heading).to_be_visible(timeout=60_000)
        page.close()


def test_stepper_slider_and_prediction_work_in_jupyterlab(browser: Browser, lab: str) -> None:
    context = browser.new_context(viewport={"width": 1200, "height": 2000})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(lab)
    page.locator(".jp-Cell .cm-content").first.click()
    for _ in CELLS:
        page.keyboard.press("Shift+Enter")
    stepper = page.locator("mg-stepper")
    stepper.get_by_role("button", name="Next").click()
    expect(stepper.locator(".mg-now")).to_contain_text("Step 1 of")
    frames = page.locator("mg-frames")
    frames.get_by_role("slider").fill("1")
    expect(frames.locator("output")).to_contain_text("h = 0.1: the slope of the line is 6.1")
    asked = page.locator("mg-predict")
    asked.get_by_role("textbox").fill("-4")
    asked.get_by_role("button", name="Commit").click()
    expect(asked.get_by_role("status")).to_contain_text("That is what happens.")
    context.close()
