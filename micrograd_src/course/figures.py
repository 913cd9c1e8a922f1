"""Figures of the book: matplotlib drawings that live in the page, in one set of colours."""

import io
import re
from html import escape
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from course.colours import CURVE, INK, POINT, SLOPE

__all__ = ["CURVE", "INK", "POINT", "SLOPE", "Picture", "show", "svg_of"]

STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "micrograd",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "figure.figsize": (6, 3.5),
    "figure.dpi": 72,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.use_mathtext": False,
    "figure.constrained_layout.use": True,
    "savefig.transparent": True,
    "legend.frameon": False,
}
matplotlib.rcParams.update(STYLE)


class Picture:
    """A figure as an SVG element in the colours of the page, with `alt` for those who hear it."""

    def __init__(self, svg: str, alt: str):
        self.svg, self.alt = svg, alt

    def __repr__(self) -> str:
        return f"Figure: {self.alt}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        html = f'<figure class="mg-figure">{self.svg}</figure>'
        return {"text/html": html, "text/plain": repr(self)}


def show(fig: Figure, alt: str) -> Picture:
    """The matplotlib figure `fig` as a picture; `alt` says in a sentence what it shows.

    Raises ValueError where `alt` is empty. The figure is closed.
    """
    return Picture(svg_of(fig, alt), alt)


def svg_of(fig: Figure, alt: str) -> str:
    """`fig` as one SVG element: same bytes each time, text as text, the page's ink."""
    if not alt.strip():
        raise ValueError("alt is empty: say in a sentence what the figure shows")
    buffer = io.StringIO()
    fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(fig)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\n?|<!--.*?-->\n?", "", svg, flags=re.S)
    svg = re.sub(r"#000000|black", "currentColor", svg)
    svg = svg.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")
    head, rest = svg.split(">", 1)
    head = re.sub(r' width="[^"]*" height="[^"]*"', "", head)
    width = fig.get_figwidth() * 72
    style = f'style="width:100%;max-width:{width:.0f}pt;height:auto" fill="currentColor"'
    return f'{head} role="img" aria-label="{escape(alt)}" {style}>{rest}'.strip()
