"""The sentences of practice: messages of `grade` and its commands to a learner, except findings about the code."""

from collections.abc import Sequence

from ..base import counted

# -- every command --------------------------------------------------------------------------------------

INTERRUPTED = "interrupted"
NOT_FILLED_IN = "still to be filled in"
BONUS_OPEN = "a bonus that is not earned yet"
GRADER_FAILED = "the grader itself failed, so there is no score."
NO_FAULT_OF_YOURS = "This is not your code's fault. GRADE_DEBUG=1 shows where it happened."


def no_verdict(error: str) -> str:
    """Say that the grader failed, and with which error."""
    return f"the grader itself failed, so there is no verdict: {error}"


def output_not_written(why: str | None) -> str:
    """Say that standard output cannot be written."""
    return f"standard output cannot be written: {why}"


def command_like(command: str) -> str:
    """Name the command that a wrong word is similar to."""
    return f"There is a command `grade {command}`."


# -- exercises and their files ------------------------------------------------------------------------


def nothing_named(first: str, numbers: Sequence[str]) -> str:
    """Say that a word should name an exercise. `first` is the id of the first one."""
    return f"name an exercise: {_numbers(numbers)}, or an id such as `{first}`"


def no_exercise(word: str, numbers: Sequence[str], near: str) -> str:
    """Say that a word names no exercise.

    Args:
        numbers: the numbers of all exercises.
        near: a question about a similar name, or an empty text.
    """
    exercises = f"; the exercises are {_numbers(numbers)}, and `grade list` names them"
    return f"there is no exercise `{word}`{near or exercises}"


def several_exercises(word: str, ids: Sequence[str]) -> str:
    """Say that a word could be any of several exercises."""
    return f"`{word}` could be {' or '.join(ids)}"


def backward_range(word: str, first: str, last: str) -> str:
    """Say that a range ends before it begins."""
    return f"`{word}` goes backward; write `{last}-{first}`"


def named_twice(exercise: str) -> str:
    return f"`{exercise}` is named twice"


def whose_file(word: str, *, notebook: bool = False) -> str:
    """Ask which exercise a file belongs to."""
    other = ", or begin cells with `%%grade EXERCISE`" if notebook else ""
    return f"which exercise is {word} for? write `grade EXERCISE {word}`{other}"


def no_files(folder: str, *, above: bool = False) -> str:
    """Say that a folder has no exercise file. `above` is true if the folders above it have none either."""
    where = f"{folder} or in a folder above it" if above else folder
    return f"no exercise files in {where}; `grade start` puts them into ./exercises"


def no_file(path: str) -> str:
    return f"there is no file {path}"


def folder_and_more(word: str) -> str:
    """Say that a folder was named in addition to `--from` or to another folder."""
    return f"{word} is a second folder; name only one folder"


def _numbers(numbers: Sequence[str]) -> str:
    """Return exercise numbers as a range, or one by one if the range would have gaps."""
    short = [number.lstrip("0") or number for number in numbers]
    whole = [str(number) for number in range(int(numbers[0]), int(numbers[-1]) + 1)]
    return f"{short[0]} to {short[-1]}" if short == whole and len(short) > 2 else ", ".join(short)


# -- the next step --------------------------------------------------------------------------------------


def next_file(path: str, title: str) -> str:
    return f"Next: open {path} ({title})."


def next_step(verb: str, path: str, folder: str = "") -> str:
    """Return the step before the command that grades a file.

    Args:
        verb: `open` or `change`.
        folder: the folder to change to first, or an empty text.
    """
    go = f"cd {folder}, " if folder else ""
    return f"Next: {go}{verb} {path}, then"


def next_all(command: str) -> str:
    return f"Next: `{command}` grades all exercises together"


def next_missing(command: str, path: str) -> str:
    return f"Next: `{command}` writes {path}, which is missing."


def all_passed(count: int) -> str:
    return "You have passed the exercise." if count == 1 else f"You have passed all {count} exercises."


def welcome(count: int, points: int, folder: str) -> str:
    """Greet a learner who has not begun. `folder` is `.` for the current folder."""
    where = "this folder" if folder == "." else folder
    exercises = f"{counted(count, 'exercise')} worth {counted(points, 'point')} {'is' if count == 1 else 'are'}"
    know = "Each file begins with what you need to know."
    fill = "Replace each TODO, and the `raise` line under it, with your code."
    return f"Welcome. {exercises} in {where}. {know} {fill}"


WELCOME_TIP = "`grade watch` grades on every save. `grade hint` shows a hint. `grade list` shows every exercise."
LEARNT = "What you have learnt:"
FURTHER = "Where to go next:"


def points_and_passed(score: int, points: int, passed: int, count: int, *, short: bool = False) -> str:
    of = count if short else counted(count, "exercise")
    return f"{score}/{counted(points, 'point')}, {passed} of {of} passed"


def report_in(path: str) -> str:
    return f"Report: {path}"


SHORTEN = "To type just grade, first run"


# -- `grade start`, `grade reset`, `grade solution` -----------------------------------------------------


def started(count: int, folder: str) -> str:
    return f"{counted(count, 'exercise')} written to {folder}"


