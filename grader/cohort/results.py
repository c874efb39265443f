"""Read a folder of results: the summary, and the reports one at a time."""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from ..base import UserError, in_the_way, plain, read_plain
from ..course import Course, CourseError, course_around, find_course, load_course, packaged_course
from ..report import Report, read_report
from ..report.model import CourseStamp
from ..words import instructor as said
from ..words.sentence import cannot_be_read
from .run import REPORTS, SUMMARY, is_as_written, rules_digest, written
from .summary import Summary


def summary_of(folder: Path) -> Summary:
    """Return the summary in a folder of results. Raises `UserError`."""
    try:
        return msgspec.json.decode(read_plain(folder / SUMMARY), type=Summary)
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(said.no_summary(str(folder), SUMMARY)) from None
    except OSError as error:
        raise UserError(cannot_be_read(str(folder / SUMMARY), error.strerror)) from None
    except msgspec.MsgspecError as error:
        raise UserError(said.damaged_summary(str(folder / SUMMARY), str(error))) from None


def see_that_it_is_settled(folder: Path, summary: Summary) -> None:
    """Raise `UserError` if roster, deadlines or decisions changed after the summary was written."""
    try:
        digest = rules_digest(folder)
    except OSError as error:
        raise UserError(cannot_be_read(str(error.filename or folder), error.strerror)) from None
    if summary.rules and summary.rules != digest:
        raise UserError(said.not_settled(str(folder), SUMMARY))


def course_of(folder: Path, given: Path | None, start: Path) -> Course:
    """Return the course that a folder of results was graded with.

    This is `given` if there is one. Otherwise it is the nearest course in `start` or above if the summary names it, or
    else the packaged one.

    Raises:
        UserError: the summary cannot be read.
        CourseError: the course cannot be read.
    """
    if given is not None:
        return load_course(find_course(given, None))
    wanted = summary_of(folder).course
    around = course_around(start)
    if around is not None:
        with contextlib.suppress(CourseError):
            course = load_course(around)
            if CourseStamp(course.id, course.version, course.hash) == wanted:
                return course
    return load_course(packaged_course())


def report_paths(folder: Path) -> list[Path]:
    """Return the sorted paths of the reports in a folder of results. Raises `UserError` if `reports` is no folder."""
    found = in_the_way(folder / REPORTS, "folder")
    if found is not None:
        raise UserError(said.no_folder(str(folder / REPORTS), found))
    return sorted(path for path in (folder / REPORTS).glob("*.json") if not path.name.startswith("."))


def counted_paths(folder: Path, summary: Summary) -> list[Path]:
    """Return the path of the report that counts for each submission, which may be an earlier one."""
    earlier = {row.submission: row.report for row in summary.learners if not row.report.startswith(f"{REPORTS}/")}
    return [folder / (earlier.get(path.stem) or f"{REPORTS}/{path.name}") for path in report_paths(folder)]


def reports(paths: Iterable[Path]) -> Iterator[Report]:
    """Yield each report when it is requested. Raises `UserError` for a report that cannot be used."""
    known: dict[Path, dict[str, set[str]] | None] = {}
    for path in paths:
        folder = path.parent.parent
        try:
            data = read_plain(path)
            report = read_report(data)
            digests = known[folder] if folder in known else known.setdefault(folder, written(folder))
        except OSError as error:
            raise UserError(cannot_be_read(str(path), error.strerror)) from None
        except ValueError as error:
            raise UserError(said.damaged_report(str(path), plain(str(error)))) from None
        if digests is not None and path.parent.name == REPORTS and not is_as_written(digests, path.stem, data):
            raise UserError(said.changed_report(str(path), str(folder), path.stem))
        if report.submission.id != (path.stem if path.parent.name == REPORTS else path.stem.rpartition(".")[0]):
            raise UserError(said.misnamed_report(str(path), plain(report.submission.id)))
        yield report
