"""The commands for instructors, and for the CI jobs that grade submissions."""

import argparse
import os
import sys
from pathlib import Path

from ...course import PACKAGED, find_course, load_course
from ...words.instructor import cohort as said
from ...words.instructor.results import exported
from ..words import UsageError
from .command import (
    NAMED,
    RESULTS,
    Command,
    Options,
    Parser,
    add_isolation,
    add_results,
    class_course,
    filled,
    text,
)


def _add_cohort(parser: Parser) -> None:
    from ...cohort.intake import LAYOUTS

    parser.add_argument(
        "submissions", type=Path, metavar="SUBMISSIONS", help="a folder of submissions, or a platform's export"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="RESULTS", help="write the results to this folder")
    parser.add_argument(
        "--layout",
        choices=LAYOUTS,
        help="how SUBMISSIONS is arranged (default: recognised automatically)",
    )
    parser.add_argument("--assignment", metavar="NAME", help="the assignment, if an nbgrader course has several")
    parser.add_argument(
        "--since", type=Path, metavar="RESULTS", help="copy the reports of unchanged submissions from earlier results"
    )
    parser.add_argument(
        "--roster", type=Path, metavar="FILE", help="a CSV file that lists the class: login, name, e-mail and so on"
    )
    parser.add_argument(
        "--deadlines", type=Path, metavar="FILE", help="a YAML file with due dates, the late penalty and extensions"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="how many submissions to grade at the same time (default: the number of processors)",
    )
    parser.add_argument(
        "--seed",
        type=text,
        metavar="TEXT",
        help="draw numbers and random programs from this seed instead of a secret one",
    )
    add_isolation(parser)
    parser.add_argument(
        "--allow-process",
        action="store_true",
        help="grade without a sandbox: only for code that you trust",
    )
    parser.add_argument("--dask", metavar="ADDRESS", help="grade on the Dask cluster whose scheduler has this address")


def _cohort(options: Options) -> int:
    from ..cohort import CohortOptions, run_cohort

    if options.jobs < 1:
        raise UsageError(said.FEW_JOBS)
    return run_cohort(class_course(options), filled(CohortOptions, options))


def _add_export(parser: Parser) -> None:
    from ...report.registry import export_formats
    from ...views import feedback  # noqa: F401 - it registers a format

    formats = export_formats()
    add_results(parser)
    parser.add_argument("--to", choices=formats, required=True, help="the format")
    parser.add_argument(
        "--out", metavar="PATH", help="write to PATH, or to standard output for - (default: in RESULTS/exports)"
    )
    parser.add_argument(
        "--assignment",
        type=text,
        metavar="NAME",
        help="the assignment's name in Canvas or nbgrader (default: the course's title in Canvas, its id in nbgrader)",
    )
    parser.add_argument(
        "--for",
        dest="platform",
        choices=sorted({platform for one in formats.values() for platform in one.platforms}),
        help="name the feedback files as this platform expects them",
    )


def _export(options: Options) -> int:
    from ...cohort.export import export
    from ...cohort.results import course_of
    from ...report.registry import Request, export_formats

    form = export_formats()[options.to]
    course = course_of(options.results, options.course, Path.cwd()) if form.files else None
    done = export(form, filled(Request, options), options.out, course)
    for warning in done.warnings:
        print(f"grade: {warning}", file=sys.stderr)
    if done.path is not None:
        print(exported(done.count, done.kind, str(done.path)))
    return 0 if done.complete else 1


