"""`course.yaml` and the files it names, read into a `Course`; errors carry file and line."""

from .find import find_course
from .load import load_course
from .model import COMMANDS, Check, Course, CourseError, Exercise, Limits
from .yaml_nodes import Document

__all__ = ["COMMANDS", "Check", "Course", "CourseError", "Document", "Exercise", "Limits", "find_course", "load_course"]
