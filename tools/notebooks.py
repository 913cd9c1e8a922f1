"""Re-execute the notebooks, store their outputs in a normal form, and write the stages from them.

python tools/notebooks.py [notebooks/p1_derivatives.ipynb ...]   (default: all of them)
"""

import hashlib
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).parent.parent
NOTEBOOKS = ROOT / "notebooks"
STAGES = ROOT / "micrograd_src" / "micrograd" / "stages"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def execute(path: Path) -> NotebookNode:
    """Run a notebook in a fresh kernel. Raises CellExecutionError for a cell that fails."""
    nb = nbformat.read(path, as_version=4)
    NotebookClient(nb, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    return nb


def normalise(nb: NotebookNode, part: str) -> NotebookNode:
    """The same notebook without what differs from run to run; cells keep the ids they have.

    A new cell's id comes from its part, its text when it is first seen, and how often that came.
    """
    seen: set[str] = set()
    for cell in nb.cells:
        if not re.fullmatch(rf"{part}-[0-9a-f]{{8}}", cell.id) or cell.id in seen:
            copies = 0
            while (made := _cell_id(part, cell.source, copies)) in seen:
                copies += 1
            cell.id = made
        seen.add(cell.id)
        tags = cell.metadata.get("tags", [])
        cell.metadata = NotebookNode({"tags": tags} if tags else {})
        if cell.cell_type == "code":
            cell.outputs = [_plain(output) for output in _merged(cell.outputs)]
    nb.metadata = NotebookNode(METADATA)
    nb.nbformat, nb.nbformat_minor = 4, 5
    return nb


def stage_source(nb: NotebookNode, part: str) -> str | None:
    """The module that holds what a part ends with, from its cell tagged "the-class", if any."""
    cells = [c.source for c in nb.cells if "the-class" in c.metadata.get("tags", [])]
    if not cells:
        return None
    doc = f'"""What the chapters have built by the end of part {part[1:]}."""'
    source = cells[-1].rstrip()
    gap = "\n\n\n" if source.startswith("class") else "\n\n"
    return f"{doc}{gap}{source}\n"


def _cell_id(part: str, source: str, copies: int) -> str:
    return f"{part}-{hashlib.sha256(f'{source}{copies}'.encode()).hexdigest()[:8]}"


def _merged(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Outputs with runs of the same stream made into one; how a stream is split is chance."""
    merged: list[NotebookNode] = []
    for output in outputs:
        last = merged[-1] if merged else None
        if last and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
        else:
            merged.append(output)
    return merged


def _plain(output: NotebookNode) -> NotebookNode:
    if "metadata" in output:
        output.metadata = NotebookNode()
    if "data" in output:  # a widget lives as long as its kernel; what it shows is stored as HTML
        output.data.pop("application/vnd.jupyter.widget-view+json", None)
    return output


def main(names: list[str]) -> None:
    """Execute, normalise and write back each notebook, then its stage."""
    for path in map(Path, names) if names else sorted(NOTEBOOKS.glob("p*.ipynb")):
        part = path.stem.split("_")[0]
        nb = normalise(execute(path), part)
        nbformat.write(nb, path)
        source = stage_source(nb, part)
        if source:
            (STAGES / f"{part}.py").write_text(source, encoding="utf-8")
        print(f"{path.name}: {len(nb.cells)} cells")


if __name__ == "__main__":
    main(sys.argv[1:])
