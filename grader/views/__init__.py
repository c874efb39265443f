"""What people see: pure functions from a report, or from a summary of many, to text."""

from .cohort import render_cohort
from .feedback import feedback
from .terminal import render

__all__ = ["feedback", "render", "render_cohort"]
