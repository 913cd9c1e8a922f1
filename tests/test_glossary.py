"""The glossary and its links with the chapters, and the bibliography.

A term of the glossary names the parts that introduce it. Each of these parts links the term, once,
where it is first used; so the link stands in the section that the glossary names, or before it.
What is asked of a part is asked as soon as the table of contents lists it.
"""

import doctest
import re
from functools import cache
from pathlib import Path

import nbformat
import pytest
import yaml

from conftest import ROOT
from micrograd.engine import Value
from micrograd.nn import MLP

GLOSSARY = ROOT / "book" / "glossary.md"
BIBLIOGRAPHY = ROOT / "book" / "bibliography.md"
FENCES = re.compile(r"^```.*?^```$|^\$\$.*?\$\$$", re.S | re.M)
PLACE = r"(?:\[part (\d)\]\(\.\./notebooks/(\w+)\.ipynb\)|part (\d))(?:, section (\d\.\d+))?"
LINK = re.compile(r"\]\((?:\.\./book/)?glossary\.md#([\w-]+)\)")


def slug(term: str) -> str:
    """The anchor that MyST makes of a heading."""
    return term.lower().replace(" ", "-")


def terms() -> dict[str, str]:
    """Each term of the glossary with what stands below it, in the order of the page."""
    page = GLOSSARY.read_text(encoding="utf-8")
    found = re.findall(r"^### (.+?)\n(.*?)(?=^##|\Z)", page, re.S | re.M)
    assert len({slug(term) for term, _ in found}) == len(found), "a term stands there twice"
    return dict(found)


TERMS = terms()


@cache
def chapters() -> dict[str, str]:
    """The files of the chapters in the table of contents, by the number of their part."""
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    files = [page["file"] for part in yaml.safe_load(toc)["parts"] for page in part["chapters"]]
    names = [Path(file).name for file in files if file.startswith("notebooks/")]
    return {name[1]: name for name in names}


def places(term: str) -> list[tuple[str, str, str]]:
    """Where a term is introduced: part, file that is linked, section; "" where there is none."""
    line = re.findall(r"^\*Introduced in\* (.+)\.$", TERMS[term], re.M)
    assert len(line) == 1, f"{term} does not say, in one line, where it is introduced"
    assert re.fullmatch(f"{PLACE}(?:; {PLACE})*", line[0]), line[0]
    return [(linked or plain, file, at) for linked, file, plain, at in re.findall(PLACE, line[0])]


@cache
def prose(name: str) -> str:
    """The markdown of a chapter."""
    nb = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    return "\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")


def sections(text: str) -> dict[str, int]:
    """Where each numbered section of a chapter begins, in its markdown."""
    return {m[1]: m.start() for m in re.finditer(r"^### (\d\.\d+) ", text, re.M)}


def in_time(text: str, term: str, section: str) -> bool:
    """Whether a chapter links a term once, and not after the section that introduces it."""
    found = [m.start() for m in LINK.finditer(text) if m[1] == slug(term)]
    later = [start for start in sections(text).values() if start > sections(text).get(section, -1)]
    return len(found) == 1 and (not section or found[0] < min(later, default=len(text)))


def test_terms_are_in_alphabetical_order() -> None:
    assert list(TERMS) == sorted(TERMS, key=str.lower)


@pytest.mark.parametrize("term", TERMS)
def test_a_definition_is_short(term: str) -> None:
    text = re.sub(r"^\*Introduced in\*.*", "", FENCES.sub("", TERMS[term]), flags=re.M)
    text = re.sub(r"\$[^$]*\$|`[^`]*`|\]\([^)]*\)", "]", text)
    assert 1 <= len(re.findall(r"[.?](?=\s|$)", text)) <= 3


@pytest.mark.parametrize("term", TERMS)
def test_a_term_names_parts_and_sections_that_are_there(term: str) -> None:
    for part, file, section in places(term):
        assert file == chapters().get(part, ""), f"link part {part} when the contents list it"
        if section and file:
            assert section in sections(prose(file))


@pytest.mark.parametrize("term", TERMS)
def test_the_parts_that_introduce_a_term_link_it_at_first_use(term: str) -> None:
    for _, file, section in places(term):
        if file:
            assert in_time(prose(file), term, section), f"{file} does not link {slug(term)} once"


def test_a_late_link_is_noticed() -> None:
    link = "[leaf](../book/glossary.md#leaf)"
    assert in_time(f"### 2.1 a\n{link}\n### 2.2 b\n", "leaf", "2.1")
    assert not in_time(f"### 2.1 a\n### 2.2 b\n{link}\n", "leaf", "2.1")
    assert not in_time(f"### 2.1 a\n{link} {link}\n### 2.2 b\n", "leaf", "2.2")
    assert not in_time("### 2.1 a\nleaf", "leaf", "2.1")


def test_links_to_the_glossary_lead_to_a_term() -> None:
    anchors = {slug(term) for term in TERMS}
    pages = [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("book/*.md"), *ROOT.glob("exercises/*.md")]
    linked = {(p.name, s) for p in pages for s in LINK.findall(p.read_text(encoding="utf-8"))}
    assert len(linked) > 40
    assert {(name, anchor) for name, anchor in linked if anchor not in anchors} == set()


def test_links_inside_the_glossary_lead_to_a_heading() -> None:
    page = GLOSSARY.read_text(encoding="utf-8")
    headings = {slug(heading) for heading in re.findall(r"^##+ (.+)$", page, re.M)}
    assert set(re.findall(r"\]\(#([\w-]+)\)", page)) <= headings


def test_examples_of_the_glossary_run() -> None:
    blocks = re.findall(r"^```pycon\n(.*?)^```", GLOSSARY.read_text(encoding="utf-8"), re.S | re.M)
    assert len(blocks) > 5
    for i, block in enumerate(blocks):
        names = {"Value": Value, "MLP": MLP}
        test = doctest.DocTestParser().get_doctest(block, names, f"example {i}", None, None)
        assert test.examples
        assert doctest.DocTestRunner().run(test).failed == 0, block


def test_every_source_is_cited_once_with_a_reason() -> None:
    bib = BIBLIOGRAPHY.with_name("references.bib").read_text(encoding="utf-8")
    keys = re.findall(r"^@\w+\{(\w+),$", bib, re.M)
    lines = re.findall(
        r"^- \*.+\* \{cite:p\}`(\w+)`\. (.+)$", BIBLIOGRAPHY.read_text(encoding="utf-8"), re.M
    )
    assert sorted(keys) == sorted(key for key, _ in lines)
    assert [key for key, why in lines if len(why.split()) < 8] == []


def test_a_source_can_be_found() -> None:
    bib = BIBLIOGRAPHY.with_name("references.bib").read_text(encoding="utf-8")
    for entry in re.findall(r"^@.*?^\}$", bib, re.S | re.M):
        assert {"author", "title"} <= set(re.findall(r"^  (\w+) = ", entry, re.M)), entry
        assert re.search(r"^  (url = \{https?://|doi = \{10\.|school = )", entry, re.M), entry
