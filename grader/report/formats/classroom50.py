"""A `result.json` for Classroom 50's runner, with a test for each check.

It follows `schemas/result-v1.schema.json` and the page `Advanced-Autograding` of
https://github.com/foundation50/classroom50. The file is published with the submission's release. Therefore the report
must come from `for_learner`, which removes everything that the course does not tell learners.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from ...base import json_text, one_line
from ..model import CheckResult, ExerciseResult, Report
from ..registry import Format
from ..shown import explanation

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
    at = datetime.fromisoformat(report.graded_at).astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
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


def _tests(report: Report) -> Iterator[dict[str, Any]]:
    for exercise in report.exercises:
        for check in exercise.checks:
            if not check.bonus:
                yield _test(exercise, check)
            elif check.status == "passed":
                yield {**_test(exercise, check), "score": 0, "max-score": 0, "bonus": check.score}


def _test(exercise: ExerciseResult, check: CheckResult) -> dict[str, Any]:
    passed = check.status == "passed"
    return {
        "test-name": one_line(f"{exercise.number} {exercise.title}: {check.title}"),
        "passed": passed,
        "score": check.score,
        "max-score": check.max_score,
        "status": check.status,
        **({} if passed else {"message": explanation(exercise, check)}),
    }


FORMAT = Format(
    name="classroom50",
    about="a `result.json` for the runner of Classroom 50",
    text=lambda reports, request: (classroom50(report, request.variables) for report in reports),
    run="result.json",
    variables=tuple(VARIABLES.values()),
)
