"""Grade many submissions: read them, grade each one once, and summarise the class."""

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
    counted_paths,
    course_of,
    made_for_files,
    names_of,
    read_code,
    read_found,
    record,
    reports,
    rules_digest,
    see_that_files_are_there,
    see_that_it_is_settled,
    since,
    summary_of,
)
from .run import RunProgress, drawn, grade_entries, settings
from .summary import ExerciseStatistics, Review, Summary, summarise
