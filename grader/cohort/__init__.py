"""Many submissions: take them in, grade each once, sum up the class."""

from .lanes import LaneError, LocalLanes
from .layouts import LAYOUTS, Entry, IntakeError, entries, strangers
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
    "strangers",
    "summarise",
]
