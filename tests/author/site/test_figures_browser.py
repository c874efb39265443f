"""The figures of lessons in Chromium: they compute without Python, and have torch's numbers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import AXE
from playwright.sync_api import Browser, Locator, Page
from site_of import served
from torch_answers import answer

from grader.author.site import page_files
from grader.base.files import write_files
from grader.course.figures import Figure
from grader.course.load import Exercise, load_course
from grader.course.oracle import read_book

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[3]
COURSE = load_course(ROOT)
WAIT_MS = 60_000


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Open the site without Python, on a phone."""
    folder = tmp_path_factory.mktemp("figures")
    write_files({**page_files(COURSE, read_book(COURSE.book), {}), "files.json": b"{}"}, folder)
    with served(folder) as site:
        page = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce").new_page()
        page.set_default_timeout(WAIT_MS)
        page.goto(site.address)
        yield page
        page.context.close()


def figure_of(page: Page, exercise: str, figure: str) -> Locator:
    """Open an exercise, and return its figure when it is drawn."""
    page.evaluate("id => (location.hash = id)", exercise)
    found = page.locator(f"#figure-{exercise}-{figure}")
    found.locator(".graph svg").first.wait_for()
    return found


def typed(text: str) -> str:
    """Return a text of the page with the signs of a keyboard, and with single spaces."""
    return " ".join(text.replace("\N{MINUS SIGN}", "-").replace("\N{MULTIPLICATION SIGN}", "*").split())


def moved(slider: Locator, value: float) -> None:
    slider.evaluate("(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }", str(value))


def test_a_figure_computes_steps_and_explains_an_edge(page: Page) -> None:
    """With another a, every number follows; steps go back and forward; an edge is read by keyboard."""
    figure = figure_of(page, "accumulate", "square")
    assert "a.grad = 6" in figure.locator(".now").inner_text()
    moved(figure.get_by_role("slider", name="a ="), -2)
    assert "a.grad = -4" in typed(figure.locator(".now").inner_text())
    figure.get_by_role("button", name="Step backward").press("Enter")
    assert "L propagates its upstream gradient, 1" in figure.locator(".now").inner_text()
    figure.locator(".edge[role=button]").first.focus()
    page.keyboard.press("Enter")
    words = typed(figure.locator(".edge-words").inner_text())
    assert "local derivative -2 * upstream gradient 1 = contribution -2" in words
    figure.get_by_role("button", name="Reset").click()
    assert ["3 * 1", "3 * 1"] == [typed(text) for text in figure.locator(".pill.on text").all_text_contents()]


def test_an_order_says_what_is_lost(page: Page) -> None:
    """A wrong order of the diamond loses a contribution, and a right one reaches 15."""
    figure = figure_of(page, "backward", "diamond")
    for order, said in (("bdc", "a.grad = 9; a correct order reaches 15"), ("dbc", "✓ a.grad = 15")):
        figure.get_by_role("button", name="Clear").click()
        for name in order:
            figure.get_by_role("button", name=f"{name}._backward()", exact=True).click()
        figure.get_by_role("button", name="Run").click()
        assert said in figure.locator(".told").inner_text()


def test_an_answer_is_written_into_the_file(page: Page) -> None:
    """A question takes numbers alone. Its answer replaces what the function did, and can be changed."""
    figure_of(page, "predict", "example")
    page.get_by_role("button", name="Question 5,").click()
    assert "dd/db, dd/dc and dd/da" in page.locator(".asked").inner_text()
    for given, said in (("__import__", "Write numbers"), ("6, 3", "is in the file"), ("6, 3, 15", "is in the file")):
        page.get_by_label("Your answer").fill(given)
        page.keyboard.press("Enter")
        assert said in page.locator(".questions .told").inner_text()
    text = page.evaluate("JSON.parse(localStorage['backward:backward:text:predict']).text")
    stub = read_book(COURSE.book).stubs["predict"]
    body = stub[stub.index("    # TODO: which two paths") : stub.index("\n\n\ndef closed_form")]
    assert stub.replace(body, "    return 6, 3, 15") == text
    page.get_by_role("button", name="Next question").click()
    assert page.locator(".questions h3").inner_text().startswith("Question 6 of 11")


def test_an_order_is_written_into_the_file(page: Page) -> None:
    """A question that asks for an order takes names of nodes alone, and writes the calls of their rules."""
    figure_of(page, "by_hand", "trace")
    page.get_by_role("button", name="Question 2,").click()
    assert "L.grad = 1.0 is written before the calls" in page.locator(".asked").inner_text()
    for given, said in (
        ("L, x", "Write names of nodes, with commas between them: a, b, c, e, L."),
        ("L, e", "in the file"),
    ):
        page.get_by_label("Your answer").fill(given)
        page.keyboard.press("Enter")
        assert said in page.locator(".questions .told").inner_text()
    text = page.evaluate("JSON.parse(localStorage['backward:backward:text:by_hand']).text")
    stub = read_book(COURSE.book).stubs["by_hand"]
    body = stub[stub.index("    # TODO: which two nodes") : stub.index("\n\n\ndef product_of_sums")]
    assert stub.replace(body, "    L.grad = 1.0\n    L._backward()\n    e._backward()") == text
    page.get_by_role("button", name="Question 1,").click()
    page.get_by_role("button", name="Question 2,").click()
    assert "L, e" == page.get_by_label("Your answer").input_value()


def test_a_figure_is_accessible_and_fits_a_phone(page: Page) -> None:
    """axe finds nothing, and nothing moves sideways."""
    figure_of(page, "descend", "descent")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(
        "axe.run('#lesson').then((results) => results.violations.map(({ id, nodes }) => [id, nodes[0].html]))"
    )
    assert [] == found


@pytest.mark.exhaustive
@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda one: one.stem)
def test_every_figure_has_torchs_numbers(page: Page, exercise: Exercise) -> None:
    """At its own leaves and at others, the table of the last step has them, and no step moves anything sideways."""
    for figure in exercise.figures:
        place = figure_of(page, exercise.id, figure.id)
        place.locator("summary").click()
        assert torchs(figure) == pytest.approx(shown(place), rel=1e-5, abs=1e-5)
        other = {name: 1.5 + at / 2 for at, name in enumerate(figure.leaves)}
        for name, value in other.items():
            moved(place.get_by_role("slider", name=f"{name} ="), value)
        assert torchs(Figure(figure.id, figure.program, other, figure.show, figure.upstream)) == pytest.approx(
            shown(place), rel=1e-5, abs=1e-5
        )
        while place.get_by_role("button", name="Step backward").is_enabled():
            place.get_by_role("button", name="Step backward").click()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def torchs(figure: Figure) -> list[float]:
    """Return torch's value and gradient of each node, in turn."""
    graph = figure.parsed
    values, grads = answer(graph.wire, graph.root)
    return [x for value, grad in zip(values, grads, strict=True) for x in (value, figure.upstream * grad)]


def shown(place: Locator) -> list[float]:
    """Return the value and the gradient of each node in the table of the present step, in turn."""
    texts = place.locator("details td[data-field]").all_inner_texts()
    return [json.loads(typed(text)) for text in texts]
