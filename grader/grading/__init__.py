"""Grade submissions: load each file, run its checks, probe it, match misconceptions, score. Each step makes data."""

from .examination import (
    CheckBegan,
    CheckEnded,
    Event,
    Examined,
    Grader,
    Searching,
    examine,
    explain,
    is_run,
    last,
    plan,
)
from .repair import search
from .scoring import FileState, score
from .submissions import (
    Searched,
    Submission,
    grade,
    grade_events,
    grade_submission,
    is_searched,
    relative_path,
    search_file,
    stamp_of,
    submission_events,
)

__all__ = [
    "CheckBegan",
    "CheckEnded",
    "Event",
    "Examined",
    "FileState",
    "Grader",
    "Searched",
    "Searching",
    "Submission",
    "examine",
    "explain",
    "grade",
    "grade_events",
    "grade_submission",
    "is_run",
    "is_searched",
    "last",
    "plan",
    "relative_path",
    "score",
    "search",
    "search_file",
    "stamp_of",
    "submission_events",
]
