"""The table of exercises in a course's README. It has a row with points for each exercise."""

import re
from collections.abc import Iterator
from pathlib import Path

from ..course import Course, Exercise
from ..outside import read_plain
from ..words import author as said

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
    rows = [number for number, line in enumerate(lines) if _ROW.fullmatch(line) or _is_head(lines, number)]
    if not rows:
        return None
    return "\n".join([*lines[: rows[-1] + 1], row, *lines[rows[-1] + 1 :]]) + "\n"


def _is_head(lines: list[str], number: int) -> bool:
    """Return whether a line is the `|---|` below the head of a table of exercises."""
    return bool(number) and re.fullmatch(r"[|:\- ]+", lines[number]) is not None and "| exercise |" in lines[number - 1]


def differing(course: Course, path: Path) -> Iterator[tuple[int | None, str]]:
    """Yield each difference between the course and the table of exercises in a README: the line, and what to write.

    A README without such a table, or a missing one, has no differences. Raises `OSError`.
    """
    lines = _lines(path)
    rows = [(number, found) for number, line in enumerate(lines, 1) if (found := _ROW.fullmatch(line))]
    if not rows and not any(_is_head(lines, number) for number in range(len(lines))):
        return
    listed = {found["id"]: (number, found) for number, found in rows}
    for exercise in course.exercises:
        if exercise.id not in listed:
            yield None, said.row_missing(exercise.stem, row_of(exercise, "…"))
            continue
        number, found = listed[exercise.id]
        if (found["number"], found["points"]) != (exercise.number, points_of(exercise)):
            yield number, said.other_row(row_of(exercise, found["what"].strip()))
    ids = [exercise.id for exercise in course.exercises]
    for number, found in rows:
        if found["id"] not in ids:
            yield number, said.no_such_row(found["id"])
    order = [found["id"] for _, found in rows if found["id"] in ids]
    if order != [one for one in ids if one in listed]:
        yield rows[0][0], said.OTHER_ORDER


def _lines(path: Path) -> list[str]:
    try:
        return read_plain(path, follow=True).decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []
