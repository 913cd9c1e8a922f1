"""The whole book as PDF and as EPUB."""

import posixpath
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote
from zipfile import ZipFile

import pytest
from lxml import etree
from pypdf import PdfReader

from conftest import ROOT
from tools.downloads import NAME, names

XHTML = "{http://www.w3.org/1999/xhtml}"


@pytest.fixture(scope="module")
def folder(built_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("downloads")
    command = [sys.executable, "tools/downloads.py", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_pdf_has_contents_that_are_true(folder: Path) -> None:
    reader = PdfReader(folder / f"{NAME}.pdf")
    assert reader.metadata.title == "Micrograd, step by step"
    assert len(reader.pages) > 150
    contents = "".join(reader.pages[i].extract_text() for i in range(1, 5))
    for name, place in reader.named_destinations.items():
        if name.startswith("/notebooks-p") and "--" not in name:
            number = reader.get_destination_page_number(place) + 1
            printed, title, *_ = reader.pages[number - 1].extract_text().splitlines()
            assert int(printed) == number
            assert title.startswith(f"P{name.removeprefix('/notebooks-p')[0]} ·"), name
            assert title[:20] in contents
            assert str(number) in contents


def test_the_epub_is_well_formed_and_its_links_lead_somewhere(folder: Path) -> None:
    with ZipFile(folder / f"{NAME}.epub") as archive:
        assert archive.namelist()[0] == "mimetype"
        files = set(archive.namelist())
        pages = {name: etree.fromstring(archive.read(name)) for name in files if ".xhtml" in name}
    assert len([name for name in pages if "nav" not in name]) == len(names())
    ids = {name: {e.get("id") for e in root.iter() if e.get("id")} for name, root in pages.items()}
    for name, root in pages.items():
        assert root.find(f".//{XHTML}script") is None
        assert root.find(f".//{XHTML}button") is None
        for element in root.iter(f"{XHTML}a", f"{XHTML}img"):
            target = unquote(element.get("href") or element.get("src") or "")
            if target.startswith(("http:", "https:")) or not target:
                continue
            path, _, anchor = target.partition("#")
            where = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
            assert where in files, (name, target)
            assert not anchor or anchor in ids[where], (name, target)
