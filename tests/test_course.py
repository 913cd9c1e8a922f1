"""What the notebooks use around the engine: figures, frames, questions, growing a class."""

import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from course import predicting
from course.curves import secant, sweep
from course.descent import explore
from course.figures import CURVE, INK, POINT, SLOPE, show
from course.growing import add_to_class
from course.moons import moons
from course.predicting import predict, questions
from course.surface import surface

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


def a_sweep(name="w"):
    return sweep(lambda w: (w * w + 1, 2 * w), [-2.0, -0.5, 0.0, 1.25], name)


def test_a_sweep_tells_the_loss_and_its_slope_at_each_weight():
    assert repr(a_sweep()).splitlines() == [
        "w = −2: the loss is 5.0000, its slope −4",
        "w = −0.5: the loss is 1.2500, its slope −1",
        "w = 0: the loss is 1.0000, its slope 0",
        "w = 1.25: the loss is 2.5625, its slope 2.5",
    ]
    assert [label for label, _, _ in a_sweep().frames] == ["−2", "−0.5", "0", "1.25"]
    text = html(a_sweep())
    assert text == html(a_sweep()), "the same bytes each time"
    assert text.count('class="mg-frame"') == 4
    assert text.count('visibility="visible"') == 1
    assert text.count(f'stroke="{SLOPE}"') == text.count(f'fill="{POINT}"') == 4
    assert CURVE in text
    assert 'data-name="a &lt;b&gt;"' in html(a_sweep("a <b>"))


def test_a_tangent_of_a_sweep_goes_through_its_point_and_stays_inside_the_axes():
    made = a_sweep()
    width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', made.svg).groups())
    rises = []
    for _, overlay, _ in made.frames:
        x1, y1, x2, y2, px, py = map(float, re.findall(r'[xy][12]?="([^"]+)"', overlay))
        assert all(0 <= x <= width and 0 <= y <= height for x, y in ((x1, y1), (x2, y2)))
        rises.append((y1 - y2) / (x2 - x1))
        assert y1 - rises[-1] * (px - x1) == pytest.approx(py, abs=0.5)
    assert [rise / rises[1] for rise in rises] == pytest.approx([4, 1, 0, -2.5], rel=0.02)


@pytest.mark.parametrize("xs", [[], [1.0], [1.0, 1.0], [2.0, 1.0]])
def test_a_sweep_needs_numbers_that_rise(xs):
    with pytest.raises(ValueError, match="at least two numbers, each above"):
        sweep(lambda w: (w, 1.0), xs, "w")


def an_explorer(**more):
    runs = {
        (0.1, True): ([6.0, 1.0, 0.01], [0.9, -0.9]),
        (1.0, True): ([6.0, 8.0, 4.0], [1.0, 1.0]),
        (0.1, False): ([6.0, 0.0, 500.0], [-1.0, -1.0]),
        (1.0, False): ([6.0, math.nan, math.inf], [math.nan, 7.0]),
    }
    return explore(runs | more.get("runs", {}), [1.0, -1.0])


def test_an_explorer_tells_each_run_the_zeroed_ones_first():
    made = an_explorer()
    assert repr(made).splitlines() == [
        "learning rate 0.1, gradients zeroed: the loss goes from 6.0000 to 0.0100; "
        "the net says 0.90, −0.90",
        "learning rate 1, gradients zeroed: the loss goes from 6.0000 to 4.0000; "
        "the net says 1.00, 1.00",
        "learning rate 0.1, gradients never zeroed: the loss goes from 6.0000 to 500.0000; "
        "the net says −1.00, −1.00",
        "learning rate 1, gradients never zeroed: the loss goes from 6.0000 to inf; "
        "the net says nan, 7.00",
    ]
    text = html(made)
    assert 'data-switch="gradients set to zero before each step"' in text
    assert text.count('class="mg-frame"') == 4
    assert text == html(an_explorer()), "the same bytes each time"


