"""Practice: one learner's exercises, graded again and again, and a loop that does so on every save."""

from .session import Practice, first_unfinished

__all__ = ["Practice", "first_unfinished"]
