"""Write a class's results in formats that other programs read, for `grade export RESULTS --to FORMAT`."""

import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..cohort import Summary, read_code
from ..cohort.run import REPORTS, SUMMARY
from ..course import Course
from ..outside import few, plain, plain_folder, write_atomically, write_named
from ..people import Handed, adjusted, nothing_submitted, submitter_of
from ..report import Report
from ..report.formats import canvas, csv_table, gradescope, junit, nbgrader
from ..report.model import CourseStamp
from ..report.person import Learner
from ..views.feedback import feedback
from ..views.handed_back import feedback_files, place
from ..words.instructor import left_out, members_text, not_from, other_total
from ..words.instructor import results as said
from .results import report_paths, reports, see_that_it_is_settled, summary_of
from .words import UsageError

# the default path of each format below RESULTS/exports
PLACES = {
    "csv": "grades.csv",
    "canvas": "canvas.csv",
    "nbgrader": "nbgrader.csv",
    "gradescope": "gradescope",
    "junit": "junit.xml",
    "feedback": "feedback",
}
FOLDERS = ("gradescope", "feedback")  # formats with files that learners read; they need the course's visibility
_NAMED = ("canvas", "nbgrader")
_TABLES = ("csv", "canvas", "nbgrader")  # formats with a row for each learner
_LEFT_OUT = {
    "csv": ("not_graded",),
    "canvas": ("not_graded", "unclaimed"),
    "nbgrader": ("not_graded", "unclaimed", "excused"),
}
_SHOWN = 5


@dataclass(frozen=True)
class ExportOptions:
    """The options of `grade export`.

    Attributes:
        out: a path, `-` for standard output, or None for the default path.
        course: the course; needed only for the formats in `FOLDERS`.
    """

    results: Path
    to: str
    out: str | None = None
    assignment: str | None = None
    course: Course | None = None
    platform: str | None = None


def run_export(options: ExportOptions) -> int:
    """Export the results. Return 0 if the export has every submission of the class and nothing else, or else 1."""
    if options.assignment is not None and options.to not in _NAMED:
        raise UsageError(said.no_assignment(" or ".join(_NAMED), options.to))
    if options.platform is not None and options.to != "feedback":
        raise UsageError(said.only_feedback(options.to))
    summary = summary_of(options.results)
    paths = _paths(options.results)
    for _ in _reports(paths, summary):  # check all reports before anything is written
        pass
    see_that_it_is_settled(options.results, summary)
    written = _Written()
    try:
        where = _export(options, summary, _rows(options, summary), written)
    except BrokenPipeError:  # the reader of standard output has stopped reading
        raise
    except OSError as error:
        raise UsageError(said.cannot_be_written(str(error.filename or options.out), error.strerror)) from None
    if where is not None:
        print(said.exported(*_counted(options, summary, written, len(paths)), str(where)))
    return max(_complete(summary, len(paths)), _one_total(options, summary), _all_named(options, written))


@dataclass
class _Written:
    """Counts of reports passed to a format that writes files for each submission, and of submissions with files."""

    given: int = 0
    files: int = 0


def _counted(options: ExportOptions, summary: Summary, written: _Written, reports: int) -> tuple[int, str]:
    """Return how many learners or submissions were exported, and which of the two."""
    if summary.roster and options.to in _TABLES:
        return sum(one.standing not in _LEFT_OUT[options.to] for one in summary.learners), "learner"
    if options.to == "feedback":
        return written.files, "learner" if _each_learner(options, summary) else "submission"
    return reports, "submission"


def _each_learner(options: ExportOptions, summary: Summary) -> bool:
    """Return whether the export has one item for each learner, rather than for each submission."""
    return options.to in _TABLES or (summary.roster and options.to == "feedback")


def _rows(options: ExportOptions, summary: Summary) -> Iterator[Report]:
    """Yield a report for each learner, after decisions and penalties.

    Formats with files for each submission get each submission only once. Learners without a submission are included
    only in tables.
    """
    once: set[str] = set()
    each = _each_learner(options, summary)
    for learner in summary.learners:
        if learner.report and (each or learner.submission not in once):
            once.add(learner.submission)
            yield _adjusted(options.results, learner)
    some = next((learner.report for learner in summary.learners if learner.report), None)
    if options.to in _TABLES and some is not None:
        absent = [one for one in summary.learners if not one.report and one.standing in ("absent", "excused")]
        for like in reports([options.results / some] if absent else []):
            yield from (nothing_submitted(like, learner) for learner in absent)


def _adjusted(results: Path, learner: Learner) -> Report:
    """Return the report that counts for a learner, after decisions and penalties. Raises `UsageError`."""
    (report,) = reports([results / learner.report])
    return adjusted(report, learner)


def _export(options: ExportOptions, summary: Summary, reports: Iterable[Report], written: _Written) -> Path | None:
    """Export the reports. Return the path that was written, or None for standard output."""
    if options.to in FOLDERS:
        return _write_folder(options, summary, _counting(reports, written), written)
    try:
        pieces = (piece.encode() for piece in _pieces(options, summary, reports))
    except ValueError as error:
        raise UsageError(f"--assignment: {error}") from None
    if options.out == "-":
        sys.stdout.buffer.writelines(pieces)
        sys.stdout.buffer.flush()
        return None
    path = _place(options)
    if path.is_dir():
        raise UsageError(said.out_is_folder(str(path)))
    if options.out is None:
        plain_folder(path.parent)
        write_atomically(path, pieces)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_named(path, pieces)
    return path


