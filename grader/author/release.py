"""Hand a course out: what learners get, and nothing else."""

import os
from collections.abc import Mapping
from pathlib import Path
from string import Template

from ..answer_book import read_book
from ..course import Course, CourseError
from ..outside import UserError, read_plain, write_files
from .leaks import shown
from .readme import GLOSSARY, LEARNERS, README, row_of
from .stubs import is_work, make_stub

WORKFLOWS = (".github/workflows/grade.yml", ".gitlab-ci.yml")
_PAGE = Path(__file__).resolve().parent / "templates" / "README.md.txt"


class ReleaseError(UserError):
    """A course cannot be handed out as it was asked for; says what to do."""


def release_files(course: Course) -> dict[str, bytes]:
    """Return what learners get, by path: the stubs, a README, the glossary and the workflow if the course has them.

    The README is `LEARNERS.md` of the course, else its `README.md`, else one that is made of the exercises' titles.

    Raises `CourseError` where a stub is out of date, and where README or workflow show a solution or a hidden check.
    """
    _in_step(course)
    files = {f"exercises/{exercise.filename}": make_stub(course, exercise).encode() for exercise in course.exercises}
    page = next((name for name in (LEARNERS, README) if (course.folder / name).is_file()), None)
    files[README] = _checked(course, page) if page else made_readme(course).encode()
    more = (*WORKFLOWS, GLOSSARY)
    return files | {name: _checked(course, name) for name in more if (course.folder / name).is_file()}


def release(files: Mapping[str, bytes], folder: Path, *, replace: bool = False) -> tuple[list[str], list[str]]:
    """Write files into a folder; return the paths of those that are new, and of those that were replaced.

    Without `replace`, a file with other content is an error, and nothing is written. Raises `ReleaseError` or
    `OSError`.
    """
    there = {name: read_plain(folder / name) for name in files if os.path.lexists(folder / name)}
    differing = [name for name, content in there.items() if content != files[name]]
    if differing and not replace:
        names = ", ".join(str(folder / name) for name in differing)
        raise ReleaseError(f"{names}: a file with other content has this name; name a new folder, or use --replace")
    write_files(files, folder, differing)
    return [name for name in files if name not in there], differing


def _in_step(course: Course) -> None:
    """Raise `CourseError` for an exercise whose stub, in the answer book or as a file, is not its solution's."""
    book = read_book(course.book)
    for exercise in course.exercises:
        stub, path = make_stub(course, exercise), course.exercise_file(exercise)
        if book.stubs.get(exercise.id) != stub:
            raise CourseError(course.book, None, f"its stub of {exercise.stem} is out of date; run `grade build`")
        present = read_plain(path, follow=True) if path.is_file() else b""
        if present != stub.encode() and not is_work(course, exercise, book.stubs):
            raise CourseError(path, None, "is not the stub of its solution; run `grade build`")


def _checked(course: Course, name: str) -> bytes:
    """Return the content of a file of the course that shows nothing which is kept from learners."""
    path = course.folder / name
    try:
        content = read_plain(path, follow=True)
    except OSError as error:
        raise CourseError(path, None, f"cannot be read: {error.strerror}") from None
    for what in shown(course, content.decode("utf-8", "replace")):
        remedy = f"; write {LEARNERS}, which is handed out in its place" if name == README else ""
        raise CourseError(path, None, what + remedy)
    return content


def made_readme(course: Course) -> str:
    """Return a README that is made of the exercises' titles."""
    page = Template(_PAGE.read_text(encoding="utf-8")).substitute(heading=course.title)
    rows = [row_of(exercise, exercise.title.replace("|", r"\|")) for exercise in course.exercises]
    return page.replace("| what you write |", "| title |") + "".join(f"{row}\n" for row in rows)
