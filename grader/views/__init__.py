"""Views for people: pure functions from a report to text.

`grade` loads everything that is imported here, so this module imports as little as possible. The views of a class are
in `cohort` and `page`, the feedback for a learner is in `feedback`, and the verdict on a notebook's cell is in `cell`.
"""

from .terminal import render
