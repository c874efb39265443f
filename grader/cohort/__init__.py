"""Grade many submissions: read them, grade each one once, and summarise the class."""

from .intake import Entry, IntakeError, entries, readings, unclaimed
from .pool import LocalPool, Pool, PoolError
from .results import Results, ResultsError, read_code, read_found, rules_digest
from .run import Standing, drawn, grade_entries, settings
from .summary import ExerciseStatistics, Review, Summary, summarise

__all__ = [
    "Entry",
    "ExerciseStatistics",
    "IntakeError",
    "LocalPool",
    "Pool",
    "PoolError",
    "Results",
    "ResultsError",
    "Review",
    "Standing",
    "Summary",
    "drawn",
    "entries",
    "grade_entries",
    "read_code",
    "read_found",
    "readings",
    "rules_digest",
    "settings",
    "summarise",
    "unclaimed",
]
