"""Read `course.yaml` and the files that belong to it into a `Course`. Errors name file and line."""

from .load import (
    CODES,
    COMMANDS,
    ID,
    PACKAGED,
    Check,
    Course,
    CourseError,
    Document,
    Exercise,
    Limits,
    Part,
    child,
    course_around,
    find_course,
    items,
    line,
    load_course,
    names_of,
    other_course_around,
    packaged_course,
)
