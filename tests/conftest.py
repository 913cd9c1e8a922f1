"""What several test files share: the built site, a server for it, and a browser's page."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tools.chromium import FLAGS, chromium, served

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def built_site() -> Path:
    """The folder of the site, built strictly from this tree unless it is there already."""
    done = subprocess.run(
        [sys.executable, "tools/site.py", "build"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def site_url(built_site: Path) -> Iterator[str]:
    """The address at which `tools/site.py serve` serves the site, on a port of its own choice."""
    with served() as url:
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a process."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def watched_page(browser: Browser, url: str, **options: object) -> Iterator[Page]:
    """A page in a browser of its own that may not complain, nor ask another host for anything."""
    context = browser.new_context(base_url=url, **options)
    page, trouble = context.new_page(), []

    def request(request) -> None:
        if not request.url.startswith((url, "data:", "blob:")):
            trouble.append(f"asked {request.url}")

    def response(response) -> None:
        if response.status >= 400:
            trouble.append(f"{response.status} for {response.url}")

    def console(message) -> None:
        if message.type in ("error", "warning"):
            trouble.append(f"console: {message.text}")

    context.on("request", request)
    context.on("response", response)
    context.on("console", console)
    context.on("weberror", lambda error: trouble.append(f"page error: {error.error}"))
    yield page
    context.close()
    assert not trouble, json.dumps(trouble, indent=1)


@pytest.fixture
def page(browser: Browser, site_url: str) -> Iterator[Page]:
    """A fresh page that may not complain. Addresses start at the site's root: book/start.html"""
    with watched_page(browser, site_url) as page:
        yield page
