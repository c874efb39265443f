"""Take submissions in: whose they are, by a platform's layout; and what lies in them, read in limited processes."""

from .channel import Limits, Stopped
from .files import Intake
from .layout import Entry, IntakeError
from .reader import Readers, said, unread
from .registry import LAYOUTS, entries, unclaimed

__all__ = [
    "LAYOUTS",
    "Entry",
    "Intake",
    "IntakeError",
    "Limits",
    "Readers",
    "Stopped",
    "entries",
    "said",
    "unclaimed",
    "unread",
]