def _add_decide(parser: Parser) -> None:
    add_results(parser)
    parser.add_argument(
        "learner",
        type=text,
        nargs="?",
        metavar="LEARNER",
        help="a login, an e-mail address, or the id of a submission",
    )
    parser.add_argument(
        "--all",
        dest="everyone",
        action="store_true",
        help="in place of LEARNER, with --keep: close every open review for the reason",
    )
    parser.add_argument("--why", type=text, required=True, metavar="TEXT", help="the reason for the decision")
    parser.add_argument("--by", type=text, metavar="NAME", help="who decides (default: your user name)")
    parser.add_argument(
        "--points", action="append", default=[], type=text, metavar="EXERCISE.CHECK=N", help="the points for a check"
    )
    parser.add_argument(
        "--file",
        dest="files",
        action="append",
        default=[],
        type=text,
        metavar="EXERCISE=PATH",
        help="the file that counts for an exercise",
    )
    parser.add_argument("--submission", type=text, metavar="ID", help="the submission that counts")
    parser.add_argument("--submitted-at", type=text, metavar="TIME", help="the time of submission that counts")
    parser.add_argument("--penalty", type=int, metavar="N", help="the points to subtract for lateness")
    parser.add_argument(
        "--excused",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="excuse the learner, or take that back",
    )
    parser.add_argument("--comment", type=text, metavar="TEXT", help="a comment for the learner to read")
    parser.add_argument(
        "--ignore",
        dest="ignored",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="LEARNER is the id of a submission from outside the class: do not grade it, or grade it again",
    )
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        type=text,
        metavar="REASON",
        help="keep the result, and close the review for this reason, such as note or EXERCISE.syntax",
    )
    parser.add_argument(
        "--confirm",
        action="append",
        default=[],
        type=text,
        metavar="WHAT",
        help="apply an earlier decision to the present files, too; WHAT is EXERCISE.CHECK, EXERCISE (for its file) or "
        "submitted_at",
    )
    parser.add_argument(
        "--withdraw",
        action="append",
        default=[],
        type=text,
        metavar="WHAT",
        help="take an earlier decision back; WHAT is EXERCISE.CHECK, EXERCISE (for its file) or a key such as penalty",
    )


def _decide(options: Options) -> int:
    from ...cohort.results import course_of
    from ...people import WHAT
    from ..decide import DecideOptions, run_decide

    what = {name: getattr(options, name) for name in WHAT}
    return run_decide(course_of(options.results, options.course, Path.cwd()), filled(DecideOptions, options, what=what))


def _add_compare(parser: Parser) -> None:
    parser.add_argument("before", type=Path, metavar="RESULTS_A", help="the folder of the earlier results")
    parser.add_argument("after", type=Path, metavar="RESULTS_B", help="the folder of the later results")


def _compare(options: Options) -> int:
    from ..compare import run_compare

    return run_compare(options.before, options.after)


def _add_page(parser: Parser) -> None:
    add_results(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the page to FILE (default: RESULTS/page.html)")
    parser.add_argument(
        "--against", type=Path, metavar="EARLIER", help="show what changed since the results in the folder EARLIER"
    )


def _page(options: Options) -> int:
    from ...cohort.results import course_of
    from ..page import run_page

    course = course_of(options.results, options.course, Path.cwd())
    return run_page(options.results, options.out, options.against, course)


def _add_ci(parser: Parser) -> None:
    from ...ci import PLATFORMS

    parser.epilog = " ".join(f"{name}: {platform.line}." for name, platform in PLATFORMS.items())
    parser.add_argument("action", choices=["init"], help="write the files")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), metavar="DIR", help="where (default: here)")
    parser.add_argument("--for", dest="platform", choices=PLATFORMS, required=True, help="the platform")
    parser.add_argument(
        "--wheel",
        type=Path,
        metavar="FILE",
        help="the wheel of the grader (default: that of this installation or clone)",
    )
    parser.add_argument(
        "--min-score", type=int, metavar="N", help="github, gitlab: let the run fail below N points (default: never)"
    )


def _ci(options: Options) -> int:
    from ..platforms import run_ci_init

    named = options.course is not None and options.course != Path(PACKAGED)
    course = load_course(find_course(options.course, None)) if named else None
    return run_ci_init(options.platform, options.wheel, course, options.folder, options.min_score)


INSTRUCTOR = (
    Command(
        name="cohort",
        about="Grade every submission of a class for the record.",
        add=_add_cohort,
        run=_cohort,
        course=NAMED,
    ),
    Command(
        name="page",
        about="Write the results of a class to one HTML page.",
        add=_add_page,
        run=_page,
        course=RESULTS,
    ),
    Command(
        name="decide",
        about="Record a decision about a learner. Every later run applies it.",
        add=_add_decide,
        run=_decide,
        course=RESULTS,
    ),
    Command(
        name="export",
        about="Write the results of a class in the format of another program.",
        add=_add_export,
        run=_export,
        course=RESULTS,
    ),
    Command(
        name="compare",
        about="Show whose total changed between two runs, and why.",
        add=_add_compare,
        run=_compare,
        course=None,
    ),
    Command(
        name="ci",
        about="Write the files that a platform needs to grade submissions.",
        add=_add_ci,
        run=_ci,
        course="the packaged course, which is in the wheel",
        mixed=True,
    ),
)
