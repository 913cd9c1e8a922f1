"""Run the code on book/errata.md, and write below each block what it prints.

python tools/errata.py

The blocks below one heading are one program, run from the top, in the root of the repository.
"""

import io
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

PAGE = ROOT / "book" / "errata.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)


def page(text: str) -> str:
    """The page with each output written anew."""
    return "".join(_section(part) for part in re.split(r"^(?=##+ )", text, flags=re.M))


def outputs(text: str) -> list[str]:
    """What stands on the page below each block of code."""
    return [said for _, said in BLOCK.findall(text)]


def _section(text: str) -> str:
    names: dict[str, Any] = {"__name__": "errata"}

    def run(block: re.Match[str]) -> str:
        with redirect_stdout(io.StringIO()) as said:
            exec(block[1], names)
        return f"```python\n{block[1]}```\n\n```text\n{said.getvalue()}```\n"

    return BLOCK.sub(run, text)


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{PAGE.name}: {len(outputs(PAGE.read_text(encoding='utf-8')))} runs")


if __name__ == "__main__":
    main()
