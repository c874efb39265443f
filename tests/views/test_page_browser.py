"""The page in a real browser, as an instructor uses it."""

import itertools
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from grader.cohort import summarise
from grader.course import Course
from grader.outside.text import spelled
from grader.report import CheckResult, Diagnosis, Report
from grader.report.model import SubmissionStamp, Submitter
from grader.views.page import build_page
from grader.views.page.build import PARTS

pytestmark = pytest.mark.browser

MakeClass = Callable[..., list[Report]]
OpenHtml = Callable[..., Page]
OpenPage = Callable[..., Page]

MANY = 5_000
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
    """Opens the page on a class."""

    def open_(
        reports: list[Report],
        *,
        at: str = "",
        faults: dict[str, str] | None = None,
        beside: Sequence[str] = (),
        **context: Any,
    ) -> Page:
        return open_html(build_page(summarise(course, reports, faults or {}, beside), reports), at=at, **context)

    return open_


@pytest.fixture(scope="module")
def a_class(make_class: MakeClass) -> list[Report]:
    return make_class(24, seed=3)


@pytest.fixture(scope="module")
def big_class(make_class: MakeClass) -> list[Report]:
    return make_class(MANY)


def names(page: Page) -> list[str]:
    """The learners in the table, as far as they are drawn, from the top."""
    return page.locator("#learner-table button[data-i]").all_inner_texts()


def column(page: Page, field: str) -> list[str]:
    return page.locator(f'#learner-table .tabulator-cell[tabulator-field="{field}"]').all_inner_texts()


def sort_by(page: Page, title: str) -> None:
    page.locator("#learner-table").get_by_role("button", name=title, exact=True).click()


def opened(page: Page) -> str:
    """Whose report is open; empty where none is."""
    heading = page.locator("dialog[open] h2")
    return heading.inner_text() if heading.count() else ""


def full_name(report: Report) -> str:
    assert isinstance(report.submission.submitters, tuple)
    return report.submission.submitters[0].name


def test_the_class_at_a_glance(open_page: OpenPage, a_class: list[Report]) -> None:
    """Counts, both charts, an exercise a line; who was not graded is counted."""
    page = open_page(a_class, faults={"lost": "its archive is damaged"})

    expect(page.locator("#lead")).to_contain_text("24 of 25 submissions graded")
    expect(page.locator("#distribution svg rect").first).to_be_visible()
    expect(page.locator("#heat svg image")).to_have_count(1)
    assert len(a_class[0].exercises) == page.locator("#exercise-table .tabulator-row").count()
    assert page.title() == "The Backward Pass: the class"


def test_the_heat_map_opens_who_is_under_the_pointer(open_page: OpenPage, a_class: list[Report]) -> None:
    """A click on a line of it opens the learner whose line it is."""
    page = open_page(a_class)
    best = max(report.score for report in a_class)
    page.locator("#heat").scroll_into_view_if_needed()
    image = page.locator("#heat svg image").bounding_box()
    assert image is not None

    page.mouse.move(image["x"] + 30, image["y"] + 4)
    expect(page.locator("#heat-at")).to_contain_text("01 distribute")
    page.mouse.click(image["x"] + 30, image["y"] + 4)

    assert opened(page) in {full_name(report) for report in a_class if report.score == best}


@pytest.mark.parametrize("words", ["berg", "1000007", "ADA BERG", "@example.org lee"])
def test_search_finds_names_ids_and_addresses(open_page: OpenPage, a_class: list[Report], words: str) -> None:
    """Every word has to be there, wherever, in capitals or not."""
    page = open_page(a_class)

    page.fill("#search", words)

    def text(report: Report) -> str:
        (who,) = report.submission.submitters or ()
        return f"{report.submission.id} {who.name} {who.id} {who.email}".lower()

    found = [report for report in a_class if all(word in text(report) for word in words.lower().split())]
    assert sorted(map(full_name, found)) == sorted(names(page))
    expect(page.locator("#found")).to_have_text(f"{len(found)} of 24 learners")
    page.fill("#search", "")
    assert len(names(page)) == 24


def test_sorting_by_score_and_by_an_exercise(open_page: OpenPage, a_class: list[Report]) -> None:
    """The first click puts the highest on top, the second the lowest; the header says so."""
    page = open_page(a_class)
    scores = sorted(report.score for report in a_class)

    sort_by(page, "Score")
    assert [str(score) for score in reversed(scores)] == column(page, "score")
    header = page.locator('#learner-table [role="columnheader"][tabulator-field="score"]')
    expect(header).to_have_attribute("aria-sort", "descending")
    sort_by(page, "Score")
    assert [str(score) for score in scores] == column(page, "score")
    expect(header).to_have_attribute("aria-sort", "ascending")

    page.locator("#learner-table").get_by_role("button", name=re.compile("^03 accumulate")).click()
    numbers = [int(text) for text in column(page, "e2") if text.isdigit()]
    assert sorted(numbers, reverse=True) == numbers


