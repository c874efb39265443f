"""The sentences of practice: messages of `grade` to a learner, except findings about the code.

An instructor reads the same sentences about files that were not read.
"""

from collections.abc import Sequence

from msgspec import structs

from ..base.text import counted
from ..course.remarks import Reason
from .sentence import Sentence, filled, listed

# -- every command --------------------------------------------------------------------------------------

needs_linux = Sentence("{what} needs Linux; on Windows, use WSL, which `wsl --install` in PowerShell installs")
INTERRUPTED = "interrupted"
NOT_FILLED_IN = "still to be filled in"
BONUS_OPEN = "a bonus that is not earned yet"
GRADER_FAILED = "the grader itself failed, so there is no score."
NO_FAULT_OF_YOURS = "This is not your code's fault. GRADE_DEBUG=1 shows where it happened."
no_verdict = Sentence("the grader itself failed, so there is no verdict: {error}")
output_not_written = Sentence("standard output cannot be written: {why}")
described_by = Sentence("`{command} --help` describes the command.")
command_like = Sentence("There is a command `grade {command}`.")

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


def _numbers(numbers: Sequence[str]) -> str:
    """Return exercise numbers, three or more that follow each other as a range: `1 to 13, 15`."""
    runs: list[list[int]] = []
    for number in map(int, numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    # a range of two numbers would be no shorter
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


several_exercises = Sentence("`{word}` could be {ids: or }")
backward_range = Sentence("`{word}` goes backward; write `{last}-{first}`", "word first last")
named_twice = Sentence("`{exercise}` is named twice")

whose_file = Sentence(
    "which exercise is {word} for? write `grade EXERCISE {word}`{notebook:?, or begin cells with `%%grade EXERCISE`}",
    notebook=False,
)
no_files = Sentence(
    "no exercise files in {folder}{above:? or in a folder above it}; `grade start` puts them into ./exercises",
    above=False,
)
no_file = Sentence("there is no file {path}")
no_exercise_file = Sentence("{name} is not the file of an exercise, and contains none")
folder_and_more = Sentence("{word} is a second folder; name only one folder")

# -- the next step --------------------------------------------------------------------------------------
next_file = Sentence("Next: open {path} ({title}).")

# before the command that grades a file; the verb is `open` or `change`
next_step = Sentence("Next: {folder:?cd {folder}, }{verb} {path}, then", "verb path folder", folder="")
next_all = Sentence("Next: `{command}` grades all exercises together")
next_missing = Sentence("Next: `{command}` writes {path}, which is missing.")

all_passed = Sentence("You have passed {count:the exercise|all {count} exercises}.")
welcome = Sentence(
    "Welcome. {count:exercise} worth {points:point} {count:is|are} in {folder}. Each file begins with what you need to "
    "know. Replace each TODO, and the `raise` line under it, with your code."
)
WELCOME_TIP = "`grade watch` grades on every save. `grade hint` shows a hint. `grade list` shows every exercise."
WELCOME_PAGE = (
    "Welcome. Read the lesson. Then replace each TODO, and the `raise` line under it, with your code. It is graded "
    "when you stop typing."
)
WHEN_LOADED = "when the file was loaded"
# the status of an exercise, above its verdict on the page of a site
OUTCOMES = {
    "passed": "Passed",
    "partial": "Not passed yet",
    "failed": "Not passed yet",
    "not_started": "Not started",
    "missing": "Missing",
    "unreadable": "Not readable",
}
# the words above right results on the page, by those beside them on a terminal
EXPECTED_BY = {"torch": "PyTorch", "expected": "expected", "a correct one is": "a correct one"}
LEARNT = "What you have learnt:"
learnt = Sentence("You have learnt: {lesson}", "lesson")
MADE = "Your model:"
# on a terminal, for an exercise in which a transformer is written
train_yours = Sentence(
    "`grade play {exercise}` trains your model of exercise {exercise}, and shows the loss and names that it makes. "
    "`grade play {exercise} --text FILE` trains it on the words of a text file.",
    "exercise",
)
FURTHER = "Where to go next:"


points_and_passed = Sentence(
    "{score}/{points:point}, {passed} of {short:?{count}|{count:exercise}} passed",
    "score points passed count",
    short=False,
)
report_in = Sentence("Report: {path}")
graded_as = Sentence(
    "This engine's values are arrays. So it is graded as exercise {number} {id}. "
    "To grade it as exercise {asked} {asked_id}, add --scalars."
)

SHORTEN = "To type just grade, first run"


# -- `grade start`, `grade reset`, `grade solution` -----------------------------------------------------
started = Sentence("{count:exercise} written to {folder}")
also_written = Sentence("also written: {names}")


def left_alone(names: Sequence[str]) -> str:
    """Say which files already existed. If there are many, only the first two are named."""
    shown = ", ".join(names) if len(names) < 4 else f"{', '.join(names[:2])} and {len(names) - 2} more"
    return f"already there, and not changed: {shown}"


START_TIP = "`grade watch` grades on every save."


reset_done = Sentence("{path} is the original file again.{copy:? Your version is in {copy}.}")
reset_not_needed = Sentence("{path} is the original file: there is nothing to reset.")
notebook_in_place = Sentence(
    "there is a notebook, {notebook}, in place of {file}: rename the notebook, then reset the exercise"
)

NO_SOLUTIONS = "this course shows no solutions"
solution_elsewhere = Sentence("This copy of the course does not contain `solutions/{file}`.")
SOLUTIONS_MISSING = (
    "this copy of the course does not contain its solutions, and its course.yaml has no `solutions_at`, "
    "which could say where they are"
)
solution_later = Sentence(
    "the solution to {exercise} is shown once you have passed the exercise; `grade hint` shows a hint"
)

# -- hints ----------------------------------------------------------------------------------------------

LAST_HINT = "That is the last hint."
no_failure = Sentence("you have passed every exercise; name one for a hint: `grade hint {exercise}`")
hint_range = Sentence("`{exercise}` has hints 1 to {count}")
hint_head = Sentence("Hint {number} of {count} for {exercise}")
hint_from_search = Sentence("Last hint for {exercise}")
more_hints = Sentence("More: `{command}`")

# an exercise with one hint has no number to choose
_BY_NUMBER = (
    "{count:`grade hint {exercise} 1` shows the hint of the exercise.|"
    "`grade hint {exercise} N` shows hint N of the exercise; N goes from 1 to {count}.}"
)
last_hint = Sentence(
    "That is the {only:?only|last} written hint for this failure."
    "{count:| `grade hint {exercise} N` shows hint N of the exercise; N goes from 1 to {count}.}",
    "exercise count",
    only=False,
)
hints_by_number = Sentence(_BY_NUMBER, "exercise count")
no_hint = Sentence(f"There is no hint for this failure. {_BY_NUMBER}", "exercise count")
not_loaded = Sentence("{file} could not be loaded when it was last graded. `grade {number}` shows why.")
hints_later = Sentence(
    "Hints are for checks, which run once the file can be loaded. `grade hint {exercise} 1` shows the first hint."
)

# -- `grade watch` --------------------------------------------------------------------------------------

# each begins with the key to press
KEYS = ("h hint", "p play", "a all failures", "l list", "n next", "r reset", "q quit")
NO_KEYS = "This terminal cannot read single keys: results are printed one below the other, and Ctrl-C quits."
ON_SAVE = "Save the file, and it is graded at once."
FILE_MISSING = "That file is missing. Press r to write the original file."
NEXT_HINT = "h shows the next hint"
checking = Sentence("{exercise}, check {number} of {count}: {title}")
sure_to_reset = Sentence("Press r again to reset {file}. A copy of your file is kept.")

# -- `grade` --------------------------------------------------------------------------------------------

OTHER_CHECKS = "Now running the other checks."
OBSERVED = "Observed besides the failures above:"


def printed(count: int, command: str, *, every: bool) -> str:
    """Say how many lines a check's code printed, and which command shows them.

    Args:
        command: the command, or an empty text if none shows them.
        every: whether the command shows every line, and not only the first ones.
    """
    them = ("it" if count == 1 else "them") if every else "the first of them"
    return f"your code printed {counted(count, 'line')}" + (f"; `{command}` shows {them}" if command else "")


FIRST_IN_FULL = "The first failure is shown in full; `grade --all` shows every one."
FIRST_IN_PART = "The first failure is shown in part; `grade --all` shows every failure in full."
IN_PART = "The failure is shown in part; `grade --all` shows all of it."
MISSED_BONUS = "`grade --all` says why a bonus was not earned."
NO_CURRENT_FOLDER = "the current folder no longer exists; change to another one"
no_folder = Sentence("{option} {folder}: there is no such folder")
report_not_written = Sentence(
    "the report could not be written to {path}: {why}; "
    "{folder:?create the folder {folder}, or }choose another file with --report FILE"
)

# -- files that were not read ---------------------------------------------------------------------------


def unread_text(unread: Reason, name: str = "") -> str:
    """Return a sentence that says why a file was not read.

    Args:
        name: the name of the file. Reasons that concern a whole submission do not need it.
    """
    kb, shown = unread.limit_kb or 0, unread.names
    fields = {
        "name": name,
        "size": f"{kb} KB" if kb < 1 << 10 else f"{kb >> 10} MB",
        "cpu": unread.clock == "cpu",
        "shown": listed(shown, more=(unread.count or 0) > len(shown)),
    }
    text = _UNREAD[unread.kind]
    return filled(text if unread.kind in _WHOLE else f"{{name}} {text}", {**structs.asdict(unread), **fields})


_WHOLE = ("both", "missing", "near_name", "several_files", "too_much_memory", "too_slow")  # these are whole sentences
_NOT_READ = "the submission cannot be read: reading it took more than"
_UNREAD = {
    "both": "there are both {names: and }; keep one of them",
    "compression": "uses an unsupported compression method",
    "damaged": "is damaged: {detail}",
    "encrypted": "is encrypted",
    "hard_link": "is a hard link: the same file has another name elsewhere",
    "language": "is a notebook for {detail}; only Python can be graded",
    "missing": "there is no file {name}",
    "nbformat": "has nbformat {count}, and only 4 can be read; open it in Jupyter and save it again",
    "near_name": "there is no file {name}; it may be {names: or }",
    "nested": "is not a Jupyter notebook: its JSON is nested too deeply",
    "not_a_notebook": "is not a Jupyter notebook: {detail}; open it in Jupyter and save it again",
    "not_json": "cannot be read: {detail}; clear its outputs and save it again in Jupyter",
    "not_opened": "cannot be read: {detail}",
    "not_regular": "is not a regular file",
    "not_utf8": "is not UTF-8 (byte {count})",
    "notebook_not_utf8": "cannot be read: it is not UTF-8; clear its outputs and save it again in Jupyter",
    "notebook_too_large": "is larger than {size}; clear its outputs and save it again",
    "nul_bytes": "is not text: it has NUL bytes (UTF-16?)",
    "nul_characters": "is not text: it has NUL characters",
    "several_files": "{count} different files {name} were found: {shown}; none was graded. Keep one of them.",
    "symbolic_link": "cannot be read: there is a symbolic link in its path",
    "too_large": "is larger than {size}",
    "too_many_cells": "has more than {count} cells",
    "too_much_code": "has more than {size} of code",
    "too_much_memory": f"{_NOT_READ} {{size}} of memory",
    "too_slow": f"{_NOT_READ} {{seconds:g}} s{{cpu:? of CPU time}}",
}


# -- `grade play`: errors in its arguments ----------------------------------------------------------------------------
unknown_word = Sentence("{why}; the presets are {presets}{near}; an expression looks like `a * b`")
too_many_words = Sentence("only one check can follow `{exercise}`; `{word}` is one word too many")


def no_check(exercise: str, checks: Sequence[str], word: str) -> str:
    return f"`{exercise}` has checks 1 to {len(checks)}: {', '.join(checks)}; `{word}` is not one of them"


hidden_check = Sentence("the programs of check `{check}` are hidden")
check_without_pass = Sentence(
    "check `{check}` of `{exercise}` runs no backward pass that can be shown; `grade play {exercise}` shows the others"
)
passed_check = Sentence("Your code passes this check ({title}): its first program is shown.")
preset_with_numbers = Sentence("the preset `{preset}` has its own numbers; `{word}` is one word too many")
no_value = Sentence("`{word}` is not a value for a leaf, such as a=2; put the expression in quotes")
no_number = Sentence("{word}: `{number}` is not a number")

values_missing = Sentence("{leaves} {leaves:has|have} no value; for example: {command}")
no_training = Sentence("--landscape takes {trainings: or }, or a loss and the values of its parameters, not `{word}`")
NO_TRANSFORMER = "--text takes a file with a transformer, as in `grade play transformer --text FILE`"
NOT_UTF_8 = "it is not UTF-8"
no_words = Sentence("--text {path} has no word of at most {most} letters from a to z")
nothing_trains = Sentence("no exercise file in {folder} has a function `train`")


def several_in(notebook: str, ids: Sequence[str]) -> str:
    """Say that a notebook has cells of several exercises, so that one of them must be named."""
    return f"{notebook} has cells of {', '.join(ids)}; write `grade play {ids[0]} {notebook}`"


too_many_nodes = Sentence("{program}: it has {nodes} nodes; a replay shows at most {most}")
no_landscape = Sentence("{loss}: a landscape shows 1 to {most_steps} steps and at most {most_parameters} parameters")

# -- `grade play`: results -------------------------------------------------------------------------------------------

RUNNING = "running your code"
OPEN_IT = "No browser was opened. Open that file in a browser."
replayed = Sentence("Replayed {file}: {program}")
replay_in = Sentence("Replay: {path}")
MODEL_OF_NAMES = "A model of names"
chain_title = Sentence("Weights of {size} at first")
ENGINE_WITHOUT_VALUE = "This file has no class `Value`."
ENGINE_NOT_PASSED = "This file does not pass all required checks of exercise 12 yet."
nothing_to_play = Sentence("No check of {exercise} runs a backward pass that can be shown.")
others_played = Sentence(
    "No check of {exercise} runs a backward pass that can be shown. The page shows other programs on the engine in "
    "your file."
)

# -- `grade play`: limits of a replay ---------------------------------------------------------------------------------

ELSEWHERE = "The backward pass computes gradients elsewhere and writes them to the nodes, so no steps can be shown."
NO_RULE = "No local rule was recognised in this file, so no steps can be shown."
no_graph = Sentence(
    "The graph that your code builds has more than {most} nodes, or a node that no operation of the engine has made, "
    "so it cannot be shown."
)
first_runs = Sentence("Only the first {count} runs of rules are shown.")
