"""The pictures: the order of the values, the same bytes every time, words as they were given."""

import random
import re
import sys
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from micrograd import drawing
from micrograd.drawing import draw_dot, number, outline, topological
from micrograd.engine import Value
from micrograd.stages import p2, p3, p4, p5, p6

SVG = "{http://www.w3.org/2000/svg}"
CLASSES = pytest.mark.parametrize("cls", [p2.Value, p3.Value, p4.Value, Value])
ODD_LABELS = [
    "a×b | {c}",
    "<β>",
    'say "y"',
    r"back\slash \N \n \\ {",
    "R&D: a;b -> c #",
    "-- <!-- -->",
]


class Node:
    """The least that can be drawn: data, inputs, an operation."""

    def __init__(self, data: float, prev: tuple = (), op: str = ""):
        self.data, self._prev, self._op = data, prev, op


def diamond(cls: type = Value) -> Any:
    """f = (a·b)·(a + b) at a = -2, b = 3, every value labelled."""
    a, b = cls(-2.0, label="a"), cls(3.0, label="b")
    d, e = a * b, a + b
    f = d * e
    d.label, e.label, f.label = "d", "e", "f"
    return f


def chain(length: int) -> Value:
    """A leaf, and `length` additions of 1 on top of it."""
    last = Value(0.0)
    for _ in range(length):
        last = last + 1
    return last


def groups(svg: str, kind: str) -> list[ET.Element]:
    """The groups of an SVG that have `kind` among their classes."""
    return [g for g in ET.fromstring(svg).iter(f"{SVG}g") if kind in g.get("class", "").split()]


def words(group: ET.Element) -> list[str]:
    """The contents of the <text> elements of a group."""
    return [t.text for t in group.iter(f"{SVG}text")]


def labels(nodes: list) -> list[str]:
    return [v.label for v in nodes]


# The order.


@CLASSES
def test_inputs_come_before_results_and_each_once(cls):
    order = topological(diamond(cls))
    assert labels(order) == ["a", "b", "d", "e", "f"]
    place = {node: i for i, node in enumerate(order)}
    assert all(place[v] < place[node] for node in order for v in node._prev)


def test_a_shared_input_waits_for_the_deeper_use():
    a = Value(2.0, label="a")
    b = a + 1
    c = b * a
    b.label, c.label = "b", "c"
    for root in (c * b, b * c):
        root.label = "root"
        assert labels(topological(root)) == ["a", "b", "c", "root"]


def test_a_value_used_twice_comes_once():
    a = Value(3.0, label="a")
    b = a + a
    assert topological(b) == [a, b]
    assert topological(a) == [a]


def test_the_order_depends_on_the_expression_alone():
    def expression() -> list[str]:
        leaves = [Value(i, label=f"x{i}") for i in range(30)]
        out = leaves[0]
        for i, v in enumerate(leaves):
            out = out * v + leaves[(7 * i) % 30]
            out.label = f"r{i}"
        return labels(topological(out))

    first = expression()
    clutter = [Value(i) for i in range(1001)]  # moves what is made next to other addresses
    assert expression() == first
    assert len(clutter) == 1001
    assert len(first) == 30 + 2 * 30


def test_the_order_needs_no_recursion():
    last = chain(100_000)
    limit = sys.getrecursionlimit()
    assert limit < 100_000, "a limit this high would hide a recursion"
    order = topological(last)
    assert len(order) == 100_001
    assert order[-1] is last
    assert [v.data for v in order] == list(range(100_001))


def test_a_ladder_of_doublings_takes_no_longer_than_its_values():
    top = Value(1.0)
    for _ in range(200):  # 2**200 paths
        top = top + top
    assert len(topological(top)) == 201
    assert outline(top).count("\n") == 400


# The picture.


@CLASSES
def test_the_same_bytes_every_time(cls):
    root = diamond(cls)
    first = draw_dot(root)
    clutter = [cls(i) for i in range(1001)]
    for again in (draw_dot(root), draw_dot(diamond(cls))):
        assert again.source == first.source
        assert again.svg() == first.svg()
        assert again._repr_mimebundle_() == first._repr_mimebundle_()
    assert len(clutter) == 1001


def test_no_addresses():
    root = diamond()
    picture = draw_dot(root)
    for text in (
        picture.source,
        picture.svg(),
        picture.text,
        *picture._repr_mimebundle_().values(),
    ):
        assert not re.search(r"0x[0-9a-f]{4}", text)
        for node in topological(root):
            assert str(id(node)) not in text


