"""Begin a course or an exercise, and hand a course out: the files for learners, and no others.

`grade build` and `grade verify` accept the files of a new course or exercise before the author rewrites them.
"""

import ast
import json
import os
import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import yaml

from ..base.files import UserError, read_plain, write_atomically, write_files, yaml_tree
from ..base.text import plain
from ..course.load import COMMANDS, ID, Course, CourseError, Document, Exercise, child, load_course
from ..course.oracle import AnswerBook, read_book
from ..practice.workspace import FOLDER
from ..runner.client import read_source
from ..verdict.diagnosis import regions
from ..words import assistant
from ..words import author as words
from .build import is_work, make_stub

# -- The table of exercises in a course's README. It has a row with points for each exercise

README = "README.md"
GLOSSARY = "docs/glossary.md"  # learners get this file, because exercises refer to it
LEARNERS = "LEARNERS.md"  # learners get this file as their README if it exists
_FOR_AUTHORS = "\n## For authors\n"  # the beginning of the glossary's section that learners do not get
_NOT = "not"  # the column of the glossary that learners do not get
_ROW = re.compile(r"\| *(?P<number>\d\d)[ _](?P<id>[a-z][a-z0-9_]*) *\|(?P<what>[^|]*)\| *(?P<points>[^|]*?) *\|\s*")


def learners_glossary(text: str) -> str:
    """Return a glossary without the section for authors, and without each table's column of phrases not to use."""
    lines = []
    dropped: int | None = None
    for line in text.partition(_FOR_AUTHORS)[0].splitlines():
        # only the lines of a table have cells; the first one tells which column to drop, if any: a
        # number beyond the last column drops none
        cells = line.split("|") if line.startswith("|") else []
        heads = [cell.strip() for cell in cells]
        if not cells:
            dropped = None
        elif dropped is None:
            dropped = heads.index(_NOT) if _NOT in heads else len(cells)
        lines.append("|".join(cells[:dropped] + cells[(dropped or 0) + 1 :]) if cells else line)
    return "\n".join(lines).rstrip() + "\n"


def points_of(exercise: Exercise) -> str:
    """Return the points of an exercise as text: `10`, or `10 + 3 bonus`."""
    bonus = sum(check.points for check in exercise.checks if check.bonus)
    return f"{exercise.max_score} + {bonus} bonus" if bonus else str(exercise.max_score)


def row_of(exercise: Exercise, what: str) -> str:
    """Return the row of an exercise. `what` describes the code that a learner writes."""
    return f"| {exercise.number} {exercise.id} | {what} | {points_of(exercise)} |"


def with_row(path: Path, row: str) -> str | None:
    """Return the text of a README with one more row at the end of its table.

    Returns None if it has no table of exercises. Raises `OSError`.
    """
    lines = _lines(path)
    rows = [number for number, line in enumerate(lines) if _ROW.fullmatch(line) or _is_below_head(lines, number)]
    if not rows:
        return None
    return "\n".join([*lines[: rows[-1] + 1], row, *lines[rows[-1] + 1 :]]) + "\n"


def _is_below_head(lines: list[str], number: int) -> bool:
    """Return whether a line is the `|---|` below the head of a table of exercises."""
    return bool(number) and re.fullmatch(r"[|:\- ]+", lines[number]) is not None and "| exercise |" in lines[number - 1]


def differing(course: Course, path: Path) -> Iterator[tuple[int | None, str]]:
    """Yield each difference between the course and the table of exercises in a README: the line, and what to write.

    A README without such a table, or a missing one, has no differences. Raises `OSError`.
    """
    lines = _lines(path)
    rows = [(number, found) for number, line in enumerate(lines, 1) if (found := _ROW.fullmatch(line))]
    if not rows and not any(_is_below_head(lines, number) for number in range(len(lines))):
        return
    # rows that are missing, or that differ from the course
    listed = {found["id"]: (number, found) for number, found in rows}
    for exercise in course.exercises:
        if exercise.id not in listed:
            yield None, words.row_missing(exercise.stem, row_of(exercise, "…"))
            continue
        number, found = listed[exercise.id]
        if (found["number"], found["points"]) != (exercise.number, points_of(exercise)):
            yield number, words.other_row(row_of(exercise, found["what"].strip()))
    # rows that name no exercise, or that are in another order
    ids = [exercise.id for exercise in course.exercises]
    for number, found in rows:
        if found["id"] not in ids:
            yield number, words.no_such_row(found["id"])
    order = [found["id"] for _, found in rows if found["id"] in ids]
    if order != [one for one in ids if one in listed]:
        yield rows[0][0], words.OTHER_ORDER


