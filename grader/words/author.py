"""The words for authors of courses: findings of `grade verify`, and what the commands for authors print.

Errors of a course's files keep their sentence where they are raised, because it consists of what was found there.
"""

from collections.abc import Sequence
from textwrap import shorten

from ..base import counted

_SHOWN = 120  # characters of a program

# -- findings of `grade verify`: predicates, after the file and its line ---------------------------------

OTHER_STUB = "is not what the solution's stub would be; `grade stubs` writes it anew"
NO_TODO = "has no TODO"
OTHER_ORDER = "the rows are not in the order of course.yaml, or an exercise has two"


def drifted(kind: str, exercise: str, programs: Sequence[str]) -> str:
    """Return a sentence about a part of the answer book that would be different if the book were made now.

    Args:
        kind: `stub`, `misconceptions`, `not_in_book`, `answer` or `not_asked`.
        exercise: the exercise, such as `02_swap`. For `not_asked`, it is empty.
        programs: the programs whose answers are missing or different.
    """
    match kind:
        case "stub":
            return f"its stub of {exercise} has drifted"
        case "misconceptions":
            return f"its misconceptions of {exercise} have drifted"
        case "not_in_book":
            return f"it has no answer to {_first(programs)}, which {exercise} asks for"
        case "answer":
            return f"its answer to {_first(programs)}, which {exercise} asks for, has drifted"
        case "not_asked":
            return "it has answers that no exercise asks for"
        case _:
            raise ValueError(kind)


def build_again(finding: str) -> str:
    """Return a finding about the answer book, followed by the remedy."""
    return f"{finding}; `grade build` writes it anew"


def made_from_answer(programs: Sequence[str]) -> str:
    """Return the finding that a hidden test makes programs from answers."""
    why = f"makes {_first(programs)} from an answer, which ends in other digits elsewhere"
    return f"{why}; write numbers, or use `engine.descent`"


def _first(programs: Sequence[str]) -> str:
    """Return the first program, shortened if it is long, and the number of further programs."""
    text = f"`{shorten(programs[0], _SHOWN)}`"
    return f"{text} (and {len(programs) - 1} more)" if len(programs) > 1 else text


def solution_fails(check: str) -> str:
    """Return the finding that the solution does not pass a check."""
    return f"the solution fails the check `{check}`"


def solution_is_slow(check: str) -> str:
    """Return the finding that the solution comes too close to the limits of a check."""
    return f"the solution needs more than a tenth of the limits of `{check}`"


def stub_passes(check: str) -> str:
    """Return the finding that the stub passes a check."""
    return f"the untouched stub passes the check `{check}`"


def shows_solution(exercise: str) -> str:
    """Return the finding that a file contains the solution of an exercise."""
    return f"gives away the solution of {exercise}"


def shows_check(exercise: str) -> str:
    """Return the finding that a file contains a hidden check of an exercise."""
    return f"shows a hidden check of {exercise}"


def loses_no_points(misconception: str) -> str:
    """Return the finding that a misconception passes every check."""
    return f"the misconception `{misconception}` loses no points"


def diagnosed_as(misconception: str, found: Sequence[str]) -> str:
    """Return the finding that a misconception is diagnosed as others, or as none."""
    return f"the misconception `{misconception}` is diagnosed as {', '.join(found) or 'nothing'}"


def about_nothing(misconception: str, first: str) -> str:
    """Return the finding that a misconception does not name its check. `first` is the check that it fails first."""
    return f"the misconception `{misconception}` does not say which check it is `about`; it fails `{first}` first"


def about_no_check(misconception: str, about: str) -> str:
    """Return the finding that a misconception names a check that the exercise does not have."""
    return f"the misconception `{misconception}` is about `{about}`, which is not a check of this exercise"


def about_other(misconception: str, about: str, first: str) -> str:
    """Return the finding that a misconception names another check than `first`, the one that it fails first."""
    return f"the misconception `{misconception}` is about `{about}`, but fails `{first}` first"


def depends_on_seed(misconception: str, checks: Sequence[str], seeds: int) -> str:
    """Return the finding that the results of checks depend on the seed. Without a misconception: of the solution."""
    who = f"the misconception `{misconception}`" if misconception else "the solution"
    named = ", ".join(f"`{check}`" for check in checks)
    return f"{who} passes {named} under some of {seeds} seeds and not under others"