def test_a_learner_is_opened_and_closed(open_page: OpenPage, a_class: list[Report]) -> None:
    """Every exercise and check is there, what failed in full; Escape closes, and the focus is where it was."""
    report = min(a_class, key=lambda report: report.score)
    page = open_page(a_class)
    page.fill("#search", report.submission.id)

    page.get_by_role("button", name=full_name(report)).click()
    dialog = page.get_by_role("dialog", name=full_name(report))
    expect(dialog).to_be_visible()
    expect(dialog.locator(".score")).to_contain_text(f"{report.score} of 100")
    assert len(report.exercises) == dialog.locator("details.exercise").count()
    for exercise, shown in zip(report.exercises, dialog.locator("details.exercise").all(), strict=True):
        assert f"{exercise.score}/{exercise.max_score}" in shown.locator("summary .points").inner_text()
        rows = shown.locator("li.check").all()
        for check, row in zip(exercise.checks, rows, strict=True):
            said = row.text_content() or ""
            assert check.title in said
            assert check.status in said
            program = check.program if isinstance(check.program, str) else ""
            if check.status != "passed":
                assert re.sub(r"\s", "", program) in re.sub(r"\s", "", said)
                if check.diagnosis:
                    assert f"why{check.diagnosis.explanation}" in said

    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert full_name(report) == page.evaluate("document.activeElement.textContent")


def test_the_keyboard_alone_is_enough(open_page: OpenPage, a_class: list[Report]) -> None:
    """From the top of the page to a learner, to the next one, and back to the table."""
    page = open_page(a_class)
    press = page.keyboard.press

    press("Tab")
    assert "Skip to the search for learners" == page.evaluate("document.activeElement.textContent")
    press("Enter")
    assert "search" == page.evaluate("document.activeElement.id")
    page.keyboard.type("e")
    columns = page.locator("#learner-table button.sort").count()
    press("Tab")
    press("Tab")
    assert "Score" == page.evaluate("document.activeElement.textContent")
    press("Enter")
    expected = names(page)
    for _ in range(columns - 1):
        press("Tab")
    assert expected[0] == page.evaluate("document.activeElement.textContent")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert "solid" == outline

    press("ArrowDown")
    press("ArrowDown")
    press("ArrowUp")
    assert expected[1] == page.evaluate("document.activeElement.textContent")
    press("Enter")
    page.wait_for_selector("dialog[open]")
    assert expected[1] == opened(page)
    inside = "document.activeElement.closest('dialog') !== null"
    assert page.evaluate(inside)
    page.get_by_role("button", name="Next").focus()
    press("Enter")
    assert expected[2] == opened(page)
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
    """The example is a link that opens that learner; the count shows exactly those."""
    found = summarise(course, a_class, {}).misconceptions[0]
    page = open_page(a_class)
    row = page.locator("#misconception-table .tabulator-row").first
    expect(row).to_contain_text(found.title)

    row.get_by_role("link", name=found.example).click()
    (example,) = [report for report in a_class if report.submission.id == found.example]
    page.wait_for_selector("dialog[open]")
    assert full_name(example) == opened(page)
    expect(page.locator("dialog")).to_contain_text(found.explanation)
    page.keyboard.press("Escape")
    row.get_by_role("button", name=str(found.count), exact=True).click()
    assert found.count == len(names(page))


def test_checks_worth_a_thought_stand_out(open_page: OpenPage, a_class: list[Report], course: Course) -> None:
    """They carry a mark and their note, and can be had alone; the table can be sorted by discrimination."""
    checks = [check for exercise in summarise(course, a_class, {}).exercises for check in exercise.checks]
    page = open_page(a_class)
    rows = page.locator("#check-table .tabulator-row")
    assert len(checks) == rows.count()

    page.get_by_label("only checks with a note").check()
    noted = [check.note for check in checks if check.note]
    assert [f"◆ {note}" for note in noted] == rows.locator(".noted").all_inner_texts()
    page.get_by_label("only checks with a note").uncheck()
    page.locator("#check-table").get_by_role("button", name="Discrimination").click()
    best = max(check.discrimination for check in checks if check.discrimination is not None)
    expect(rows.first).to_contain_text(f"{best:.2f}")


