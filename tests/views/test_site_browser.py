"""The site in Chromium: a visitor works, makes mistakes, hangs the interpreter, comes back, and attacks the page.

Python takes seconds to start in a browser, so the tests share one page, in this order.
"""

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect
from site_of import site_of

from grader.author.build import catalogue
from grader.author.site import server
from grader.base.style import Style
from grader.client import decode_source
from grader.course import Course, load_course
from grader.practice import Practice
from grader.practice.tab import for_page
from grader.views.practice import exercise_screen

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
AXE = Path(__file__).resolve().parent / "assets" / "axe.min.js"
SLOW_MS = 240_000  # for what takes seconds on an idle machine


class Visit(NamedTuple):
    """A page of the site, everything that it asked for, and the site's address."""

    page: Page
    requests: list[str]
    address: str


@pytest.fixture(scope="module")
def visit(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """Open the site, and wait until Python is there."""
    with server(site_of(tmp_path_factory.mktemp("site"))) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        address = f"http://127.0.0.1:{serving.server_port}/"
        page.goto(address)
        started(page)
        yield Visit(page, requests, address)
        page.context.close()
        serving.shutdown()


@pytest.fixture(scope="module")
def practice() -> Iterator[Practice]:
    with Practice(load_course(ROOT), ROOT / "exercises") as opened:
        yield opened


def started(page: Page) -> None:
    page.wait_for_selector("body[data-ready], #state.failed", timeout=SLOW_MS)
    assert "" == page.inner_text("#state")


def solution(course: Course, name: str) -> str:
    return next(course.solution(one).read_text(encoding="utf-8") for one in course.exercises if one.id == name)


def verdict_on(page: Page, text: str) -> str:
    """Type a text in place of the file, and return the verdict, with single spaces."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#verdict[data-text='" + digest(text) + "']", timeout=SLOW_MS)
    return words(page.inner_text("#verdict"))


def digest(text: str) -> str:
    """Return what the page notes of the text that a verdict is about: its length."""
    return str(len(text))


def words(text: str) -> str:
    return " ".join(text.split())


def in_a_sandbox(practice: Practice, name: str, text: str) -> str:
    """Return what `grade` says about a text, in a wide terminal, with single spaces."""
    exercise = next(one for one in practice.course.exercises if one.id == name)
    report = practice.grade_source(exercise, decode_source(Path("exercises", exercise.filename), text.encode()))
    return words("\n".join(exercise_screen(for_page(report.exercises[0]), style=Style(width=98))))


def opened(page: Page, name: str) -> None:
    page.get_by_role("button", name=re.compile(rf"\b{name} ")).click()


def test_mistakes_get_the_verdicts_of_a_terminal(visit: Visit, practice: Practice) -> None:
    """Solutions and wrong files of three exercises get the same sentences, word for word."""
    course = practice.course
    for exercise in course.exercises[:3]:
        opened(visit.page, exercise.number)
        right = course.solution(exercise).read_text(encoding="utf-8")
        for text in (catalogue(course, exercise)[0].source, f"{right}\nprint('<b>hi</b>', 1 / 0)\n", right):
            assert in_a_sandbox(practice, exercise.id, text) == verdict_on(visit.page, text)
        expect(visit.page.locator("#next")).to_be_visible()
    expect(visit.page.locator("#score")).to_have_text(re.compile(r"3 of \d+ exercises passed"))


def test_failed_lines_are_marked_and_hints_follow(visit: Visit, practice: Practice) -> None:
    """The lines that the fact names are marked in the editor, and each press of the button shows one more hint."""
    page = visit.page
    opened(page, "03")
    verdict_on(page, solution(practice.course, "accumulate").replace("+=", "="))
    expect(page.locator(".cm-failed").nth(1)).to_be_visible()
    page.click("#hint")
    expect(page.locator("#hints p")).to_have_count(1)


def test_a_loop_ends_at_its_line(visit: Visit, practice: Practice) -> None:
    """An endless loop without calls gets the sentence of a terminal, when the file is loaded and in a rule."""
    right = solution(practice.course, "accumulate")
    rule = right.replace("def _backward():\n", "def _backward():\n            while True: pass\n", 1)
    for text in (f"{right}\nwhile True:\n    pass\n", rule):
        said = verdict_on(visit.page, text)
        assert "stopped: your code ran out of CPU time" in said
        assert re.search(r"line \d+: while True:", said)


def test_an_interpreter_that_does_not_answer_is_replaced(visit: Visit, practice: Practice) -> None:
    """What cannot be interrupted ends with its Web Worker, the page answers meanwhile, and the next verdict comes."""
    page, right = visit.page, solution(practice.course, "accumulate")
    said = verdict_on(page, f"{right}\nimport time\ntime.sleep(10_000)\n")
    assert "no answer within" in said
    assert "PASS 03 accumulate" in verdict_on(page, right)


ATTACK = """
import sys, gc
found = []
for name in ("js", "pyodide_js", "pyodide", "_pyodide_core"):
    try:
        found.append(type(__import__(name)).__name__)
        __import__(name).fetch("ATTACKED")
    except BaseException as error:
        found.append(type(error).__name__)
for proxy in gc.get_objects():
    if type(proxy).__name__ == "JsProxy":
        for attack in (
            lambda: proxy.constructor.constructor("fetch('ATTACKED')")(),
            lambda: proxy.fetch("ATTACKED"),
            lambda: proxy.importScripts("ATTACKED"),
            lambda: proxy.localStorage.setItem("ATTACKED", "1"),
            lambda: proxy.indexedDB.open("ATTACKED"),
        ):
            try:
                attack()
                found.append("done")
            except BaseException as error:
                pass
import urllib.request
try:
    urllib.request.urlopen("ATTACKED")
except BaseException as error:
    found.append(type(error).__name__)
print(found)
"""


def test_learner_code_reaches_neither_network_nor_storage(visit: Visit, practice: Practice) -> None:
    """Whatever it finds in its interpreter, nothing is requested, and nothing of the page's storage is changed."""
    page, address = visit.page, visit.address
    before = len(visit.requests)
    text = solution(practice.course, "accumulate") + ATTACK.replace("ATTACKED", f"{address}attacked")
    verdict_on(page, text)
    assert [] == [url for url in visit.requests[before:] if "attacked" in url]
    assert not [key for key in page.evaluate("Object.keys(localStorage)") if "attacked" in key]
    own = (address, f"blob:{address}", "blob:null/", "data:")
    assert [] == [url for url in visit.requests if not url.startswith(own)]


def test_markup_is_inert(visit: Visit, practice: Practice) -> None:
    """Markup in a message is shown as text."""
    said = verdict_on(
        visit.page, solution(practice.course, "accumulate") + "\nraise ValueError('<img src=x><b>bold')\n"
    )
    assert "<img src=x><b>bold" in said
    assert 0 == visit.page.locator("#verdict img, #verdict b").count()


def test_numpy_is_not_there(visit: Visit, practice: Practice) -> None:
    """A file that uses a package is told that only the standard library is there."""
    said = verdict_on(visit.page, solution(practice.course, "accumulate") + "\nimport numpy\nnumpy.zeros(3)\n")
    assert "numpy.zeros is not available while grading (there are only the standard library)" in said


def test_work_is_kept_and_can_be_reset(visit: Visit, practice: Practice) -> None:
    """A reload keeps every character. A reset shows the file as it was given out, and can be undone."""
    page = visit.page
    text = solution(practice.course, "accumulate") + "# mine\n"
    verdict_on(page, text)
    page.reload()
    expect(page.locator("#file")).to_have_text("03_accumulate.py")
    editor = page.locator(".cm-content")
    page.locator(".cm-scroller").evaluate("(it) => it.scrollTo(0, it.scrollHeight)")
    expect(editor).to_contain_text("# mine")
    page.click("#reset")
    expect(editor).not_to_contain_text("# mine")
    page.click("#restore")
    page.locator(".cm-scroller").evaluate("(it) => it.scrollTo(0, it.scrollHeight)")
    expect(editor).to_contain_text("# mine")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing(visit: Visit, scheme: str, width: int) -> None:
    """axe finds no violation, in both colours and on a phone, and nothing is wider than the page."""
    page = visit.page
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then((result) => result.violations)")
    assert [] == [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