def mutant_survives(mutant: str) -> str:
    """Return the finding that a mutant of the solution passes every check."""
    return f"no check notices the mutant `{mutant}`"


def not_equivalent(mutant: str) -> str:
    """Return the finding that a mutant is listed as equivalent to the solution and fails a check."""
    return f"`{mutant}` is listed as equivalent, but a check fails it"


def no_mutant(mutant: str) -> str:
    """Return the finding that a listed mutant does not exist."""
    return f"`{mutant}` is not a mutant of this solution"


def row_missing(exercise: str, row: str) -> str:
    """Return the finding that a README's table has no row for an exercise."""
    return f"its table of exercises lacks {exercise}; add `{row}`"


def other_row(row: str) -> str:
    """Return the finding that a row of a README's table differs from the course."""
    return f"this row differs from the course; write `{row}`"


def no_such_row(exercise: str) -> str:
    """Return the finding that a README's table has a row for an exercise that does not exist."""
    return f"there is no exercise `{exercise}` in course.yaml; remove the row"


# -- what `grade verify` prints around its findings ------------------------------------------------------

HEAD = ("exercise", "solution", "misconceptions named", "mutants killed", "equivalent mutants", "findings")
NOT_NAMED = """\
A misconception that loses no points is listed as a finding. A report names no misconception if the
code behaves like an unfinished solution, or if every gradient stays 0, because then many mistakes
look alike."""


def numbers_kept(program: str) -> str:
    """Return a line about a program that has the same numbers under every seed."""
    return f"keeps its numbers: {program}"


def stub_verified(path: str) -> str:
    """Return a line about an exercise file that was not verified, because somebody has worked on it."""
    return f"{path} has been worked on; its stub was verified instead"


def findings(count: int) -> str:
    """Return a line with the number of findings."""
    return counted(count, "finding") if count else "no problems found"


NO_COURSE = "there is no course.yaml here or in a folder above; go to the course's folder, or name it by --course"

# -- `grade build` and `grade stubs` --------------------------------------------------------------------


ALL_AGREE = "every exercise file agrees with its solution"


def book_written(path: str, programs: int, torch: str) -> str:
    """Return a line about the answer book."""
    return f"wrote {path}: {counted(programs, 'program')}, torch {torch}"


def copy_kept(name: str, copy: str) -> str:
    """Return a line about the copy of a file that is overwritten."""
    return f"kept a copy of {name}: {copy}"


def left_alone(name: str) -> str:
    """Return a line about a file that is not overwritten."""
    return f"left {name} alone: it has been worked on; `grade stubs --force` would overwrite it"


def no_copy(path: str, why: str | None) -> str:
    """Return a message that a file cannot be copied, and so is not overwritten."""
    return f"{path}: no copy can be kept: {why}; nothing was overwritten"


def cannot_be_written(path: str, why: str | None) -> str:
    """Return a message that the system does not write a file."""
    return f"{path}: cannot be written: {why}"


def wrote(path: str) -> str:
    """Return a line about a file that was written."""
    return f"wrote {path}"


def replaced(path: str) -> str:
    """Return a line about a file that was overwritten."""
    return f"replaced {path}"


def up_to_date(folder: str) -> str:
    """Return a line about a folder in which nothing had to be written."""
    return f"{folder} is up to date"


# -- `grade new` -----------------------------------------------------------------------------------------


def new_course(folder: str, files: Sequence[str], guide: str) -> str:
    """Return the lines about a new course: its files, and the next steps."""
    listed = "\n".join(f"  {name}" for name in files)
    steps = f"Next: cd {folder}, then `grade build`, `grade verify`, and `grade new exercise NAME`."
    return f"{folder} is a course of one exercise:\n\n{listed}\n\n{steps}\nThe guide: {guide}"


def new_exercise(name: str, stem: str, file: str, points: int, files: Sequence[str], guide: str) -> str:
    """Return the lines about a new exercise: its files, and the next steps."""
    listed = "\n".join(f"  {path}" for path in files)
    begin = f"{stem} is in {file}, worth {counted(points, 'point')}; rewrite these files:\n\n{listed}"
    return f"{begin}\n\nNext: `grade build {name}`, then `grade verify {name}`.\nThe guide: {guide}"
