"""Which misconception behaves exactly like this engine."""

from .behaviour import fingerprint
from .catalogue import Misconception, read_misconceptions
from .edits import Edit, Where, anywhere, apply_edits, edited, in_solution, regions
from .match import diagnose

__all__ = [
    "Edit",
    "Misconception",
    "Where",
    "anywhere",
    "apply_edits",
    "diagnose",
    "edited",
    "fingerprint",
    "in_solution",
    "read_misconceptions",
    "regions",
]
