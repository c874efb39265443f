"""What each person of a class gets back."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from grader.report import CheckResult, ExerciseResult, Report, read_report
from grader.report.model import SubmissionStamp
from grader.report.person import Decided, Learner, Person
from grader.views.feedback import feedback
from grader.views.handed_back import feedback_files

MakeCheck = Callable[..., CheckResult]
MakeExercise = Callable[..., ExerciseResult]
MakeReport = Callable[..., Report]

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
    """In the text and in the JSON alike."""
    check = make_check(**WRONG)
    exercise = make_exercise(check)
    report = replace(make_report(exercise), seed="the secret seed")
    written = dict(feedback([report], "A course", {(exercise.id, check.id): detail}))
    name = report.submission.id
    assert {f"{name}/feedback.txt", f"{name}/report.json"} == set(written)
    text = written[f"{name}/feedback.txt"]
    assert told == {words for words in ("L = a * a", "torch 6", "the second use overwrote") if words in text}
    copy = read_report(written[f"{name}/report.json"].encode())
    assert UNSET is copy.seed
    assert (detail == "full") == (copy.exercises[0].checks[0].program is not UNSET)


def test_notes_of_the_intake_are_told(make_exercise: MakeExercise, make_report: MakeReport) -> None:
    """Whose file was not taken reads why."""
    note = "two files could be 02_swap: a/02_swap.py, b/02_swap.py"
    report = replace(make_report(make_exercise()), notes=(note,))
    text = dict(feedback([report], "A course", {}))[f"{report.submission.id}/feedback.txt"]
    assert f"Note: {note}" in text


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
    """From the names in its own download, with the page beside the text; what came from elsewhere is left out."""
    made = make_report(make_exercise(make_check(), file=file))
    made = replace(made, submission=SubmissionStamp("jane", "0", origin=origin))
    files = dict(feedback_files([made], "A course", {}, platform, lambda told: f"page of {told.submission.id}"))
    html = expected.replace(".txt", ".html") if expected and platform != "nbgrader" else None
    assert [name for name in (expected, html) if name] == list(files)
    assert "page of jane" == files.get(html or "", "page of jane")


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
    """Under their own name and id, with the decisions on them; without an id, there is none."""
    made = make_report(make_exercise(make_check(), file=file))
    made = replace(made, submission=SubmissionStamp("jane", "0", origin=origin))
    rows = [Learner("jane", Person("Jane Doe", "jane"), "graded"), Learner("bob", person, "graded", comment="to Bob")]
    files = feedback_files(
        [replace(made, learner=row) for row in rows], "A course", {}, platform, lambda told: "", {"bob"}
    )
    texts = {name: text for name, text in files if name.endswith(".txt")}
    assert (2 if expected else 1) == len(texts)
    assert [expected] * bool(expected) == [name for name, text in texts.items() if "to Bob" in text]


def test_feedback_says_what_people_decided(
    make_report: Callable[..., Report],
    make_exercise: Callable[..., ExerciseResult],
    make_check: Callable[..., CheckResult],
) -> None:
    """Points, penalty, total, grade and comment; the folder has the person's name."""
    decided = Decided("Ada", "2026-03-05T00:00:00+00:00", "the message misled", points={"distribute.one": 2})
    person = Person("Jane Doe", "stu1")
    row = Learner("stu1", person, "graded", late_s=90_000, penalty=1, total=3, grade="A", comment="Well\x1b")
    row = replace(row, decisions=(decided,))
    made = replace(make_report(make_exercise(make_check())), learner=row)
    (name, text), (_, report) = feedback([made], "A course", {})
    assert "Jane_Doe_stu1/feedback.txt" == name
    assert text.endswith(
        "\ndistribute.one: 2 points (Ada, 2026-03-05: the message misled)\n"
        "Penalty: 1 point, submitted 1 day 1 hour late\nTotal: 3   Grade: A\n\nWell\\x1b\n"
    )
    assert '"penalty": 1' in report
    others = [replace(made, learner=replace(row, id=name, person=Person())) for name in ("a b", "a/b")]
    assert 2 == len({name for name, _ in feedback(others, "A course", {}) if name.endswith(".txt")})
