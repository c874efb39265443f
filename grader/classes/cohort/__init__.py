"""Grade many submissions: read them, grade each one once, and summarise the class."""

from . import results
from .export import export
from .jobs import Settings
from .pools import DaskPool, LocalPool, Pool, PoolError
from .results import (
    EARLIER,
    GONE,
    ROSTER,
    SUMMARY,
    Results,
    ResultsError,
    RunFile,
    between,
    choosable,
    class_of,
    course_of,
    made_for_files,
    names_of,
    read_code,
    read_found,
    record,
    rules_digest,
    see_that_files_are_there,
    since,
    summary_of,
)
from .run import RunProgress, drawn, grade_entries, settings
from .summary import ExerciseStatistics, Review, Summary, summarise
