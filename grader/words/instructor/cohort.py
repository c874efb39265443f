"""The words that `grade cohort` prints around the summary: what it found, its progress, and what it did with files."""

from ...base import counted, few

# filled in by tqdm, which knows the numbers
PROGRESS = "{n_fmt} of {total_fmt} graded, {rate_noinv_fmt}, {remaining} left"
_SHOWN = 8


def course(title: str, id: str, version: str, folder: str) -> str:
    """Return a line about the course that is used."""
    return f"course: {title} ({id} {version}) in {folder}"


FEW_JOBS = "--jobs must be at least 1"


def which_course(file: str, folder: str, packaged: str, title: str) -> str:
    """Return a message that asks whether to use the course around the current folder or the packaged one.

    Args:
        file: the course file around the current folder.
        folder: the folder of that file, quoted for a shell.
        packaged: the name of the packaged course for `--course`.
        title: the title of the packaged course.
    """
    begin = f"which course? You are in the folder of {file}."
    return f"{begin} Write --course {folder} for that one, or --course {packaged} for {title}"


def found(count: int, folder: str, layout: str) -> str:
    """Return a line about the number of submissions in a folder, and the layout as which it was read."""
    return f"{counted(count, 'submission')} found in {folder}, read as `{layout}`"


def roster(people: int, file: str, columns: str) -> str:
    """Return a line about a roster. `columns` is a text about its columns."""
    return f"roster: {people} {'person' if people == 1 else 'people'} in {file}; {columns}"


def faults(count: int) -> str:
    """Return a text about the submissions that could not be graded so far, or an empty text."""
    return f"{count} could not be graded" if count else ""


def reading_ended(status: int) -> str:
    """Return the reason why a submission was not graded: the process that read it ended twice."""
    return f"the process that read it ended with status {status}"


def grading_ended(signal: int | None, status: int) -> str:
    """Return the reason why a submission was not graded: its process ended, by a signal or with an exit status."""
    how = f"status {status}" if signal is None else f"signal {signal}"
    return f"the process that graded it ended with {how}"


def grading_killed() -> str:
    """Return the reason why a submission was not graded: its process was killed twice."""
    return "the process that graded it was killed"


def no_worker(error: str) -> str:
    """Return the reason why a submission was not graded: no worker of a cluster gave a result."""
    return f"no worker could grade it: {error}"


def places(reports: str, summary: str) -> str:
    """Return a line that says where the results are."""
    return f"Reports: {reports}   Summary: {summary}"


def outdated(count: int) -> str:
    """Return a line about submissions that were graded again because of the schema of their reports."""
    return f"{counted(count, 'submission')} graded again: the report had the schema of an older version."


def ignored(ids: list[str], file: str) -> str:
    """Return a line about the submissions that decisions in a file ignore."""
    return f"Ignored, as {file} says: {few(ids, _SHOWN)}"


def gone(ids: list[str], folder: str) -> str:
    """Return a line about reports that were moved to a folder, because their submissions are not graded any more."""
    return f"Reports of submissions that no longer exist or are ignored were moved to {folder}: {few(ids, _SHOWN)}"


def edited(ids: list[str], folder: str) -> str:
    """Return a line about reports that were moved to a folder, because somebody changed them."""
    return (
        f"Reports that were changed by hand were moved to {folder}, and their submissions were graded again: "
        f"{few(ids, _SHOWN)}"
    )


def change_points(results: str) -> str:
    """Return a line with the command that changes points permanently. `results` is quoted for a shell."""
    return f"To change points permanently: grade decide {results} LEARNER --points EXERCISE.CHECK=N --why TEXT"


def damaged(ids: list[str], folder: str) -> str:
    """Return a line about damaged reports that were moved to a folder."""
    return f"Damaged reports were moved to {folder}, and their submissions were graded again: {few(ids, _SHOWN)}"


def interrupted(results: str) -> str:
    """Return a line that says that the run was interrupted, and how to continue it."""
    return f"interrupted. {continue_with(results)}"


def continue_with(results: str) -> str:
    """Return a text that says how to continue a run that ended early."""
    return f"The reports so far are in {results}. Run the same command again to continue."


def one_learner(folder: str, file: str, above: str) -> str:
    """Return a message that a folder of submissions looks like one learner's folder.

    Args:
        file: the exercise file that the folder contains.
        above: the folder above, quoted for a shell.
    """
    return (
        f"{folder} looks like the folder of one learner, because it contains {file}; name the folder with all "
        f"learners' folders, such as {above}, or use --layout folders if each folder in {folder} is a learner's"
    )


def out_inside(out: str, submissions: str) -> str:
    """Return the reason why results cannot be written to a folder among the submissions."""
    return f"--out {out} is inside {submissions}; name a folder outside of it"
