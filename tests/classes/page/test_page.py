import base64
import json
import re
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from every import every
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace
from offline_page import unpack

from grader.classes.cohort import Summary, summarise
from grader.classes.page import (
    CODE,
    CODE_PER_LEARNER,
    LINE,
    MANY,
    PART,
    PER_LEARNER,
    PRINTED,
    TEXT,
    Beside,
    build_page,
    cut,
    document,
)
from grader.course.learners import ChangedTotal, ChangeReason, Decided, Submitter
from grader.course.load import Course
from grader.verdict.report import CheckResult, Diagnosis, Report
from grader.verdict.report.model import SubmissionStamp

MakeClass = Callable[..., list[Report]]
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"


def failing(report: Report, **more: Any) -> Report:
    """Return the report with its first check failed and with more fields."""
    first, *exercises = report.exercises
    check = replace(first.checks[0], status="failed", score=0, **more)
    return replace(report, exercises=(replace(first, checks=(check, *first.checks[1:])), *exercises))


def detail(data: Any, learner: int = 0) -> Any:
    """Return the page's data on a learner's first check."""
    at = data["results"][data["learners"][learner]["results"][0]]["checks"][0]
    return data["details"][at - 1]


def diagnosis(data: Any, said: Any) -> list[str]:
    """Return the id, title and explanation of a misconception."""
    name, *texts = data["diagnoses"][said["diagnosis"]]
    return [name, *(data["texts"][at] for at in texts)]


@pytest.fixture(scope="module")
def summary_of(course: Course) -> Callable[..., Summary]:
    return lambda *reports, **faults: summarise(course, reports, faults)


def test_every_score_and_check_is_in_it(make_class: MakeClass, summary_of: Callable[..., Summary]) -> None:
    """The page's data has the learners, exercises and checks of the reports, with status and score."""
    reports = sorted(make_class(12), key=lambda report: report.submission.id)
    data = unpack(build_page(summary_of(*reports), reports))

    assert [report.submission.id for report in reports] == [learner["id"] for learner in data["learners"]]
    for report, learner in zip(reports, data["learners"], strict=True):
        assert (report.score, report.bonus) == (learner["score"], learner["bonus"])
        for exercise, at in zip(report.exercises, learner["results"], strict=True):
            result = data["results"][at]
            assert (exercise.status, exercise.score) == (result["status"], result["score"])
            for check, place in zip(exercise.checks, result["checks"], strict=True):
                shown = data["details"][place - 1] if place else {"status": "passed", "score": check.max_score}
                assert (check.status, check.score) == (shown["status"], shown["score"])


def test_what_a_failed_check_says_is_in_it(solved: Report, summary_of: Callable[..., Summary]) -> None:
    """The data has the program, both sides of the comparison, message, diagnosis, hint and output."""
    report = failing(
        solved,
        program="L = a * a    with a = 3",
        expected={"dL/da": 6.0, "order": "a, L", "close": 1.0},
        actual={"dL/da": -0.0, "close": 1.0000000001},
        message="in the second pass",
        diagnosis=Diagnosis("once", "assigns", "as if once were enough"),
        hint="grade hint distribute 3",
        output="3\n",
    )
    data = unpack(build_page(summary_of(report), [report]))
    said = detail(data)

    assert [
        ["dL/da", "0", "6", ""],
        ["order", "nothing", "a, L", "word"],
        ["close", "1.0000000001", "1.0", ""],
    ] == said["compared"]
    assert {
        "program": "L = a * a    with a = 3",
        "message": "in the second pass",
        "hint": "grade hint distribute 3",
        "output": "3\n",
    } == {key: data["texts"][said[key]] for key in ("program", "message", "hint", "output")}
    assert ["once", "assigns", "as if once were enough"] == diagnosis(data, said)


def test_statistics_are_those_of_the_summary(make_class: MakeClass, summary_of: Callable[..., Summary]) -> None:
    """Checks have the summary's numbers and notes, and the reports' points."""
    reports = make_class(20)
    summary = summary_of(*reports, lost="its archive is damaged")
    data = document(summary, reports).data

    for exercise, shown, reported in zip(summary.exercises, data["exercises"], reports[0].exercises, strict=True):
        for check, row, result in zip(exercise.checks, shown["checks"], reported.checks, strict=True):
            assert (check.rate, check.discrimination, check.note) == (row["rate"], row["discrimination"], row["note"])
            assert (result.max_score, result.bonus) == (row["max_score"], row["bonus"])
    assert "not graded: its archive is damaged" == data["reviews"]["lost"][0][0]
    assert {"id": "lost"} in data["learners"]
    assert 0 < len(data["misconceptions"])


