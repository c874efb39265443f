"""Read `course.yaml` and the files that belong to it into a `Course`. Errors name file and line."""

from .codes import CODES, FactKind
from .find import PACKAGED, course_around, find_course, other_course_around, packaged_course
from .load import ID, load_course
from .model import COMMANDS, Check, Course, CourseError, Exercise, Limits, names_of
from .yaml_nodes import Document, child, items, line

__all__ = [
    "CODES",
    "COMMANDS",
    "ID",
    "PACKAGED",
    "Check",
    "Course",
    "CourseError",
    "Document",
    "Exercise",
    "FactKind",
    "Limits",
    "child",
    "course_around",
    "find_course",
    "items",
    "line",
    "load_course",
    "names_of",
    "other_course_around",
    "packaged_course",
]
