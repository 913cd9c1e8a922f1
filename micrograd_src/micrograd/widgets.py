"""Figures that move as Jupyter widgets. Where one stands is its `at`, read and set in Python."""

import sys
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _kind() -> Any:
    """The class of these widgets; made when one is wanted, for the page has no anywidget."""
    import anywidget
    import traitlets

    class Moving(anywidget.AnyWidget):
        """`html` is the figure, an element of ours; `at` is the step or the frame that it shows."""

        _esm = Path(__file__).with_name("widget.js").read_text(encoding="utf-8")
        html = traitlets.Unicode().tag(sync=True)
        at = traitlets.Int(0, min=0).tag(sync=True)

    return Moving


def widget(html: str) -> Any:
    """An ipywidget that shows `html`. Raises ImportError where anywidget is not installed."""
    return _kind()(html=html)


class Moves:
    """Something to show that moves: `html` and a text. In JupyterLab it is a widget."""

    _widget: Any = None

    @property
    def html(self) -> str:
        """The figure as an element with its script; "" where it can only be text."""
        raise NotImplementedError

    @property
    def widget(self) -> Any:
        """The widget of this figure, always the same: lay it out beside others, or observe it."""
        if self._widget is None:
            self._widget = widget(self.html)
        return self._widget

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        html = self.html
        if not html:
            return {"text/plain": repr(self)}
        shown: dict[str, Any] = {"text/html": html, "text/plain": repr(self)}
        if "ipykernel.kernelapp" in sys.modules:
            view, _ = self.widget._repr_mimebundle_()
            shown |= {kind: data for kind, data in view.items() if "widget-view" in kind}
        return shown