def test_two_arrows_from_a_value_used_twice():
    a = Value(3.0, label="a")
    picture = draw_dot(a + a)
    assert picture.source.splitlines().count("n0 -> o1") == 2
    assert len(groups(picture.svg(), "edge")) == 3, "two into the operation, one out of it"
    assert len(groups(draw_dot(a * Value(1.0)).svg(), "edge")) == 3


@pytest.mark.parametrize("label", ODD_LABELS)
def test_a_label_is_drawn_as_it_is_written(label):
    a = Value(2.0, label=label)
    b = a * a
    b.label = label + label
    picture = draw_dot(b)
    one, two = (groups(picture.svg(), f"v{i}") for i in range(2))
    assert [words(g) for g in one] == [[label, "data 2", "grad 0"]]
    assert [words(g) for g in two] == [[label + label, "data 4", "grad 0"]]
    assert len(groups(picture.svg(), "node")) == 3
    assert outline(b).splitlines()[1] == f"  {label}  data 2  grad 0"


@pytest.mark.parametrize("op", ["a:b", "n0:x:y", "a -> b", 'o"o', r"\N", "<p>", "{x|y}"])
def test_an_operation_is_one_oval_with_its_name(op):
    svg = draw_dot(Node(1.0, (Node(2.0), Node(3.0)), op)).svg()
    assert [words(g) for g in groups(svg, "op")] == [[op]]
    assert len(groups(svg, "value")) == 3
    assert len(groups(svg, "node")) == 4
    assert len(groups(svg, "edge")) == 3


def test_constants_stand_in_the_operation():
    x = Value(4.0)
    root = (((x + 1) * 2) ** 2) / 2 - 0.5
    assert [node._op for node in topological(root)] == ["", "+1", "*2", "**2", "/2", "+-0.5"]
    svg = draw_dot(root).svg()
    assert sorted(words(g)[0] for g in groups(svg, "op")) == sorted(
        ["+1", "*2", "**2", "/2", "+-0.5"]
    )
    assert len(groups(svg, "value")) == 6, "a constant gets no box"


@CLASSES
def test_every_class_can_be_drawn(cls):
    grad = [] if cls is p2.Value else ["grad 0"]
    svg = draw_dot(diamond(cls)).svg()
    numbers = {"a": "−2", "b": "3", "d": "−6", "e": "1", "f": "−6"}
    for i, (name, data) in enumerate(numbers.items()):
        assert [words(g) for g in groups(svg, f"v{i}")] == [[name, f"data {data}", *grad]]
    assert sorted(words(g)[0] for g in groups(svg, "op")) == ["*", "*", "+"]
    assert len(groups(svg, "edge")) == 9


def test_gradients_given_are_drawn_in_place_of_those_held():
    a = Value(3.0, label="a")
    b = a + a
    b.backward()
    assert words(groups(draw_dot(b).svg(), "v0")[0]) == ["a", "data 3", "grad 2"]
    given = draw_dot(b, {a: 0.25, b: None})
    assert words(groups(given.svg(), "v0")[0]) == ["a", "data 3", "grad 0.25"]
    assert words(groups(given.svg(), "v1")[0]) == ["data 6"]


def test_small_numbers_keep_their_digits():
    a = Value(-12345.678, label="a")
    a.grad = 1e-6
    assert words(groups(draw_dot(a).svg(), "v0")[0]) == ["a", "data −1.235e+04", "grad 1e−06"]
    assert outline(a) == "a  data −1.235e+04  grad 1e−06"
    wanted = {0.0: "0", 1.0: "1", 0.70710678: "0.7071", -1.5: "−1.5", 6.8813735870195432: "6.881"}
    assert {x: number(x) for x in wanted} == wanted


def test_a_quiet_program(capfd):
    for label in ODD_LABELS:
        assert draw_dot(Value(1.0, label=label) + 1).svg()
    assert capfd.readouterr() == ("", "")


def test_the_picture_has_a_name_and_a_description():
    picture = draw_dot(diamond())
    root = ET.fromstring(picture.svg())
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root[0].text == "Expression graph of f, 5 values" == picture.title
    assert root[1].text == outline(diamond()) == picture.text
    assert len(list(root.iter(f"{SVG}title"))) == 1, "no tooltips with the names of boxes"
    assert draw_dot(Value(1.0)).title == "Expression graph of a value, 1 value"


def test_the_picture_takes_the_colours_of_the_page():
    svg = draw_dot(diamond()).svg()
    assert "black" not in svg
    assert "white" not in svg
    assert "currentColor" in svg
    fills = {t.text[:5]: t.get("fill") for t in ET.fromstring(svg).iter(f"{SVG}text")}
    assert fills["grad "] == drawing.GRADIENT
    assert fills["data "] is None


