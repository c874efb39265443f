"""What people see: pure functions from a report, or from a summary of many, to text."""

from .cohort import render_cohort
from .feedback import feedback
from .terminal import plain, render

__all__ = ["feedback", "plain", "render", "render_cohort"]
