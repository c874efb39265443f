"""Views for people: pure functions from a report to text. `grade` waits for what is imported here.

The views of a class are in `cohort` and `page`, what a learner is sent is in `feedback`, a notebook's in `cell`.
"""

from .terminal import render

__all__ = ["render"]
