"""Grade submissions: load each file, run its checks, probe it, match misconceptions, score. Each step makes data."""

from .examination import (
    CheckBegan,
    CheckEnded,
    Examined,
    Grader,
    GradingEvent,
    Searching,
    examine,
    explain,
    is_run,
    plan,
)
from .repair import search_budget
from .scoring import FileState, score
from .submissions import (
    Addition,
    GradingProgress,
    Searched,
    Submission,
    grade,
    grade_events,
    grade_submission,
    is_searched,
    relative_path,
    search_file,
    search_submission,
    stamp_of,
    submission_events,
)