def _lines(path: Path) -> list[str]:
    try:
        return read_plain(path, follow=True).decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []


# -- Begin a course or an exercise

_TEMPLATES = Path(__file__).resolve().parent / "templates"
_INSTALLED_GUIDE = Path(__file__).resolve().parent / "authoring.md"
_GUIDE = Path(__file__).resolve().parents[2] / "docs" / "authoring.md"
_LAST = 99


class NewError(UserError):
    """A course or an exercise cannot be begun as requested. The message says what to do."""


def guide() -> Path:
    """Return the path of the authors' guide: beside this module in an installation, or in `docs/` in a checkout."""
    return next(path for path in (_INSTALLED_GUIDE, _GUIDE) if path.is_file())


def new_course(folder: Path, title: str | None = None) -> Course:
    """Write a course with one exercise to a new or empty folder, and return it.

    Raises `NewError`, `CourseError` or `OSError`.
    """
    name = folder.resolve().name
    if folder.is_dir() and any(folder.iterdir()):
        raise NewError(f"{folder} is not empty; name a new folder")
    # an id is made of the folder's name, in which every other character becomes `_`
    course_id = "".join(c if c.isascii() and c.isalnum() else "_" for c in name.lower()).strip("_") or "course"
    title = _title(title, course_id)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / README, _filled("README.md", heading=title))
    _write(folder / "course.yaml", _filled("course.yaml", id=course_id, title=_quoted(title)))
    _add(folder, "first", "01", "The first exercise")
    return load_course(folder)


def new_exercise(course: Course, name: str, title: str | None = None) -> Exercise:
    """Write an exercise after those of the course, add its entry at the end of `course.yaml`, and return it.

    Nothing is overwritten. Raises `NewError`, `CourseError` or `OSError`.
    """
    if not ID.fullmatch(name):
        raise NewError(f"`{name}` is no name of an exercise: lower-case letters, digits and _, beginning with a letter")
    if name in COMMANDS:
        raise NewError(f"`{name}` is a command of `grade`; call the exercise something else")
    if any(name == exercise.id for exercise in course.exercises):
        raise NewError(f"there is an exercise `{name}`; call the new one something else")
    number = max(int(exercise.number) for exercise in course.exercises) + 1
    if number > _LAST:
        raise NewError(f"an exercise has a number of two digits, and {_LAST} is taken")
    _add(course.folder, name, f"{number:02}", _title(title, name))
    return load_course(course.folder).by_id[name]


def _title(given: str | None, name: str) -> str:
    """Return the given title, or one made from the name. Raises `NewError` if the title is not a line of text."""
    title = name.replace("_", " ").capitalize() if given is None else given.strip()
    if not title or title != plain(title, "") or '"""' in title or "\\" in title:
        raise NewError("a title is one line of text, without backslashes and triple quotes")
    return title


