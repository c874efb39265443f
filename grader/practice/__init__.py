"""Practice: grade one learner's exercises again and again, and grade them on every save."""

from .session import Practice, first_unfinished

__all__ = ["Practice", "first_unfinished"]
