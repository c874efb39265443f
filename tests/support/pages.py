"""Browsers, real reports and a class made from them: fixtures that a `conftest.py` imports."""

import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from many_graded import grade_texts, grader_of
from msgspec.structs import replace
from odd_words import OddWords
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from grader.course.learners import Submitter
from grader.course.load import Course, Exercise
from grader.course.oracle.answer_book import read_book
from grader.verdict.diagnosis.misconceptions import read_misconceptions
from grader.verdict.report import Report
from grader.verdict.report.model import SubmissionStamp, with_results

AXE = Path(__file__).resolve().parents[1] / "base" / "page" / "assets" / "axe.min.js"
FLAGS = (
    "--no-sandbox",  # as root, Chromium has none
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
FIRST = (
    *("Ada", "Björn", "Chiara", "Dmitri", "Emeka", "Fatima", "Grace"),
    *("Hiro", "Ines", "Jamal", "Kirsten", "Lê", "Mia"),
)
LAST = (
    "Adeyemi",
    "Berg",
    "Castro",
    "Diaz",
    "Eriksen",
    "Fischer",
    "Gupta",
    "Haddad",
    "Ito",
    "Jansen",
    "Kowalski",
    "Lee",
)

# a page may take long for anything while other tests run; the limit of a test is longer
PATIENCE_MS = 240_000
expect.set_options(timeout=PATIENCE_MS)
OpenHtml = Callable[..., Page]


@pytest.fixture(scope="session")
def handed_in(
    course: Course, solved: Report, once: Callable[[str, Callable[[], tuple[Report, ...]]], tuple[Report, ...]]
) -> tuple[Report, ...]:
    """Return real reports: on the solutions, on the stubs, on no files, on misconceptions, and on files that raise."""
    return solved, *once("handed_in", lambda: _graded(course))


def _graded(course: Course) -> tuple[Report, ...]:
    book = read_book(course.book)

    def texts(text_of: Callable[[Exercise, str], str]) -> dict[str, str]:
        solutions = {e: course.solution(e).read_text(encoding="utf-8") for e in course.exercises}
        return {exercise.stem: text_of(exercise, solution) for exercise, solution in solutions.items()}

    def mistaken(exercise: Exercise, solution: str) -> str:
        path = course.solution(exercise).with_suffix(".mistakes.yaml")
        known = read_misconceptions(path, solution, len(exercise.hints))
        return known[0].source if known else solution.replace("return", "print(1 / 3)\n    return")

    submissions: tuple[dict[str, str], ...] = (
        texts(lambda exercise, solution: book.stubs[exercise.id]),
        {},
        texts(mistaken),
        texts(lambda exercise, solution: solution + ("\n)" if exercise.number == "04" else "\n1 / 0\n")),
    )
    with grader_of(course, book, None, course.seed) as grader:
        return tuple(grade_texts(grader, submission) for submission in submissions)


MakeClass = Callable[..., list[Report]]


@pytest.fixture(scope="session")
def make_class(handed_in: tuple[Report, ...]) -> MakeClass:
    """Return a function that makes a class from real results of exercises.

    The better a learner, the more exercises have the result of the solution. Numbers in the printed text differ
    between learners.
    """

    def one(chance: random.Random, i: int) -> Report:
        able = chance.betavariate(3, 1.4)
        exercises = []
        for at, solved in enumerate(handed_in[0].exercises):
            others = [chance.choice(handed_in[3:]) for _ in range(1)] if chance.random() < 0.8 else handed_in[1:3]
            result = solved if chance.random() < able else chance.choice(others).exercises[at]
            checks = tuple(
                replace(check, output=f"{chance.random()}\n" * chance.randrange(1, 9)) if check.score == 0 else check
                for check in result.checks
            )
            exercises.append(replace(result, checks=checks))
        first, last = chance.choice(FIRST), chance.choice(LAST)
        name = f"{first} {last}"
        stamp = SubmissionStamp(
            id=f"{last.lower()}{i:04}",
            sha256="0",
            origin=f"{last.lower()}{i:04}",
            submitters=(Submitter(name, f"{1_000_000 + i}", f"{first}.{last}{i}@example.org".lower()),),
            submitted_at="2026-11-02T10:00:00+00:00",
        )
        notes = ("files with other names were not graded: scratch.py",) if chance.random() < 0.03 else ()
        return with_results(replace(handed_in[0], submission=stamp, notes=notes), exercises)

    def make(n: int, seed: int = 0) -> list[Report]:
        chance = random.Random(seed)
        return [one(chance, i) for i in range(n)]

    return make


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of Debian's Chromium. Without it, the test fails in CI and is skipped elsewhere."""
    return _program("Chromium", "chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def firefox() -> str:
    """Return the path of Debian's Firefox. Without it, the test fails in CI and is skipped elsewhere."""
    return _program("Firefox", "firefox-esr", "firefox")


def _program(title: str, package: str, *others: str) -> str:
    path = next(filter(None, map(shutil.which, (package, *others))), None)
    if path is None:
        text = f"NOT TESTED: there is no {title} here (Debian: apt-get install {package})"
        if os.environ.get("CI"):
            pytest.fail(text)
        pytest.skip(text)
    return path


@pytest.fixture(scope="module")
def odd_words(chromium: str, request: pytest.FixtureRequest) -> Iterator[OddWords]:
    """Start Chromium, and read all that its pages show. A module may have further `BROWSER_FLAGS`."""
    flags = [*FLAGS, *getattr(request.module, "BROWSER_FLAGS", ())]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=flags)
        yield OddWords(browser)
        browser.close()


@pytest.fixture(scope="module")
def browser(odd_words: OddWords) -> Browser:
    """Return the browser of a test file."""
    return odd_words.browser


@pytest.fixture(autouse=True)
def no_odd_words(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test in Chromium if any view has shown a word such as `undefined`."""
    if "browser" not in request.fixturenames:
        yield
        return
    read: OddWords = request.getfixturevalue("odd_words")
    yield
    assert [] == read.said()


@pytest.fixture(scope="session")
def print_page(chromium: str) -> Callable[[Path], bytes]:
    """Return a function that prints a page as `chromium --print-to-pdf` does, as soon as the page has loaded."""

    def printed(path: Path) -> bytes:
        out = path.with_suffix(".pdf")
        words = [chromium, *FLAGS, "--headless", "--no-pdf-header-footer", f"--print-to-pdf={out}", path.as_uri()]
        subprocess.run(words, check=True, capture_output=True, timeout=240)
        return out.read_bytes()

    return printed


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Page:
    """Return a page that the tests of a file use one after another, because a new one takes most of a second."""
    return new_page(browser)


def new_page(browser: Browser, **context: Any) -> Page:
    """Return a page with settings of its own."""
    page = browser.new_context(**context).new_page()
    page.set_default_timeout(PATIENCE_MS)
    return page


def _as_new(
    tab: Page, viewport: ViewportSize | None = None, color_scheme: Any = "light", reduced_motion: Any = "no-preference"
) -> Page:
    """Return the page that tests share with these settings, or those of a new page."""
    tab.mouse.move(-1, -1)
    tab.set_viewport_size(viewport or ViewportSize(width=1280, height=720))
    tab.emulate_media(media="null", color_scheme=color_scheme, reduced_motion=reduced_motion)
    return tab


@pytest.fixture
def open_html(browser: Browser, tab: Page, tmp_path: Path) -> Iterator[OpenHtml]:
    """Return a function that opens a page of one file.

    The test fails if the page asks for anything on a network, or if there is an error or a violation of the content
    policy.
    """
    complaints: list[str] = []
    asked: list[str] = []
    handlers: dict[Any, Callable[..., None]] = {
        "console": lambda message: complaints.append(f"{message.type}: {message.text}"),
        "pageerror": lambda error: complaints.append(str(error)),
        "request": lambda request: asked.append(request.url),
    }
    heard: list[Page] = []

    def open_(text: str, *, at: str = "", **context: Any) -> Page:
        path = tmp_path / "page.html"
        path.write_text(text, encoding="utf-8")
        shared = context.keys() <= {"viewport", "color_scheme", "reduced_motion"}
        page = _as_new(tab, **context) if shared else new_page(browser, **context)
        if page not in heard:
            heard.append(page)
            for event, handler in handlers.items():
                page.on(event, handler)
        page.goto("about:blank")  # or another part of the same page is shown
        page.goto(path.as_uri() + at, wait_until="commit")
        page.wait_for_selector("body[data-ready]")
        return page

    yield open_
    for context in browser.contexts:
        if context != tab.context:
            context.close()
    for page in tab.context.pages:
        if page != tab:
            page.close()
    for page in heard:
        for event, handler in handlers.items():
            page.remove_listener(event, handler)
    own = re.compile(r"about:blank|data:|file://[^?#]*/page\.html")
    assert [] == [url for url in asked if not own.match(url)]
    assert [] == complaints
