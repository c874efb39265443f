"""Views for people: pure functions from a report to text. The views of a class are in `cohort` and `page`."""

from .feedback import feedback
from .terminal import render

__all__ = ["feedback", "render"]
