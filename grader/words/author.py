"""The words for authors of courses and for people who set up CI jobs.

They are the findings of `grade verify`, and what the commands for authors and CI jobs print. Errors of a course's files
keep their sentence where they are raised, because it consists of what was found there.
"""

from collections.abc import Sequence
from textwrap import shorten

from .sentence import Sentence, filled

_SHOWN = 120  # characters of a program

# -- findings of `grade verify`: predicates, after the file and its line ---------------------------------

OTHER_STUB = "is not what the solution's stub would be; `grade stubs` writes it anew"
NO_TODO = "has no TODO"
OTHER_ORDER = "the rows are not in the order of course.yaml, or an exercise has two"
_DRIFTED = {
    "stub": "its stub of {exercise} has drifted",
    "misconceptions": "its misconceptions of {exercise} have drifted",
    "not_in_book": "it has no answer to {first}, which {exercise} asks for",
    "answer": "its answer to {first}, which {exercise} asks for, has drifted",
    "not_asked": "it has answers that no exercise asks for",
}


def drifted(kind: str, exercise: str, programs: Sequence[str]) -> str:
    """Return a sentence about a part of the answer book that would be different if the book were made now.

    Args:
        kind: `stub`, `misconceptions`, `not_in_book`, `answer` or `not_asked`.
        exercise: the exercise, such as `02_swap`. For `not_asked`, it is empty.
        programs: the programs whose answers are missing or different.
    """
    return filled(_DRIFTED[kind], {"exercise": exercise, "first": _first(programs) if programs else ""})


def made_from_answer(programs: Sequence[str]) -> str:
    """Return the finding that a hidden test makes programs from answers."""
    # torch's last digits depend on the machine, so one machine's book would lack these programs
    why = f"makes {_first(programs)} from an answer, which ends in other digits elsewhere"
    return f"{why}; write numbers, or use `engine.descent`"


def _first(programs: Sequence[str]) -> str:
    """Return the first program, shortened if it is long, and the number of further programs."""
    text = f"`{shorten(programs[0], _SHOWN)}`"
    return f"{text} (and {len(programs) - 1} more)" if len(programs) > 1 else text


def depends_on_seed(misconception: str, checks: Sequence[str], seeds: int) -> str:
    """Return the finding that the results of checks depend on the seed.

    Args:
        misconception: the id of the misconception that was run, or an empty text for the solution.
    """
    who = f"the misconception `{misconception}`" if misconception else "the solution"
    named = ", ".join(f"`{check}`" for check in checks)
    return f"{who} passes {named} under some of {seeds} seeds and not under others"


build_again = Sentence("{finding}; `grade build` writes it anew")
solution_fails = Sentence("the solution fails the check `{check}`")
solution_is_slow = Sentence("the solution needs more than a tenth of the limits of `{check}`")
stub_passes = Sentence("the untouched stub passes the check `{check}`")
shows_solution = Sentence("gives away the solution of {exercise}")
shows_check = Sentence("shows a hidden check of {exercise}")
loses_no_points = Sentence("the misconception `{misconception}` loses no points")
diagnosed_as = Sentence("the misconception `{misconception}` is diagnosed as {found:?{found}|nothing}")
about_nothing = Sentence(
    "the misconception `{misconception}` does not say which check it is `about`; it fails `{first}` first"
)
about_no_check = Sentence(
    "the misconception `{misconception}` is about `{about}`, which is not a check of this exercise"
)
about_other = Sentence("the misconception `{misconception}` is about `{about}`, but fails `{first}` first")
mutant_survives = Sentence("no check notices the mutant `{mutant}`")
not_equivalent = Sentence("`{mutant}` is listed as equivalent, but a check fails it")
no_mutant = Sentence("`{mutant}` is not a mutant of this solution")
row_missing = Sentence("its table of exercises lacks {exercise}; add `{row}`")
other_row = Sentence("this row differs from the course; write `{row}`")
no_such_row = Sentence("there is no exercise `{exercise}` in course.yaml; remove the row")

# -- what `grade verify` prints around its findings ------------------------------------------------------

HEAD = ("exercise", "solution", "misconceptions named", "mutants killed", "equivalent mutants", "findings")
NOT_NAMED = """\
A misconception that loses no points is listed as a finding. A report names no misconception if the
code behaves like an unfinished solution, or if every gradient stays 0, because then many mistakes
look alike."""
numbers_kept = Sentence("keeps its numbers: {program}")
stub_verified = Sentence("{path} has been worked on; its stub was verified instead")
findings = Sentence("{count:?{count:finding}|no problems found}")
NO_COURSE = "there is no course.yaml here or in a folder above; go to the course's folder, or name it by --course"

# -- `grade build` and `grade stubs` --------------------------------------------------------------------

