"""Intake: find the submissions in a folder and their submitters, and read the files in processes with limits."""

from .canvas import readings
from .files import Intake
from .layout import Entry, IntakeError
from .reader import Readers, Stopped, unread
from .registry import LAYOUTS, entries, unclaimed

__all__ = [
    "LAYOUTS",
    "Entry",
    "Intake",
    "IntakeError",
    "Readers",
    "Stopped",
    "entries",
    "readings",
    "unclaimed",
    "unread",
]
