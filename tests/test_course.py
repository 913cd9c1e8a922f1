"""What the notebooks use around the engine: figures, frames, questions, growing a class."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from course import predicting
from course.figures import CURVE, INK, show
from course.frames import secant
from course.growing import add_to_class
from course.predicting import predict, questions

PARTS = sorted(p.stem.upper() for p in Path(predicting.__file__).parent.glob("questions/*.toml"))
QUESTIONS = [q for part in PARTS for q in questions(part).values()]


def html(thing):
    return thing._repr_mimebundle_()["text/html"]


def a_figure():
    fig, ax = plt.subplots()
    ax.plot([0, 1, 2], [0, 1, 4], color=CURVE)
    ax.set_xlabel("x")
    return fig


def test_a_figure_is_the_same_bytes_each_time():
    assert html(show(a_figure(), "A curve")) == html(show(a_figure(), "A curve"))


def test_a_figure_takes_the_page_colour_and_is_named():
    text = html(show(a_figure(), "A <curve>"))
    assert INK not in text
    assert "currentColor" in text
    svg = ET.fromstring(re.search(r"<svg.*</svg>", text, flags=re.S).group())
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == "A <curve>"
    words = {t.text for t in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert "x" in words, "words stay words, so that they can be read and scaled"


def test_a_figure_without_words_is_refused():
    with pytest.raises(ValueError, match="say in a sentence"):
        show(a_figure(), " ")


def test_secant_frames_tell_the_slope_of_each_step():
    frames = secant(lambda x: 3 * x * x - 4 * x + 5, 3.0, [1.0, 0.5, -1.0], 0, 5)
    assert [text for _, _, text in frames.frames] == [
        "h = 1: the slope of the line is 17.0",
        "h = 0.5: the slope of the line is 15.5",
        "h = -1: the slope of the line is 11.0",
    ]
    text = html(frames)
    assert text.count('class="mg-frame"') == 3
    assert text.count('visibility="visible"') == 1
    assert "mg-frames" in text


def test_secant_lines_stay_inside_the_axes():
    text = html(secant(lambda x: 3 * x * x - 4 * x + 5, 3.0, [2.0, 1e-3], -1, 6))
    height = float(re.search(r'viewBox="0 0 \S+ (\S+)"', text).group(1))
    ends = [float(y) for y in re.findall(r'y[12]="([^"]+)"', text)]
    assert len(ends) == 4
    assert all(0 <= y <= height for y in ends)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.id)
def test_a_question_can_be_answered_right_and_wrong(question):
    answer = question.answer()
    assert answer
    assert question.ask
    assert question.why
    if question.choices:
        assert answer in question.choices, answer
        assert len(set(question.choices)) == len(question.choices) >= 2
        assert set(question.wrong) <= set(question.choices)
    assert answer not in question.wrong
    assert question.wrong, "say what a likely wrong answer comes from"


def test_a_question_shows_what_python_says():
    prediction = predict("P1.a")
    assert f'<strong class="mg-answer">{prediction.answer}</strong>' in html(prediction)
    assert prediction.question.why not in repr(prediction), "the text form gives nothing away"


@pytest.mark.parametrize("name", ["P1.zz", "P99.a", "a"])
def test_an_unknown_question_is_named(name):
    with pytest.raises(KeyError, match=re.escape(name.partition(".")[0])):
        predict(name)


def test_add_to_class_adds_the_method():
    class Empty:
        pass

    @add_to_class(Empty)
    def hello(self):
        return "hello"

    assert Empty().hello() == "hello"
    assert hello.__name__ == "hello"


def test_the_chapter_shows_add_to_class_as_it_is():
    """Part 2 shows the decorator in full; it is the one that later parts import."""
    import ast
    import inspect

    import nbformat

    from tools.notebooks import NOTEBOOKS

    def bare(source):
        (function,) = ast.parse(source).body
        for node in ast.walk(function):
            if isinstance(node, ast.FunctionDef):
                node.returns = None
                if ast.get_docstring(node):
                    node.body = node.body[1:]
                for argument in node.args.args:
                    argument.annotation = None
        return ast.dump(function)

    nb = nbformat.read(NOTEBOOKS / "p2_value.ipynb", as_version=4)
    shown = [c.source for c in nb.cells if c.source.startswith("def add_to_class")]
    assert [bare(s) for s in shown] == [bare(inspect.getsource(add_to_class))]
