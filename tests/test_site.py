"""The site as files: it builds strictly, its links lead somewhere, and bad input is refused."""

import os
import re
import shutil
import socket
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from conftest import ROOT

MEGABYTE = 1_000_000


def site_pages() -> list[str]:
    """The pages of the table of contents, as addresses below the site's root."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    chapters = [page["file"] for part in toc["parts"] for page in part["chapters"]]
    return [f"{name}.html" for name in [toc["root"], *chapters]]


class Links(HTMLParser):
    """Every id of a page, and every address in it: links, and what the browser loads for it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.assets: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids.add(found.get("id") or "")
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in ("img", "script", "source", "iframe", "video", "audio") and found.get("src"):
            self.assets.append(found["src"])
        if tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload"):
            self.assets.append(found["href"])


def target(page: Path, address: str) -> Path:
    """The file that an address on a page means."""
    path = unquote(urlsplit(address).path)
    return (page.parent / path).resolve() if path else page


def test_every_page_of_the_contents_is_built(built_site: Path) -> None:
    assert [name for name in site_pages() if not (built_site / name).is_file()] == []


def test_every_link_and_anchor_inside_the_site_leads_somewhere(built_site: Path) -> None:
    pages = {
        path: Links(path) for path in built_site.rglob("*.html") if "_static" not in path.parts
    }
    assert len(pages) > len(site_pages())
    dead = []
    for path, page in pages.items():
        for address in page.links + page.assets:
            if urlsplit(address).scheme or address.startswith("//"):
                continue
            # Only the page for lost addresses, which is shown anywhere, begins at the top.
            base = built_site / "index.html" if address.startswith("/") else path
            to, anchor = target(base, address.lstrip("/")), unquote(urlsplit(address).fragment)
            if not to.is_file() or (anchor and to in pages and anchor not in pages[to].ids):
                dead.append(f"{path.relative_to(built_site)}: {address}")
    assert dead == []


def test_nothing_is_loaded_from_another_host(built_site: Path) -> None:
    foreign = []
    for path in built_site.rglob("*.html"):
        foreign += [a for a in Links(path).assets if urlsplit(a).netloc]
    for path in built_site.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        foreign += re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')]+)", text)
    assert foreign == []


def own_bytes(page: Path) -> int:
    """The page with all that it names: styles, scripts, pictures, and what its styles load.

    Fonts count where a page uses them: the three of the text and the icons. The other faces that
    the theme's styles name are never asked for. MathJax is left out: it comes after the page is
    readable, and only where there is a formula.
    """
    site = page.parents[1]
    files = {page} | {target(page, address) for address in Links(page).assets}
    files |= {site / "_static" / "progress-store.js", *(site / "_static" / "fonts").iterdir()}
    files.add(site / "_static/vendor/fontawesome/webfonts/fa-solid-900.woff2")
    return sum(file.stat().st_size for file in files if "mathjax" not in file.parts)


@pytest.mark.parametrize("name", [name for name in site_pages() if name.startswith("notebooks/")])
def test_a_chapter_weighs_at_most_a_megabyte(built_site: Path, name: str) -> None:
    size = own_bytes(built_site / name)
    assert 200_000 < size <= MEGABYTE, f"{name} weighs {size:,} bytes"


# Bad input. Each case runs in a copy of the tree, and must fail in one line and leave no site.


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the sources that the commands work in, with nothing made yet."""
    leave = shutil.ignore_patterns(".git", ".venv", "_build", "node_modules", ".*_cache", ".cache")
    return Path(shutil.copytree(ROOT, tmp_path / "tree", ignore=leave, symlinks=True))


def refused(command: list[str], tree: Path, **env: str) -> str:
    """Run a command that must fail, and give the one line in which it says why."""
    # The caller's make would pass its own flags on.
    clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "PYTHON")}
    done = subprocess.run(
        command, cwd=tree, env=clean | env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("Error: ")
    assert not (tree / "_build" / "html").exists()
    return lines[0]


def without_python(folder: Path) -> Path:
    """A folder with all that the commands call, and no Python."""
    folder.mkdir()
    for tool in ("make", "sh", "dirname", "mkdir", "rm", "ls", "touch", "id"):
        (folder / tool).symlink_to(shutil.which(tool))
    return folder


def test_no_python(copy: Path, tmp_path: Path) -> None:
    tools = without_python(tmp_path / "bin")
    said = refused([str(tools / "make"), "site"], copy, PATH=str(tools))
    assert "Python 3.11 or newer" in said
    assert not (copy / ".venv").exists()


def test_old_python(copy: Path, tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")  # as an old one answers "are you 3.11 or newer?"
    old.chmod(0o755)
    said = refused(["make", "site", f"PYTHON={old}"], copy)
    assert str(old) in said
    assert "Python 3.11 or newer" in said
    assert not (copy / ".venv").exists()


def test_no_network_for_the_packages(copy: Path) -> None:
    dead = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_CONFIG_FILE": os.devnull}
    said = refused(
        ["make", "site", f"PYTHON={sys.executable}"],
        copy,
        **dead,
        PIP_FIND_LINKS="",
        PIP_NO_CACHE_DIR="1",
    )
    assert "network" in said
    assert not (copy / ".venv").exists()


def test_no_network_for_the_scripts(copy: Path, tmp_path: Path) -> None:
    dead = {"npm_config_registry": "http://127.0.0.1:9/", "npm_config_cache": str(tmp_path / "npm")}
    said = refused([sys.executable, "tools/site.py", "build"], copy, **dead)
    assert "network" in said
    assert not (copy / "node_modules").exists()


def test_occupied_port(copy: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        said = refused([sys.executable, "tools/site.py", "serve", "--port", port], copy)
    assert port in said
    assert "PORT=" in said


@pytest.mark.parametrize(
    "text",
    ['{"cells": [', "", '{"cells": [{"cell_type": "code"}], "nbformat": 4, "nbformat_minor": 5}'],
    ids=["cut off", "empty", "cell without source"],
)
def test_broken_notebook(copy: Path, text: str) -> None:
    name = next(name for name in site_pages() if name.startswith("notebooks/"))
    path = Path(name).with_suffix(".ipynb")
    (copy / path).write_text(text, encoding="utf-8")
    said = refused([sys.executable, "tools/site.py", "build"], copy)
    assert str(path) in said
    assert "does not parse" in said


def test_missing_page(copy: Path) -> None:
    (copy / "book" / "credits.md").unlink()
    assert "book/credits" in refused([sys.executable, "tools/site.py", "build"], copy)


def test_a_failed_build_leaves_the_last_good_site(copy: Path, built_site: Path) -> None:
    shutil.copytree(built_site, copy / "_build" / "html")
    before = (copy / "_build/html/book/start.html").read_bytes()
    (copy / "notebooks" / Path(site_pages()[1]).with_suffix(".ipynb").name).write_text("{")
    command = [sys.executable, "tools/site.py", "build"]
    assert subprocess.run(command, cwd=copy, capture_output=True).returncode == 1
    assert (copy / "_build/html/book/start.html").read_bytes() == before