def _add(folder: Path, name: str, number: str, title: str) -> None:
    """Write the files of an exercise. Add its entry to `course.yaml`, and its row to the tables of exercises."""
    # the new text of `course.yaml` first: if it cannot be made, no file is written
    stem = f"{number}_{name}"
    fields = {"number": number, "id": name, "title": title}
    page = _with_entry(Document(folder / "course.yaml"), _filled("entry.yaml", id=name, title=_quoted(title)))
    files = {
        folder / "solutions" / f"{stem}.py": _filled("solution.py", **fields),
        folder / "solutions" / f"{stem}.mistakes.yaml": _filled("misconceptions.yaml"),
        folder / "tests" / "hidden" / f"test_{stem}.py": _filled("test.py"),
    }
    for path in (*files, folder / "exercises" / f"{stem}.py"):
        if os.path.lexists(path):
            raise NewError(f"{path} already exists; move it away, or give the exercise another name")
    # the entry, the solution and the tests first: `load_course` needs them to find the exercise, and
    # its stub is made from the solution
    for path, text in files.items():
        _write(path, text)
    _write(folder / "course.yaml", page)
    course = load_course(folder)
    exercise = course.exercises[-1]
    _write(course.exercise_file(exercise), make_stub(course, exercise))
    # its row in each table of exercises
    for readme in (folder / README, folder / LEARNERS):
        text_with_row = with_row(readme, row_of(exercise, "`_backward` of `log`"))
        if text_with_row is not None:
            _write(readme, text_with_row)


