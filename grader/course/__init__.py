"""Read `course.yaml` and the files that belong to it into a `Course`. Errors name file and line."""

from .load import CODES, ID, Document, child, items, line, load_course
from .model import (
    COMMANDS,
    PACKAGED,
    Check,
    Course,
    CourseError,
    Exercise,
    Limits,
    Part,
    course_around,
    find_course,
    names_of,
    other_course_around,
    packaged_course,
)

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
    "Limits",
    "Part",
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
