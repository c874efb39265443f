"""Views for people: pure functions from a report to text. The views of a class are in `cohort` and `page`."""

from .cell import CellVerdict
from .feedback import feedback
from .terminal import render

__all__ = ["CellVerdict", "feedback", "render"]
