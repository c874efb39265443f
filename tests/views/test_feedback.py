"""The feedback for each learner of a class."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from grader.client import Reason
from grader.learners import Decided, Learner, Person, Submitter
from grader.report import CheckResult, ExerciseResult, Report, read_report
from grader.report.model import FaultFact, SubmissionStamp
from grader.report.registry import Request
from grader.views.feedback import feedback, feedback_files, place
from grader.words.feedback import time_text

MakeCheck = Callable[..., CheckResult]
MakeExercise = Callable[..., ExerciseResult]
MakeReport = Callable[..., Report]

JANE = (Submitter("jane", "jane"),)  # as nbgrader's folder `jane` says

WRONG: dict[str, Any] = {
    "status": "failed",
    "visibility": "hidden",
    "program": "L = a * a    with a = 3",
    "expected": {"dL/da": 6.0},
    "expected_by": "torch",
    "actual": {"dL/da": 3.0},
    "diagnosis": "the second use overwrote the first",
}


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("full", {"L = a * a", "torch 6", "the second use overwrote"}),
        ("hint", {"the second use overwrote"}),
        ("score", set()),
    ],
)
def test_hidden_checks_say_what_the_course_allows(
    make_check: MakeCheck, make_exercise: MakeExercise, make_report: MakeReport, detail: str, told: set[str]
) -> None:
    """The text and the JSON contain the same details."""
    check = make_check(**WRONG)
    exercise = make_exercise(check)
    report = replace(make_report(exercise), seed="the secret seed")
    (written,) = feedback([report], Request(title="A course", details={(exercise.id, check.id): detail}))
    name = report.submission.id
    assert {f"{name}/feedback.txt", f"{name}/report.json", f"{name}/feedback.html"} == set(written)
    text = written[f"{name}/feedback.txt"]
    assert told == {words for words in ("L = a * a", "torch 6", "the second use overwrote") if words in text}
    copy = read_report(written[f"{name}/report.json"].encode())
    assert UNSET is copy.seed
    assert (detail == "full") == (copy.exercises[0].checks[0].program is not UNSET)


def test_notes_of_the_intake_are_told(make_exercise: MakeExercise, make_report: MakeReport) -> None:
    """A learner whose file was not graded reads the reason."""
    note = "two files could be 02_swap: a/02_swap.py, b/02_swap.py"
    report = replace(make_report(make_exercise()), notes=(note,))
    (files,) = feedback([report], Request(title="A course"))
    text = files[f"{report.submission.id}/feedback.txt"]
    assert f"Notes\n- {note}" in text


@pytest.mark.parametrize(
    ("platform", "origin", "file", "expected"),
    [
        ("canvas", "doejane_1042", "doejane_LATE_1042_99731_01_distribute.py", "doejane_LATE_1042_99731_feedback.txt"),
        ("canvas", "doejane_1042", "doejane_1042_99731_work.zip/01_distribute.py", "doejane_1042_99731_feedback.txt"),
        ("canvas", "jane", "01_distribute.py", None),
        (
            "moodle",
            "Jane Doe_12345_assignsubmission_file_",
            "01_distribute.py",
            "Jane Doe_12345_assignsubmission_file_/feedback.txt",
        ),
        ("moodle", "jane", "01_distribute.py", None),
        ("nbgrader", "jane", "backward/01_distribute.py", "jane/backward/feedback.txt"),
        ("nbgrader", "jane/backward", "01_distribute.py", "jane/backward/feedback.txt"),
        ("nbgrader", "jane", "01_distribute.py", None),
        ("nbgrader", "submission_7", "backward/01_distribute.py", None),
        ("nbgrader", "submission_7/backward", "01_distribute.py", None),
    ],
)
def test_feedback_is_named_as_a_platform_takes_it_back(
    make_report: Callable[..., Report],
    make_exercise: Callable[..., ExerciseResult],
    make_check: Callable[..., CheckResult],
    platform: str,
    origin: str,
    file: str,
    expected: str | None,
) -> None:
    """Names follow the platform's own download, and the page is beside the text.

    Submissions from elsewhere are left out.
    """
    made = make_report(make_exercise(make_check(), file=file))
    made = replace(made, submission=SubmissionStamp("jane", "0", origin=origin, submitters=JANE))
    (files,) = feedback_files([made], Request(title="A course", platform=platform))
    html = expected.replace(".txt", ".html") if expected and platform != "nbgrader" else None
    assert [name for name in (expected, html) if name] == list(files)
    assert files.get(html or "", "<!doctype html>").lower().startswith("<!doctype html>")


def test_somebody_whose_file_has_another_name_gets_feedback(
    make_report: Callable[..., Report],
    make_exercise: Callable[..., ExerciseResult],
    make_check: Callable[..., CheckResult],
) -> None:
    """The feedback is named even if no file could be graded. The file with a similar name has the platform's path."""
    for platform, near, expected in (
        ("canvas", "doejane_1042_99731_1-distribute.py", "doejane_1042_99731_feedback.txt"),
        ("nbgrader", "backward/1-distribute.py", "jane/backward/feedback.txt"),
    ):
        missing = make_exercise(make_check(), file="01_distribute.py", status="missing")
        made = make_report(replace(missing, reason=Reason("near_name", names=(near,))))
        made = replace(made, submission=SubmissionStamp("jane", "0", origin="jane", submitters=JANE))
        assert expected == place(made, platform)


