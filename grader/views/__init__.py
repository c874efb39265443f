"""Views for people: pure functions from a report to text. A class's views are in `cohort` and `page`."""

from .feedback import feedback
from .terminal import render

__all__ = ["feedback", "render"]
