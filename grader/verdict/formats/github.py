"""A graded push for GitHub: for a workflow of your own, and for the runner of Classroom 50.

All of it is for the learner, so the report must come from `for_learner`, which removes everything that the course does
not tell learners. A workflow gets Markdown for the job summary, and workflow commands that annotate lines. The commands
are escaped like those of GitHub's own toolkit, `packages/core/src/command.ts` of https://github.com/actions/toolkit.
All text that a submission may influence is put into a fenced block, in which GitHub interprets no Markdown, HTML, links
or mentions.
"""

import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import PurePath

from msgspec import UNSET

from ...base.text import json_text, lines, markdown, one_line
from ...words.learner import status_text
from ..report.model import CheckResult, ExerciseResult, Report
from ..report.shown import explanation, first_failure, located, part_texts, where
from .registry import Format

MOST_ANNOTATIONS = 10  # GitHub shows no more errors of one step
_MOST_BYTES = 900_000  # the limit of a job summary is 1 MiB
_MOST_TEXT = 4_000  # characters of one explanation


def summary(report: Report, title: str) -> str:
    """Return Markdown: the score, a table of exercises, and the first failure of each exercise in full."""
    bonus = f" and {report.bonus} bonus" if report.bonus else ""
    head = [f"# {markdown(title)}: {report.score}/{report.max_score}{bonus}", ""]
    parts = [f"- {markdown(text)}" for text in part_texts(report.parts)]
    head += [*parts, ""] if parts else []
    head += ["| exercise | | status | points |", "|---|---|---|---|"]
    head += [_row(exercise) for exercise in report.exercises]
    text, left_out = "\n".join(head) + "\n", 0
    notes = [_fenced("\n".join(report.notes))] if report.notes else []
    for section in (*notes, *map(_section, report.exercises)):
        # GitHub drops a summary that is too long
        if len((text + section).encode()) > _MOST_BYTES:
            left_out += 1
        else:
            text += section
    return text + (f"\n{left_out} more are left out here: a job summary has 1 MiB.\n" if left_out else "")


def annotations(report: Report, folder: str = "") -> Iterator[str]:
    """Yield workflow commands, one per line: at most ten, and one for each exercise with a failure.

    Args:
        folder: the path from the repository's root to the folder to which the report's paths are relative.
    """
    shown = 0
    for exercise in report.exercises:
        check = first_failure(exercise)
        file, line = located(exercise, check)
        text = _explained(exercise, check)
        if not text or not file or exercise.status in ("missing", "not_started") or shown == MOST_ANNOTATIONS:
            continue
        shown += 1
        path = posixpath.normpath(posixpath.join(folder, file.replace("\\", "/")))
        name = f"{exercise.number} {exercise.title}: {exercise.score}/{exercise.max_score}"
        # a line in a cell is no line of the notebook's file, which is JSON
        properties = {"file": path, "line": str(line) if line and not exercise.cells else "", "title": name}
        given = ",".join(f"{key}={_property(value)}" for key, value in properties.items() if value)
        yield f"::error {given}::{_data(text)}\n"


def _row(exercise: ExerciseResult) -> str:
    points = f"{exercise.score}/{exercise.max_score}" + (f" + {exercise.bonus}" if exercise.bonus else "")
    cells = (exercise.number, exercise.title, status_text(exercise.status))
    return f"| {' | '.join(map(markdown, cells))} | {points} |"


def _section(exercise: ExerciseResult) -> str:
    check = first_failure(exercise)
    text = _explained(exercise, check)
    if not text or exercise.status in ("missing", "not_started"):
        return ""
    at = where(exercise, located(exercise, check)[1])
    return f"\n### {markdown(f'{exercise.number} {exercise.title}')}\n\n" + _fenced(f"{at}\n{text}")


def _explained(exercise: ExerciseResult, check: CheckResult | None) -> str:
    """Return the first failure of an exercise, or the reason why its file was not graded; empty if there is neither."""
    if check is not None:
        return f"{check.title}\n{explanation(exercise, check)}"
    return "" if exercise.message is UNSET or exercise.status == "passed" else exercise.message


def _fenced(text: str) -> str:
    """Return a block of plain text in a fence that is longer than any fence in the text."""
    text = lines(text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}…").strip("\n")
    # a fence in the text must not end the block
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}\n"


def _data(text: str) -> str:
    text = lines(text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}…").strip()
    # `%` first, because the others bring new ones
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(one_line(text)).replace(":", "%3A").replace(",", "%2C")


def _folder(variables: Mapping[str, str]) -> str:
    """Return the path from the root of GitHub's checkout to the current folder, or an empty text outside of it."""
    root = variables.get("GITHUB_WORKSPACE")
    if not root:
        return ""
    here, above = os.path.realpath(os.getcwd()), os.path.realpath(root)
    inside = here == above or here.startswith(above.rstrip(os.sep) + os.sep)
    return PurePath(os.path.relpath(here, above)).as_posix() if inside else ""


GITHUB = Format(
    name="github",
    about="a job summary in Markdown; also prints up to ten annotations on lines of the learner's files",
    text=lambda reports, request: (summary(report, request.title) for report in reports),
    run="$GITHUB_STEP_SUMMARY",
    printed=lambda report, request: annotations(report, _folder(request.variables)),
)


# -- A `result.json` for Classroom 50's runner, with a test for each check
#
# The file is published with the submission's release. It follows `schemas/result-v1.schema.json` and the page
# `Advanced-Autograding` of https://github.com/foundation50/classroom50.

# the runner's data about a submission, by the names of variables; the runner itself sets owner and mode again
VARIABLES = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "owner": "OWNER",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
}


def classroom50(report: Report, variables: Mapping[str, str]) -> str:
    """Return the file's text.

    The score may not exceed its maximum, so it does not include bonus points. A bonus check that passed is listed,
    with its points as an extra field.

    Raises:
        KeyError: the runner did not set a variable in `VARIABLES`.
    """
    at = datetime.fromisoformat(report.graded_at).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    identity = {field: variables[name] for field, name in VARIABLES.items()}
    return json_text(
        {
            "schema": "classroom50/result/v1",
            **identity,
            "assignment_type": variables.get("ASSIGNMENT_TYPE") or "individual",
            "review": variables.get("REVIEW_URL") or identity["commit"],
            "datetime": at,
            "graded_at": at,
            "score": report.score,
            "max-score": report.max_score,
            "tests": list(_tests(report)),
        }
    )


def _tests(report: Report) -> Iterator[dict[str, object]]:
    for exercise in report.exercises:
        for check in exercise.checks:
            if not check.bonus:
                yield _test(exercise, check)
            elif check.status == "passed":
                yield {**_test(exercise, check), "score": 0, "max-score": 0, "bonus": check.score}


def _test(exercise: ExerciseResult, check: CheckResult) -> dict[str, object]:
    passed = check.status == "passed"
    return {
        "test-name": one_line(f"{exercise.number} {exercise.title}: {check.title}"),
        "passed": passed,
        "score": check.score,
        "max-score": check.max_score,
        "status": check.status,
        **({} if passed else {"message": explanation(exercise, check)}),
    }


CLASSROOM50 = Format(
    name="classroom50",
    about="a `result.json` for the runner of Classroom 50",
    text=lambda reports, request: (classroom50(report, request.variables) for report in reports),
    run="result.json",
    variables=tuple(VARIABLES.values()),
)
