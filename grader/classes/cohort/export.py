"""Write a class's results in a format that another program reads."""

import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...base.files import UserError, plain_folder, write_atomically, write_named
from ...base.text import few, plain
from ...course.learners import Learner
from ...course.load import Course
from ...course.oracle import read_book
from ...verdict.formats import ExportedFiles, ExportRequest, Format, Texts, export_formats
from ...verdict.report import CourseStamp, Report, for_learner
from ...words import instructor as words
from ...words.sentence import cannot_be_written
from ..people import adjusted, nothing_submitted, read_roster
from .results import REPORTS, ROSTER, SUMMARY, report_paths, reports, see_that_it_is_settled, summary_of
from .summary import Summary

_SHOWN = 5


@dataclass
class ExportResult:
    """An export: how many learners or submissions were written, and where.

    Attributes:
        kind: `learner` or `submission`.
        path: the file or folder; None for standard output.
        warnings: what is missing in the export, or differs from the final table.
        complete: whether the export has every submission of the class and nothing else.
    """

    kind: str
    warnings: list[str]
    path: Path | None = None
    count: int = 0
    complete: bool = True


def export(
    form: Format,
    request: ExportRequest,
    out: str | None = None,
    course: Course | None = None,
    assignment: str | None = None,
) -> ExportResult:
    """Write an export.

    Args:
        request: the folder of results and the options. The other fields are read from the results.
        out: a path, `-` for standard output, or None for the default path.
        course: the course; needed only for formats with `files`.
        assignment: the assignment's name, or None for the one that the format takes from the course.

    Raises:
        UserError: the results or the options cannot be used, or the export cannot be written.
    """
    # check everything before anything is written
    _check_options(form, request, assignment, out)
    results = request.results
    summary = summary_of(results)
    paths = report_paths(results)
    if not paths:
        raise UserError(words.no_reports(str(results / REPORTS), str(results)))
    _check_reports(paths, summary)
    see_that_it_is_settled(results, summary)
    # write
    request = _completed(form, request, course, assignment, summary)
    done = ExportResult("learner" if summary.roster and form.each == "learner" else "submission", request.warnings)
    try:
        _write(form, request, summary, done, out)
    except BrokenPipeError:  # the reader of standard output has stopped reading
        raise
    except OSError as error:
        raise UserError(cannot_be_written(str(error.filename or out), error.strerror)) from None
    # say what is missing
    missing = list(_missing(form, summary, len(paths)))
    left_out = [plain(name) for name in request.left_out]
    if left_out and request.platform is not None:
        count = done.count + len(left_out)
        missing.append(words.not_from(request.platform, len(left_out), count, few(left_out, _SHOWN)))
    done.warnings += missing
    done.complete = not missing
    return done


def _completed(
    form: Format, request: ExportRequest, course: Course | None, assignment: str | None, summary: Summary
) -> ExportRequest:
    """Return the request with what is read from the results. Raises `UserError`."""
    results = request.results
    if form.files is not None:
        request = replace(request, **_course_fields(course, results, summary))
    if assignment is None:
        assignment = summary.title if form.assignment == "title" else summary.course.id
    if form.assignment == "title" and (results / ROSTER).exists():
        # the gradebook's own heading has the id by which the platform finds the assignment
        assignment = read_roster(results / ROSTER).assignments.get(assignment, assignment)
    return replace(request, assignment=assignment, title=summary.title, learners=summary.learners)


def _write(form: Format, request: ExportRequest, summary: Summary, done: ExportResult, out: str | None) -> None:
    """Write an export, and note its path and its size in `done`. Raises `OSError` and `UserError`."""
    path = Path(out) if out is not None else request.results / "exports" / _name(form, request)
    rows = _rows(form, request.results, summary.learners)
    if form.text is not None:
        texts = _texts(form.text, _counted(rows, done), request)
        done.path = _write_file(texts, None if out == "-" else path, named=out is not None)
    elif form.files is not None:
        done.path = path
        for_learners = (for_learner(report, request.details) for report in rows)
        _write_folder(form.files(for_learners, request), done, named=out is not None)
        if request.platform is not None and not done.count:
            raise UserError(words.not_from_platform(str(request.results), request.platform))


def _check_options(form: Format, options: ExportRequest, assignment: str | None, out: str | None) -> None:
    """Raise `UserError` for an option that has no meaning for the format."""
    formats = export_formats()
    if assignment is not None and not form.assignment:
        names = [name for name, one in formats.items() if one.assignment]
        raise UserError(words.no_assignment(" or ".join(names), form.name))
    if options.platform is not None and options.platform not in form.platforms:
        names = [name for name, one in formats.items() if options.platform in one.platforms]
        raise UserError(words.no_platform(" or ".join(names), form.name))
    if out == "-" and form.files is not None:
        raise UserError(words.writes_folder(form.name))


