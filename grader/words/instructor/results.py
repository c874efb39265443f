"""Messages of the commands that read a folder of results: `grade page`, `grade export` and `grade compare`."""

from ...base import counted

_AGAIN = "run `grade cohort` again"


def no_summary(folder: str, name: str) -> str:
    """Return a message that a folder contains no summary. `name` is the name of its file."""
    run = f"`grade cohort SUBMISSIONS --out {folder}` writes it, when everything is graded"
    return f"{folder} contains no {name}; {run}"


def damaged_summary(path: str, error: str) -> str:
    """Return a message that a summary cannot be decoded."""
    return f"{path} is damaged ({error}); {_AGAIN}"


def not_settled(folder: str, name: str) -> str:
    """Return a message that the rules of a class changed after its summary was written. `name` is its file's name."""
    applies = f"{_AGAIN}, which applies them and grades nothing twice"
    return f"{folder}: the roster, the deadlines or overrides.yaml changed after {name}; {applies}"


def no_folder(path: str, found: str) -> str:
    """Return a message that something else has the name of a folder. `found` says what, such as `file`."""
    return f"{path} is a {found}; expected a folder"


def no_reports(folder: str, results: str) -> str:
    """Return a message that a folder contains no reports."""
    return f"{folder} contains no reports; `grade cohort SUBMISSIONS --out {results}` writes them"


def cannot_be_read(path: str, why: str | None) -> str:
    """Return a message that the system does not read a file."""
    return f"{path} cannot be read: {why}"


def cannot_be_written(path: str, why: str | None) -> str:
    """Return a message that the system does not write a file."""
    return f"{path}: cannot be written: {why}"


def damaged_report(path: str, error: str) -> str:
    """Return a message that a report cannot be decoded."""
    return f"{path} is damaged ({error}); {_AGAIN}, which then grades this submission again"


def changed_report(path: str, results: str, submission: str) -> str:
    """Return a message that somebody changed a report."""
    decide = f"to change points permanently, use `grade decide {results} {submission}`"
    return f"{path} was changed after it was written; {_AGAIN}, which grades this submission again; {decide}"


def misnamed_report(path: str, submission: str) -> str:
    """Return a message that a report has the name of another submission."""
    return f"{path} is the report of `{submission}`; remove it, or name it after that submission"


def other_course(path: str, name: str) -> str:
    """Return a message that a report and the summary are of different versions of the course."""
    again = f"{_AGAIN}, or remove the report if its submission is gone"
    return f"{path} was graded with another version of the course than {name} says; {again}"


def course_needed(results: str, course: str) -> str:
    """Return a message that results were graded with another course than the present one."""
    return f"{results} was graded with another course than this one; use --course to name {course}"


def out_is_folder(path: str) -> str:
    """Return a message that `--out` names a folder where a file is needed."""
    return f"--out {path} is a folder; name a file"


def writes_folder(to: str) -> str:
    """Return a message that a format cannot be printed, because it consists of several files."""
    return f"--to {to} writes files for each submission; --out names a folder"


def no_assignment(formats: str, to: str) -> str:
    """Return a message that `--assignment` has no meaning for a format."""
    return f"--assignment goes with --to {formats}; {to} names no assignment"


def no_platform(formats: str, to: str) -> str:
    """Return a message that `--for` has no meaning for a format."""
    return f"--for goes with --to {formats}, not with --to {to}"


def not_from_platform(results: str, platform: str) -> str:
    """Return a message that no submission is from the download of a platform."""
    return f"no submission in {results} came from a download of {platform}"


def other_count(found: int, name: str, graded: int) -> str:
    """Return a message that the summary counts another number of reports than there are. `name` is its file's name."""
    remove = "remove reports of submissions that are gone"
    return f"{counted(found, 'report')} found, but {name} counts {graded}; {_AGAIN}, and {remove}"


def exported(count: int, kind: str, path: str) -> str:
    """Return a line about an export that was written."""
    return f"{counted(count, kind)} written to {path}"


def page_written(path: str) -> str:
    """Return a line about a class page that was written."""
    return f"wrote {path}: one file, which a browser opens without a network"
