"""The commands for instructors, and for the CI jobs that grade submissions."""

import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

from ..base.files import UserError
from ..base.text import plain
from ..course.load import PACKAGED, find_course, load_course
from ..words.author import next_step
from ..words.sentence import cannot_be_written
from .options import About, CohortOptions, CourseOfResults, DecideOptions, ResultsFolder, Utf8Text, class_course


def cohort(options: CohortOptions) -> int:
    """Grade every submission of a class for the record."""
    from .cohort import run_cohort

    return run_cohort(class_course(options.course, options.submissions), options)


def page(
    results: ResultsFolder,
    *,
    out: Annotated[Path | None, About("write the page to FILE (default: RESULTS/page.html)", metavar="FILE")] = None,
    against: Annotated[
        Path | None, About("show what changed since the results in the folder EARLIER", metavar="EARLIER")
    ] = None,
    course: CourseOfResults = None,
) -> int:
    """Write the results of a class to one HTML page."""
    from ..base.files import write_atomically, write_named
    from ..classes.cohort import (
        between,
        counted_paths,
        course_of,
        read_code,
        reports,
        see_that_it_is_settled,
        summary_of,
    )
    from ..classes.page import Beside, build_page
    from ..verdict.report import CourseStamp
    from ..words import instructor as words

    # read the results
    graded_with = course_of(results, course, Path.cwd())
    path = out or results / "page.html"
    if path.is_dir():
        raise UserError(words.out_is_folder(str(path)))
    summary = summary_of(results)
    see_that_it_is_settled(results, summary)
    # make the page
    beside = Beside(
        code=lambda report: read_code(results, report),
        # the commands of another version of the course may show other hints
        hints=graded_with.hints if CourseStamp.of(graded_with) == summary.course else {},
        changes=None if against is None else between(against, results),
        earlier="" if against is None else plain(str(against)),
    )
    text = build_page(summary, reports(counted_paths(results, summary)), beside)
    # write it
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # a path that the user named may be a device or a pipe
        (write_atomically if out is None else write_named)(path, text.encode())
    except OSError as error:
        raise UserError(cannot_be_written(str(path), error.strerror)) from None
    print(words.page_written(str(path)))
    return 0


def decide(options: DecideOptions) -> int:
    """Record a decision about a learner. Every later run applies it."""
    from ..classes.cohort import course_of
    from .decide import run_decide

    return run_decide(course_of(options.results, options.course, Path.cwd()), options)


def _formats() -> list[str]:
    from ..classes import feedback, sources, worksheet  # noqa: F401 - they register formats
    from ..verdict.formats import export_formats

    return list(export_formats())


def _platforms_of_formats() -> list[str]:
    from ..verdict.formats import export_formats

    return sorted({platform for one in export_formats().values() for platform in one.platforms})


def _assignment_help() -> str:
    from ..verdict.formats import export_formats

    named = [form for form in export_formats().values() if form.assignment]
    defaults = ", ".join(f"the course's {form.assignment} for {form.name}" for form in named)
    return f"the assignment's name (default: {defaults})"


def export(
    results: ResultsFolder,
    *,
    to: Annotated[str, About("the format", choices=_formats)],
    out: Annotated[
        str | None,
        About("write to PATH, or to standard output for - (default: in RESULTS/exports)", metavar="PATH"),
    ] = None,
    assignment: Annotated[
        Utf8Text | None,
        About(_assignment_help, metavar="NAME"),
    ] = None,
    platform: Annotated[
        str | None,
        About("name the feedback files as this platform expects them", flag="--for", choices=_platforms_of_formats),
    ] = None,
    course: CourseOfResults = None,
) -> int:
    """Write the results of a class in the format of another program."""
    from ..classes.cohort import course_of, export
    from ..verdict.formats import ExportRequest, export_formats
    from ..words import instructor as words

    form = export_formats()[to]
    # only files for learners need the course, which says what they may see
    graded_with = course_of(results, course, Path.cwd()) if form.files else None
    done = export(form, ExportRequest(results, platform=platform), out, graded_with, assignment)
    for warning in done.warnings:
        print(f"grade: {warning}", file=sys.stderr)
    if done.path is not None:
        print(words.exported(done.count, done.kind, str(done.path)))
    return 0 if done.complete else 1


def compare(
    before: Annotated[Path, About("the folder of the earlier results", metavar="RESULTS_A")],
    after: Annotated[Path, About("the folder of the later results", metavar="RESULTS_B")],
) -> int:
    """Show whose total changed between two runs, and why.

    Return 0 if none changed, or else 1.
    """
    from ..classes.cohort import between, summary_of
    from ..classes.people import in_both
    from ..words.instructor import change_line, changed_text, problem_text

    first, second = summary_of(before), summary_of(after)
    if first.course != second.course:
        was, now = (f"{one.course.id} {one.course.version}" for one in (first, second))
        print(plain(problem_text("courses" if was != now else "one_course", was=was, now=now)))
    changes = between(before, after)
    for change in changes:
        print(change_line(change).strip())
    kinds = Counter(reason.kind for change in changes for reason in change.reasons)
    gone, new = kinds["gone"], kinds["new"]
    print(changed_text(len(changes) - gone - new, in_both(first.learners, second.learners), gone, new))
    return 1 if changes else 0


def _platforms() -> list[str]:
    from ..author.ci import PLATFORMS

    return list(PLATFORMS)


def _platforms_help() -> str:
    from ..author.ci import PLATFORMS

    return "the platform. " + " ".join(f"{name}: {platform.line}." for name, platform in PLATFORMS.items())


def ci(
    action: Annotated[str, About("write the files", choices=lambda: ["init"])],
    folder: Annotated[Path, About("where (default: here)", metavar="DIR")] = Path(),
    *,
    platform: Annotated[str, About(_platforms_help, flag="--for", choices=_platforms)],
    wheel: Annotated[
        Path | None,
        About("the wheel of the grader (default: that of this installation or clone)", metavar="FILE"),
    ] = None,
    min_score: Annotated[
        int | None, About("github, gitlab: let the run fail below N points (default: never)", metavar="N")
    ] = None,
    course: Annotated[
        Path | None, About("the course's folder (default: the packaged course, which is in the wheel)", metavar="DIR")
    ] = None,
) -> int:
    """Write the files that a platform needs to grade submissions."""
    from ..author.ci import PLATFORMS, own_wheel, platform_files, write_platform

    # the wheel contains the packaged course, so its files are not needed a second time
    beside_wheel = None if course in (None, Path(PACKAGED)) else load_course(find_course(course, None))
    files = platform_files(platform, own_wheel() if wheel is None else wheel, beside_wheel, min_score)
    for path in write_platform(files, folder):
        print(f"wrote {path}")
    print(next_step(PLATFORMS[platform].next.replace("FOLDER", shlex.quote(str(folder)))))
    return 0