def also_written(names: Sequence[str]) -> str:
    return f"also written: {', '.join(names)}"


def left_alone(names: Sequence[str]) -> str:
    """Say which files already existed. If there are many, only the first two are named."""
    few = ", ".join(names) if len(names) < 4 else f"{', '.join(names[:2])} and {len(names) - 2} more"
    return f"already there, and not changed: {few}"


START_TIP = "`grade watch` grades on every save."


def reset_done(path: str, copy: str) -> str:
    """Say that a file is the original again. `copy` is the path of the learner's version, or an empty text."""
    kept = f" Your version is in {copy}." if copy else ""
    return f"{path} is the original file again.{kept}"


def reset_not_needed(path: str) -> str:
    return f"{path} is the original file: there is nothing to reset."


def notebook_in_place(notebook: str, file: str) -> str:
    """Say that a file is not reset because there is a notebook instead. If both existed, neither would be graded."""
    return f"there is a notebook, {notebook}, in place of {file}: rename the notebook, then reset the exercise"


def not_written(path: str, why: str) -> str:
    return f"{path}: cannot be written: {why}"


NO_SOLUTIONS = "this course shows no solutions"
SOLUTIONS_ELSEWHERE = "This installation does not contain the solutions."
SOLUTIONS_MISSING = (
    "this copy of the course does not contain its solutions, and its course.yaml has no `solutions_at`, "
    "which could say where they are"
)


def solution_later(exercise: str) -> str:
    return f"the solution to {exercise} is shown once you have passed the exercise; `grade hint` shows a hint"


# -- hints ----------------------------------------------------------------------------------------------

LAST_HINT = "That is the last hint."


def no_failure(exercise: str) -> str:
    """Say that every exercise has been passed, and how to name an exercise for a hint."""
    return f"you have passed every exercise; name one for a hint: `grade hint {exercise}`"


def hint_range(exercise: str, count: int) -> str:
    return f"`{exercise}` has hints 1 to {count}"


def hint_head(number: int, count: int, exercise: str) -> str:
    return f"Hint {number} of {count} for {exercise}"


def more_hints(command: str) -> str:
    return f"More: `{command}`"


def last_hint(exercise: str, count: int, *, only: bool = False) -> str:
    """Say that there is no further hint for a failing check.

    Args:
        count: the number of the exercise's hints.
        only: whether this was the only hint for the check.
    """
    others = f" {_any_hint(exercise, count)}" if count > 1 else ""
    return f"That is the {'only' if only else 'last'} hint for this failure.{others}"


def no_hint(exercise: str, count: int) -> str:
    """Say that none of the exercise's hints, `count` in number, is about the failure."""
    return f"There is no hint for this failure. {_any_hint(exercise, count)}"


def _any_hint(exercise: str, count: int) -> str:
    if count == 1:
        return f"`grade hint {exercise} 1` shows the hint of the exercise."
    return f"`grade hint {exercise} N` shows hint N of the exercise; N goes from 1 to {count}."


def not_loaded(file: str, number: str) -> str:
    """Say that a file could not be loaded or read in the last run."""
    return f"{file} could not be loaded when it was last graded. `grade {number}` shows why."


def hints_later(exercise: str) -> str:
    """Say why there is no hint for a file that could not be loaded or read."""
    return (
        f"Hints are for checks, which run once the file can be loaded. `grade hint {exercise} 1` shows the first hint."
    )


# -- `grade watch` --------------------------------------------------------------------------------------

KEYS = ("h hint", "p play", "a all failures", "l list", "n next", "r reset", "q quit")
NO_KEYS = "This terminal cannot read single keys: results are printed one below the other, and Ctrl-C quits."
ON_SAVE = "Save the file, and it is graded at once."
FILE_MISSING = "That file is missing. Press r to write the original file."
NEXT_HINT = "h shows the next hint"


def checking(exercise: str, number: int, count: int, title: str) -> str:
    return f"{exercise}, check {number} of {count}: {title}"


def sure_to_reset(file: str) -> str:
    return f"Press r again to reset {file}. A copy of your file is kept."


# -- `grade` --------------------------------------------------------------------------------------------

OTHER_CHECKS = "Now running the other checks."
OBSERVED = "Observed besides the failures above:"


def printed(count: int, command: str, *, every: bool) -> str:
    """Say how many lines a check's code printed, and which command, if any, shows them, or the first of them."""
    if not command:
        return f"your code printed {counted(count, 'line')}"
    them = ("it" if count == 1 else "them") if every else "the first of them"
    return f"your code printed {counted(count, 'line')}; `{command}` shows {them}"


FIRST_IN_FULL = "The first failure is shown in full; `grade --all` shows every one."
FIRST_IN_PART = "The first failure is shown in part; `grade --all` shows all of every one."
IN_PART = "The failure is shown in part; `grade --all` shows all of it."
MISSED_BONUS = "`grade --all` says why a bonus was not earned."
NO_CURRENT_FOLDER = "the current folder no longer exists; change to another one"


def no_folder(option: str, folder: str) -> str:
    return f"{option} {folder}: there is no such folder"


def report_not_written(path: str, why: str) -> str:
    return f"the report could not be written to {path}: {why}; try --report FILE"
