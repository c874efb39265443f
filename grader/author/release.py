"""Hand out a course: the files for learners, and no others."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template

from ..base import UserError, read_plain, write_files
from ..client import read_source
from ..course import Course, CourseError, Exercise
from ..diagnosis import regions
from ..oracle.answer_book import AnswerBook, read_book
from ..words import author as words
from ..workspace import FOLDER
from .build import is_work, make_stub
from .new import GLOSSARY, LEARNERS, README, differing, learners_glossary, row_of

# -- Find solutions and hidden checks of a course in a text for learners

_SHORT = 6  # words; other code may contain a region of this length by chance


def squeezed(text: str) -> str:
    """Return a text with single spaces between its words, so that comparisons do not depend on its layout."""
    return " ".join(text.split())


def solution_bodies(solution: str) -> list[str]:
    """Return the solution regions of a text, squeezed. Regions too short to be told from other code are left out."""
    bodies = [squeezed(solution[start:end]) for _, start, end in regions(solution)]
    return [body for body in bodies if len(body.split()) > _SHORT]


def hidden_calls(course: Course, exercise: Exercise) -> list[str]:
    """Return the lines of an exercise's hidden tests that build programs or call the engine, squeezed."""
    lines = read_source(course.hidden_test(exercise)).text.splitlines()
    return [line for line in map(squeezed, lines) if line.startswith(("program(", "engine."))]


def solutions_in(course: Course, text: str) -> Iterator[str]:
    """Yield a text for each solution that a text reveals."""
    text = squeezed(text)
    for exercise in course.exercises:
        if any(body in text for body in solution_bodies(read_source(course.solution(exercise)).text)):
            yield words.shows_solution(exercise.stem)


def shown(course: Course, text: str) -> Iterator[str]:
    """Yield a text for each solution and for each exercise's hidden checks that a text for learners reveals."""
    yield from solutions_in(course, text)
    text = squeezed(text)
    for exercise in course.exercises:
        if any(call in text for call in hidden_calls(course, exercise)):
            yield words.shows_check(exercise.stem)


WORKFLOWS = (".github/workflows/grade.yml", ".gitlab-ci.yml")
IGNORE = ".gitignore"
IGNORED = f"{FOLDER}/\n.venv/\n__pycache__/\n".encode()  # what git should not commit in a learner's repository
_PAGE = Path(__file__).resolve().parent / "templates" / "README.md.txt"


class ReleaseError(UserError):
    """A course cannot be handed out as requested. The message says what to do."""


def release_files(course: Course) -> dict[str, bytes]:
    """Return the files for learners, by path: stubs, README, `.gitignore`, and perhaps a glossary and a workflow.

    The README is the course's `LEARNERS.md`, or else its `README.md`, or else one made from the exercises' titles.

    Raises:
        CourseError: a stub or a table of exercises is out of date, or another file shows a solution or a hidden check.
    """
    _in_step(course)
    files = {f"exercises/{exercise.filename}": make_stub(course, exercise).encode() for exercise in course.exercises}
    page = next((name for name in (LEARNERS, README) if (course.folder / name).is_file()), None)
    files[README] = _checked(course, page) if page else made_readme(course).encode()
    files[IGNORE] = IGNORED
    more = (*WORKFLOWS, GLOSSARY)
    files |= {name: _checked(course, name) for name in more if (course.folder / name).is_file()}
    if GLOSSARY in files:
        files[GLOSSARY] = learners_glossary(files[GLOSSARY].decode("utf-8", "replace")).encode()
    return files


def release(files: Mapping[str, bytes], folder: Path, *, replace: bool = False) -> tuple[list[str], list[str]]:
    """Write files to a folder. Return the paths of new files, and the paths of replaced files.

    Without `replace`, nothing is written if a file exists with other content. An existing `.gitignore` is kept.

    Raises:
        ReleaseError: a file exists with other content.
        OSError: a file cannot be read or written.
    """
    files = {name: data for name, data in files.items() if name != IGNORE or not os.path.lexists(folder / name)}
    present = {name: read_plain(folder / name) for name in files if os.path.lexists(folder / name)}
    changed = [name for name, content in present.items() if content != files[name]]
    if changed and not replace:
        names = ", ".join(str(folder / name) for name in changed)
        raise ReleaseError(f"{names}: a file with other content has this name; name a new folder, or use --replace")
    write_files(files, folder, changed)
    return [name for name in files if name not in present], changed


def _in_step(course: Course) -> None:
    """Raise `CourseError` if a stub or a table of exercises differs from the course.

    A stub is in the answer book and in a file, and both are compared with the stub of the solution.
    """
    for path in (course.folder / README, course.folder / LEARNERS):
        for line, what in differing(course, path):
            raise CourseError(path, line, what)
    book = read_book(course.book)
    for exercise in course.exercises:
        stub, path = make_stub(course, exercise), course.exercise_file(exercise)
        if book.stubs.get(exercise.id) != stub:
            raise CourseError(course.book, None, f"its stub of {exercise.stem} is out of date; run `grade build`")
        present = read_plain(path, follow=True) if path.is_file() else b""
        if present != stub.encode() and not is_work(course, exercise, book.stubs):
            raise CourseError(path, None, "is not the stub of its solution; run `grade build`")


def _checked(course: Course, name: str) -> bytes:
    """Return the content of a course file. Raises `CourseError` if it reveals a solution or a hidden check."""
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
    """Return a README made from the exercises' titles."""
    page = Template(_PAGE.read_text(encoding="utf-8")).substitute(heading=course.title)
    rows = [row_of(exercise, exercise.title.replace("|", r"\|")) for exercise in course.exercises]
    return page.replace("| what you write |", "| title |") + "".join(f"{row}\n" for row in rows)


# -- Make the files that a learner begins with: exercises, README, glossary, and settings for git and an editor

_UNSEEN = {f"**/{FOLDER}": True, "**/__pycache__": True}
_EDITOR = {"files.exclude": _UNSEEN, "files.insertFinalNewline": True}


def start_files(course: Course, book: AnswerBook) -> dict[str, bytes]:
    """Return the files of a learner's folder, by their paths in the folder. Raises `OSError`."""
    files = {f"exercises/{exercise.filename}": book.stubs[exercise.id].encode() for exercise in course.exercises}
    page = course.folder / LEARNERS
    files[README] = read_plain(page, follow=True) if page.is_file() else made_readme(course).encode()
    glossary = course.folder / GLOSSARY
    if glossary.is_file():
        files[GLOSSARY] = learners_glossary(read_plain(glossary, follow=True).decode("utf-8", "replace")).encode()
    files[IGNORE] = IGNORED
    files[".vscode/settings.json"] = (json.dumps(_EDITOR, indent=2) + "\n").encode()
    return files
