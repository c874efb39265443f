"""The pytest plugin for learners, which the package's entry point names. `practice.pytest_items` has its code.

PYTEST_DONT_REWRITE
"""

from .practice.pytest_items import pytest_collect_file, pytest_unconfigure

__all__ = ["pytest_collect_file", "pytest_unconfigure"]