ALL_AGREE = "every exercise file agrees with its solution"
book_written = Sentence("wrote {path}: {programs:program}, torch {torch}")
copy_kept = Sentence("kept a copy of {name}: {copy}")
left_alone = Sentence("left {name} alone: it has been worked on; `grade stubs --force` would overwrite it")
no_copy = Sentence("{path}: no copy can be kept: {why}; nothing was overwritten")
wrote = Sentence("wrote {path}")
replaced = Sentence("replaced {path}")
up_to_date = Sentence("{folder} is up to date")

# -- `grade new`: the new files, and the next steps -------------------------------------------------------

COURSE_OF_NEW = "--course goes with `grade new exercise`; `grade new course DIR` writes to the folder DIR"
new_course = Sentence(
    "{folder} is a course of one exercise:\n\n  {files:\n  }\n\n"
    "Next: cd {folder}, then `grade build`, `grade verify`, and `grade new exercise NAME`.\nThe guide: {guide}"
)
new_exercise = Sentence(
    "{stem} is in {file}, worth {points:point}; rewrite these files:\n\n  {files:\n  }\n\n"
    "Next: `grade build {name}`, then `grade verify {name}`.\nThe guide: {guide}",
    "name stem file points files guide",
)

# -- `grade --format`, `--min-score` and `--official` ----------------------------------------------------

SAME_FORMAT = "--format names each format once"


def formats_help(formats: Sequence[str]) -> str:
    """Return the help of `--format`."""
    names = ", ".join(formats[:-1]) + f" or {formats[-1]}"
    return f"also write {names}, to FILE or to where the platform reads it; may be repeated"


LINE_AND_OFFICIAL = "--line is for work on a file; it cannot be used with --official"
json_and_format = Sentence("--json and --format {name} both write to standard output; --report FILE writes the JSON")
no_variables = Sentence(
    "--format {name} needs the variables {variables}; the platform's runner sets them; elsewhere, set them yourself"
)
no_folder = Sentence("--format {name}: there is no folder {folder}; name a file: {name}=FILE")
no_format = Sentence("--format {word}: choose from {known}")
no_file = Sentence("--format {word} names no file")
no_summary = Sentence("--format {name} writes to the file that {variable} names; elsewhere: --format {name}=FILE")
format_not_written = Sentence("--format {name}: {path} cannot be written: {why}")
packaged_course = Sentence(
    "grading with the packaged course ({id} {version}), not with {other}; use --course to name another"
)
own_course = Sentence("{path} was ignored; the course is {id} {version}")
min_score = Sentence("--min-score must be from 0 to {most}, the points of what is graded")
symbolic_link = Sentence("an official run follows no symbolic link, and {path} is one; name its target")

# -- `grade ci init` -------------------------------------------------------------------------------------

next_step = Sentence("Next: {step}. docs/ci.md says what then counts.")
already_there = Sentence("will not overwrite {names}; name another folder, or remove them first")
not_written = Sentence("{path} cannot be written: {why}")
no_min_score = Sentence(
    "--min-score is for {others: and }; on {name}, the run never fails for its points", "name others"
)
not_built = Sentence("the wheel of the grader could not be built: {why}; build it elsewhere, and name it with --wheel")
worked_on = Sentence(
    "{paths} {paths:differs from its stub|differ from their stubs}, and a wheel would contain that work; "
    "use a fresh clone, or name a wheel with --wheel"
)
no_wheel = Sentence(
    "--wheel {path} is not a wheel of this grader; `pip wheel --no-deps --wheel-dir dist .` in a clone makes one"
)
wheel_with_solutions = Sentence("--wheel {path} holds solutions; make it with `pip wheel`, which leaves them out")
NO_PINS = "the versions that were tested together did not come with this installation: install it anew"

# -- sites -------------------------------------------------------------------------------------------

NO_NPM = (
    "Pyodide could not be downloaded from npm: install npm (Debian: `apt install npm`), or name a folder that has "
    "Pyodide's files with --pyodide"
)
NO_PACKAGES = "the packages of the site could not be downloaded: does `pip download` work here?"
NO_NODE = "the site's Python files could not be compiled: install Node (Debian: `apt install nodejs`)"
NOT_COMPILED = "the site's Python files could not be compiled: Node names the error above"
no_pyodide = Sentence("{folder} is not a folder of Pyodide: {names} {names:is|are} missing")
other_wheel = Sentence("{path} is not the file whose SHA-256 is in {lock}")
SITE_DOWNLOADS = "Downloading Pyodide and the packages of the grader (8 MB). Later builds need no network."
site_written = Sentence("Wrote {count:file} to {folder} ({mb:.1f} MB).")
site_try = Sentence("To try the site: `grade site {folder} --serve`")
site_served = Sentence("Serving {folder} at {address} until you press Ctrl-C.")
