"""Convert reports to the formats of other programs.

Each format is a small module with pure functions from reports to text.
"""

from .canvas import canvas
from .classroom50 import classroom50
from .csv_table import csv_table
from .github import annotations, summary
from .gradescope import gradescope
from .junit import junit
from .nbgrader import nbgrader

__all__ = ["annotations", "canvas", "classroom50", "csv_table", "gradescope", "junit", "nbgrader", "summary"]
