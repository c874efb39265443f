"""Take submissions in: whose they are, by a platform's layout; and what lies in them, read in limited processes."""

from .channel import Limits, Stopped
from .files import Intake
from .layout import Entry, IntakeError
from .reader import Ended, Readers, unread
from .registry import LAYOUTS, entries, unclaimed

__all__ = [
    "LAYOUTS",
    "Ended",
    "Entry",
    "Intake",
    "IntakeError",
    "Limits",
    "Readers",
    "Stopped",
    "entries",
    "unclaimed",
    "unread",
]