def test_the_picture_has_no_ids():
    elements = list(ET.fromstring(draw_dot(diamond()).svg()).iter())
    assert len(elements) > 30
    assert not [e for e in elements if "id" in e.attrib]
    assert not re.search(r"\sid=", draw_dot(diamond())._repr_mimebundle_()["text/html"])


def test_html_escapes_labels():
    a = Value(1.0, label='<script>alert("x")</script>')
    bundle = draw_dot(a)._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    html = bundle["text/html"]
    assert "<script" not in html
    # The name of the figure, the name of the picture, its description, its box, the text below.
    assert html.count("&lt;script&gt;") == 5
    assert f'aria-label="Expression graph of {"&lt;script&gt;alert(&quot;x&quot;)"}' in html
    figure = ET.fromstring(html)
    assert figure.find("details/pre").text == bundle["text/plain"] == outline(a)
    assert figure.find("div").get("aria-label") == draw_dot(a).title


# Words in place of a picture.


def test_without_the_program_there_is_text(monkeypatch):
    monkeypatch.setattr(drawing, "_dot", lambda: None)
    picture = draw_dot(diamond())
    assert picture.svg() is None
    bundle = picture._repr_mimebundle_()
    assert list(bundle) == ["text/plain"]
    text, hint = bundle["text/plain"].split("\n\n")
    assert text == outline(diamond())
    assert "\n" not in hint
    assert "pip install graphviz-pure" in hint


def test_without_the_program_on_the_path(monkeypatch, tmp_path):
    monkeypatch.setattr(drawing.sysconfig, "get_path", lambda name: str(tmp_path))
    assert list(draw_dot(diamond())._repr_mimebundle_()) == ["text/plain"]


def test_outline():
    f = diamond()
    f.backward()
    assert outline(f) == (
        "* → f  data −6  grad 1\n"
        "  * → d  data −6  grad 1\n"
        "    a  data −2  grad −3\n"
        "    b  data 3  grad −8\n"
        "  + → e  data 1  grad −6\n"
        "    a  data −2  grad −3\n"
        "    b  data 3  grad −8"
    )
    assert repr(draw_dot(f)) == outline(f)


def test_outline_tells_a_shared_result_once():
    b = Value(2.0, label="a") + 1
    b.label = "b"
    assert outline(b * b) == (
        "* → data 9  grad 0\n"
        "  +1 → b  data 3  grad 0\n"
        "    a  data 2  grad 0\n"
        "  +1 → b  data 3  grad 0  (shown above)"
    )


def test_outline_of_a_class_without_gradients():
    assert outline(p2.Value(2.0, label="a") * p2.Value(-3.0)) == (
        "* → data −6\n  a  data 2\n  data −3"
    )


def test_outline_needs_no_recursion():
    lines = outline(chain(3000)).splitlines()
    assert len(lines) == 3001
    assert lines[-1] == "  " * drawing.DEEPEST + "data 0  grad 0"


