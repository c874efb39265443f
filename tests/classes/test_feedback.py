"""The feedback for each learner of a class."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec import UNSET
from msgspec.structs import replace
from read_yaml import read_yaml
from reports import make_check, make_exercise, make_report

from grader.classes.cohort.results import CODE as KEPT
from grader.classes.cohort.results import keep_code
from grader.classes.feedback import feedback, feedback_files, feedback_page, place
from grader.course.facts import FaultFact
from grader.course.learners import Decided, Learner, Person, Submitter
from grader.runner.client import Reason
from grader.verdict.formats.registry import ExportRequest
from grader.verdict.report import CheckResult, Report, for_learner, read_report
from grader.verdict.report.model import SubmissionStamp
from grader.words.learner import excused_text, time_text

Placed = Callable[..., Report]

JANE = (Submitter("jane", "jane"),)  # as nbgrader's folder `jane` says
LISTED = read_yaml(Path(__file__).with_name("feedback_names.yaml"))
EVIL = "</pre><script>alert(1)</script>\u202e"
CODE = f"def f():\n    return 1  # {EVIL}\n"
COMMAND = "grade hint distribute 2"


@pytest.fixture
def report() -> Report:
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


@pytest.fixture
def placed() -> Placed:
    """Return a function that makes a report on a file with a path, from a folder of a platform's download."""

    def make(origin: str, file: str) -> Report:
        report = make_report(make_exercise(make_check(), file=file))
        return replace(report, submission=SubmissionStamp("jane", "0", origin=origin, submitters=JANE))

    return make


@pytest.mark.parametrize(("platform", "origin", "file", "expected"), LISTED["download"])
def test_feedback_is_named_as_a_platform_takes_it_back(
    placed: Placed, platform: str, origin: str, file: str, expected: str | None
) -> None:
    """Names follow the platform's own download. Submissions from elsewhere are left out."""
    (files,) = feedback_files([placed(origin, file)], ExportRequest(title="A course", platform=platform))
    assert [expected] * bool(expected) == list(files)
    assert all(text.lower().startswith("<!doctype html>") for text in files.values())


@pytest.mark.parametrize(("platform", "near", "expected"), LISTED["near"])
def test_somebody_whose_file_has_another_name_gets_feedback(
    placed: Placed, platform: str, near: str, expected: str
) -> None:
    """The feedback is named even if no file could be graded. The file with a similar name has the platform's path."""
    report = placed("jane", "01_distribute.py")
    missing = replace(report.exercises[0], status="missing", reason=Reason("near_name", names=(near,)))
    assert expected == place(replace(report, exercises=(missing,)), platform)


def test_who_submitted_no_exercise_file_gets_feedback(placed: Placed, tmp_path: Path) -> None:
    """Another file of the submission has the platform's path. Without any, the learner is named."""
    report = placed("doejane_1042", "01_distribute.py")
    missing = replace(report, exercises=(replace(report.exercises[0], status="missing"),))
    (tmp_path / KEPT).mkdir()
    keep_code(tmp_path, missing.submission, {}, {"": {"doejane_1042_99734_notes.txt": "0"}})
    for results, expected in ((tmp_path, ["doejane_1042_99734_feedback.html"]), (tmp_path / "other", [])):
        request = ExportRequest(title="A course", platform="canvas", results=results)
        (files,) = feedback_files([missing], request)
        assert (expected, [] if expected else ["jane"]) == (list(files), request.left_out)


@pytest.mark.parametrize(("platform", "origin", "file", "person", "expected"), LISTED["group"])
def test_each_member_of_a_group_has_a_file(
    placed: Placed, platform: str, origin: str, file: str, person: dict[str, str], expected: str | None
) -> None:
    """The file has the member's own name and id, and the decisions on that member. A member without an id has none."""
    rows = [
        Learner("jane", Person("Jane Doe", "jane"), "graded"),
        Learner("bob", Person(**person), "graded", comment="to Bob"),
    ]
    request = ExportRequest(title="A course", platform=platform, learners=tuple(rows))
    exported = feedback_files([replace(placed(origin, file), learner=row) for row in rows], request)
    texts = {name: text for files in exported for name, text in files.items()}
    assert (2 if expected else 1) == len(texts)
    assert (expected is None) == bool(request.warnings)
    assert [expected] * bool(expected) == [name for name, text in texts.items() if "to Bob" in text]


def test_feedback_says_what_people_decided() -> None:
    """It has the points, penalty, total, grade and comment. The folder has the learner's name."""
    decided = Decided("Ada", "2026-03-05T00:00:00+00:00", "the message misled", points={"distribute.one": 2})
    later = Decided("Ada", "2026-03-06T00:00:00+00:00", "so", penalty=1, comment="Well\x1b\ndone")
    row = Learner("stu1", Person("Jane Doe", "stu1"), "graded", late_s=1860, score=4, penalty=1, total=3, grade="A")
    times = {"submitted_at": "2026-03-01T23:30:00+00:00", "due": "2026-03-01T23:59:00+01:00"}
    row = replace(row, decisions=(decided, later), comment="Well\x1b\ndone", **times)
    report = replace(make_report(make_exercise(make_check(decided=decided))), learner=row, notes=("a note",))
    (files,) = feedback([report], ExportRequest(title="A course"))

    assert ["Jane_Doe_stu1/report.json", "Jane_Doe_stu1/feedback.html"] == list(files)
    assert report == read_report(files["Jane_Doe_stu1/report.json"].encode())
    body = parsed(files["Jane_Doe_stu1/feedback.html"])
    (header,) = body.iter("header")
    assert [
        "A course",
        "Jane Doe: 3 of 2 points",
        "Total: 4 points for the exercises, minus 1 point for lateness.",
        "Submitted 2026-03-02 00:30, due 2026-03-01 23:59 (UTC+01:00): 31 minutes late, 1 point taken off.",
        "Grade: A.",
    ] == ["".join(line.itertext()) for line in header]
    assert ["CommentWell\\x1bdone", "Decisionspenalty: 1 point (Ada, 2026-03-06: so)", "Notesa note"] == found(
        body, "note"
    )
    assert ["decided: 2 of 2 points (Ada, 2026-03-05: the message misled)"] == found(body, "detail")


def test_folders_of_learners_differ() -> None:
    """Ids that differ only in characters that no folder's name can contain have folders of their own."""
    report = make_report(make_exercise(make_check()))
    rows = [Learner(name, Person(), "graded") for name in ("a b", "a/b")]
    exported = feedback([replace(report, learner=row) for row in rows], ExportRequest(title="A course"))
    assert 2 == len({name.partition("/")[0] for files in exported for name in files})


def test_an_excused_learner_reads_no_total() -> None:
    """There is no total, whatever the points are."""
    row = Learner("stu1", Person("Jane Doe"), "excused", total=2)
    report = replace(make_report(make_exercise(make_check())), learner=row)
    (header,) = parsed(feedback_page(report, "A course", {}, {})).iter("header")
    assert ["A course", excused_text("Jane Doe")] == ["".join(line.itertext()) for line in header]


def test_late_exercises_are_named() -> None:
    """If exercises have due dates of their own, the sentence says which ones are late."""
    at, late = "2026-03-01T13:00:00+00:00", {"swap": 3600, "relu": 3600, "engine": 60}
    row = Learner("stu1", Person("Jane"), "graded", submitted_at=at, late_s=3600, late=late, penalty=2)
    said = "Submitted 2026-03-01 13:00 (UTC): swap and relu 1 hour late, engine 1 minute late, 2 points taken off."
    assert said == time_text(row)
