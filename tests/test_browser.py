"""The site as a reader's browser shows it."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from test_site import site_pages

from conftest import ROOT, watched_page

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 390, "height": 844}
FILE = {"format": "micrograd-course-progress", "version": 1}


def settle(page: Page) -> None:
    """Wait until formulas and fonts are there, for they change what fits."""
    page.wait_for_load_state("load")
    page.evaluate(
        "async () => { await window.MathJax?.startup?.promise; await document.fonts.ready; }"
    )


# Each scheme at one width: contrast depends on the one, and what is on the page on the other.
@pytest.mark.parametrize(("scheme", "size"), [("light", WIDE), ("dark", NARROW)])
@pytest.mark.parametrize("name", [*site_pages(), "search.html", "404.html"])
def test_page_is_accessible_quiet_and_fits(
    browser: Browser, site_url: str, name: str, scheme: str, size: dict[str, int]
) -> None:
    with watched_page(browser, site_url, color_scheme=scheme, viewport=size) as page:
        page.goto(name)
        settle(page)
        assert page.locator("html").get_attribute("data-theme") == scheme
        page.evaluate(AXE.read_text(encoding="utf-8"))
        # Closed answers are read too: axe sees what is open.
        page.evaluate("document.querySelectorAll('article details').forEach(d => d.open = true)")
        page.evaluate("() => new Promise(requestAnimationFrame)")
        violations = page.evaluate(
            "async () => (await axe.run({ resultTypes: ['violations'] })).violations"
        )
        assert not [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in violations]
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_front_door_leads_to_the_start_page(page: Page) -> None:
    page.goto("")
    expect(page).to_have_url(re.compile(r"/book/start\.html$"))


def test_search_finds_a_word(page: Page) -> None:
    page.goto("book/start.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("derivative")
    page.keyboard.press("Enter")
    first = page.locator("#search-results ul.search li a").first
    expect(first).to_be_visible()
    first.click()
    expect(page.locator("article")).to_contain_text(re.compile("derivative", re.IGNORECASE))


def test_colour_mode_is_chosen_and_remembered(page: Page) -> None:
    page.goto("book/start.html")
    html = page.locator("html")
    for _ in range(3):
        page.get_by_role("button", name="Color mode").click()
        if html.get_attribute("data-mode") == "dark":
            break
    page.reload()
    expect(html).to_have_attribute("data-theme", "dark")


def a_chapter() -> str:
    return next(name for name in site_pages() if name.startswith("notebooks/"))


def test_tick_is_remembered_and_shown_everywhere(page: Page) -> None:
    page.goto(a_chapter())
    # By keyboard alone: the tick is reached by Tab and set by Space.
    page.locator(".mg-tick input").focus()
    page.keyboard.press("Space")
    page.reload()
    expect(page.locator(".mg-tick input")).to_be_checked()
    expect(page.locator(".bd-sidebar-primary a.mg-done")).to_contain_text("(finished)")
    page.goto("book/start.html")
    expect(page.locator(".mg-progress-count")).to_contain_text("1 of ")
    page.locator(".mg-progress input[type=checkbox]").first.uncheck()
    page.goto(a_chapter())
    expect(page.locator(".mg-tick input")).not_to_be_checked()


def load_file(page: Page, name: str, text: str) -> None:
    """Choose a file with this text in the file picker of the start page."""
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Load a file").click()
    file = {"name": name, "mimeType": "application/json", "buffer": text.encode()}
    chooser.value.set_files(file)


def test_progress_is_saved_and_loaded_as_a_file(browser: Browser, site_url: str) -> None:
    with watched_page(browser, site_url) as page:
        page.goto("book/start.html")
        page.locator(".mg-progress input[type=checkbox]").nth(1).check()
        with page.expect_download() as download:
            page.get_by_role("button", name="Save as a file").click()
        text = Path(download.value.path()).read_text(encoding="utf-8")
    assert json.loads(text) | {"done": None} == FILE | {"done": None}
    assert list(json.loads(text)["done"]) == ["P2"]
    with watched_page(browser, site_url) as page:
        page.goto("book/start.html")
        page.locator(".mg-progress input[type=checkbox]").first.check()
        load_file(page, "mine.json", text)
        expect(page.locator(".mg-status")).to_contain_text("added")
        expect(page.locator(".mg-progress-count")).to_contain_text("2 of ")
        page.reload()
        expect(page.locator(".mg-progress-count")).to_contain_text("2 of ")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"format": "micrograd-cou', "damaged"),
        ("", "damaged"),
        ("null", "not a progress file of this course"),
        ('{"format": "another", "version": 1, "done": {}}', "not a progress file of this course"),
        (json.dumps(FILE | {"version": 2, "done": {}}), "version 2"),
        (json.dumps(FILE | {"done": ["P1"]}), "list of ticks is damaged"),
        (json.dumps(FILE | {"done": {"P2": True}}), "P2"),
        (json.dumps(FILE | {"done": {"<img src=x>": "2026-01-01"}}), "<img src=x>"),
        (" " * 200_000, "too large"),
    ],
)
def test_a_damaged_or_foreign_file_is_refused_and_loses_nothing(
    page: Page, text: str, reason: str
) -> None:
    page.goto("book/start.html")
    page.locator(".mg-progress input[type=checkbox]").first.check()
    load_file(page, "other.json", text)
    expect(page.locator(".mg-status")).to_contain_text("other.json was not loaded")
    expect(page.locator(".mg-status")).to_contain_text(reason)
    expect(page.locator(".mg-progress-count")).to_contain_text("1 of ")
    page.reload()
    expect(page.locator(".mg-progress-count")).to_contain_text("1 of ")


FULL = (
    "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
)
FORBIDDEN = """Object.defineProperty(window, "localStorage", {
    configurable: true,
    get() { throw new DOMException("no", "SecurityError"); },
});"""


@pytest.mark.parametrize("trouble", [FULL, FORBIDDEN], ids=["full", "forbidden"])
def test_where_nothing_can_be_stored_the_page_says_so_and_loses_nothing(
    page: Page, trouble: str
) -> None:
    page.add_init_script(trouble)
    page.goto("book/start.html")
    page.locator(".mg-progress input[type=checkbox]").first.check()
    expect(page.locator(".mg-status")).to_contain_text("does not let the page store")
    page.locator(".mg-progress input[type=checkbox]").nth(1).check()
    expect(page.locator(".mg-progress-count")).to_contain_text("2 of ")


def test_damaged_storage_does_not_break_the_page(page: Page) -> None:
    page.add_init_script("localStorage.setItem('micrograd-course:progress', '{broken')")
    page.goto("book/start.html")
    expect(page.locator(".mg-progress-count")).to_contain_text("0 of ")


def test_every_control_is_reached_by_tab(page: Page) -> None:
    page.goto("book/start.html")
    settle(page)
    wanted = page.evaluate(
        """() => [...document.querySelectorAll("a[href], button, input, summary, [tabindex='0']")]
        .filter((e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        .map((e, i) => (e.dataset.control = i)).length"""
    )
    reached = set()
    for _ in range(wanted + 20):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement?.dataset.control"))
    missed = {str(i) for i in range(wanted)} - reached
    names = [page.locator(f"[data-control='{i}']").evaluate("(e) => e.outerHTML") for i in missed]
    assert not missed, names


def test_a_wide_picture_moves_by_arrow_keys(page: Page) -> None:
    page.set_viewport_size(NARROW)
    page.goto("book/start.html")
    settle(page)
    box = page.locator("article p:has(> img)")
    expect(box).to_have_attribute("tabindex", "0")
    box.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('article p:has(> img)').scrollLeft > 0")


def test_paper_shows_the_text_alone_in_black_on_white(browser: Browser, site_url: str) -> None:
    with watched_page(browser, site_url, color_scheme="dark") as page:
        page.goto(a_chapter())
        settle(page)
        page.emulate_media(media="print")
        assert (
            not page.locator(".bd-sidebar-primary, .mg-end, .bd-header-article")
            .locator("visible=true")
            .count()
        )
        style = (
            "(e) => [getComputedStyle(e).color, getComputedStyle(document.body).backgroundColor]"
        )
        for ink in ("article section > p", "article td a", "article .cell_input pre span"):
            text, paper = page.locator(ink).last.evaluate(style)
            assert paper in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
            assert max(map(int, re.findall(r"\d+", text)[:3])) < 100, ink
