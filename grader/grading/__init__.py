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
