"""Grade many submissions: read them, grade each one once, and summarise the class."""

from .results import Results, ResultsError, read_code, read_found, rules_digest
from .run import LocalPool, Pool, PoolError, RunProgress, drawn, grade_entries, settings
from .summary import ExerciseStatistics, Review, Summary, summarise