def test_who_needs_an_eye_and_who_is_near_a_border(open_page: OpenPage, a_class: list[Report], course: Course) -> None:
    """With the reasons, and links to the learners; somebody without a report is found, too."""
    summary = summarise(course, a_class, {"lost": "its archive is damaged"})
    page = open_page(a_class, faults={"lost": "its archive is damaged"})
    reviews = page.locator("#review-table .tabulator-row")

    assert len(summary.needs_review) == reviews.count()
    assert len(summary.borders) == page.locator("#border-table .tabulator-row").count()
    reviews.filter(has_text="lost").get_by_role("link").click()
    page.wait_for_selector("dialog[open]")
    expect(page.locator("dialog")).to_contain_text("not graded: its archive is damaged")


def test_an_address_opens_a_learner(open_page: OpenPage, a_class: list[Report]) -> None:
    """`page.html#learner=ID` can be kept and sent; back closes; nonsense does no harm."""
    report = a_class[5]
    page = open_page(a_class, at=f"#learner={report.submission.id}")

    assert full_name(report) == opened(page)
    for nonsense in ("#learner=nobody", "#learner=%E0%A4%A", "#learner=__proto__", "#nowhere"):
        page.evaluate("hash => { location.hash = hash }", nonsense)
        page.wait_for_selector("dialog", state="hidden")
    page.evaluate("id => { location.hash = '#learner=' + id }", report.submission.id)
    page.wait_for_selector("dialog[open]")
    page.go_back()
    page.wait_for_selector("dialog", state="hidden")


