"""The parts of a chapter that move, on the static page: stepper, slider, prediction."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from course.predicting import questions

P1 = "notebooks/p1_derivatives.html"
P3 = "notebooks/p3_backprop_by_hand.html"
P4 = "notebooks/p4_automatic_backward.html"
P6 = "notebooks/p6_mlp.html"
P7 = "notebooks/p7_training.html"
P8 = "notebooks/p8_the_real_code.html"


@pytest.mark.parametrize(("chapter", "count"), [(P3, 2), (P4, 2)])
def test_every_stepper_of_a_page_steps(page: Page, chapter: str, count: int) -> None:
    page.goto(chapter)
    steppers = page.locator("mg-stepper")
    expect(steppers).to_have_count(count)
    for stepper in steppers.all():
        now = stepper.locator(".mg-now")
        expect(now).to_contain_text("Step 0 of")
        stepper.get_by_role("button", name="Next").click()
        expect(now).to_contain_text("Step 1 of")
        expect(now).to_contain_text("forward")
        last = stepper.locator("li").count()
        stepper.get_by_role("slider").fill(str(last))
        expect(now).to_contain_text(f"Step {last} of {last}, backward")
        expect(stepper.get_by_role("button", name="Next")).to_be_disabled()
        stepper.get_by_role("button", name="Back").click()
        expect(now).to_contain_text(f"Step {last - 1} of {last}")


def test_a_stepper_shows_the_running_sum_on_the_graph(page: Page) -> None:
    """f = (a·b)(a + b) at a = -2, b = 3: a collects -6, then 3 more."""
    page.goto(P4)
    stepper = page.locator("mg-stepper").first
    shown = []
    for _ in range(stepper.locator("li").count()):
        stepper.get_by_role("button", name="Next").click()
        if "a.grad" in stepper.locator(".mg-now").inner_text():
            on = stepper.locator("g.mg-on text")
            shown.append(on.last.text_content() if on.count() else "")
    assert shown == ["grad −6", "grad −3"]


def test_a_stepper_goes_by_keyboard(page: Page) -> None:
    page.goto(P3)
    stepper = page.locator("mg-stepper").first
    stepper.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(stepper.locator(".mg-now")).to_contain_text("Step 2 of")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(stepper.locator(".mg-now")).to_contain_text("Step 3 of")


def test_the_slider_for_h_moves_the_line(page: Page) -> None:
    page.goto(P1)
    frames = page.locator("mg-frames")
    slider, said = frames.get_by_role("slider"), frames.locator("output")
    visible = frames.locator('g.mg-frame[visibility="visible"] line')
    lines, words = set(), set()
    for i in range(frames.locator("li").count()):
        slider.fill(str(i))
        expect(visible).to_have_count(1)
        lines.add(visible.evaluate("l => l.outerHTML"))
        words.add(said.inner_text())
    assert len(words) == frames.locator("li").count()
    assert len(lines) > 5
    assert any(re.search(r"slope of the line is 0\.0$", w) for w in words), "h vanishes in the end"


@pytest.mark.parametrize("chapter", [P6, P8])
def test_a_slider_shows_one_layer_and_its_sentence(page: Page, chapter: str) -> None:
    page.goto(chapter)
    for frames in page.locator("mg-frames").all():
        slider, items = frames.get_by_role("slider"), frames.locator("li").all_text_contents()
        layers = frames.locator("g.mg-frame")
        assert len(items) == layers.count() > 5
        expect(frames.get_by_role("checkbox")).to_have_count(0)
        for i in (0, len(items) // 2, len(items) - 1):
            slider.fill(str(i))
            expect(frames.locator("output")).to_have_text(items[i])
            expect(frames.locator('g.mg-frame[visibility="visible"]')).to_have_count(1)
            expect(layers.nth(i)).to_have_attribute("visibility", "visible")


def test_the_learning_rate_and_the_switch_choose_a_run(page: Page) -> None:
    page.goto(P7)
    frames = page.locator("mg-frames")
    slider, switch = frames.get_by_role("slider"), frames.get_by_role("checkbox")
    curve = frames.locator('g.mg-frame[visibility="visible"] polyline')
    items = frames.locator("li").all_text_contents()
    assert len(items) == 16
    expect(switch).to_be_checked()
    curves = set()
    for zeroed in (True, False):
        switch.set_checked(zeroed)
        for i in range(8):
            slider.fill(str(i))
            expect(frames.locator("output")).to_have_text(items[i if zeroed else 8 + i])
            curves.add(curve.get_attribute("points"))
    assert len(curves) == 16
    switch.focus()
    page.keyboard.press("Space")
    expect(switch).to_be_checked()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Home")
    expect(frames.locator("output")).to_have_text(items[0])


@pytest.mark.parametrize("name", ["P1.a", "P3.c", "P4.b"])
def test_a_prediction_wrong_then_right(page: Page, name: str) -> None:
    question = questions(name[:2])[name[3:]]
    chapter = {"P1": P1, "P3": P3, "P4": P4}[name[:2]]
    page.goto(chapter)
    asked = page.locator(f'mg-predict[id="{name}"]')
    answer, status = asked.locator("details"), asked.get_by_role("status")
    expect(answer).to_be_hidden()

    def commit(text: str) -> None:
        if question.choices:
            asked.get_by_label(text, exact=True).check()
        else:
            asked.get_by_role("textbox").fill(text)
        asked.get_by_role("button", name="Commit").click()

    wrong, says = next(iter(question.wrong.items()))
    commit(wrong)
    expect(answer).to_be_visible()
    expect(status).to_contain_text(f"You predicted {wrong}. Look at what happens.")
    expect(asked.get_by_text(says)).to_be_visible()
    commit(question.answer())
    expect(status).to_contain_text("That is what happens.")
    expect(asked.get_by_text(says)).to_be_hidden()
    page.reload()
    expect(asked.get_by_role("status")).to_contain_text(
        f"Last time you predicted {question.answer()}"
    )
    expect(asked.locator("details")).to_be_hidden()


def test_without_javascript_everything_is_there_to_read(browser: Browser, site_url: str) -> None:
    context = browser.new_context(base_url=site_url, java_script_enabled=False)
    page = context.new_page()
    page.goto(P3)
    expect(page.locator("mg-stepper li").first).to_be_visible()
    expect(page.locator("mg-stepper svg").first).to_be_visible()
    page.locator("mg-predict summary").first.click()
    expect(page.locator("mg-predict .mg-answer").first).to_be_visible()
    page.goto(P1)
    expect(page.locator("mg-frames li").first).to_be_visible()
    context.close()
