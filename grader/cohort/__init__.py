"""Many submissions: take them in, grade each once, sum up the class."""

from .intake import LAYOUTS, Entry, IntakeError, entries, unclaimed
from .lanes import LaneError, LocalLanes
from .run import Lanes, Results, ResultsError, Standing, fresh_answers, grade_entries, settings
from .summary import Summary, schema, summarise

__all__ = [
    "LAYOUTS",
    "Entry",
    "IntakeError",
    "LaneError",
    "Lanes",
    "LocalLanes",
    "Results",
    "ResultsError",
    "Standing",
    "Summary",
    "entries",
    "fresh_answers",
    "grade_entries",
    "schema",
    "settings",
    "summarise",
    "unclaimed",
]
