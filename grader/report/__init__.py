"""The report: a score per exercise and a result per check, as data, as JSON, and by its schema."""

from .doubts import doubts
from .json_form import read_report, schema, to_json, write_report
from .learner import for_learner
from .model import CheckResult, ExerciseResult, Report

__all__ = [
    "CheckResult",
    "ExerciseResult",
    "Report",
    "doubts",
    "for_learner",
    "read_report",
    "schema",
    "to_json",
    "write_report",
]
