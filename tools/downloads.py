"""Make the whole book as one PDF and as an EPUB, from the pages of the site.

python tools/downloads.py [FOLDER]     default: _build/extra/downloads, where the site finds it
"""

from __future__ import annotations

import mimetypes
import sys
from datetime import UTC, datetime
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

import yaml
from ebooklib import epub
from playwright.sync_api import Browser, sync_playwright
from pypdf import PdfReader, PdfWriter

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.chromium import FLAGS, chromium, served  # noqa: E402

HTML = ROOT / "_build" / "html"
NAME = "micrograd-step-by-step"
TAKE = (ROOT / "tools" / "downloads.js").read_text(encoding="utf-8")
STYLE = (ROOT / "tools" / "downloads.css").read_text(encoding="utf-8")
FIXED = datetime(2026, 1, 1, tzinfo=UTC)  # the same pages make the same book
FONTS = ("source-serif-4-latin-wght-normal", "source-serif-4-latin-wght-italic")


def names() -> list[str]:
    """The pages of the book in its order: "notebooks/p2_value"."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [toc["root"], *(page["file"] for part in toc["parts"] for page in part["chapters"])]


def take(browser: Browser, url: str) -> list[dict[str, Any]]:
    """Every page as a chapter: title, headings, images, and its text as XHTML."""
    slugs = {name: name.replace("/", "-") for name in names()}
    page = browser.new_page(base_url=url)
    chapters = []
    for name, slug in slugs.items():
        page.goto(f"{name}.html")
        page.wait_for_load_state("load")
        page.evaluate("async () => { await window.MathJax?.startup?.promise }")
        chapters.append({"slug": slug} | page.evaluate(f"({TAKE})({slug!r}, {slugs!r})"))
    page.close()
    return chapters


def whole(chapters: list[dict[str, Any]], title: str, author: str, places: dict[str, int]) -> str:
    """All chapters as one page, with a cover, and contents that give the page of each section."""
    rows = []
    for chapter in chapters:
        rows.append(("part", chapter["title"], chapter["slug"]))
        rows += [
            ("section", heading["text"], heading["id"])
            for heading in chapter["headings"]
            if heading["level"] == 2
        ]
    contents = "".join(
        f'<li class="{kind}"><a href="#{id}">{escape(text)}</a><span></span>'
        f"{places.get(id, 999)}</li>"
        for kind, text, id in rows
    )
    texts = "".join(
        chapter["text"].replace("<article", f'<article id="{chapter["slug"]}"', 1)
        for chapter in chapters
    )
    return (
        f'<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8">'
        f'<title>{title}</title><link rel="stylesheet" href="/_static/pygments.css">'
        f'<style>{STYLE}</style><div class="cover"><h1>{title}</h1><p>{author}</p></div>'
        f'<nav class="contents"><h2>Contents</h2><ol>{contents}</ol></nav>{texts}</html>'
    )


def pdf(
    browser: Browser, url: str, chapters: list[dict[str, Any]], title: str, author: str
) -> bytes:
    """The book on paper. It is printed twice: the first time says on which page each section is."""
    places: dict[str, int] = {}
    page = browser.new_page()
    page.goto(f"{url}404.html")  # fonts and pictures are asked for from where the page is
    for _ in range(2):
        text = whole(chapters, title, author, places)
        page.set_content(text, timeout=120_000)
        page.evaluate("async () => { await document.fonts.ready }")
        printed = page.pdf(prefer_css_page_size=True, outline=True, tagged=True)
        reader = PdfReader(BytesIO(printed))
        places = {
            name.removeprefix("/"): (reader.get_destination_page_number(place) or 0) + 1
            for name, place in reader.named_destinations.items()
        }
    page.close()
    writer = PdfWriter(clone_from=BytesIO(printed))
    moment = FIXED.strftime("D:%Y%m%d%H%M%S+00'00'")
    facts = {"/Title": title, "/Author": author, "/CreationDate": moment, "/ModDate": moment}
    writer.add_metadata(facts)
    made = BytesIO()
    writer.write(made)
    return made.getvalue()


def ebook(chapters: list[dict[str, Any]], title: str, author: str) -> epub.EpubBook:
    """The book for reading devices, a file for each page of the site."""
    book = epub.EpubBook()
    book.set_identifier(NAME)
    book.set_title(title)
    book.set_language("en")
    book.add_author(author)
    style = STYLE + (HTML / "_static" / "pygments.css").read_text(encoding="utf-8")
    style = style.replace("/_static/fonts/", "fonts/").replace('html[data-theme="light"] ', "")
    book.add_item(epub.EpubItem("style", "style.css", "text/css", style.encode()))
    for font in FONTS:
        bytes_ = (HTML / "_static" / "fonts" / f"{font}.woff2").read_bytes()
        book.add_item(epub.EpubItem(font, f"fonts/{font}.woff2", "font/woff2", bytes_))
    homes = {chapter["slug"]: f"{chapter['slug']}.xhtml" for chapter in chapters}
    images, items = set[str](), []
    for chapter in chapters:
        text = chapter["text"]
        for slug, home in homes.items():
            text = text.replace(f'href="#{slug}"', f'href="{home}"')
            text = text.replace(f'href="#{slug}--', f'href="{home}#{slug}--')
        for image in chapter["images"]:
            text = text.replace(f'src="{image}"', f'src="images/{Path(image).name}"')
        images.update(chapter["images"])
        page = (
            '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
            '<html xmlns="http://www.w3.org/1999/xhtml" lang="en" xml:lang="en"><head>'
            f"<title>{escape(chapter['title'])}</title>"
            '<link rel="stylesheet" type="text/css" href="style.css"/></head>'
            f"<body>{text}</body></html>"
        )
        kind = "application/xhtml+xml"
        item = epub.EpubItem(chapter["slug"], homes[chapter["slug"]], kind, page.encode())
        marks = {"mathml": "<math", "svg": "<svg"}
        item.properties = [name for name, sign in marks.items() if sign in text]
        book.add_item(item)
        items.append(item)
    for image in sorted(images):
        kind = mimetypes.guess_type(image)[0] or "image/svg+xml"
        name = f"images/{Path(image).name}"
        content = (HTML / image.lstrip("/")).read_bytes()
        book.add_item(epub.EpubItem(Path(image).stem, name, kind, content))
    book.toc = [epub.Link(homes[c["slug"]], c["title"], c["slug"]) for c in chapters]
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    book.spine = ["nav", *items]
    return book


def main(folder: Path) -> None:
    """Make both files in a folder, and say where they are."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    title, author = config["title"], config["author"]
    folder.mkdir(parents=True, exist_ok=True)
    with served() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        chapters = take(browser, url)
        (folder / f"{NAME}.pdf").write_bytes(pdf(browser, url, chapters, title, author))
        browser.close()
    epub.write_epub(folder / f"{NAME}.epub", ebook(chapters, title, author), {"mtime": FIXED})
    for kind in ("pdf", "epub"):
        file = folder / f"{NAME}.{kind}"
        print(f"{file}: {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "_build" / "extra" / "downloads")
