"""Make the page of a class, for `grade page RESULTS`."""

from collections.abc import Mapping
from pathlib import Path

from ..base import plain, write_atomically, write_named
from ..cohort import Summary, read_code
from ..cohort.results import counted_paths, reports, see_that_it_is_settled, summary_of
from ..course import Course
from ..report.model import CourseStamp
from ..views.page import Beside, build_page
from ..words.instructor import results as said
from .compare import changes_between
from .words import UsageError

PAGE = "page.html"


def run_page(results: Path, out: Path | None, against: Path | None, course: Course) -> int:
    """Write the page of a folder of results, and return 0. Raises `UsageError`.

    Args:
        out: the file to write; None for the default path.
        against: the results of an earlier run to compare with.
        course: the course whose hints are shown if the class was graded with it.
    """
    path = out or results / PAGE
    if path.is_dir():
        raise UsageError(said.out_is_folder(str(path)))
    summary = summary_of(results)
    see_that_it_is_settled(results, summary)
    beside = Beside(
        code=lambda report: read_code(results, report),
        hints=_hints(summary, course),
        changes=None if against is None else changes_between(against, results),
        earlier="" if against is None else plain(str(against)),
    )
    text = build_page(summary, reports(counted_paths(results, summary)), beside)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write = write_atomically if out is None else write_named
        write(path, text.encode())
    except OSError as error:
        raise UsageError(said.cannot_be_written(str(path), error.strerror)) from None
    print(said.page_written(str(path)))
    return 0


def _hints(summary: Summary, course: Course) -> Mapping[str, str]:
    same = CourseStamp(course.id, course.version, course.hash) == summary.course
    return course.hints if same else {}