def test_classmates_share_what_they_have_in_common(solved: Report, summary_of: Callable[..., Summary]) -> None:
    """Each mistake is described once, however many learners made it."""
    wrong = failing(solved, program="L = a + b", message="no")
    reports = [replace(wrong, submission=SubmissionStamp(name, "0")) for name in "abc"]
    data = unpack(build_page(summary_of(*reports), reports))

    assert (1, 2) == (len(data["details"]), len(data["texts"]))
    assert 1 == len({tuple(learner["results"]) for learner in data["learners"]})


@every(("field", "most"), [("program", TEXT), ("message", TEXT), ("hint", TEXT), ("output", PRINTED)])
def test_long_texts_are_cut(solved: Report, summary_of: Callable[..., Summary], field: str, most: int) -> None:
    """The beginning is kept, followed by the number of missing characters."""
    long = "x" * (most + 1234)
    report = failing(solved, **{field: long})
    data = unpack(build_page(summary_of(), [report]))

    assert "x" * most + "… (1,234 more characters in the report)" == data["texts"][detail(data)[field]]


def test_everything_long_is_cut(solved: Report, summary_of: Callable[..., Summary]) -> None:
    """The data on one submission is small, however long its texts are and however many there are."""
    flood = "z" * 50_000
    values = {f"{i}{flood}": flood for i in range(100)}

    def flooded(check: CheckResult, i: int) -> CheckResult:
        return replace(
            check, status="error", score=0, output=f"{i}{flood}", message=f"{i}{flood}", expected=values, actual=values
        )

    exercises = tuple(
        replace(e, message=flood, file=flood, checks=tuple(flooded(check, i) for i, check in enumerate(e.checks)))
        for e in solved.exercises
    )
    stamp = SubmissionStamp(
        "me", "0", origin=flood, submitters=(Submitter(flood, flood, flood),) * 100, submitted_at=flood, commit=flood
    )
    report = replace(solved, submission=stamp, notes=tuple(f"{i}{flood}" for i in range(100)), exercises=exercises)
    data = unpack(build_page(summary_of(report), [report]))

    checks = sum(len(exercise.checks) for exercise in solved.exercises)
    marks = 60 * (2 * checks + len(exercises))  # "… (50,001 more characters in the report)"
    assert sum(map(len, data["texts"])) <= PER_LEARNER + marks
    assert {MANY} == {len(shown["compared"]) for shown in data["details"]}
    assert len(data["learners"][0]["people"]) == MANY
    assert (MANY + 1, MANY) == (len(data["learners"][0]["notes"]), len(data["reviews"]["me"]))
    assert max(len(words) for one in data["reviews"]["me"] for words in one) < LINE + 60


def test_reports_of_another_course_are_left_out(solved: Report, summary_of: Callable[..., Summary]) -> None:
    """Reports of another version of the course are counted and not shown."""
    other = replace(solved, course=replace(solved.course, hash="0"), submission=SubmissionStamp("old", "0"))
    data = unpack(build_page(summary_of(solved), [solved, other]))

    assert (1, ["local"]) == (data["left_out"], [learner["id"] for learner in data["learners"]])


def test_the_same_results_make_the_same_bytes(make_class: MakeClass, summary_of: Callable[..., Summary]) -> None:
    """The page does not depend on the time or the duration of grading."""
    reports = make_class(9)
    later = [
        replace(
            report,
            graded_at="2031-01-01T00:00:00+00:00",
            exercises=tuple(
                replace(e, checks=tuple(replace(check, duration_s=9.0) for check in e.checks)) for e in report.exercises
            ),
        )
        for report in reports
    ]

    assert build_page(summary_of(*reports), reports) == build_page(summary_of(*reports), later)


def test_a_class_of_nobody_has_a_page(summary_of: Callable[..., Summary]) -> None:
    """A page can be made without reports."""
    data = unpack(build_page(summary_of(), []))

    assert ([], 0) == (data["learners"], data["graded"])


@pytest.mark.slow
@settings(max_examples=50)
@given(name=st.text(), printed=st.text(), notes=st.lists(st.text(max_size=LINE), max_size=4))
def test_any_text_comes_back_and_none_stands_in_the_page(
    name: str, printed: str, notes: list[str], solved: Report, summary_of: Callable[..., Summary]
) -> None:
    """Texts of learners are unchanged in the data, and do not occur in the page outside of it."""
    stamp = SubmissionStamp("id", "0", submitters=(Submitter(name + EVIL, EVIL, EVIL),))
    report = replace(failing(solved, output=printed + EVIL), submission=stamp, notes=(*notes, EVIL))
    page = build_page(summary_of(report), [report])
    data = unpack(page)

    assert cut(printed + EVIL, PRINTED) == data["texts"][detail(data)["output"]]
    assert [[cut(name + EVIL, LINE), EVIL, EVIL]] == data["learners"][0]["people"]
    assert [*notes, EVIL] == data["learners"][0]["notes"]
    bare = build_page(summary_of(), [])
    packed = r'(id="data">)[^<]*'
    assert re.sub(packed, r"\1", bare) == re.sub(packed, r"\1", page)


