"""Grade submissions: load each file, run its checks, probe it, match misconceptions, score. Each step makes data."""

from .examination import CheckBegan, CheckEnded, Event, Examined, Grader, examine, explain, last, plan
from .repair import repairs
from .scoring import FileState, score
from .submissions import (
    Submission,
    digest,
    grade,
    grade_events,
    grade_submission,
    relative_path,
    submission_events,
)

__all__ = [
    "CheckBegan",
    "CheckEnded",
    "Event",
    "Examined",
    "FileState",
    "Grader",
    "Submission",
    "digest",
    "examine",
    "explain",
    "grade",
    "grade_events",
    "grade_submission",
    "last",
    "plan",
    "relative_path",
    "repairs",
    "score",
    "submission_events",
]