def _check_reports(paths: Sequence[Path], summary: Summary) -> None:
    for path, report in zip(paths, reports(paths), strict=True):
        if report.course != summary.course:
            raise UserError(words.other_course(str(path), SUMMARY))


def _course_fields(course: Course | None, results: Path, summary: Summary) -> dict[str, Any]:
    """Return what learners may read. Raises `UserError` unless the course is the one that was graded."""
    if course is None or CourseStamp.of(course) != summary.course:
        raise UserError(words.course_needed(str(results), f"{summary.course.id} {summary.course.version}"))
    stubs = read_book(course.book).stubs
    named = {one.filename: stubs[one.id] for one in course.exercises}
    return {"details": course.details, "hints": course.hints, "stubs": named}


def _name(form: Format, request: ExportRequest) -> str:
    return f"{form.export}-{request.platform}" if request.platform else form.export


def _rows(form: Format, results: Path, table: Sequence[Learner]) -> Iterator[Report]:
    """Yield the report of each learner or submission, after decisions and penalties.

    Learners without a submission are included only in a file with an item for each learner.
    """
    learners = [one for one in table if one.standing not in form.left_out]
    once: set[str] = set()
    for learner in learners:
        if learner.report and (form.each == "learner" or learner.submission not in once):
            once.add(learner.submission)
            yield from (adjusted(report, learner) for report in reports([results / learner.report]))
    # a report on nothing has the exercises and checks of any report of the class
    path = next((learner.report for learner in table if learner.report), None)
    if form.each == "learner" and form.text is not None and path is not None:
        absent = [one for one in learners if not one.report and one.standing in ("absent", "excused")]
        for model in reports([results / path] if absent else []):
            yield from (nothing_submitted(model, learner) for learner in absent)


def _counted(rows: Iterable[Report], done: ExportResult) -> Iterator[Report]:
    """Yield the rows, and count them in `done`."""
    for row in rows:
        done.count += 1
        yield row


def _texts(write: Texts, rows: Iterable[Report], request: ExportRequest) -> Iterator[str]:
    try:
        return write(rows, request)
    except ValueError as error:
        raise UserError(f"--assignment: {error}") from None


def _write_file(texts: Iterator[str], path: Path | None, *, named: bool) -> Path | None:
    """Write one file, or to standard output if there is no path. Return the path.

    Args:
        named: whether the user named the path.
    """
    pieces = (piece.encode() for piece in texts)
    if path is None:
        sys.stdout.buffer.writelines(pieces)
        sys.stdout.buffer.flush()
    elif path.is_dir():
        raise UserError(words.out_is_folder(str(path)))
    elif named:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_named(path, pieces)
    else:
        plain_folder(path.parent)
        write_atomically(path, pieces)
    return path


def _write_folder(exports: Iterator[ExportedFiles], done: ExportResult, *, named: bool) -> None:
    """Write the files of each report, and count the reports that have any."""
    folder = done.path or Path()
    if not named:  # empty our own folder, because files of removed submissions would be uploaded too
        plain_folder(folder.parent)
        plain_folder(folder)
        shutil.rmtree(folder, ignore_errors=True)
    for files in exports:
        for name, text in files.items():
            path = folder / name
            folder.mkdir(parents=True, exist_ok=True)
            plain_folder(path.parent)
            write_atomically(path, text.encode())
        done.count += bool(files)


def _missing(form: Format, summary: Summary, found: int) -> Iterator[str]:
    """Yield a message for each way in which the export differs from the class."""
    # reports that are not in the folder, or should not be
    lacking = [review.id for review in summary.needs_review if review.not_graded]
    if lacking:
        yield words.reports_missing(len(lacking), summary.submissions, few([plain(name) for name in lacking], _SHOWN))
    if found != summary.graded:
        yield words.other_count(found, SUMMARY, summary.graded)
    # learners whose total is not in their submission's file, which has that of the first of its learners
    first_of: dict[str, Learner] = {}
    for learner in summary.learners if form.each == "submission" else ():
        first = first_of.setdefault(learner.submission, learner) if learner.report else learner
        if first.total != learner.total:
            both = [(one.person.name or one.id, one.total) for one in (first, learner)]
            yield plain(words.other_total(form.name, learner.submission, *both))