@pytest.mark.parametrize(
    ("platform", "origin", "file", "person", "expected"),
    [
        (
            "canvas",
            "doejane_1042",
            "doejane_LATE_1042_99731_01_distribute.py",
            Person("Bob Roe", "bob", canvas_id="1043"),
            "bobroe_1043_99731_feedback.txt",
        ),
        (
            "moodle",
            "Jane Doe_12345_assignsubmission_file_",
            "01_distribute.py",
            Person("Bob/../Roe", "bob", moodle_id="12346"),
            "Bob..Roe_12346_assignsubmission_file_/feedback.txt",
        ),
        ("nbgrader", "jane", "backward/01_distribute.py", Person("Bob Roe", "bob"), "bob/backward/feedback.txt"),
        ("canvas", "doejane_1042", "doejane_1042_99731_01_distribute.py", Person("Bob Roe", "bob"), None),
        (
            "canvas",
            "doejane_1042",
            "doejane_1042_99731_01_distribute.py",
            Person("Bob Roe", "bob", canvas_id="/../../x"),
            None,
        ),
        ("nbgrader", "jane", "backward/01_distribute.py", Person("Bob Roe", "../bob"), None),
    ],
)
def test_each_member_of_a_group_has_a_file(
    make_report: Callable[..., Report],
    make_exercise: Callable[..., ExerciseResult],
    make_check: Callable[..., CheckResult],
    platform: str,
    origin: str,
    file: str,
    person: Person,
    expected: str | None,
) -> None:
    """The file has the member's own name and id, and the decisions on that member. A member without an id has none."""
    made = make_report(make_exercise(make_check(), file=file))
    made = replace(made, submission=SubmissionStamp("jane", "0", origin=origin, submitters=JANE))
    rows = [Learner("jane", Person("Jane Doe", "jane"), "graded"), Learner("bob", person, "graded", comment="to Bob")]
    request = Request(title="A course", platform=platform, learners=tuple(rows))
    files = feedback_files([replace(made, learner=row) for row in rows], request)
    texts = {name: text for each in files for name, text in each.items() if name.endswith(".txt")}
    assert (2 if expected else 1) == len(texts)
    assert (expected is None) == ("1 member of a group has no" in "".join(request.warnings))
    assert [expected] * bool(expected) == [name for name, text in texts.items() if "to Bob" in text]


