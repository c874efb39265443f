"""Views for people: pure functions from a report to text.

`grade` loads everything that is imported here, so this module imports as little as possible. The views of a class are
in `page`, and the feedback for a learner is in `feedback`.
"""

from .terminal import render