def _filled(template: str, **fields: str) -> str:
    return Template((_TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")).substitute(fields)


def _quoted(text: str) -> str:
    """Return any text as a YAML scalar. Every JSON string is one."""
    return json.dumps(text, ensure_ascii=False)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.encode())


def _with_entry(document: Document, entry: str) -> str:
    """Return the text of `course.yaml` with an entry after the last exercise, and with its points added to `total`.

    Only these two places change, and the nodes of the document tell where they are. Comments, order, quotes and columns
    stay as they are elsewhere.

    Raises:
        CourseError: the list of exercises is in brackets.
        NewError: the place for the entry was not found.
        OSError: the file cannot be read.
    """
    lines = read_plain(document.path, follow=True).decode("utf-8").splitlines(keepends=True)
    exercises = child(document.root, "exercises")
    (added,) = yaml.safe_load(entry)
    # what the edited text has to mean; it is compared with this at the end
    expected: dict[str, Any] = document.plain(document.root)
    expected["exercises"] = [*(expected["exercises"] or []), added]
    # the totals of the course and of its last part
    with_totals = [(expected["course"], child(document.root, "course"))]
    if expected.get("parts"):
        with_totals.append((expected["parts"][-1], child(document.root, "parts").value[-1]))
    for data, node in with_totals:
        data["total"] += sum(check["points"] for check in added["checks"].values())
        total = child(node, "total")
        where, line = total.start_mark, lines[total.start_mark.line]
        lines[where.line] = f"{line[: where.column]}{data['total']}{line[total.end_mark.column :]}"
    # after the last exercise, indented like it
    indent, after, gap = "  ", len(lines), ""
    if isinstance(exercises, yaml.SequenceNode):
        if exercises.flow_style:
            raise document.error(
                exercises, "`exercises` is in brackets; begin each exercise with `- ` in a line of its own"
            )
        indent, after, gap = " " * exercises.start_mark.column, _last_line(exercises) + 1, "\n"
    # the file may end without a newline
    if not lines[after - 1].endswith("\n"):
        lines[after - 1] += "\n"
    lines.insert(after, gap + textwrap.indent(entry, indent))
    text = "".join(lines)
    # an odd layout of the file may put the entry elsewhere, so nothing is written then
    if document.plain(yaml_tree(text) or document.root) != expected:
        raise NewError(f"{document.path}: no place was found for the exercise; write it there yourself:\n\n{entry}")
    return text


def _last_line(node: yaml.Node) -> int:
    """Return the last line in which a node has text. The end mark of a block is where the next node begins."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style:
        return _last_line(node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and not node.flow_style:
        return _last_line(node.value[-1])
    end = node.end_mark
    return int(end.line if end.column else end.line - 1)


# -- Find solutions and hidden checks of a course in a text for learners

_SHORT = 6  # words; other code may contain a region of this length by chance


def squeezed(text: str) -> str:
    """Return a text with single spaces between its words, so that comparisons do not depend on its layout."""
    return " ".join(text.split())


def solution_bodies(solution: str) -> list[str]:
    """Return the solution regions of a text, squeezed. Regions too short to be told from other code are left out."""
    bodies = [squeezed(solution[start:end]) for _, start, end in regions(solution)]
    return [body for body in bodies if len(body.split()) > _SHORT]


def hidden_calls(course: Course, exercise: Exercise) -> tuple[str, ...]:
    """Return the programs in an exercise's hidden tests, and the calls of the engine, squeezed."""
    return _calls(read_source(course.hidden_test(exercise)).text)


@cache  # the texts of all exercises are searched for the calls of each
def _calls(text: str) -> tuple[str, ...]:
    lines = [line.encode() for line in text.splitlines(keepends=True)]  # a syntax tree counts bytes
    calls = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and node.end_lineno is not None:
            *before, last = lines[node.lineno - 1 : node.end_lineno]
            segment = b"".join([*before, last[: node.end_col_offset]])[node.col_offset :]
            calls.append(squeezed(segment.decode()))
    return tuple(call for call in calls if call.startswith(("program(", "engine.")))


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


# -- Hand a course out

WORKFLOWS = (".github/workflows/grade.yml", ".gitlab-ci.yml")
IGNORE = ".gitignore"
IGNORED = f"{FOLDER}/\n.venv/\n__pycache__/\n".encode()  # what git should not commit in a learner's repository
_PAGE = _TEMPLATES / "README.md.txt"


class ReleaseError(UserError):
    """A course cannot be handed out as requested. The message says what to do."""


def release_files(course: Course) -> dict[str, bytes]:
    """Return the files for learners, by path.

    They are the stubs, a README, `AGENTS.md`, `.gitignore`, and perhaps a glossary and a workflow.

    The README is the course's `LEARNERS.md`, or else its `README.md`, or else one made from the exercises' titles.

    Raises:
        CourseError: a stub or a table of exercises is out of date, or another file shows a solution or a hidden check.
    """
    _see_that_it_is_up_to_date(course)
    files = {f"exercises/{exercise.filename}": make_stub(course, exercise).encode() for exercise in course.exercises}
    page = next((name for name in (LEARNERS, README) if (course.folder / name).is_file()), None)
    files[README] = _checked(course, page) if page else made_readme(course).encode()
    files |= {assistant.NAME: assistant.page(course).encode(), IGNORE: IGNORED}
    more = (*WORKFLOWS, GLOSSARY)
    files |= {name: _checked(course, name) for name in more if (course.folder / name).is_file()}
    if GLOSSARY in files:
        files[GLOSSARY] = learners_glossary(files[GLOSSARY].decode("utf-8", "replace")).encode()
    return files


def release(files: Mapping[str, bytes], folder: Path, *, replace: bool = False) -> tuple[list[str], list[str]]:
    """Write files to a folder. Return the paths of new files, and the paths of replaced files.

    Files that exist with the same content are not written again. An existing `.gitignore` is kept in any case.

    Args:
        files: the contents by path.
        replace: whether to replace files that exist with other content.

    Raises:
        ReleaseError: without `replace`, a file exists with other content. Nothing was written.
        OSError: a file cannot be read or written.
    """
    # people add to their `.gitignore`
    files = {name: data for name, data in files.items() if name != IGNORE or not os.path.lexists(folder / name)}
    present = {name: read_plain(folder / name) for name in files if os.path.lexists(folder / name)}
    changed = [name for name, content in present.items() if content != files[name]]
    if changed and not replace:
        names = ", ".join(str(folder / name) for name in changed)
        raise ReleaseError(f"{names}: a file with other content has this name; name a new folder, or use --replace")
    write_files(files, folder, changed)
    return [name for name in files if name not in present], changed


def _see_that_it_is_up_to_date(course: Course) -> None:
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


# -- Make the files that a learner begins with: exercises, pages, and settings for git and an editor

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
    files |= {assistant.NAME: assistant.page(course).encode(), IGNORE: IGNORED}
    files[".vscode/settings.json"] = (json.dumps(_EDITOR, indent=2) + "\n").encode()
    return files
