"""Make exercise files from solutions: a TODO replaces the code between the markers.

    # BEGIN SOLUTION what does each input of + receive?
    self.grad += out.grad
    # END SOLUTION

becomes

    # TODO: what does each input of + receive?
    raise NotImplementedError("distribute: what does each input of + receive?")
"""

import re
from collections.abc import Mapping

from ..client import read_source
from ..course import Course, CourseError, Exercise
from ..outside import write_atomically
from ..words.files import unread_text

_BEGIN = re.compile(r"(?P<indent>[ ]*)# BEGIN SOLUTION(?: (?P<prompt>.*\S))?\s*")
_NEARLY = re.compile(r"#.*\b(BEGIN|END)\s+SOLUTION", re.IGNORECASE)
_END = re.compile(r"[ ]*# END SOLUTION\s*")


def make_stub(course: Course, exercise: Exercise) -> str:
    """Return the exercise file for a solution. Raises `CourseError` for markers that do not pair."""
    path = course.solution(exercise)
    source = read_source(path)
    if source.unread is not None:
        raise CourseError(path, None, unread_text(source.unread, path.name))
    lines: list[str] = []
    opened = 0
    regions = 0
    for number, line in enumerate(source.text.splitlines(), 1):
        begin = _BEGIN.fullmatch(line)
        if begin and opened:
            raise CourseError(path, number, f"BEGIN SOLUTION within the region that began in line {opened}")
        if begin:
            if not begin["prompt"]:
                raise CourseError(path, number, "BEGIN SOLUTION needs a question for the learner after it")
            opened, regions = number, regions + 1
            text = begin["prompt"].replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f"{begin['indent']}# TODO: {begin['prompt']}")
            lines.append(f'{begin["indent"]}raise NotImplementedError("{exercise.id}: {text}")')
        elif _END.fullmatch(line):
            if not opened:
                raise CourseError(path, number, "END SOLUTION without a BEGIN SOLUTION")
            opened = 0
        elif _NEARLY.search(line):
            raise CourseError(path, number, "write a marker as `# BEGIN SOLUTION question` or `# END SOLUTION`")
        elif not opened:
            lines.append(line)
    if opened:
        raise CourseError(path, opened, "BEGIN SOLUTION without an END SOLUTION")
    if not regions:
        raise CourseError(path, None, "has no solution region: put # BEGIN SOLUTION and # END SOLUTION around it")
    return "\n".join(lines) + "\n"


def without_markers(solution: str) -> str:
    """Return a solution without the lines that mark its regions, as a learner would write it."""
    lines = solution.splitlines(keepends=True)
    return "".join(line for line in lines if not (_BEGIN.fullmatch(line) or _END.fullmatch(line)))


def write_stubs(course: Course, known: Mapping[str, str], *, force: bool = False) -> list[str]:
    """Write every exercise file that is out of date with its solution. Return the names of the written files.

    A file that a learner or author has worked on is left alone unless `force` is true.

    Args:
        known: earlier stubs by exercise id, which `is_work` does not count as work.
    """
    written = []
    stubs = {exercise.id: make_stub(course, exercise) for exercise in course.exercises}
    for exercise in course.exercises:
        path, stub = course.exercise_file(exercise), stubs[exercise.id]
        if read_source(path).text == stub or (is_work(course, exercise, known) and not force):
            continue
        try:
            path.parent.mkdir(exist_ok=True)
            write_atomically(path, stub.encode())
        except OSError as error:
            raise CourseError(path, None, f"cannot be written: {error.strerror}") from None
        written.append(path.name)
    return written


def is_work(course: Course, exercise: Exercise, known: Mapping[str, str]) -> bool:
    """Return whether somebody has worked on an exercise's file.

    A file is not work if it is missing, empty, the present stub of its solution, or the stub in `known` (by exercise
    id). Raises the same errors as `make_stub`.
    """
    present = read_source(course.exercise_file(exercise))
    if present.problem is not None:
        return present.problem != "missing"
    untouched = ("", make_stub(course, exercise).strip(), known.get(exercise.id, "").strip())
    return present.text.strip() not in untouched
