"""The scripts of figures that move: HTML with its own script works in a notebook and on a page."""

from pathlib import Path

COMMON = Path(__file__).with_name("element.js").read_text(encoding="utf-8")


def script(path: Path) -> str:
    """A script element that defines the custom element in the file `path`."""
    return f"<script>(() => {{\n{COMMON}\n{path.read_text(encoding='utf-8')}}})();</script>"