def hostile(report: Report, text: str) -> Report:
    """The report with a text wherever a submission could bring one in."""

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
    """Markup, scripts, formulas and marks that turn the direction of writing: shown, never obeyed."""
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
    """Each character, alone and among the letters and signs that it may belong to, is shown as Python shows it."""
    places = ("{}", "a{}b", "क्{}ष", "\u06cc{}\u062e", "\U0001f469{}\U0001f4bb", "\u2764{}\u200d\U0001f525", "1{}\u20e3")
    characters = [chr(number) for number in (*range(0xA0), 0xAD, *range(0x300, 0x350), *range(0x17B0, 0x1810))]
    characters += [chr(number) for number in (*range(0x2000, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0)]
    characters += [chr(number) for number in (*range(0xE0000, 0xE0080), *range(0xE0100, 0xE0110))]
    texts = [place.format(c) for c in characters for place in places]
    shown = open_page(a_class).evaluate("texts => texts.map(plain)", texts)
    assert [spelled(text, "\t") for text in texts] == shown


def test_the_walls_hold_without_the_care(browser: Browser, open_page: OpenPage, a_class: list[Report]) -> None:
    """Were some text ever handed on as markup, it would be escaped, and its script would not run."""
    open_page(a_class)
    page = browser.contexts[-1].new_page()  # one whose console nobody listens to
    page.goto(browser.contexts[-1].pages[0].url)
    page.wait_for_selector("body[data-ready]")

    page.evaluate("document.querySelector('footer').innerHTML = '<img src=x onerror=\"window.ran = 1\">'")
    assert '<img src=x onerror="window.ran = 1">' == page.locator("footer").inner_text()
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
    """Relative luminance of `rgb(r, g, b)`, by WCAG 2."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(page: Page, selector: str) -> float:
    color = page.evaluate("s => getComputedStyle(document.querySelector(s)).color", selector)
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    high, low = sorted((luminance(color), luminance(paper)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_colour_schemes(open_page: OpenPage, a_class: list[Report], scheme: str) -> None:
    """The page takes the reader's, and its text stands out from its paper in each."""
    page = open_page(a_class, color_scheme=scheme)

    paper = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert (paper < 0.2) == (scheme == "dark")
    for selector in ("body", ".about", "nav a", ".tabulator-col-title button", "#distribution figcaption"):
        assert contrast(page, selector) >= 4.5, selector


def test_print_is_light_and_whole(open_page: OpenPage, make_class: MakeClass) -> None:
    """On paper: dark on white whatever the screen, every learner in real tables, no controls."""
    reports = make_class(80)
    page = open_page(reports, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")

    assert luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")) > 0.9
    assert 80 == page.locator("#learner-table ~ * tr, #learners table tbody tr").count()
    for control in ("#search", "#noted", "nav", ".tabulator"):
        assert not page.locator(control).first.is_visible(), control
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert 0 == page.locator("table.tabulator-print-table").count()

    page.locator("#learner-table button[data-i]").first.click()
    page.emulate_media(media="print")
    assert page.locator("dialog h2").is_visible()
    assert not page.locator("main").is_visible()
    assert page.locator("dialog").evaluate("d => d.scrollHeight <= d.clientHeight + 1")


def test_it_fits_a_phone(open_page: OpenPage, a_class: list[Report]) -> None:
    """Tables scroll in themselves; the page does not scroll sideways."""
    page = open_page(a_class, viewport={"width": 390, "height": 800})

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("#learner-table button[data-i]").first.click()
    assert page.locator("dialog").evaluate("d => d.scrollWidth <= d.clientWidth")


def test_what_a_screen_reader_is_told(open_page: OpenPage, a_class: list[Report]) -> None:
    """Landmarks, headings that skip no level, names for every control and table."""
    page = open_page(a_class)

    for role in ("banner", "navigation", "main", "contentinfo"):
        assert 1 == page.get_by_role(role).count(), role  # type: ignore[arg-type]
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map(h => Number(h.tagName[1]))")
    assert 1 == levels[0]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    nameless = (
        "[...document.querySelectorAll('button, a, summary')].filter(e => !(e.textContent.trim() || e.ariaLabel))"
    )
    assert 0 == page.evaluate(f"{nameless}.length")
    grids = page.get_by_role("grid")
    assert all(grid.get_attribute("aria-label") for grid in grids.all())
    assert 6 == grids.count()
    assert page.locator("#heat svg").get_attribute("aria-label") is not None
    expect(page.get_by_role("searchbox", name="Search")).to_be_visible()


def test_a_class_of_nobody(open_page: OpenPage) -> None:
    """No reports, no charts, and a page all the same."""
    page = open_page([])

    expect(page.locator("#lead")).to_have_text("0 submissions graded.")
    expect(page.locator("#found")).to_have_text("0 of 0 learners")


def test_what_lies_beside_the_submissions_is_named(open_page: OpenPage, a_class: list[Report]) -> None:
    """Nobody's file is passed over in silence."""
    page = open_page(a_class, beside=("notes.txt", "old <b>reports</b>"))

    assert ["◆ Not part of any submission: notes.txt, old <b>reports</b>."] == (
        page.get_by_role("note").all_inner_texts()
    )


def test_numbers_that_do_not_match_are_said(
    browser: Browser, open_page: OpenPage, a_class: list[Report], course: Course, tmp_path: Path
) -> None:
    """Reports of another version are left out, and the page says so."""
    old = [replace(report, course=replace(report.course, hash="0")) for report in a_class[:2]]
    path = tmp_path / "other.html"
    path.write_text(build_page(summarise(course, a_class, {}), [*old, *a_class[2:]]), encoding="utf-8")
    page = browser.new_context().new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("body[data-ready]")

    texts = page.get_by_role("note").all_inner_texts()
    assert "2 reports of another course" in texts[0]
    assert "24 reports, but 22 were found" in texts[1]


def test_five_thousand_learners_stay_usable(open_page: OpenPage, big_class: list[Report], tmp_path: Path) -> None:
    """A few MB; opened, searched, sorted and scrolled without waiting. Times are for a busy machine with two cores."""
    started = time.perf_counter()
    page = open_page(big_class)
    building_and_opening = time.perf_counter() - started
    ready = page.evaluate("performance.now()") / 1000
    size = (tmp_path / "page.html").stat().st_size

    assert size < 8_000_000
    assert ready < 15
    assert len(names(page)) < 200  # only what is in view is drawn
    page.fill("#search", big_class[4321].submission.id)
    assert [full_name(big_class[4321])] == names(page)
    page.fill("#search", "")
    slowest = page.evaluate(
        """() => {
            const search = document.getElementById("search");
            const times = ["a", "ad", "ada", "ada l", "", "zzz", ""].map((text) => {
                const start = performance.now();
                search.value = text;
                search.dispatchEvent(new Event("input"));
                document.body.offsetHeight;
                return performance.now() - start;
            });
            for (const button of [...document.querySelectorAll("#learner-table button.sort")].slice(0, 5)) {
                const start = performance.now();
                button.click();
                document.body.offsetHeight;
                times.push(performance.now() - start);
            }
            return Math.max(...times);
        }"""
    )
    assert slowest < 2_000
    sort_by(page, "Score")
    sort_by(page, "Score")
    page.locator("#learner-table button[data-i]").first.focus()
    page.keyboard.press("End")
    best = sorted(big_class, key=lambda report: report.score)[-1]
    page.wait_for_function("document.activeElement.dataset.i !== undefined")
    page.wait_for_function(
        """score => document.activeElement.closest('.tabulator-row')
            ?.querySelector('[tabulator-field="score"]').textContent === score""",
        arg=str(best.score),
    )
    print(f"{size / 1e6:.1f} MB, {building_and_opening:.1f} s in all, ready in {ready:.1f} s, slowest {slowest:.0f} ms")
