"""Grade many submissions: read them, grade each one once, and summarise the class."""

from .intake import LAYOUTS, Entry, IntakeError, entries, readings, unclaimed
from .pool import Drawn, LocalPool, Pool, PoolError
from .run import (
    Results,
    ResultsError,
    Standing,
    drawn,
    grade_entries,
    read_code,
    read_found,
    rules_digest,
    settings,
)
from .summary import ExerciseStatistics, Review, Summary, schema, summarise

__all__ = [
    "LAYOUTS",
    "Drawn",
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
    "schema",
    "settings",
    "summarise",
    "unclaimed",
]