def _pieces(options: ExportOptions, summary: Summary, reports: Iterable[Report]) -> Iterator[str]:
    if options.to == "canvas":
        return canvas(reports, summary.title if options.assignment is None else options.assignment)
    if options.to == "nbgrader":
        return nbgrader(reports, options.assignment)
    return csv_table(reports) if options.to == "csv" else junit(reports)


def _counting(reports: Iterable[Report], written: _Written) -> Iterator[Report]:
    for report in reports:
        written.given += 1
        yield report


def _write_folder(options: ExportOptions, summary: Summary, reports: Iterable[Report], written: _Written) -> Path:
    if options.out == "-":
        raise UsageError(said.writes_folder(options.to))
    course = options.course
    if course is None or CourseStamp(course.id, course.version, course.hash) != summary.course:
        wanted = f"{summary.course.id} {summary.course.version}"
        raise UsageError(said.course_needed(str(options.results), wanted))
    folder = _place(options)
    if options.out is None:  # empty our own folder, because files of removed submissions would be uploaded too
        plain_folder(folder.parent)
        plain_folder(folder)
        shutil.rmtree(folder, ignore_errors=True)
    told = course.details
    without: list[str] = []
    if options.to == "gradescope":
        files = gradescope(reports, told)
    elif options.platform is not None:
        page = _feedback_page(options.results, course)
        members = _members(options.results, summary)
        rows = _noting(reports, options.platform, members, without)
        files = feedback_files(rows, course.title, told, course.hints, options.platform, page, members)
    else:
        files = feedback(reports, course.title, told, course.hints, _feedback_page(options.results, course))
    for name, text in files:
        path = folder / name
        folder.mkdir(parents=True, exist_ok=True)
        plain_folder(path.parent)
        write_atomically(path, text.encode())
        written.files += name.endswith(".txt")
    if without and options.platform is not None:
        print(f"grade: {members_text(options.platform, without)}", file=sys.stderr)
        written.given -= len(without)
    if options.platform is not None and not folder.is_dir():
        raise UsageError(said.not_from_platform(str(options.results), options.platform))
    return folder


def _members(results: Path, summary: Summary) -> set[str]:
    """Return the keys of the learners for whom another member of their group submitted."""
    groups: dict[str, list[Learner]] = {}
    for learner in summary.learners if summary.roster else ():
        if learner.report:
            groups.setdefault(learner.submission, []).append(learner)
    found: set[str] = set()
    for learners in groups.values():
        if len(learners) > 1:
            (report,) = reports([results / learners[0].report])
            own = submitter_of([one.person for one in learners], Handed.of(report.submission))
            found |= {one.id for one in learners} - {own}
    return found


def _noting(reports: Iterable[Report], platform: str, members: Collection[str], without: list[str]) -> Iterator[Report]:
    """Yield reports. Append the names of group members for whom the platform has no path to `without`."""
    for report in reports:
        learner = report.learner
        if learner and learner.id in members and place(report, platform) and not place(report, platform, member=True):
            without.append(plain(learner.person.name or learner.id))
        yield report


def _feedback_page(results: Path, course: Course) -> Callable[[Report], str]:
    """Return a function that makes the feedback page from a report for learners."""
    from ..views.feedback_page import feedback_page

    return lambda told: feedback_page(told, course.title, read_code(results, told), course.hints)


def _place(options: ExportOptions) -> Path:
    if options.out is not None:
        return Path(options.out)
    place = PLACES[options.to] if options.platform is None else f"{PLACES[options.to]}-{options.platform}"
    return options.results / "exports" / place


def _paths(results: Path) -> list[Path]:
    paths = report_paths(results)
    if not paths:
        raise UsageError(said.no_reports(str(results / REPORTS), str(results)))
    return paths


def _reports(paths: Sequence[Path], summary: Summary) -> Iterator[Report]:
    for path, report in zip(paths, reports(paths), strict=True):
        if report.course != summary.course:
            raise UsageError(said.other_course(str(path), SUMMARY))
        yield report


def _all_named(options: ExportOptions, written: _Written) -> int:
    """Print to standard error how many submissions have no files. Return 1 if there are any, or else 0."""
    if options.platform is None or written.files == written.given:
        return 0
    print(f"grade: {not_from(options.platform, written.given - written.files, written.given)}", file=sys.stderr)
    return 1


def _one_total(options: ExportOptions, summary: Summary) -> int:
    """Print to standard error the learners whose total is not in their submission's file. Return 1 if there are any."""
    if options.to not in ("gradescope", "junit"):
        return 0
    first: dict[str, Learner] = {}
    others = []
    for learner in summary.learners:
        if learner.report:
            shown = first.setdefault(learner.submission, learner)
            if shown.total != learner.total:
                others.append(other_total(options.to, learner.submission, _result(shown), _result(learner)))
    for line in others:
        print(f"grade: {plain(line)}", file=sys.stderr)
    return 1 if others else 0


def _result(learner: Learner) -> tuple[str, int]:
    return learner.person.name or learner.id, learner.total


def _complete(summary: Summary, written: int) -> int:
    """Print to standard error what is missing in the export. Return 1 if something is missing, or else 0."""
    lacking = [review.id for review in summary.needs_review if review.not_graded]
    if lacking:
        shown = few([plain(name) for name in lacking], _SHOWN)
        print(f"grade: {left_out(len(lacking), summary.submissions, shown)}", file=sys.stderr)
    if written != summary.graded:
        print(f"grade: {said.other_count(written, SUMMARY, summary.graded)}", file=sys.stderr)
    return 1 if lacking or written != summary.graded else 0
