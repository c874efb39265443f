"""Which misconception behaves exactly like this engine."""

from .behaviour import fingerprint
from .catalogue import Edit, Misconception, apply_edits, read_misconceptions
from .match import diagnose

__all__ = ["Edit", "Misconception", "apply_edits", "diagnose", "fingerprint", "read_misconceptions"]