def test_an_explorer_draws_inside_its_axes_and_leaves_out_what_is_no_number():
    made = an_explorer()
    width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', made.svg).groups())
    counts = []
    for _, overlay, _ in made.frames:
        (line,) = re.findall(r'points="([^"]*)"', overlay)
        places = [tuple(map(float, point.split(","))) for point in line.split()]
        dots = re.findall(r'cx="([^"]+)" cy="([^"]+)"', overlay)
        places += [(float(x), float(y)) for x, y in dots]
        assert all(0 <= x <= width and 0 <= y <= height for x, y in places)
        counts.append((len(line.split()), len(dots)))
    assert counts == [(3, 2), (3, 2), (3, 2), (2, 1)]
    first = re.findall(r'points="([^"]*)"', made.frames[0][1])[0].split()
    heights = [float(point.split(",")[1]) for point in first]
    assert heights == sorted(heights), "a falling loss goes down the page"
    ratio = (heights[2] - heights[1]) / (heights[1] - heights[0])
    assert ratio == pytest.approx(math.log(100) / math.log(6), rel=0.01), "a scale of tenths"


@pytest.mark.parametrize("run", [([], [1.0, -1.0]), ([6.0], [1.0])])
def test_an_explorer_needs_whole_runs(run):
    with pytest.raises(ValueError, match=r"the run \(0.1, True\) needs losses and 2 predictions"):
        an_explorer(runs={(0.1, True): run})
    with pytest.raises(ValueError, match=r"the run \(3.0, False\) needs"):
        an_explorer(runs={(3.0, True): ([1.0], [1.0, 1.0])})


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


def test_the_moons_are_scikit_learns():
    """The stored points, to the last digits; a libm may differ in its cosine's very last."""
    import numpy as np
    from sklearn.datasets import make_moons

    np.random.seed(1337)
    x, y = make_moons(n_samples=100, noise=0.1)
    points, labels = moons()
    assert np.allclose(points, x, rtol=1e-13, atol=1e-15)
    assert labels == (2 * y - 1).tolist()
    assert {type(number) for point in points for number in point} == {float}


def a_surface(score):
    corners = [[-1.0, -1.0], [2.0, -1.0], [-1.0, 1.0], [2.0, 1.0]]
    return surface(corners, [-1, 1, -1, 1], [("0", score, "one"), ("5", score, "two")])


def test_a_surface_draws_where_a_score_is_above_0():
    """With the score x1 − 0.5, the border stands upright midway between the two sides."""
    made = a_surface(lambda x1, x2: x1 - 0.5)
    assert repr(made) == "one\ntwo"
    text = html(made)
    tinted, border, sides = re.findall(r'<path d="([^"]*)"', made.frames[0][1])
    across = {float(x) for x, _ in re.findall(r"[ML]?([-.\d]+) ([-.\d]+)", border)}
    assert len(across) == 1
    at = {round(float(x)) for x, _ in re.findall(r"[ML]?([-.\d]+) ([-.\d]+)", sides)}
    assert len(at) == 2, "where the score is 1 and where it is −1"
    assert sum(at) / 2 == pytest.approx(across.pop(), abs=1)
    assert tinted.count("M") == 1
    assert text.count('visibility="visible"') == 1
    assert 'aria-label="Two moons of points' in text
    assert html(a_surface(lambda x1, x2: x1 - 0.5)) == text, "the same bytes each time"


def test_a_surface_without_a_border_is_empty_or_full():
    below = a_surface(lambda x1, x2: -3.0).frames[0][1]
    assert re.findall(r'<path d="([^"]*)"', below) == ["", "", ""]
    tinted, border, sides = re.findall(
        r'<path d="([^"]*)"', a_surface(lambda x1, x2: 3.0).frames[0][1]
    )
    assert (border, sides) == ("", "")
    assert tinted.count("M") == 1


def test_a_surface_can_have_a_hole():
    """A score that is above 0 outside a circle tints a ring: two rounds in one path."""
    made = a_surface(lambda x1, x2: (x1 - 0.5) ** 2 + x2**2 - 0.5)
    tinted = re.findall(r'<path d="([^"]*)"', made.frames[0][1])[0]
    assert tinted.count("M") == 2
    assert 'fill-rule="evenodd"' in made.frames[0][1]


def test_coordinates_of_a_surface_have_one_decimal_and_lie_on_the_page():
    made = a_surface(lambda x1, x2: x1 * x2 + 0.3)
    height = float(re.search(r'viewBox="0 0 \S+ (\S+)"', made.svg).group(1))
    drawn = "".join(re.findall(r'<path d="([^"]*)"', made.frames[0][1]))
    numbers = re.findall(r"[-\d.]+", drawn)
    assert all(re.fullmatch(r"-?\d+\.\d", number) for number in numbers)
    assert all(0 <= float(y) <= height for y in numbers[1::2])
