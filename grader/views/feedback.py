"""Feedback for each learner of a class: the report as text, as JSON and as a page.

A platform that takes feedback files for upload accepts only certain names, derived from those in its own download.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ..base import plain
from ..cohort import read_code, readings
from ..learners import Person
from ..people import Handed, submitter_of
from ..report import Report, for_learner, to_json
from ..report.registry import Files, Format, Request, register
from ..words.instructor import members_text
from .feedback_page import feedback_page
from .feedback_text import feedback_text


def feedback(reports: Iterable[Report], request: Request) -> Iterator[Files]:
    """Yield each learner's files: `feedback.txt`, `report.json` and `feedback.html`.

    All files leave out what the course hides from learners.
    """
    taken: set[str] = set()
    for report in reports:
        told = for_learner(report, request.details)
        name = folder_of(told)
        if name.lower() in taken:  # two ids differ only in characters that a folder's name cannot contain
            name += "-" + hashlib.sha256((told.learner.id if told.learner else name).encode()).hexdigest()[:12]
        taken.add(name.lower())
        yield {
            f"{name}/feedback.txt": feedback_text(told, request.title, request.hints),
            f"{name}/report.json": to_json(told).decode(),
            f"{name}/feedback.html": _page(told, request),
        }


def _page(told: Report, request: Request) -> str:
    return feedback_page(told, request.title, read_code(request.results, told), request.hints)


def folder_of(report: Report) -> str:
    """Return the name of a learner's folder: name and id from the roster, or else the id of the submission."""
    learner = report.learner
    if not learner or (learner.id == report.submission.id and not learner.person.login):
        return report.submission.id
    words = re.sub(r"[^\w.@-]+", "_", f"{learner.person.name} {learner.id}").strip("._-")
    return words[:120] or report.submission.id


def feedback_files(reports: Iterable[Report], request: Request) -> Iterator[Files]:
    """Yield `feedback.txt` and `feedback.html` of each learner, with paths that the platform accepts for upload.

    A submission whose files did not come from the platform's own download has no such path, and so no files. A group
    member whose id on the platform is unknown is named in a warning. nbgrader gets only the text, because it looks for
    a notebook with the name of each HTML file.
    """
    platform = request.platform or ""
    groups: dict[str, list[Person]] = {}
    for learner in request.learners:
        groups.setdefault(learner.submission, []).append(learner.person)
    unknown: list[str] = []
    for report in reports:
        told = for_learner(report, request.details)
        member = _is_other_member(told, groups)
        name = place(told, platform, member=member)
        if name:
            files = {name: feedback_text(told, request.title, request.hints)}
            html = {} if platform == "nbgrader" else {f"{name.removesuffix('.txt')}.html": _page(told, request)}
            yield files | html
        elif member and told.learner and place(told, platform):
            unknown.append(plain(told.learner.person.name or told.learner.id))
        else:
            yield {}
    if unknown:
        request.warnings.append(members_text(platform, unknown))


def _is_other_member(report: Report, groups: Mapping[str, Sequence[Person]]) -> bool:
    """Return whether another member of the learner's group submitted."""
    learner = report.learner or None
    group = groups.get(learner.submission, ()) if learner else ()
    return learner is not None and len(group) > 1 and submitter_of(group, Handed.of(report.submission)) != learner.id


def place(report: Report, platform: str, *, member: bool = False) -> str:
    """Return the path of a learner's `feedback.txt` in the form that a platform accepts, or an empty text.

    Args:
        member: whether another member of the learner's group submitted.
    """
    person = report.learner.person if member and report.learner else None
    return _PLACES[platform](report, person)


def _canvas(report: Report, member: Person | None) -> str:
    """Return `doejane_1042_99731_feedback.txt`. Canvas looks for the ids of a user and of a file in the submission."""
    for path in _paths(report):
        name = path.partition("/")[0]
        for reading in readings(name):
            if reading.file and reading.number and member is not None:
                called = "".join(c for c in member.name.lower() if c.isalnum()) or "learner"
                known = member.canvas_id.isdecimal()
                return f"{called}_{member.canvas_id}_{reading.number}_feedback.txt" if known else ""
            if reading.file and reading.number:
                return f"{name[: -len(reading.file)]}feedback.txt" if name.endswith(reading.file) else ""
    return ""


def _moodle(report: Report, member: Person | None) -> str:
    """Return a path in a folder named as in the download. Moodle reads the participant's number from the name."""
    origin = report.submission.origin or ""
    if member is not None:
        called = re.sub(r"[^\w .-]+", "", member.name).strip(". ") or "learner"
        origin = f"{called}_{member.moodle_id}_assignsubmission_file_" if member.moodle_id else ""
    return f"{origin}/feedback.txt" if "_assignsubmission_" in origin and "/" not in origin else ""


def _nbgrader(report: Report, member: Person | None) -> str:
    """Return `<student>/<assignment>/feedback.txt`, as in nbgrader's folder `feedback`.

    `grade cohort --assignment` names the assignment. Without it, the assignment is the folder that contains all files.
    In nbgrader's own folder, the submitter's id is the name of the folder. In any other layout, the path is empty.
    """
    origin, _, named = (report.submission.origin or "").partition("/")
    if [one.id for one in report.submission.submitters or ()] != [origin]:
        return ""
    student = origin if member is None else member.login
    if student.startswith(".") or named.startswith(".") or "/" in student + named:
        return ""
    assignments = {path.partition("/")[0] for path in _paths(report) if "/" in path}
    assignment = named or (assignments.pop() if len(assignments) == 1 else "")
    return f"{student}/{assignment}/feedback.txt" if student and assignment else ""


def _paths(report: Report) -> Iterator[str]:
    """Yield the paths of the files that were graded, and of other files that may be meant for an exercise."""
    for exercise in report.exercises:
        if exercise.file and exercise.status != "missing":
            yield exercise.file
        yield from exercise.reason.names if exercise.reason else ()


_PLACES: dict[str, Callable[[Report, Person | None], str]] = {
    "canvas": _canvas,
    "moodle": _moodle,
    "nbgrader": _nbgrader,
}

FORMAT = Format(
    name="feedback",
    about="for learners: a text, a page with the code around the lines that failed, and `report.json`",
    files=lambda reports, request: (feedback_files if request.platform else feedback)(reports, request),
    export="feedback",
    each="learner",
    platforms=tuple(_PLACES),
)
register(FORMAT)
