"""Practice: grade one learner's exercises again and again: on every save, in a notebook and in pytest."""

from .session import Practice, first_unfinished
