"""Backward's grader: hidden checks run on learners' files, a score for each exercise."""

from .extension import load_ipython_extension

__all__ = ["__version__", "load_ipython_extension"]

__version__ = "0.1.0"
