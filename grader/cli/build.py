"""Write the answer book and the stubs, for `grade build`."""

from collections.abc import Sequence
from pathlib import Path

from ..author import build_book, is_work, write_stubs
from ..author.build import Steps, steps_of, to_run
from ..course import Course, CourseError, Exercise
from ..oracle.answer_book import read_book, write_book
from ..words import author as said
from ..workspace import keep
from .streams import Countdown, StatusLine
from .words import UsageError


def run_build(course: Course, exercises: Sequence[Exercise] | None) -> int:
    """Write the answer book, and the exercise files that nobody has worked on. Return 0.

    Only the misconceptions of `exercises` are run. Those of other exercises are taken from the existing book.
    """
    before = read_book(course.book) if exercises else None
    stubs = stubs_before(course)
    line = StatusLine(in_logs=True)
    steps = Steps(Countdown(line).show, sum(steps_of(course, e) for e in to_run(course, before, exercises or ())))
    book = build_book(course, before, exercises or (), steps)
    line.clear()
    try:
        write_book(course.book, book)
    except OSError as error:
        raise UsageError(said.cannot_be_written(str(course.book), error.strerror)) from None
    print(said.book_written(str(course.book), len(book.answers), book.torch))
    print_stubs(course, stubs)
    return 0


def stubs_before(course: Course) -> dict[str, str]:
    """Return the stubs in the existing answer book, or no stubs if the book cannot be read.

    An exercise file that is still one of these stubs has not been worked on.
    """
    try:
        return read_book(course.book).stubs
    except CourseError:
        return {}


def print_stubs(course: Course, known: dict[str, str], *, force: bool = False) -> int:
    """Write the exercise files. Print the names of written and skipped files, and return the number of both."""
    worked_on = [exercise for exercise in course.exercises if is_work(course, exercise, known)]
    kept = [] if force else [exercise.filename for exercise in worked_on]
    if force:
        for exercise in worked_on:
            print(said.copy_kept(exercise.filename, str(_backup(course.exercise_file(exercise)))))
    written = write_stubs(course, known, force=force)
    for name in written:
        print(said.wrote(name))
    for name in kept:
        print(said.left_alone(name))
    return len(written) + len(kept)


def _backup(path: Path) -> Path:
    """Copy a file that somebody has worked on, and return the path of the copy. Raises `UsageError`."""
    try:
        return keep(path) or path
    except OSError as error:
        raise UsageError(said.no_copy(str(path), error.strerror)) from None