def test_absent_fields_take_no_room(solved: Report, summary_of: Callable[..., Summary]) -> None:
    """A passed check is one digit."""
    report = replace(solved, submission=SubmissionStamp("id", "0", origin=UNSET))
    data = unpack(build_page(summary_of(report), [report]))

    assert [] == data["details"] == data["texts"]
    assert {0} == {check for result in data["results"] for check in result["checks"]}


def parts_of(page: str) -> list[Any]:
    """Return the parts of a page that contain the learners' code."""
    found = re.findall(r'<script type="application/octet-stream" id="more-(\d+)">([^<]*)</script>', page)
    assert [str(at) for at in range(len(found))] == [number for number, _ in found]
    return [json.loads(zlib.decompress(base64.b64decode(packed))) for _, packed in found]


def test_each_learner_has_their_own_code(solved: Report, summary_of: Callable[..., Summary]) -> None:
    """Code is packed in parts. A learner without code has no place in them."""
    reports = [replace(solved, submission=SubmissionStamp(f"{i:03}", "0")) for i in range(PART + 2)]
    first, second, *_ = (exercise.id for exercise in solved.exercises)

    def code(report: Report) -> dict[str, str]:
        name = report.submission.id
        return {} if name == "001" else {first: f"# {name}\n", second: EVIL}

    page = build_page(summary_of(*reports), reports, Beside(code))
    data, parts = unpack(page), parts_of(page)

    assert 2 == len(parts)
    assert EVIL not in page
    for learner in data["learners"]:
        if learner["id"] == "001":
            assert "code" not in learner
            continue
        part, place = learner["code"]
        texts = [of_exercise[place] for of_exercise in parts[part]]
        assert [f"# {learner['id']}\n", EVIL] == texts[:2]
        assert {""} == set(texts[2:])


def test_points_that_people_decided_on_are_shown(solved: Report, summary_of: Callable[..., Summary]) -> None:
    """The score, the exercise and the check have the decided points, as in exports and feedback."""
    exercise = solved.exercises[0]
    check = exercise.checks[0]
    decided = Decided("Ada", "2026-03-05T00:00:00+00:00", "so", points={f"{exercise.id}.{check.id}": 0})
    summary = summary_of(solved)
    rows = tuple(replace(row, decisions=(decided,)) for row in summary.learners)
    assert rows
    data = unpack(build_page(replace(summary, learners=rows), [solved]))
    (learner,) = data["learners"]
    assert solved.score - check.max_score == learner["score"]
    assert exercise.score - check.max_score == data["results"][learner["results"][0]]["score"]
    assert 0 == detail(data)["score"]


def test_long_code_is_cut(solved: Report, summary_of: Callable[..., Summary]) -> None:
    """The size of each file is limited, and so is the size of all files of a learner."""
    page = build_page(
        summary_of(solved),
        [solved],
        Beside(lambda report: {exercise.id: "#" * 99_999 for exercise in report.exercises}),
    )
    (part,) = parts_of(page)
    lengths = [len(text) for (text,) in part]

    assert CODE < lengths[0] < CODE + 60
    assert sum(lengths) < CODE_PER_LEARNER + 60 * len(lengths)


def test_a_hint_is_shown_in_its_own_words(solved: Report, course: Course, summary_of: Callable[..., Summary]) -> None:
    """If the course is known, the hint's text replaces the command that shows it."""
    command = course.exercises[0].hint_command(2)
    report = failing(solved, hint=command)
    data = unpack(build_page(summary_of(report), [report], Beside(hints=course.hints)))

    assert course.exercises[0].hints[1] == data["texts"][detail(data)["hint"]]


def test_what_changed_since_an_earlier_run(solved: Report, summary_of: Callable[..., Summary]) -> None:
    """The data has the points before and after, and the reasons in words. New learners have no points before."""
    because = ChangeReason("check", "swap.both", 0, 2)
    changes = (
        ChangedTotal("local", "Ann", 98, 100, (because,)),
        ChangedTotal("new", "new", None, 3, (ChangeReason("new"),)),
    )
    data = document(summary_of(solved), [solved], Beside(changes=changes, earlier="yesterday")).data

    assert {
        "since": "yesterday",
        "learners": [
            {"id": "local", "name": "Ann", "before": 98, "after": 100, "why": ["swap.both: 0 -> 2"]},
            {"id": "new", "name": "new", "after": 3, "why": ["the learner is new"]},
        ],
    } == data["changes"]
