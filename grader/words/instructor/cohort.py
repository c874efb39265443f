"""The words of `grade cohort`: notes on submissions, messages around a run, and the summary at its end."""

from collections.abc import Sequence

from ..sentence import Sentence, duration_text, listed

# -- a run: what it found, its progress, and what it did with files ---------------------------------------

# filled in by tqdm, which knows the numbers
PROGRESS = "{n_fmt} of {total_fmt} graded, {rate_noinv_fmt}, {remaining} left"
course = Sentence("course: {title} ({id} {version}) in {folder}")

FEW_JOBS = "--jobs must be at least 1"
which_course = Sentence(
    "which course? You are in the folder of {file}. Write --course {folder} for that one, or --course {packaged} "
    "for {title}"
)
found = Sentence("{count:submission} found in {folder}, read as `{layout}`")

roster = Sentence("roster: {people} {people:person|people} in {file}; {columns}")
faults = Sentence("{count:?{count} could not be graded}")
reading_ended = Sentence("the process that read it ended with status {status}")

grading_ended = Sentence("the process that graded it ended with {signal:?signal {signal}|status {status}}")
grading_killed = Sentence("the process that graded it was killed")
no_worker = Sentence("no worker could grade it: {error}")
places = Sentence("Reports: {reports}   Summary: {summary}")
outdated = Sentence("{count:submission} graded again: the report had the schema of an older version.")

ignored = Sentence("Ignored, as {file} says: {ids:8}", "ids file")
gone = Sentence(
    "Reports of submissions that no longer exist or are ignored were moved to {folder}: {ids:8}", "ids folder"
)
edited = Sentence(
    "Reports that were changed by hand were moved to {folder}, and their submissions were graded again: {ids:8}",
    "ids folder",
)
change_points = Sentence(
    "To change points permanently: grade decide {results} LEARNER --points EXERCISE.CHECK=N --why TEXT"
)

damaged = Sentence(
    "Damaged reports were moved to {folder}, and their submissions were graded again: {ids:8}", "ids folder"
)
_CONTINUE = "The reports so far are in {results}. Run the same command again to continue."
interrupted = Sentence(f"interrupted. {_CONTINUE}")
continue_with = Sentence(_CONTINUE)
one_learner = Sentence(
    "{folder} looks like the folder of one learner, because it contains {file}; name the folder with all "
    "learners' folders, such as {above}, or use --layout folders if each folder in {folder} is a learner's"
)
out_inside = Sentence("--out {out} is inside {submissions}; name a folder outside of it")

# -- notes on a submission as it was found: what was not read or not graded, and why -------------------------

cell_not_graded = Sentence("{notebook} has a cell for {exercise}, which was not graded, because there is {file}")


def copies(count: int, name: str, paths: Sequence[str]) -> str:
    """Return a note on several files with the same name and the same text. `paths` are the first of them."""
    return f"{count} identical copies of {name} were found: {listed(paths, more=count > len(paths))}"


in_doubt = Sentence("the file's name fits {submitters: or }; the file is graded as a submission of its own")

may_also_belong = Sentence("may also belong to this person, and is graded on its own: {files:5}")
more_notes = Sentence("and {count} more {count:note|notes} of this kind")
no_time = Sentence("the time of submission cannot be read: {text}")

not_in_export = Sentence("the export does not contain this folder")
not_listed = Sentence("{metadata} does not list this folder")

other_names = Sentence("files with other names were not graded: {names}{more:? and more}", "names")
several_times = Sentence("submitted more than once, each graded separately: {origins}")
symbolic_link = Sentence("{name} is a symbolic link; its target was not read")
too_deep = Sentence("{folder} has folders nested more than {depth} deep; they were not read")
too_many_files = Sentence("{folder} contains more than {most} files; the rest were not read")


# -- the summary ----------------------------------------------------------------------------------------

COLUMNS = ("exercise", "mean", "passed", "partial", "failed", "not started", "missing", "unreadable")
NO_MEAN = "-"
CHECKS = "Checks with a note"
MISCONCEPTIONS = "Misconceptions, with the number of submissions"
REVIEW = "Needs review"
PEOPLE = {
    "absent": "Submitted nothing",
    "unclaimed": "Not in the roster",
    "ambiguous": "Ambiguous in the roster",
    "excused": "Excused",
    "late": "Late",
    "untimed": "Counted as on time, because no time of submission is known",
    "decided": "With decisions in overrides.yaml",
}
_UNTRIED = {"missing": "Nobody submitted", "not_started": "Nobody began"}


headline = Sentence("{title}: {graded} of {submissions:submission} graded{kept:?, {kept} of them in an earlier run}")
scores = Sentence("Mean {mean:.1f}, median {median:g} of {most:point}")


def untried(kind: str, exercises: Sequence[str]) -> str:
    """Return a text about exercises that nobody submitted (`missing`) or that nobody began (`not_started`)."""
    return f"{_UNTRIED[kind]}: {', '.join(exercises)}"


check = Sentence("{exercise}, {title}: {note}")
misconception = Sentence("{exercise}: {title}  (as in {example})")


def grades(found: Sequence[tuple[str, int]]) -> str:
    """Return the number of learners for each grade, best first. The last entry, without a name, is below all grades."""
    *_, lowest = [grade for grade, _ in found if grade] or [""]
    return "Grades: " + ", ".join(f"{grade} {count}" if grade else f"below {lowest}: {count}" for grade, count in found)


borders = Sentence("One small check from a grade boundary: {names}")


def people(kind: str, count: int, names: str) -> str:
    """Return a text with a list of learners. `kind` is a key of `PEOPLE`."""
    return f"{PEOPLE[kind]} ({count}): {names}"


UNTIMED_REMEDY = "A time can come from the column `submitted_at` of the roster, or from a decision:"


def late(name: str, seconds: int) -> str:
    """Return a learner's name with the duration of the lateness."""
    return f"{name} by {duration_text(seconds)}"


KEEP = "If nothing changes:"
KEEP_ALL = "Close all reviews for one reason, without a change:"
beside = Sentence("Not part of any submission: {names}")
more = Sentence("and {count} more in cohort.json")
