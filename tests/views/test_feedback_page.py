"""The feedback page for each learner of a class."""

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from grader.learners import Submitter
from grader.report import CheckResult, ExerciseResult, Report, for_learner
from grader.report.model import FaultFact, SubmissionStamp
from grader.views.feedback_page import feedback_page

MakeCheck = Callable[..., CheckResult]
MakeExercise = Callable[..., ExerciseResult]
MakeReport = Callable[..., Report]

EVIL = "</pre><script>alert(1)</script>\u202e"
CODE = f"def f():\n    return 1  # {EVIL}\n"
COMMAND = "grade hint distribute 2"


@pytest.fixture
def report(make_check: MakeCheck, make_exercise: MakeExercise, make_report: MakeReport) -> Report:
    """Return a report with two checks that fail for the same misconception, and one that passes.

    All texts are hostile.
    """
    wrong: dict[str, Any] = {
        "status": "failed",
        "line": 2,
        "program": EVIL,
        "message": EVIL,
        "output": EVIL,
        "expected": {EVIL: 1.0},
        "actual": {EVIL: EVIL},
        "diagnosis": f"`a` and {EVIL}",
        "hint": COMMAND,
    }
    checks = (make_check(**wrong), make_check("the other", **wrong), make_check())
    exercise = make_exercise(*(replace(check, id=f"c{at}") for at, check in enumerate(checks)))
    stamp = SubmissionStamp("ann", "0", submitters=(Submitter(f"Ann {EVIL}"),))
    return replace(make_report(exercise), submission=stamp, notes=(EVIL,))


def parsed(page: str) -> ElementTree.Element:
    """Return the body of a page, which is well-formed."""
    (body,) = re.findall(r"<body>.*</body>", page, re.DOTALL)
    return ElementTree.fromstring(body.replace(' open=""', "").replace(" open>", ">"))


def found(body: ElementTree.Element, kind: str) -> list[str]:
    """Return the texts of the elements that have a class."""
    return ["".join(one.itertext()) for one in body.iter() if kind in (one.get("class") or "").split()]


def test_it_holds_what_a_learner_is_told(report: Report) -> None:
    """The page has each check's numbers, each misconception and hint once, and the code with failing lines."""
    body = parsed(feedback_page(report, "A course", {"distribute": CODE}, {COMMAND: "multiply by `out.grad`"}))
    shown = EVIL.replace("\u202e", "\\u202e")

    assert [f"Ann {shown}: 2 of 6 points"] == found(body, "lead")
    assert 3 == len(found(body, "check"))
    assert [f"a titlea and {shown}"] == found(body, "mistake")
    assert ["1 hintmultiply by out.grad"] == found(body, "hints")
    assert [f"    return 1  # {shown}✗ both inputs receive the gradient; the other"] == found(body, "hit")
    assert ["def f():", *found(body, "hit")] == found(body, "line")


def test_code_is_shown_around_the_lines_that_failed(report: Report) -> None:
    """Eight lines before and after each failing line are shown. Without such a line, no code is shown."""
    (exercise,) = report.exercises
    checks = tuple(replace(check, line=at) for check, at in zip(exercise.checks, (20, 22, UNSET), strict=True))
    code = "".join(f"{at}\n" for at in range(1, 99))

    def lines(*checks: CheckResult) -> list[str]:
        page = feedback_page(
            replace(report, exercises=(replace(exercise, checks=checks),)), "A", {exercise.id: code}, {}
        )
        return found(parsed(page), "line")

    expected = ["⋯", *(str(at) for at in range(12, 31))]
    assert expected == [text.partition("✗")[0] for text in lines(*checks)]
    assert [] == lines(checks[2])


def test_only_the_ends_of_a_long_rule_are_shown(report: Report) -> None:
    """A rule of 9,000 lines has twenty marked lines at each end, and a long line is cut."""
    (exercise,) = report.exercises
    fact = FaultFact("no_rule", "a fact", lines=(100, 9_099))
    exercise = replace(exercise, checks=(), facts=(fact,))
    code = "\n" * 99 + ("x" * 1_000 + "\n") * 9_000
    body = parsed(feedback_page(replace(report, exercises=(exercise,)), "A", {exercise.id: code}, {}))

    assert [*range(100, 120), *range(9_080, 9_100)] == [
        int(line.get("data-n") or 0) for line in body.iter() if line.get("class") == "line hit"
    ]
    assert 8 + 20 + 8 + 1 + 8 + 20 + 1 == len(found(body, "line"))
    assert 200 == max(map(len, found(body, "line")))


def test_no_text_acts_as_markup(report: Report) -> None:
    """No text from a submission becomes an element, and the page runs no script."""
    page = feedback_page(report, EVIL, {"distribute": CODE}, {COMMAND: EVIL})

    assert "<script" not in page
    assert "\u202e" not in page
    assert "default-src 'none'; script-src 'none'; style-src 'sha256-" in page
    assert [] == [one.tag for one in parsed(page).iter() if one.tag in ("script", "img", "a", "iframe")]


def test_what_the_course_hides_is_not_in_it(report: Report) -> None:
    """A hidden check without details has only its points."""
    (exercise,) = report.exercises
    hidden = tuple(replace(check, visibility="hidden", message="the secret") for check in exercise.checks)
    report = replace(report, exercises=(replace(exercise, checks=hidden),))
    page = feedback_page(for_learner(report, {}), "A course", {"distribute": CODE}, {COMMAND: "a hint"})
    body = parsed(page)

    assert "the secret" not in page
    assert [] == found(body, "mistake") + found(body, "hints") + found(body, "hit") + found(body, "detail")
    assert ["0/2", "0/2", "2/2"] == found(body, "points")[1:]
