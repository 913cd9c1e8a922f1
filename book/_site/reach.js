// Let everybody reach everything: a box that is wider than its place scrolls within itself, and Tab
// gets there, so that the arrow keys can move it.

const BOXES = ".mg-scroll, .mg-figure, .cell_output .output, .highlight pre, div.math, p:has(> img), .pst-scrollable-table-container";

function reach(box) {
  if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
  else box.removeAttribute("tabindex");
}

const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => reach(target)));
for (const box of document.querySelectorAll(BOXES)) if (!box.hasAttribute("tabindex")) sizes.observe(box);

// The list of references has a role that screen readers no longer know. Each entry is an item of a list.
for (const entry of document.querySelectorAll('[role="doc-biblioentry"]')) entry.setAttribute("role", "listitem");
