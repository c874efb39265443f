"""Grade submissions: load each file, run its checks, probe it, match misconceptions, score. Each step makes data."""

from ..submission import Addition, Submission, is_run, is_searched, relative_path, stamp_of
from .engine_kind import takes_arrays
from .examination import (
    CheckBegan,
    CheckEnded,
    Examined,
    Grader,
    GradingEvent,
    Searching,
    examine,
    explain,
    plan,
)
from .repair import search_budget
from .scoring import FileState, score
from .submissions import (
    GradingProgress,
    Searched,
    grade,
    grade_events,
    grade_submission,
    search_file,
    search_submission,
    submission_events,
)
