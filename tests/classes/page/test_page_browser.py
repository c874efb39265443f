"""The class page in a real browser, as an instructor uses it."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from msgspec.structs import replace
from pages import AXE
from playwright.sync_api import Browser, Page, expect

from grader.base.text import spelled
from grader.classes.cohort import summarise
from grader.classes.page import PARTS, Beside, build_page
from grader.classes.people import Class, HandIn
from grader.classes.people.deadlines import DeadlineRules
from grader.classes.people.roster import parse_roster
from grader.course.facts import FaultFact
from grader.course.learners import ChangedTotal, ChangeReason, Submitter
from grader.course.load import Course
from grader.verdict.report import CheckResult, Diagnosis, Report
from grader.verdict.report.model import SubmissionStamp

pytestmark = pytest.mark.browser

MakeClass = Callable[..., list[Report]]
OpenHtml = Callable[..., Page]
OpenPage = Callable[..., Page]

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
BIDI = "\u202egnp.exe\u2066"
HOSTILE = (
    "<img src=x onerror=\"window.ran='img'\">",
    "</script><script>window.ran='script'</script>",
    "<svg onload=window.ran='svg'>&lt;b&gt;",
    '"><a href="javascript:window.ran=1">x</a>',
    '=HYPERLINK("http://192.0.2.1","x")',
    f"{BIDI}\x1b[31m\x00\u2028\u200b",
    "__proto__",
    "constructor",
)


@pytest.fixture
def open_page(open_html: OpenHtml, course: Course) -> OpenPage:
    """Return a function that opens the page of a class."""

    def open_(
        reports: list[Report],
        *,
        at: str = "",
        faults: dict[str, str] | None = None,
        beside: Sequence[str] = (),
        more: Beside | None = None,
        people: Class | None = None,
        **context: Any,
    ) -> Page:
        summary = summarise(course, reports, faults or {}, beside, people)
        return open_html(build_page(summary, reports, more), at=at, **context)

    return open_


@pytest.fixture(scope="module")
def a_class(make_class: MakeClass) -> list[Report]:
    return make_class(24, seed=4)


ROWS = "#learner-table .rows .row:not([hidden])"


def names(page: Page) -> list[str]:
    """Return the learners in the table, from the top."""
    return page.locator(f"{ROWS} button[data-i]").all_inner_texts()


def column(page: Page, selector: str) -> list[str]:
    return page.locator(f"{ROWS} {selector}").all_inner_texts()


def sort_by(page: Page, title: str) -> None:
    page.locator("#learner-table").get_by_role("button", name=title, exact=True).click()


def expect_opened(page: Page, learner: str) -> None:
    """Wait until the report of a learner is open: it opens when the browser says that the address has changed."""
    expect(page.locator("dialog[open] h2")).to_have_text(learner)


def full_name(report: Report) -> str:
    assert isinstance(report.submission.submitters, tuple)
    return report.submission.submitters[0].name


def test_the_class_at_a_glance(open_page: OpenPage, a_class: list[Report]) -> None:
    """The page has counts, both charts and a line for each exercise. A submission that was not graded is counted."""
    page = open_page(a_class, faults={"lost": "its archive is damaged"})

    expect(page.locator("#lead")).to_contain_text("24 of 25 submissions graded")
    expect(page.locator("#distribution svg rect").first).to_be_visible()
    assert len(a_class[0].exercises) == page.locator("#exercise-table tbody tr").count()
    assert 25 == page.locator(f"{ROWS} .strip .heat:first-child").count()
    assert page.title() == "The Backward Pass: the class"


def test_the_heat_map_shows_failures_first(open_page: OpenPage, handed_in: tuple[Report, ...]) -> None:
    """Each cell has the points and one step of colour.

    Missing, not started and unreadable exercises have signs of their own. Cells without points stand out, and cells
    with full marks do not. A click on a cell opens the learner.
    """
    reports = [replace(report, submission=SubmissionStamp(f"learner {i}", "0")) for i, report in enumerate(handed_in)]
    signs = {"missing": "\N{EN DASH}", "not_started": "○", "unreadable": "!"}
    page = open_page(reports)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for row, report in zip(page.locator(ROWS).all(), reports, strict=True):
            cells = row.locator(".heat").all_inner_texts()
            assert [signs.get(e.status, str(e.score)) for e in report.exercises] == cells
        for step, least, most in (("zero", 6.0, 21.0), ("unreadable", 6.0, 21.0), ("full", 1.0, 1.05)):
            assert least <= contrast(page, f"#heat-key .heat.{step}", "backgroundColor") <= most, (scheme, step)
    page.locator(f"{ROWS} .heat").first.hover()
    expect(page.locator(f"{ROWS} .heat").first).to_have_attribute(
        "title", re.compile("^learner 0, 01 distribute: 5 of 5")
    )
    page.locator(f"{ROWS} .heat").first.click()
    expect_opened(page, "learner 0")


def test_search_finds_names_ids_and_addresses(open_page: OpenPage, a_class: list[Report]) -> None:
    """Every word must occur, at any place. Case and accents are ignored."""
    page = open_page(a_class)

    def text(report: Report) -> str:
        (who,) = report.submission.submitters or ()
        return bare(f"{report.submission.id} {who.name} {who.id} {who.email}")

    def bare(words: str) -> str:
        return "".join(c for c in unicodedata.normalize("NFD", words.lower()) if not unicodedata.combining(c))

    for words in ("berg", "1000007", "ADA BERG", "@example.org lee", "bjorn", "BJÖRN", "le", "Bjo\u0308rn"):
        page.fill("#search", words)
        found = [report for report in a_class if all(word in text(report) for word in bare(words).split())]
        assert sorted(map(full_name, found)) == sorted(names(page)), words
        expect(page.locator("#found")).to_have_text(f"{len(found)} of 24 learners")
    page.fill("#search", "")
    assert len(names(page)) == 24


def test_sorting_by_score_and_by_an_exercise(open_page: OpenPage, a_class: list[Report]) -> None:
    """The first click sorts from the highest, the second from the lowest. The header shows the order."""
    page = open_page(a_class)
    scores = sorted(report.score for report in a_class)

    sort_by(page, "Score")
    assert [str(score) for score in reversed(scores)] == column(page, ".score strong")
    header = page.locator('#learner-table .score[role="columnheader"]')
    expect(header).to_have_attribute("aria-sort", "descending")
    sort_by(page, "Score")
    assert [str(score) for score in scores] == column(page, ".score strong")
    expect(header).to_have_attribute("aria-sort", "ascending")

    page.locator("#learner-table").get_by_role("button", name=re.compile("^03 accumulate")).click()
    numbers = [int(text) for text in column(page, ".heat:nth-child(3)") if text.isdigit()]
    assert sorted(numbers, reverse=True) == numbers


def test_a_learner_is_opened_and_closed(open_page: OpenPage, a_class: list[Report]) -> None:
    """Every exercise and check is shown, and failures are shown in full.

    Escape closes the report and restores the focus.
    """
    report = min(a_class, key=lambda report: report.score)
    page = open_page(a_class)
    page.fill("#search", report.submission.id)

    page.get_by_role("button", name=full_name(report)).click()
    dialog = page.get_by_role("dialog", name=full_name(report))
    expect(dialog).to_be_visible()
    expect(dialog.locator(".score")).to_contain_text(f"{report.score} of {report.max_score}")
    assert len(report.exercises) == dialog.locator("details.exercise").count()
    for exercise, shown in zip(report.exercises, dialog.locator("details.exercise").all(), strict=True):
        assert f"{exercise.score}/{exercise.max_score}" in shown.locator("summary .points").inner_text()
        rows = shown.locator("li.check").all()
        found = {check.diagnosis.explanation for check in exercise.checks if check.diagnosis}
        assert len(found) == shown.locator(".mistake").count()
        for check, row in zip(exercise.checks, rows, strict=True):
            said = row.text_content() or ""
            assert check.title in said
            assert check.status.replace("_", " ") in said
            program = check.program if isinstance(check.program, str) else ""
            if check.status != "passed":
                assert re.sub(r"\s", "", program) in re.sub(r"\s", "", said)

    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert full_name(report) == page.evaluate("document.activeElement.textContent")


def test_the_keyboard_alone_is_enough(open_page: OpenPage, a_class: list[Report]) -> None:
    """Keys lead from the top of the page to a learner, to the next one, and back to the table."""
    page = open_page(a_class)
    press = page.keyboard.press

    press("Tab")
    assert "Skip to the search for learners" == page.evaluate("document.activeElement.textContent")
    press("Enter")
    assert "search" == page.evaluate("document.activeElement.id")
    page.keyboard.type("e")
    columns = page.locator("#learner-table button.sort").count()
    for _ in ("Learner", "Submitted", "Score"):
        press("Tab")
    assert "Score" == page.evaluate("document.activeElement.textContent")
    press("Enter")
    expected = names(page)
    for _ in range(columns - 2):
        press("Tab")
    assert expected[0] == page.evaluate("document.activeElement.textContent")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert "solid" == outline

    press("ArrowDown")
    press("ArrowDown")
    press("ArrowUp")
    assert expected[1] == page.evaluate("document.activeElement.textContent")
    press("Enter")
    expect_opened(page, expected[1])
    inside = "document.activeElement.closest('dialog') !== null"
    assert page.evaluate(inside)
    page.get_by_role("button", name="Next").focus()
    press("Enter")
    expect_opened(page, expected[2])
    press("Escape")
    page.wait_for_selector("dialog", state="hidden")
    assert expected[1] == page.evaluate("document.activeElement.textContent")
    press("End")
    page.wait_for_function("name => document.activeElement.textContent === name", arg=expected[-1])
    press("Tab")
    assert "SUMMARY" == page.evaluate("document.activeElement.tagName")  # one stop for the whole table
    press("/")
    assert "search" == page.evaluate("document.activeElement.id")


def test_a_misconception_leads_to_who_has_it(open_page: OpenPage, a_class: list[Report], course: Course) -> None:
    """The example is a link to the first of them by id. The count shows exactly the learners with the misconception."""
    found = summarise(course, a_class, {}).misconceptions[0]
    page = open_page(a_class)
    title = found.title.replace("`", "")
    row = page.locator("#misconception-list .group", has_text=found.exercise).locator("li", has_text=title).first

    row.locator("summary").click()
    row.get_by_role("link").click()
    (example,) = [report for report in a_class if report.submission.id == min(found.learners)]
    expect_opened(page, full_name(example))
    expect(page.locator("dialog")).to_contain_text(found.explanation.replace("`", ""))
    page.keyboard.press("Escape")
    row.get_by_role("button", name=f"{found.count} learners, {round(100 * found.count / 24)} %").click()
    assert found.count == len(names(page))
    page.get_by_role("button", name="(show all)").click()
    assert 24 == len(names(page))


def test_checks_worth_a_thought_stand_out(open_page: OpenPage, a_class: list[Report], course: Course) -> None:
    """Checks with a note are marked and can be shown alone. The table can be sorted by discrimination."""
    checks = [check for exercise in summarise(course, a_class, {}).exercises for check in exercise.checks]
    page = open_page(a_class)
    rows = page.locator("#check-table tbody tr:not([hidden])")
    assert len(checks) == rows.count()

    page.get_by_label("only checks with a note").check()
    noted = [check.note for check in checks if check.note]
    assert [f"◆ {note}" for note in noted] == rows.locator(".noted").all_inner_texts()
    page.get_by_label("only checks with a note").uncheck()
    page.locator("#check-table").get_by_role("button", name="Discrimination").click()
    best = max(check.discrimination for check in checks if check.discrimination is not None)
    expect(rows.first).to_contain_text(f"{best:.2f}")


def test_who_needs_an_eye_and_who_is_near_a_border(open_page: OpenPage, a_class: list[Report], course: Course) -> None:
    """Both lists have reasons and links to the learners. They include a learner without a report.

    A reason that may change nothing has the command that says so.
    """
    summary = summarise(course, a_class, {"lost": "its archive is damaged"})
    page = open_page(a_class, faults={"lost": "its archive is damaged"})
    reviews = page.locator("#review-table tbody tr")

    assert len(summary.needs_review) == reviews.count()
    keep = next(keep for review in summary.needs_review for keep in review.keeps if keep)
    expect(page.locator("#review-table")).to_contain_text(f"If nothing changes: {keep}")
    assert len({border.id for border in summary.borders}) == page.locator("#border-table tbody tr").count()
    reviews.filter(has_text="lost").get_by_role("link").click()
    page.wait_for_selector("dialog[open]")
    expect(page.locator("dialog")).to_contain_text("not graded: its archive is damaged")


def test_an_address_opens_a_learner(open_page: OpenPage, a_class: list[Report]) -> None:
    """`page.html#learner=ID` opens a learner, and "back" closes the report. An unknown id has no effect."""
    report = a_class[5]
    page = open_page(a_class, at=f"#learner={report.submission.id}")

    expect_opened(page, full_name(report))
    for nonsense in ("#learner=nobody", "#learner=%E0%A4%A", "#learner=__proto__", "#nowhere"):
        page.evaluate("hash => { location.hash = hash }", nonsense)
        page.wait_for_selector("dialog", state="hidden")
    page.evaluate("id => { location.hash = '#learner=' + id }", report.submission.id)
    page.wait_for_selector("dialog[open]")
    page.go_back()
    page.wait_for_selector("dialog", state="hidden")


@pytest.mark.parametrize("parts", [True, False], ids=["with parts", "without parts"])
def test_each_learner_is_shown_in_words(
    open_html: OpenHtml, handed_in: tuple[Report, ...], course: Course, parts: bool
) -> None:
    """Every learner's view can be read, also of the absent, the excused, and those without a report.

    Whatever a view shows is read for words such as `undefined`.
    """
    reports = [replace(report, submission=SubmissionStamp(f"l{at}", "0")) for at, report in enumerate(handed_in)]
    roster = parse_roster(b"login,name,section\n" + b"".join(b"l%d,L %d,a\n" % (at, at) for at in range(8)), "r.csv")
    people = Class(tuple(HandIn.of(report.submission) for report in reports), roster)
    own = course if parts else replace(course, parts=())
    summary = summarise(own, reports, {"lost": "its archive is damaged"}, (), people)
    assert bool(summary.parts) == parts
    code = Beside(lambda report: {"distribute": CODE} if report.submission.id == "l3" else {}, changes=(CHANGE,))
    page = open_html(build_page(summary, reports, code))
    shown = names(page)
    assert {f"L {at}" for at in range(8)} <= set(shown)

    for name in shown:
        page.get_by_role("button", name=name, exact=True).first.click()
        expect_opened(page, name)
        page.evaluate("for (const closed of document.querySelectorAll('dialog details')) closed.open = true")
        scored = name in {f"L {at}" for at in range(len(reports))}
        expect(page.locator("dialog > p:not(.score)")).to_have_count(len(course.parts) if parts and scored else 0)
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="hidden")


def hostile(report: Report, text: str) -> Report:
    """Return the report with a hostile text in each field that a submission can fill."""

    def said(check: CheckResult) -> CheckResult:
        return replace(
            check,
            status="failed",
            score=0,
            program=text,
            expected={text: text, "dL/da": 1.0},
            actual={text: text, "dL/da": text},
            diagnosis=Diagnosis("mistake", text, text),
            message=f"{text}\n{text}",
            hint=text,
            output=f"{text}\n{text}",
        )

    exercises = tuple(
        replace(e, score=0, status="failed", message=text, file=text, checks=tuple(map(said, e.checks)))
        for e in report.exercises
    )
    stamp = SubmissionStamp(
        id=text, sha256="0", origin=text, submitters=(Submitter(text, text, text),), submitted_at=text, commit=text
    )
    return replace(report, submission=stamp, notes=(text,), score=0, status="failed", exercises=exercises)


def test_hostile_text_stays_text(open_page: OpenPage, handed_in: tuple[Report, ...]) -> None:
    """Markup, scripts, formulas and marks for the direction of text are shown as text."""
    reports = [hostile(handed_in[0], text) for text in HOSTILE]
    page = open_page(reports, faults={f"{HOSTILE[0]} too": HOSTILE[1]}, beside=HOSTILE)

    page.set_viewport_size({"width": 1600, "height": 1200})
    page.wait_for_timeout(200)
    for text in HOSTILE:
        page.evaluate("id => { location.hash = '#learner=' + encodeURIComponent(id) }", text)
        shown = spelled(text)
        page.wait_for_function("text => document.querySelector('dialog h2')?.textContent === text", arg=shown)
        page.evaluate("for (const closed of document.querySelectorAll('dialog details')) closed.open = true")
        assert shown in page.locator("dialog .detail pre").first.inner_text()
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="hidden")
        page.fill("#search", f'"{shown}"')
        assert shown in names(page)
    page.fill("#search", "")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_timeout(200)
    page.evaluate("dispatchEvent(new Event('afterprint'))")

    assert page.evaluate("window.ran === undefined")
    content = page.evaluate("document.body.innerText")
    assert [] == [c for c in "\u202e\u2066\u2028\u200b\x1b\x00" if c in content]
    assert 0 == page.locator("img, iframe, object, embed, form, a[href^='javascript']").count()
    assert len(PARTS.scripts) == page.locator("script:not([type])").count()
    assert page.evaluate(
        "[...document.querySelectorAll('*')].every(e => e.getAttributeNames().every(n => !/^on/.test(n)))"
    )


def test_the_page_spells_text_as_everything_else_does(open_page: OpenPage, a_class: list[Report]) -> None:
    """Each character, alone and among related letters and signs, is shown as Python shows it."""
    places = ("{}", "a{}b", "क्{}ष", "\u06cc{}\u062e", "\U0001f469{}\U0001f4bb", "\u2764{}\u200d\U0001f525", "1{}\u20e3")
    characters = [chr(number) for number in (*range(0xA0), 0xAD, *range(0x300, 0x350), *range(0x17B0, 0x1810))]
    characters += [chr(number) for number in (*range(0x2000, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0)]
    characters += [chr(number) for number in (*range(0xE0000, 0xE0080), *range(0xE0100, 0xE0110))]
    texts = [place.format(c) for c in characters for place in places]
    shown = open_page(a_class).evaluate("texts => texts.map(plain)", texts)
    assert [spelled(text, "\t") for text in texts] == shown


def test_the_walls_hold_without_the_care(browser: Browser, open_page: OpenPage, a_class: list[Report]) -> None:
    """Even if text became markup, the browser would run no added script."""
    open_page(a_class)
    page = browser.contexts[-1].new_page()  # one whose console nobody listens to
    page.goto(browser.contexts[-1].pages[0].url)
    page.wait_for_selector("body[data-ready]")

    markup = "document.querySelector('footer').innerHTML = '<img src=x onerror=\"window.ran = 1\">'"
    assert "TypeError" == page.evaluate(f"(() => {{ try {{ {markup} }} catch (error) {{ return error.name }} }})()")
    page.evaluate(
        """() => {
            const script = document.createElement('script');
            try { script.textContent = 'window.ran = 1'; } catch { script.append('window.ran = 1'); }
            document.body.append(script);
            const image = document.createElement('img');
            image.setAttribute('src', 'http://192.0.2.1/x.png');
            document.body.append(image);
        }"""
    )
    refused = page.evaluate("fetch('http://192.0.2.1/').then(() => 'sent', () => 'refused')")
    page.wait_for_timeout(200)

    assert "refused" == refused
    assert page.evaluate("window.ran === undefined")


def luminance(color: str) -> float:
    """Return the relative luminance of `rgb(r, g, b)`, as WCAG 2 defines it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(page: Page, selector: str, what: str = "color") -> float:
    """Return the contrast of an element's colour with the page's background; 1 for a transparent colour."""
    color = page.evaluate("([s, what]) => getComputedStyle(document.querySelector(s))[what]", [selector, what])
    if color == "rgba(0, 0, 0, 0)":
        return 1.0
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    high, low = sorted((luminance(color), luminance(paper)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_both_colour_schemes(open_page: OpenPage, a_class: list[Report]) -> None:
    """The page uses the reader's colour scheme, and its text has enough contrast in both."""
    page = open_page(a_class)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        paper = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert (paper < 0.2) == (scheme == "dark")
        for selector in ("body", ".about", "nav a", "th button", "#distribution figcaption"):
            assert contrast(page, selector) >= 4.5, selector


@pytest.mark.exhaustive  # starts another browser, and prints the class twice
def test_paper_is_light_and_whole_at_once(
    open_page: OpenPage, make_class: MakeClass, print_page: Callable[[Path], bytes], tmp_path: Path
) -> None:
    """A printed page is dark on white in every colour scheme, has no controls, and shortens misconceptions.

    Chromium's `--print-to-pdf`, which does not wait, prints as many pages as a browser in which the page is ready.
    """
    reports = make_class(16)
    page = open_page(reports, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")

    assert luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")) > 0.9
    for control in ("#search", "#noted", "nav", "#misconception-list details > p"):
        assert not page.locator(control).first.is_visible(), control
    at_once = print_page(tmp_path / "page.html")
    ready = page.pdf(prefer_css_page_size=True, print_background=True)
    pages = [len(re.findall(rb"/Type\s*/Page\b", pdf)) for pdf in (at_once, ready)]
    assert pages[0] == pages[1] > 4

    page.emulate_media(media="screen")
    page.locator(f"{ROWS} button[data-i]").first.click()
    expect(page.locator("dialog h2")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator("dialog h2")).to_be_visible()
    expect(page.locator("main")).to_be_hidden()
    assert page.locator("dialog").evaluate("d => d.scrollHeight <= d.clientHeight + 1")


def test_it_fits_a_phone(open_page: OpenPage, a_class: list[Report]) -> None:
    """No column is out of sight, the page does not scroll sideways, and a name is before its id."""
    page = open_page(a_class, viewport={"width": 390, "height": 800})

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    out = "[...document.querySelectorAll('main :is(td, th, .heat, .score, button)')].filter(wide).map(e => e.outerHTML)"
    wide = (
        "const wide = (e) => { const b = e.getBoundingClientRect(); return b.width && (b.left < 0 || b.right > 390); }"
    )
    assert [] == page.evaluate(f"() => {{ {wide}; return {out}; }}")
    first = min(a_class, key=lambda report: report.submission.id)
    assert [full_name(first), first.submission.id] == [
        part.strip() for part in page.locator(f"{ROWS} .who").first.locator("bdi").all_inner_texts()
    ]
    page.locator(f"{ROWS} button[data-i]").first.click()
    assert page.locator("dialog").evaluate("d => d.scrollWidth <= d.clientWidth")


def test_a_class_of_nobody(open_page: OpenPage) -> None:
    """A class without reports has a page without charts."""
    page = open_page([])

    expect(page.locator("#lead")).to_have_text("0 submissions graded.")
    expect(page.locator("#found")).to_have_text("0 of 0 learners")


def test_what_lies_beside_the_submissions_is_named(open_page: OpenPage, a_class: list[Report]) -> None:
    """Files that belong to no submission are listed."""
    page = open_page(a_class, beside=("notes.txt", "old <b>reports</b>"))

    assert ["◆ Not part of any submission: notes.txt, old <b>reports</b>."] == (
        page.get_by_role("note").all_inner_texts()
    )


def test_numbers_that_do_not_match_are_said(
    browser: Browser, open_page: OpenPage, a_class: list[Report], course: Course, tmp_path: Path
) -> None:
    """Reports of another version of the course are left out, and a warning says so."""
    old = [replace(report, course=replace(report.course, hash="0")) for report in a_class[:2]]
    path = tmp_path / "other.html"
    path.write_text(build_page(summarise(course, a_class, {}), [*old, *a_class[2:]]), encoding="utf-8")
    page = browser.new_context().new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("body[data-ready]")

    texts = page.get_by_role("note").all_inner_texts()
    assert "2 reports of another course" in texts[0]
    assert "24 reports, but 22 were found" in texts[1]


# the rows of the table that the browser lays out and paints
DRAWN = f"""() => [...document.querySelectorAll("{ROWS} button[data-i]")]
    .filter((button) => button.checkVisibility({{contentVisibilityAuto: true}})).length"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("many", [500, 5_000])
def test_a_large_class_stays_usable(open_page: OpenPage, make_class: MakeClass, tmp_path: Path, many: int) -> None:
    """The page of a large class, with code, has 1.6 KB for each learner. It draws only the rows that can be seen."""
    big_class = make_class(many)
    page = open_page(big_class, more=Beside(lambda report: {"swap": f"{CODE}\n# {report.submission.id}"}))
    size = (tmp_path / "page.html").stat().st_size

    assert size < 1_600 * many
    assert page.evaluate(DRAWN) < 500
    page.locator("#search").evaluate("e => e.scrollIntoView()")  # the rows may all be below the charts
    page.wait_for_function(DRAWN)
    assert page.evaluate(DRAWN) < 500
    page.fill("#search", big_class[many // 2].submission.id)
    # the row may be there before it is drawn
    expect(page.locator(f"{ROWS} button[data-i]")).to_have_text([full_name(big_class[many // 2])])
    page.fill("#search", "")
    for text in ("a", "ada l", "zzz", ""):
        page.fill("#search", text)
    for button in page.locator("#learner-table button.sort").all()[:5]:
        button.click()
        assert page.evaluate(DRAWN) < 500
    for _ in range(2):  # by name, a query over all buttons would take longer
        page.locator("#learner-table .score .sort").click()
    page.locator(f"{ROWS} button[data-i]").first.focus()
    page.keyboard.press("End")
    best = sorted(big_class, key=lambda report: report.score)[-1]
    page.wait_for_function("document.activeElement.dataset.i !== undefined")
    page.wait_for_function(
        "score => document.activeElement.closest('.row')?.querySelector('.score strong').textContent === score",
        arg=str(best.score),
    )


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("dark", 390),
        pytest.param("light", 1440, marks=pytest.mark.exhaustive),
        pytest.param("light", 390, marks=pytest.mark.exhaustive),
        pytest.param("dark", 1440, marks=pytest.mark.exhaustive),
    ],
)
def test_axe_finds_nothing(open_page: OpenPage, make_class: MakeClass, scheme: str, width: int) -> None:
    """Tables have names, and axe finds no violation, neither on the class nor on a learner with code."""
    beside = Beside(lambda report: {exercise.id: CODE for exercise in report.exercises}, changes=(CHANGE,))
    page = open_page(
        make_class(3, seed=4),
        more=beside,
        color_scheme=scheme,
        viewport={"width": width, "height": 900},
        reduced_motion="reduce",
    )
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert all(table.get_attribute("aria-label") for table in page.get_by_role("table").all())

    for look in ("document.body", "document.querySelector('dialog')"):
        found = page.evaluate(f"axe.run({look}).then((result) => result.violations)")
        assert [] == [(v["id"], v["impact"], [node["html"][:150] for node in v["nodes"][:3]]) for v in found]
        if "body" in look:
            page.locator(f"{ROWS} button[data-i]").first.click()


CHANGE = ChangedTotal("new", "A new one", None, 3, (ChangeReason("new"), ChangeReason("check", "swap.both", 0, 2)))
CODE = "class Value:\n    def __add__(self, other):\n        self.grad = out.grad\n" + "\n" * 60 + "# the end"


def test_a_learners_code_stands_beside_the_results(open_page: OpenPage, handed_in: tuple[Report, ...]) -> None:
    """The code is escaped and has line numbers. Lines to which a failure refers are marked and named."""
    first, *others = handed_in[0].exercises
    check = replace(first.checks[0], status="failed", score=0, line=3)
    bob = replace(
        handed_in[0],
        submission=SubmissionStamp("x17", "0", submitters=(Submitter("Bob Lee"),)),
        exercises=(replace(first, status="partial", checks=(check, *first.checks[1:])), *others),
    )
    code = {first.id: CODE + HOSTILE[0] + BIDI}
    page = open_page([bob, handed_in[1]], more=Beside(lambda report: code if report is bob else {}))

    page.get_by_role("button", name="Bob Lee").click()
    listing = page.get_by_role("region", name="Code: ")
    expect(listing).to_be_visible()
    hit = listing.locator(".hit")
    assert f"        self.grad = out.grad✗ {check.title}" == hit.text_content()
    assert "3" == hit.get_attribute("data-n")
    assert spelled(f"# the end{HOSTILE[0]}{BIDI}") == listing.locator(".line").last.text_content()
    page.get_by_role("button", name="Previous").click()
    expect(listing).to_have_count(0)


def test_a_listing_of_a_rule_as_long_as_a_file_is_short(open_page: OpenPage, handed_in: tuple[Report, ...]) -> None:
    """The ends of the rule are marked and named."""
    first, *others = handed_in[0].exercises
    fact = FaultFact("no_rule", "a fact", lines=(5_000, 20_000))
    bob = replace(
        handed_in[0],
        submission=SubmissionStamp("x17", "0", submitters=(Submitter("Bob Lee"),)),
        exercises=(replace(first, status="partial", facts=(fact,)), *others),
    )
    code = {first.id: "\n" * 20_100}
    page = open_page([bob, handed_in[1]], more=Beside(lambda report: code if report is bob else {}))

    page.get_by_role("button", name="Bob Lee").click()
    listing = page.get_by_role("region", name="Code: ")
    expect(listing).to_be_visible()
    assert 40 == listing.locator(".hit").count()
    assert 2_000 + 2 * (8 + 20 + 8) + 3 == listing.locator(".line").count()
    expect(page.locator("figure.code figcaption")).to_contain_text(re.compile(r"lines 5000.5019, 19981.20000$"))


def test_people_are_shown_as_the_final_table_has_them(open_page: OpenPage, a_class: list[Report]) -> None:
    """The page has names of the roster, a filter by section, lateness, and totals after the penalty.

    Absent learners are listed.
    """
    ids = [report.submission.id for report in a_class]
    lines = [
        "login,name,section",
        *(f"{name},Zoë {name},{'ab'[at % 2]}" for at, name in enumerate(ids)),
        "bob,Bob Lee,a",
    ]
    roster = parse_roster("\n".join(lines).encode(), "roster.csv")
    stamps = [
        SubmissionStamp(name, "0", submitted_at=f"2026-11-0{1 + at % 3}T10:00:00Z") for at, name in enumerate(ids)
    ]
    reports = [replace(report, submission=stamp) for report, stamp in zip(a_class, stamps, strict=True)]
    rules = DeadlineRules(due="2026-11-02T08:00:00+00:00", percent=10)
    page = open_page(reports, people=Class(tuple(map(HandIn.of, stamps)), roster, rules))

    assert sorted(["Bob Lee", *(f"Zoë {name}" for name in ids)]) == sorted(names(page))
    page.locator("#section").select_option("a")
    assert len(lines[1:]) // 2 + 1 == len(names(page))
    expect(page.locator(ROWS, has_text="Bob Lee").locator(".score")).to_have_text("absent")
    page.locator("#section").select_option("")
    late = [report for at, report in enumerate(reports) if at % 3]
    page.locator("#questions > div", has_text="Who was late?").get_by_role("button").click()
    assert len(late) == len(names(page))
    row = page.locator(ROWS, has_text=late[1].submission.id)
    expect(row.locator(".time")).to_have_text("2026-11-03 10:00 UTC 1 d 2 h late")
    points = late[1].score + late[1].bonus
    assert str(points - points * 20 // 100) == row.locator(".total").inner_text()


def test_an_exercise_that_nobody_submitted_is_not_the_hardest(
    open_page: OpenPage, handed_in: tuple[Report, ...]
) -> None:
    """An exercise without submissions is named as such, has no mean, and none of its checks has a note.

    The same holds if only stubs were submitted.
    """
    solved, stubs, nothing, mistaken, *_ = handed_in
    exercises = (*mistaken.exercises[:-2], stubs.exercises[-2], nothing.exercises[-1])
    page = open_page([replace(solved, exercises=exercises, submission=SubmissionStamp("ann", "0")), nothing])
    begun, missing = (f"{one.number} {one.id}" for one in exercises[-2:])
    answer = page.locator("#questions > div", has_text="What did most learners get wrong?").locator("dd")
    expect(answer).to_contain_text("1 of 1 learners who began it lost points")
    expect(answer).to_contain_text(f"Nobody submitted {missing}. Nobody began {begun}.")
    rows = page.locator("#exercise-table tbody tr")
    assert ["\N{EN DASH}"] * 2 == [rows.nth(at).locator("td").first.inner_text() for at in (-2, -1)]
    notes = page.locator("#check-table tr", has_text=missing).locator("td:last-child").all_inner_texts()
    assert {"◆ nobody submitted the exercise"} == set(notes)


def test_a_learner_with_two_submissions_is_there_once(open_page: OpenPage, handed_in: tuple[Report, ...]) -> None:
    """The submission that counts is shown. A link to the other one also opens the learner."""
    solved, _, _, mistaken, *_ = handed_in
    stamps = [SubmissionStamp(f"sub{at}", "0", submitters=(Submitter("Bob Lee", "bob"),)) for at in range(2)]
    stamps = [replace(stamp, submitted_at=f"2026-11-0{at + 1}T10:00:00Z") for at, stamp in enumerate(stamps)]
    reports = [replace(one, submission=stamp) for one, stamp in zip((solved, mistaken), stamps, strict=True)]
    roster = parse_roster(b"login,name\nbob,Bob Lee\n", "roster.csv")
    page = open_page(reports, at="#learner=sub0", people=Class(tuple(map(HandIn.of, stamps)), roster))
    expect_opened(page, "Bob Lee")
    expect(page.locator("dialog")).to_contain_text("Other submissionssub0")
    page.keyboard.press("Escape")
    assert ["Bob Lee"] == names(page)
    assert [str(exercise.score) for exercise in mistaken.exercises] == column(page, ".heat")
    expect(page.locator(".doubt")).to_have_count(0)


def test_times_name_their_zones_and_are_sorted_as_times(open_page: OpenPage, handed_in: tuple[Report, ...]) -> None:
    """Without a due date, each time is in the zone that the platform gave. The earliest one is first."""
    times = ("2026-11-02T23:30:00+05:30", "2026-11-02T20:30:00Z", "2026-11-02 20:15:00.5-00:30")
    reports = [
        replace(report, submission=SubmissionStamp(name, "0", submitted_at=time))
        for report, name, time in zip(handed_in, "abc", times, strict=False)
    ]
    page = open_page(reports)
    sort_by(page, "Submitted")
    expected = ["2026-11-02 23:30 UTC+05:30", "2026-11-02 20:30 UTC", "2026-11-02 20:15 UTC-00:30"]
    assert expected == column(page, ".time")


def test_who_has_files_did_not_submit_nothing(open_page: OpenPage, handed_in: tuple[Report, ...]) -> None:
    """A person without an exercise file is named apart from those of the roster who have no submission."""
    stamp = SubmissionStamp("bob", "0", submitters=(Submitter("Bob Lee", "bob"),))
    roster = parse_roster(b"login,name\nbob,Bob Lee\nabe,Abe Sent\n", "roster.csv")
    page = open_page([replace(handed_in[2], submission=stamp)], people=Class((HandIn.of(stamp),), roster))
    answer = page.locator("#questions > div", has_text="Who submitted nothing?").locator("dd")
    for words, name in (("1 learner", "Abe Sent"), ("1 learner submitted no exercise file", "Bob Lee")):
        answer.get_by_role("button", name=words, exact=True).click()
        assert [name] == names(page)


def test_times_are_on_one_clock(open_page: OpenPage, handed_in: tuple[Report, ...]) -> None:
    """A time in UTC is shown in the time zone of the due date."""
    stamp = SubmissionStamp("bob", "0", submitted_at="2026-11-02T23:30:00Z")
    rules = DeadlineRules(due="2026-11-02T23:59:00+01:00")
    page = open_page([replace(handed_in[0], submission=stamp)], people=Class((HandIn.of(stamp),), rules=rules))
    expect(page.locator(f"{ROWS} .time")).to_have_text("2026-11-03 00:30 UTC+01:00 31 min late")


def test_a_teachers_questions_take_two_clicks(
    open_page: OpenPage, a_class: list[Report], handed_in: tuple[Report, ...], course: Course
) -> None:
    """Each answer is at most two clicks away from the top of the page.

    The questions are who submitted nothing, who needs me, what most got wrong, what Bob's code looks like, which
    grades depend on one check, and what changed.
    """
    absent = replace(handed_in[2], submission=SubmissionStamp("absent", "0", submitters=(Submitter("Abe Sent"),)))
    reports = [*a_class, absent]
    summary = summarise(course, reports, {})
    page = open_page(reports, more=Beside(lambda report: {"distribute": CODE}, changes=(CHANGE,)))
    asked = page.locator("#questions > div")
    ask = lambda words: asked.filter(has_text=words).locator("a, button")  # noqa: E731

    ask("submitted nothing").click()
    assert ["Abe Sent"] == names(page)
    few = [r for r in reports if r.submission.id != "absent" and 2 * (r.score + r.bonus) < r.max_score]
    ask("needs me").last.click()
    assert len(few) == len(names(page)) > 0
    ask("needs me").first.click()
    expect(page.locator("#review-table tbody tr").first).to_be_in_viewport()
    assert len(summary.needs_review) == page.locator("#review-table tbody tr").count()
    begun = [e for report in reports for e in report.exercises if e.status not in ("missing", "not_started")]
    wrong = Counter(e.id for e in begun if e.score < e.max_score)
    ask("most learners get wrong").click()
    assert max(wrong.values()) == len(names(page))
    ask("depends on one check").click()
    expect(page.locator("#border-table tbody tr").first).to_be_in_viewport()
    ask("changed since").click()
    expect(page.locator("#change-table tbody tr")).to_contain_text("swap.both: 0 -> 2")

    ask("code look like").click()
    page.keyboard.type("abe sent")
    page.get_by_role("button", name="Abe Sent").click()
    expect(page.locator("dialog h2")).to_have_text("Abe Sent")
    expect(page.locator("dialog .listing")).to_have_count(1)
