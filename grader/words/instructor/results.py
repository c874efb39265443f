"""Messages of the commands that read a folder of results: `grade page`, `grade export` and `grade compare`."""

from ...base import counted
from ..sentence import Sentence

_AGAIN = "run `grade cohort` again"
no_summary = Sentence(
    "{folder} contains no {name}; `grade cohort SUBMISSIONS --out {folder}` writes it, when everything is graded"
)
damaged_summary = Sentence(f"{{path}} is damaged ({{error}}); {_AGAIN}")
not_settled = Sentence(
    "{folder}: the roster, the deadlines or overrides.yaml changed after {name}; "
    f"{_AGAIN}, which applies them and grades nothing twice"
)
no_folder = Sentence("{path} is a {found}; expected a folder")
no_reports = Sentence("{folder} contains no reports; `grade cohort SUBMISSIONS --out {results}` writes them")
damaged_report = Sentence(f"{{path}} is damaged ({{error}}); {_AGAIN}, which then grades this submission again")
changed_report = Sentence(
    f"{{path}} was changed after it was written; {_AGAIN}, which grades this submission again; "
    "to change points permanently, use `grade decide {results} {submission}`"
)
misnamed_report = Sentence("{path} is the report of `{submission}`; remove it, or name it after that submission")
other_course = Sentence(
    "{path} was graded with another version of the course than {name} says; "
    f"{_AGAIN}, or remove the report if its submission is gone"
)
course_needed = Sentence("{results} was graded with another course than this one; use --course to name {course}")
out_is_folder = Sentence("--out {path} is a folder; name a file")
writes_folder = Sentence("--to {to} writes files for each submission; --out names a folder")
no_assignment = Sentence("--assignment goes with --to {formats}; {to} names no assignment")
no_platform = Sentence("--for goes with --to {formats}, not with --to {to}")
not_from_platform = Sentence("no submission in {results} came from a download of {platform}")
other_count = Sentence(
    "{found:report} found, but {name} counts {graded}; " + f"{_AGAIN}, and remove reports of submissions that are gone"
)
page_written = Sentence("wrote {path}: one file, which a browser opens without a network")


def exported(count: int, kind: str, path: str) -> str:
    """Return a line about an export that was written."""
    return f"{counted(count, kind)} written to {path}"


# -- limits of an export --------------------------------------------------------------------------------

left_out = Sentence(
    "{lacking} of {of:submission} {lacking:has no report and is|have no report and are} left out: {names}"
)
not_from = Sentence(
    "{lacking} of {of} did not come from a download of {platform} and {lacking:is|are} left out", "platform lacking of"
)


def other_total(to: str, submission: str, shown: tuple[str, int], other: tuple[str, int]) -> str:
    """Return a message that two learners share a submission but have different totals.

    Args:
        to: the format, which has only one total for a submission.
        shown: the name and the total of the learner whose total is written.
        other: the name and the total of the other learner.
    """
    return (
        f"{submission} belongs to {shown[0]} ({shown[1]}) and {other[0]} ({other[1]}); "
        f"--to {to} has one total for a submission, and {shown[1]} was written"
    )