def test_feedback_says_what_people_decided(
    make_report: Callable[..., Report],
    make_exercise: Callable[..., ExerciseResult],
    make_check: Callable[..., CheckResult],
) -> None:
    """It has the points, penalty, total, grade and comment. The folder has the learner's name."""
    decided = Decided("Ada", "2026-03-05T00:00:00+00:00", "the message misled", points={"distribute.one": 2})
    person = Person("Jane Doe", "stu1")
    row = Learner("stu1", person, "graded", late_s=1860, score=4, penalty=1, total=3, grade="A")
    later = Decided("Ada", "2026-03-06T00:00:00+00:00", "so", penalty=1, comment="Well\x1b\ndone")
    times = {"submitted_at": "2026-03-01T23:30:00+00:00", "due": "2026-03-01T23:59:00+01:00"}
    row = replace(row, decisions=(decided, later), comment="Well\x1b\ndone", **times)
    check = make_check(decided=decided)
    made = replace(make_report(make_exercise(check)), learner=row)
    (files,) = feedback([made], Request(title="A course"))
    (name, text), (_, report), _ = files.items()
    assert "Jane_Doe_stu1/feedback.txt" == name
    assert text.startswith(
        "A course\n\nJane Doe: 3 of 2 points\n"
        "Total: 4 points for the exercises, minus 1 point for lateness.\n"
        "Submitted 2026-03-02 00:30, due 2026-03-01 23:59 (UTC+01:00): 31 minutes late,\n1 point taken off.\n"
        "Grade: A.\n\nComment\n  Well\\x1b\n  done\n\nDecisions\n- penalty: 1 point (Ada, 2026-03-06: so)\n"
    )
    assert "2/2\n            decided: 2 of 2 points (Ada, 2026-03-05: the message misled)\n" in text
    assert '"penalty": 1' in report
    others = [replace(made, learner=replace(row, id=name, person=Person())) for name in ("a b", "a/b")]
    assert 2 == len({next(iter(files)) for files in feedback(others, Request(title="A course"))})


def test_an_excused_learner_reads_no_total(
    make_report: MakeReport, make_exercise: MakeExercise, make_check: MakeCheck
) -> None:
    """There is no total, whatever the points are."""
    row = Learner("stu1", Person("Jane Doe"), "excused", total=2)
    made = replace(make_report(make_exercise(make_check())), learner=row)
    (files,) = feedback([made], Request(title="A course"))
    text = files["Jane_Doe_stu1/feedback.txt"]
    assert "Jane Doe: excused from this assignment; the points do not count" in text
    assert "Total" not in text


def test_the_text_says_why_as_the_page_does(
    make_report: MakeReport, make_exercise: MakeExercise, make_check: MakeCheck
) -> None:
    """For each exercise, the text has the facts, the misconception's title and explanation, and the hint once."""
    command = "grade hint distribute 2"
    checks = [replace(make_check(**WRONG, hint=command), id=f"c{at}", visibility="visible") for at in range(2)]
    facts = (FaultFact("sign", f"{'The fact is long. ' * 20}The end."),)
    made = make_report(make_exercise(*checks, facts=facts))
    (files,) = feedback([made], Request(title="A course", hints={command: "multiply by `out.grad`"}))
    text = files["local/feedback.txt"]
    for words in (
        "Fact           The fact",
        "The end.",
        "Misconception  a title.",
        "Hint           multiply by `out.grad`",
    ):
        assert 1 == text.count(words), words
    assert 1 == text.count("the second use overwrote the first")
    assert 2 == text.count("yours 3    torch 6")
    assert command not in text


def test_late_exercises_are_named() -> None:
    """If exercises have due dates of their own, the sentence says which ones are late."""
    at, late = "2026-03-01T13:00:00+00:00", {"swap": 3600, "relu": 3600, "engine": 60}
    row = Learner("stu1", Person("Jane"), "graded", submitted_at=at, late_s=3600, late=late, penalty=2)
    said = "Submitted 2026-03-01 13:00 (UTC): swap and relu 1 hour late, engine 1 minute late, 2 points taken off."
    assert said == time_text(row)
