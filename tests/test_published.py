"""What a site has once its address and its repository are written into _config.yml."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from test_site import site_pages

from conftest import ROOT

ADDRESS = "https://example.org/course/"
REPOSITORY = "https://github.com/someone/course"
CHAPTER = "notebooks/p2_value"


@pytest.fixture(scope="module")
def published(built_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as it is built with both addresses."""
    folder = tmp_path_factory.mktemp("published")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    config["html"]["baseurl"], config["repository"]["url"] = ADDRESS, REPOSITORY
    own = config["sphinx"]["local_extensions"]
    config["sphinx"]["local_extensions"] = {name: str(ROOT / path) for name, path in own.items()}
    path = folder / "config.yml"
    path.write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
    command = [Path(sys.executable).parent / "jupyter-book", "build", ".", "--config", path]
    strict = ["-W", "-n", "--keep-going", "--path-output", folder]
    done = subprocess.run([*command, *strict], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return folder / "_build" / "html"


def test_the_sitemap_lists_every_page(published: Path) -> None:
    names = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
    found = ElementTree.parse(published / "sitemap.xml").findall("s:url/s:loc", names)
    assert {ADDRESS + page for page in site_pages()} <= {place.text for place in found}


def test_a_shared_page_has_a_card(published: Path) -> None:
    page = (published / f"{CHAPTER}.html").read_text(encoding="utf-8")
    assert 'property="og:title" content="P2 · The Value object and the expression graph"' in page
    image = page.split('property="og:image" content="')[1].split('"')[0]
    assert image.startswith(ADDRESS)
    card = published / image.removeprefix(ADDRESS)
    assert card.read_bytes().startswith(b"\x89PNG")


def test_a_chapter_opens_in_colab_and_binder(published: Path) -> None:
    page = (published / f"{CHAPTER}.html").read_text(encoding="utf-8")
    assert f"colab.research.google.com/github/someone/course/blob/main/{CHAPTER}.ipynb" in page
    assert "mybinder.org/v2/gh/someone/course/main" in page


def test_the_lost_page_knows_where_the_site_is(published: Path) -> None:
    lost = (published / "404.html").read_text(encoding="utf-8")
    assert 'href="/course/book/start.html"' in lost
    assert 'href="/course/_static/' in lost


def test_without_addresses_nothing_of_it_is_there(built_site: Path) -> None:
    page = (built_site / f"{CHAPTER}.html").read_text(encoding="utf-8")
    assert not (built_site / "sitemap.xml").exists()
    assert "og:image" not in page
    assert "mybinder" not in page


def test_an_address_that_leads_nowhere_gets_the_lost_page(site_url: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{site_url}no/such/page.html")
    assert caught.value.code == 404
    assert "This page is not here" in caught.value.read().decode()
    caught.value.close()


@pytest.mark.parametrize("page", [name for name in site_pages() if name.startswith("notebooks/")])
def test_each_chapter_can_be_downloaded_as_a_notebook(built_site: Path, page: str) -> None:
    name = page.removesuffix(".html") + ".ipynb"
    assert f'href="../_sources/{name}"' in (built_site / page).read_text(encoding="utf-8")
    stored = (built_site / "_sources" / name).read_bytes()
    assert stored == (ROOT / name).read_bytes()
