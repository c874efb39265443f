"""A `results.json` for each submission, in Gradescope's format.

It follows https://gradescope-autograders.readthedocs.io/en/latest/specs/. Learners see these files, so everything
that the course does not tell them is removed. Every text is declared as `text`, so Gradescope interprets no HTML and
no Markdown.

The tests add up to the score. Gradescope has no field for a penalty, so it is a test with a negative score out of 0.
"""

from collections.abc import Iterable, Iterator

from msgspec import UNSET, to_builtins

from ...base.text import json_text, lines, one_line
from ...course.learners import Learner
from ...words.learner import penalty_text, penalty_title, status_text
from ..report.model import CheckResult, Details, ExerciseResult, Report
from ..report.shown import explanation
from .registry import ExportedFiles, Format
from .rows import decision_on, full_marks, other_decisions, total


def gradescope(reports: Iterable[Report], details: Details) -> Iterator[ExportedFiles]:
    """Yield the file of each submission. The reports come from `for_learner`.

    A hidden check of detail `score` is `hidden`: learners see its points only in the total. Other hidden checks are
    shown `after_published`, and Gradescope then does not show a total before that. A penalty would reveal these
    points, so it is shown when they are.

    Args:
        details: as for `for_learner`.
    """
    for report in reports:
        yield {f"{report.submission.id}/results.json": json_text(_results(report, details))}


def _results(report: Report, details: Details) -> dict[str, object]:
    course, stamp = report.course, report.submission
    # the tests, whose scores add up to the score
    tests = [
        _test(exercise, number, check, details)
        for exercise in report.exercises
        for number, check in enumerate(exercise.checks, start=1)
    ]
    if report.learner and report.learner.penalty:
        tests.append(_penalty(report.learner, "visible" if _all_visible(tests) else "after_published"))
    return {
        "score": total(report),
        "execution_time": round(sum(check.duration_s for e in report.exercises for check in e.checks), 3),
        # texts are text, and neither HTML nor Markdown
        "output": lines("\n".join(_overview(report))),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        # what the autograder itself prints is not for learners
        "stdout_visibility": "hidden",
        "tests": tests,
        # for scripts of the instructor; Gradescope itself does not use it
        "extra_data": {
            "course": {"id": course.id, "version": course.version, "hash": course.hash},
            "grader_version": report.grader_version,
            "submission": {"id": stamp.id, "sha256": stamp.sha256},
            "score": report.score,
            "bonus": report.bonus,
            "max_score": report.max_score,
            **({"parts": to_builtins(report.parts)} if report.parts else {}),
            "penalty": report.learner.penalty if report.learner else 0,
        },
    }


def _overview(report: Report) -> Iterator[str]:
    """Yield notes, decisions, and the status of files that were not graded.

    There are no points, because they would reveal the results of hidden checks.
    """
    yield from report.notes
    if report.learner:
        yield from map(one_line, other_decisions(report.learner))
        yield from filter(None, [report.learner.comment])
    for exercise in report.exercises:
        name = f"{exercise.number} {exercise.title}"
        if exercise.message is not UNSET:
            yield f"{name}: {exercise.message}"
        elif exercise.status in ("not_started", "missing", "unreadable"):
            yield f"{name}: {status_text(exercise.status)}"


def _test(exercise: ExerciseResult, number: int, check: CheckResult, details: Details) -> dict[str, object]:
    return {
        "score": check.score,
        # Gradescope has no bonus: points above a maximum of 0 are extra
        "max_score": 0 if check.bonus else check.max_score,
        "status": "passed" if full_marks(check) else "failed",
        "name": one_line(f"{exercise.title}: {check.title}" + (" (bonus)" if check.bonus else "")),
        "number": f"{exercise.number.lstrip('0') or '0'}.{number}",
        "output": _output(exercise, check),
        "tags": [exercise.id],
        # without an entry in `details`, a check is treated like one of detail `score`
        "visibility": _visibility(check, details.get((exercise.id, check.id), "score")),
        "extra_data": {"exercise": exercise.id, "check": check.id, "status": check.status},
    }


def _output(exercise: ExerciseResult, check: CheckResult) -> str:
    printed = "" if check.output is UNSET else f"printed:\n{lines(check.output)}"
    why = "" if check.status == "passed" else explanation(exercise, check)
    return "\n".join(filter(None, (one_line(decision_on(check)), why, printed)))


def _penalty(learner: Learner, visibility: str) -> dict[str, object]:
    return {
        "score": -learner.penalty,
        "max_score": 0,
        "status": "failed",
        "name": penalty_title(learner),
        "output": penalty_text(learner),
        "visibility": visibility,
        "extra_data": {"late_s": learner.late_s},
    }


def _all_visible(tests: Iterable[dict[str, object]]) -> bool:
    return all(test["visibility"] == "visible" for test in tests)


def _visibility(check: CheckResult, detail: str) -> str:
    if check.visibility == "visible":
        return "visible"
    return "after_published" if detail in ("full", "hint") else "hidden"


FORMAT = Format(
    name="gradescope",
    about="a `results.json` for each submission, with what learners may read",
    files=lambda reports, request: gradescope(reports, request.details),
    export="gradescope",
    run="/autograder/results/results.json",
)
