"""Many submissions: take them in, grade each once, sum up the class."""

from .intake import LAYOUTS, Entry, IntakeError, entries, unclaimed
from .job import Drawn
from .lanes import LaneError, LocalLanes
from .run import Lanes, Results, ResultsError, Standing, drawn, grade_entries, settings
from .summary import Summary, schema, summarise

__all__ = [
    "LAYOUTS",
    "Drawn",
    "Entry",
    "IntakeError",
    "LaneError",
    "Lanes",
    "LocalLanes",
    "Results",
    "ResultsError",
    "Standing",
    "Summary",
    "drawn",
    "entries",
    "grade_entries",
    "schema",
    "settings",
    "summarise",
    "unclaimed",
]
