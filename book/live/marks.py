"""What the pages say of each code cell, for the scripts that run cells in the page.

An extension of Sphinx: it gives each cell the id that its notebook has for it, and names the
package without which it cannot run in the page.
"""

import sys
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from sphinx.application import Sphinx

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "micrograd_src")]

from plan import Cell, imported, statements, study  # noqa: E402

OURS = ("micrograd", "course")


@cache
def missing(module: str) -> str | None:
    """The package that keeps a module out of the page's Python, which has no other than ours.

    >>> missing("math"), missing("torch.nn"), missing("course.figures"), missing("micrograd.nn")
    (None, 'torch', 'matplotlib', None)
    """
    package = module.partition(".")[0]
    if package not in OURS:
        return None if package in sys.stdlib_module_names else package
    path = ROOT / "micrograd_src" / module.replace(".", "/")
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not path.is_file():
        return None
    code = statements(path.read_text(encoding="utf-8"))
    found = (missing(name) for statement in code for name, _ in imported(statement))
    return next(filter(None, found), None)


def mark(app: Sphinx, document: nodes.document, name: str) -> None:
    """Give the cells of a page their ids and say what they lack."""
    path = Path(app.env.doc2path(name))
    if path.suffix != ".ipynb":
        return
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    found = study([Cell(cell.source) for cell in code], missing)
    places = [c for c in document.findall(nodes.container) if c.get("nb_element") == "cell_code"]
    for place, cell, known in zip(places, code, found, strict=True):
        place["ids"] = [f"cell-{cell.id}"]
        place["classes"] += [f"lacks-{known.lacks}"] if known.lacks else []
        place["classes"] += ["slow"] if "slow" in cell.metadata.get("tags", []) else []


def setup(app: Sphinx) -> dict[str, Any]:
    """Have `mark` called for each page."""
    app.connect("doctree-resolved", mark)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