@pytest.mark.parametrize("label", ["&lt;", "&amp;", "R&D", "&alpha;"])
def test_a_label_is_no_markup(label):
    """What reads as an entity is drawn as it was typed."""
    svg = draw_dot(Value(1.0, label=label)).svg()
    texts = [t.text for t in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert label in texts


def test_control_characters_become_blanks():
    svg = draw_dot(Value(1.0, label="a\x01b\nc")).svg()
    texts = [t.text for t in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert "a b c" in texts


def test_the_text_of_a_long_chain_stays_in_proportion():
    x = Value(1.0)
    for _ in range(3000):
        x = x + 1.0
    assert len(outline(x)) < 3000 * 120


# Folded.


def arrows(picture: drawing.Drawing) -> list[str]:
    """The lines of the source that draw an arrow."""
    return [line for line in picture.source.splitlines() if " -> " in line]


def a_loss(cls: type, net: Any) -> tuple[Any, list, list, list]:
    """The loss of four examples, the outputs of all neurons, the data and the targets."""
    rows = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
    xs = [[cls(number) for number in row] for row in rows]
    ys = [cls(y) for y in (1.0, -1.0, -1.0, 1.0)]
    outs, preds = [], []
    for row in xs:
        for layer in net.layers:
            row = [neuron(row) for neuron in layer.neurons]
            outs += row
        preds += row
    loss = sum((pred - y) ** 2 for pred, y in zip(preds, ys, strict=True))
    loss.label = "loss"
    loss.backward()
    return loss, outs, [x for row in xs for x in row], ys


def test_folding_nothing_changes_nothing():
    root = diamond()
    for none in ([], (), [Value(1.0)], [root._prev[0]._prev[0]]):  # nothing, not in it, a leaf
        assert draw_dot(root, fold=none).source == draw_dot(root).source
        assert outline(root, none) == outline(root)


@CLASSES
def test_a_fold_is_one_box_with_an_arrow_from_what_stays(cls):
    a, b, c = (cls(x, label=name) for x, name in ((2.0, "a"), (3.0, "b"), (1.0, "c")))
    n = a * b + c
    picture = draw_dot(n * a, fold=[n])
    order = topological(n * a)
    grad = [] if cls is p2.Value else ["grad 0"]
    svg = picture.svg()
    box = groups(svg, f"v{order.index(n)}")
    assert [words(g) for g in box] == [["+", "data 7", *grad, "4 values"]], "n, a * b, b, c"
    assert len(groups(svg, "value")) == 3, "a, n, the root"
    assert len(groups(svg, "op")) == 1
    assert arrows(picture) == ["n0:e -> n4:w", "o5 -> n5", "n4 -> o5", "n0 -> o5"]
    assert picture.title == "Expression graph of a value, 6 values in 3 boxes"
    n.label = "n"
    grad = "".join(f"  {text}" for text in grad)
    assert outline(n * a, [n]) == (
        f"* → data 14{grad}\n"
        f"  + → n  data 7{grad}  4 values\n"
        f"    a  data 2{grad}\n"
        f"  a  data 2{grad}"
    )
    assert words(groups(draw_dot(n, fold=[n]).svg(), "value")[0])[0] == "n"


def test_a_result_used_by_two_folds_stays_and_a_leaf_goes_into_both():
    a, w = Value(2.0), Value(3.0)
    shared = a + 1
    left, right = shared * w, w * shared * w
    root = left + right
    assert outline(root, [left, right]) == (
        "+ → data 36  grad 0\n"
        "  * → data 9  grad 0  2 values\n"
        "    +1 → data 3  grad 0\n"
        "      data 2  grad 0\n"
        "  * → data 27  grad 0  3 values\n"
        "    +1 → data 3  grad 0  (shown above)"
    )
    kept = draw_dot(root, fold=[left, right, w])
    place = {node: i for i, node in enumerate(topological(root))}
    assert f"n{place[w]}:e -> n{place[right]}:w" in arrows(kept)
    assert f"n{place[w]} -> o{place[left]}" in arrows(kept), "left alone is nothing to fold"


def test_a_fold_in_a_fold_has_an_arrow_to_it():
    inner = Value(2.0) * 3
    outer = (inner + 1).tanh()
    picture = draw_dot(outer, fold=[outer, inner])
    assert arrows(picture) == ["n1:e -> n3:w"]
    assert picture.text.splitlines()[1] == "  *3 → data 6  grad 0  2 values"
    assert draw_dot(outer, fold=[outer]).title.endswith("4 values in 1 box")


def test_many_arrows_into_a_fold_are_one():
    x = Value(2.0)
    n = x * x + x
    assert len(arrows(draw_dot(n, fold=[n, x]))) == 1


def test_a_fold_has_the_gradient_that_is_given():
    n = (Value(2.0) + 1) * 3
    box = groups(draw_dot(n, {n: 0.25}, fold=[n]).svg(), "value")
    assert [words(g) for g in box] == [["*3", "data 9", "grad 0.25", "3 values"]]


def test_a_loss_folded_at_its_neurons_fits_on_a_page():
    random.seed(1337)
    loss, outs, data, targets = a_loss(p5.Value, p6.MLP(3, [4, 4, 1]))
    assert (len(outs), len(data), len(targets)) == (36, 12, 4)
    picture = draw_dot(loss, fold=[loss, *outs, *data, *targets])
    svg = picture.svg()
    assert len(groups(svg, "value")) == 1 + 36 + 12 + 4
    assert groups(svg, "op") == []
    assert len(groups(svg, "edge")) == 4 * (3 * 4 + 4 * 4 + 4) + 4 + 4
    sizes = [words(g)[-1] for g in groups(svg, "value")]
    assert [sizes.count(f"{n} values") for n in (11, 14)] == [16, 20], "with 3 inputs, with 4"
    assert picture.title == "Expression graph of loss, 370 values in 53 boxes"
    assert len(svg) < 150_000
    assert len(draw_dot(loss, fold=[*outs, *data]).svg()) < 150_000
    random.seed(1337)
    loss, outs, data, targets = a_loss(p5.Value, p6.MLP(3, [4, 4, 1]))
    again = draw_dot(loss, fold={*targets, *data, *outs, loss})
    assert again._repr_mimebundle_() == picture._repr_mimebundle_(), "in whatever order"


def test_folding_needs_no_recursion():
    last = chain(3000)
    assert outline(last, [last]) == "+1 → data 3000  grad 0  3001 values"
