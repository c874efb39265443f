"""Reports in the forms that other programs read: pure functions from reports to text, one small file for each form."""

from .canvas import canvas
from .csv_table import csv_table
from .gradescope import gradescope
from .junit import junit
from .nbgrader import nbgrader

__all__ = ["canvas", "csv_table", "gradescope", "junit", "nbgrader"]
