"""Backward's grading kit: hidden checks run on learners' files, a score per exercise."""

__version__ = "0.1.0"
