"""What README and CONTRIBUTING say is so: the code runs, the files and the commands exist."""

import math
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def test_the_example_runs_and_is_right(capsys):
    (example,) = re.findall(r"^```python\n(.*?)^```", README, flags=re.S | re.M)
    exec(example, {})
    slope = 1 - math.tanh(2.0 * -3.0 + 10) ** 2
    printed = [float(x) for x in capsys.readouterr().out.split()]
    # The closed form, up to a rounding of each factor.
    assert printed == pytest.approx([-3.0 * slope, 2.0 * slope], rel=1e-15 * 4 / slope)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_to_files_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert links or page.name == "CONTRIBUTING.md"
    for link in links:
        assert (ROOT / link).exists(), link


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_files_named_in_code_exist(page):
    named = re.findall(
        r"`((?:tests|tools|micrograd_src|book|notebooks|exercises)/[\w./]*)`", page.read_text()
    )
    assert named
    for name in named:
        assert (ROOT / name).exists() or "pN" in name, name


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_exist(page):
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.M))
    commands = set(re.findall(r"`make (\w+)`", page.read_text()))
    assert commands
    assert commands <= targets
