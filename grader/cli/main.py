"""Parse the command line, call one function for the command, and exit with the right code."""

import argparse
import difflib
import errno
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from .. import __version__
from ..course import PACKAGED, Course, course_around, find_course, load_course, other_course_around
from ..outside import UserError, decoded, paragraph, printable
from ..words import practice as said
from .streams import complain, prepare, unwritable
from .words import UsageError, find_exercise

# errors that come from the disk, or from a path that the user named
_NOT_OURS = {
    getattr(errno, name, None)
    for name in ("ENAMETOOLONG", "EACCES", "EPERM", "ELOOP", "ENOTDIR", "ENOSPC", "EDQUOT", "EROFS", "EFBIG", "EIO")
}

OK, SHORT, WRONG_USE, OUR_FAULT, INTERRUPTED = 0, 1, 2, 3, 130

# the courses that commands use without `--course`, as their help describes them
_AROUND = "the course you are in, else the packaged one"
_OFFICIAL = "the course you are in, else the packaged one; with --official the packaged one"
_NAMED = f"the packaged one; where another one is around you, one of them has to be named: a folder, or `{PACKAGED}`"
_RESULTS = "the course you are in or the packaged one, whichever RESULTS was graded with"
_OWN = "the course you are in"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `grade`. Return the exit code: 0 full marks, 1 fewer points, 2 wrong use or course, 3 fault of the grader."""
    prepare()
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words == ["help"]:
        words = ["--help"]
    try:
        code = _run(words)
    except BrokenPipeError:
        code = SHORT
    stuck = unwritable(sys.stdout)
    if stuck is not None and not isinstance(stuck, BrokenPipeError):
        complain(f"standard output cannot be written: {stuck.strerror}")
        return WRONG_USE
    return code if stuck is None else SHORT


def _run(words: list[str]) -> int:
    command = _COMMANDS.get(words[0]) if words else None
    try:
        _see_that_there_is_a_folder()
        return command(words[1:]) if command else _grade(words)
    except UserError as error:
        complain(error)
        _name_command(words)
        return WRONG_USE
    except SystemExit as left:  # argparse has printed the reason
        if left.code == WRONG_USE:
            _name_command(words)
        return int(left.code or OK)
    except KeyboardInterrupt:
        print("\ngrade: interrupted; nothing was written", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:
        if os.environ.get("GRADE_DEBUG"):
            raise
        if isinstance(error, OSError) and error.errno in _NOT_OURS:
            if unwritable(sys.stdout) is None:
                complain(": ".join(printable(str(part)) for part in (error.filename, error.strerror) if part))
            return WRONG_USE
        complain("the grader itself failed, so there is no score.")
        print(paragraph(f"  {type(error).__name__}: {error}\n"), file=sys.stderr)
        print("This is not your code's fault. GRADE_DEBUG=1 shows where it happened.", file=sys.stderr)
        return OUR_FAULT


def _see_that_there_is_a_folder() -> None:
    try:
        os.getcwd()
    except OSError:
        raise UsageError(said.NO_CURRENT_FOLDER) from None


def _name_command(words: list[str]) -> None:
    """Print the name of a command if the first word is similar to it."""
    if words and words[0] not in _COMMANDS:
        for meant in difflib.get_close_matches(words[0], _COMMANDS, n=1, cutoff=0.75):
            print(f"There is a command `grade {meant}`.", file=sys.stderr)


def _parser(command: str, description: str, course: str = _AROUND) -> argparse.ArgumentParser:
    """Return a parser with `--course`. `course` describes the course that is used without this option."""
    parser = argparse.ArgumentParser(prog=f"grade {command}".strip(), description=description)
    parser.add_argument("--course", type=Path, metavar="DIR", help=f"the course's folder (default: {course})")
    return parser


def _text(word: str) -> str:
    """Return a word of the command line as text, decoded as UTF-8 in any locale."""
    text = decoded(word)
    if not text.isascii() and text.encode("utf-8", "replace").decode() != text:
        raise argparse.ArgumentTypeError("it is not UTF-8")
    return text


def _course(options: argparse.Namespace) -> Course:
    return load_course(find_course(options.course, Path.cwd()))


def _own_course(options: argparse.Namespace) -> Course:
    """Return the course that its author works on.

    The packaged course is never the default, because the commands for authors write to the course.
    """
    if options.course is None and course_around(Path.cwd()) is None:
        raise UsageError(
            "there is no course.yaml here or in a folder above; go to the course's folder, or name it by --course"
        )
    return _course(options)


def _official_course(options: argparse.Namespace) -> Course:
    """Return the named course or else the packaged one. A course in the current folder may be part of the submission.

    If there is another course in or above the current folder, a message says that it is not used.
    """
    course = load_course(find_course(options.course, None))
    other = other_course_around(Path.cwd()) if options.course is None else None
    if other is not None:
        complain(
            f"grading with the packaged course ({course.id} {course.version}), not with {other / 'course.yaml'}; "
            "--course names another"
        )
    return course


def _class_course(options: argparse.Namespace) -> Course:
    """Return the named course or else the packaged one.

    A course inside the folder of submissions is ignored. Raises `UsageError` if no course is named and another course
    than the packaged one is in or above the current folder.
    """
    course = load_course(find_course(options.course, None))
    here, submissions = Path.cwd(), Path(os.path.realpath(options.submissions))
    start = submissions.parent if here.is_relative_to(submissions) else here
    other = other_course_around(start) if options.course is None else None
    if other is not None:
        packaged = f"--course {PACKAGED} for {course.title} ({course.id} {course.version})"
        raise UsageError(
            f"which course? You are in the folder of {other / 'course.yaml'}. Write "
            f"--course {shlex.quote(str(other))} for that one, or {packaged}"
        )
    return course


def _grade(words: list[str]) -> int:
    from ..sandbox import TIERS

    parser = _parser("", "Grade your exercise files.", _OFFICIAL)
    parser.usage = f"grade [EXERCISE [FILE] ...] [options]\n       grade {'|'.join(_COMMANDS)} --help"
    parser.add_argument(
        "words", nargs="*", metavar="EXERCISE", help="a number, an id, a range such as 3-5, a file (default: all)"
    )
    parser.add_argument(
        "--from", dest="folder", type=Path, metavar="DIR", help="grade the files in this folder, or in DIR/exercises"
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="where the report goes")
    parser.add_argument("--json", action="store_true", help="print the report as JSON, and write no file")
    parser.add_argument("--all", action="store_true", help="show every check, and what every failure is about")
    parser.add_argument(
        "--seed", type=_text, metavar="TEXT", help="draw numbers and random programs from this, not the course's seed"
    )
    parser.add_argument("--instructor", action="store_true", help="keep seed and hidden details in the report")
    parser.add_argument(
        "--isolation",
        choices=["auto", *TIERS],
        default="auto",
        help="how the code is isolated (default: the strongest that works here)",
    )
    parser.add_argument(
        "--format",
        action="append",
        default=[],
        metavar="FORMAT[=FILE]",
        help="also write github, gradescope, classroom50 or junit, where the platform reads it or to FILE (repeatable)",
    )
    parser.add_argument("--min-score", type=int, metavar="N", help="exit with 0 at N points or more (default: all)")
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 whenever grading worked")
    parser.add_argument("--official", action="store_true", help="grade for the record: sandboxed, a secret seed")
    parser.add_argument("--version", action="version", version=f"grade {__version__}")
    options = parser.parse_intermixed_args(words)
    from .formats import wanted
    from .run import Options, run_grade

    formats = wanted(options.format, os.environ)
    if options.json and any(one.name == "github" for one in formats):
        raise UsageError("--json and --format github both write to standard output; --report FILE writes the JSON")
    if options.folder is not None and not options.folder.is_dir():
        raise UsageError(said.no_folder("--from", str(options.folder)))
    return run_grade(
        _official_course(options) if options.official else _course(options),
        Options(
            words=tuple(options.words),
            folder=options.folder,
            report=options.report,
            as_json=options.json,
            everything=options.all,
            seed=options.seed,
            instructor=options.instructor,
            isolation=options.isolation,
            official=options.official,
            formats=formats,
            min_score=options.min_score,
            exit_zero=options.exit_zero,
            course=options.course,
        ),
    )


def _hint(words: list[str]) -> int:
    parser = _parser("hint", "Show a hint, one at a time.")
    parser.add_argument(
        "exercise", nargs="?", metavar="EXERCISE", help="of which exercise (default: the next one for the last failure)"
    )
    parser.add_argument("number", nargs="?", type=int, metavar="N", help="which hint (default: the first)")
    options = parser.parse_args(words)
    from .hint import run_hint

    course = _course(options)
    return run_hint(course, find_exercise(course, options.exercise) if options.exercise else None, options.number)


def _solution(words: list[str]) -> int:
    parser = _practice_parser("solution", "Show the solution of an exercise that is passed.")
    parser.add_argument("exercise", metavar="EXERCISE")
    options = parser.parse_args(words)
    from .practice import run_solution

    course = _course(options)
    return run_solution(course, options.folder, find_exercise(course, options.exercise))


def _start(words: list[str]) -> int:
    parser = _parser("start", "Write what a learner begins with: exercises, a README, settings; overwrite nothing.")
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path(), metavar="DIR", help="where (default: here, into ./exercises)"
    )
    options = parser.parse_args(words)
    from .start import run_start

    return run_start(_course(options), options.folder)


def _stubs(words: list[str]) -> int:
    parser = _parser("stubs", "Make the exercise files anew from the solutions, as `grade build` does.", _OWN)
    parser.add_argument("--force", action="store_true", help="overwrite files that have been worked on")
    options = parser.parse_args(words)
    from .build import print_stubs, stubs_before

    course = _own_course(options)
    if not print_stubs(course, stubs_before(course), force=options.force):
        print("every exercise file is in step with its solution")
    return OK


def _build(words: list[str]) -> int:
    parser = _parser("build", "Write the answer book, and the exercise files that nobody has worked on.", _OWN)
    parser.add_argument("exercises", nargs="*", metavar="EXERCISE", help="what of the book to make anew (default: all)")
    options = parser.parse_args(words)
    from ..oracle import require_torch
    from .build import run_build

    course = _own_course(options)
    require_torch("`grade build`")
    return run_build(course, tuple(find_exercise(course, word) for word in options.exercises) or None)


def _new(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="grade new", description="Begin a course, or an exercise of the course around you."
    )
    kinds = parser.add_subparsers(dest="kind", metavar="course|exercise", required=True)
    course = kinds.add_parser("course", help="write a course of one exercise into a new folder")
    course.add_argument("folder", type=Path, metavar="DIR")
    exercise = kinds.add_parser("exercise", help="add an exercise: solution, hidden test, misconceptions, stub, entry")
    exercise.add_argument("name", metavar="NAME", help="its id: lower-case letters, digits and _")
    exercise.add_argument("--course", type=Path, metavar="DIR", help=f"the course's folder (default: {_OWN})")
    for kind in (course, exercise):
        kind.add_argument("--title", type=_text, metavar="TEXT", help="what learners read (default: made of the name)")
    options = parser.parse_args(words)
    from .new import run_new_course, run_new_exercise

    if options.kind == "course":
        return run_new_course(options.folder, options.title)
    return run_new_exercise(_own_course(options), options.name, options.title)


def _release(words: list[str]) -> int:
    parser = _parser("release", "Write what learners get: exercises, a README, and the workflow if there is one.", _OWN)
    parser.add_argument("folder", type=Path, metavar="OUT", help="where it goes")
    parser.add_argument("--replace", action="store_true", help="replace files that are there with other content")
    options = parser.parse_args(words)
    from .release import run_release

    return run_release(_own_course(options), options.folder, replace=options.replace)


def _verify(words: list[str]) -> int:
    parser = _parser("verify", "Check the course itself: solutions, stubs, misconceptions, mutants, drift.", _OWN)
    parser.add_argument("exercises", nargs="*", metavar="EXERCISE", help="which ones (default: all)")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the table as Markdown, too")
    parser.add_argument(
        "--seed", metavar="TEXT", help="verify under this seed instead of the course's, as official runs"
    )
    parser.add_argument(
        "--seeds", type=int, default=0, metavar="N", help="also find scores that are not the same under N seeds (slow)"
    )
    options = parser.parse_args(words)
    from ..oracle import require_torch
    from .verification import run_verify

    course = _own_course(options)
    require_torch("`grade verify`")
    chosen = tuple(find_exercise(course, word) for word in options.exercises) or course.exercises
    return run_verify(course, chosen, options.table, options.seed, options.seeds)


def _cohort(words: list[str]) -> int:
    from ..cohort.intake import LAYOUTS
    from ..sandbox import TIERS

    parser = _parser("cohort", "Grade every submission in a folder, for the record.", _NAMED)
    parser.add_argument("submissions", type=Path, metavar="SUBMISSIONS", help="a folder, or an export, of submissions")
    parser.add_argument("--out", type=Path, required=True, metavar="RESULTS", help="where reports and summary go")
    parser.add_argument("--layout", choices=LAYOUTS, help="how SUBMISSIONS is laid out (default: what it looks like)")
    parser.add_argument("--assignment", metavar="NAME", help="which one, where an nbgrader course has several")
    parser.add_argument(
        "--since", type=Path, metavar="RESULTS", help="take over from earlier results what has not changed since"
    )
    parser.add_argument("--roster", type=Path, metavar="FILE", help="a CSV file of the class: login, name, e-mail ...")
    parser.add_argument("--deadlines", type=Path, metavar="FILE", help="due dates, penalty and extensions, as YAML")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="how many at once")
    parser.add_argument(
        "--seed", type=_text, metavar="TEXT", help="draw numbers and random programs from this, not a secret seed"
    )
    parser.add_argument("--isolation", choices=["auto", *TIERS], default="auto", help="the sandbox (default: the best)")
    parser.add_argument("--allow-process", action="store_true", help="grade without a sandbox: only code you trust")
    parser.add_argument("--dask", metavar="ADDRESS", help="grade on a Dask cluster, by its scheduler's address")
    options = parser.parse_args(words)
    if options.jobs < 1:
        raise UsageError("--jobs must be at least 1")
    from .cohort import CohortOptions, run_cohort

    return run_cohort(
        _class_course(options),
        CohortOptions(
            submissions=options.submissions,
            out=options.out,
            layout=options.layout,
            jobs=options.jobs,
            seed=options.seed,
            isolation=options.isolation,
            allow_process=options.allow_process,
            dask=options.dask,
            assignment=options.assignment,
            since=options.since,
            roster=options.roster,
            deadlines=options.deadlines,
        ),
    )


def _export(words: list[str]) -> int:
    from .export import FOLDERS, PLACES, ExportOptions, run_export
    from .results import course_of

    parser = _parser("export", "Write a class's results in a form that other programs read.", _RESULTS)
    parser.add_argument("results", type=Path, metavar="RESULTS", help="the folder that `grade cohort --out` wrote")
    parser.add_argument("--to", choices=PLACES, required=True, help="the form")
    parser.add_argument("--out", metavar="PATH", help="a file, or - for standard output (default: in RESULTS/exports)")
    parser.add_argument(
        "--assignment", type=_text, metavar="NAME", help="what Canvas or nbgrader calls it (default: the course)"
    )
    parser.add_argument(
        "--for", dest="platform", choices=("canvas", "moodle", "nbgrader"), help="name feedback as it takes it back"
    )
    options = parser.parse_args(words)
    course = course_of(options.results, options.course, Path.cwd()) if options.to in FOLDERS else None
    return run_export(
        ExportOptions(options.results, options.to, options.out, options.assignment, course, options.platform)
    )


def _decide(words: list[str]) -> int:
    parser = _parser("decide", "Write down a decision about a learner, which every later run applies.", _RESULTS)
    parser.add_argument("results", type=Path, metavar="RESULTS", help="the folder that `grade cohort --out` wrote")
    parser.add_argument("learner", type=_text, metavar="LEARNER", help="login or e-mail address, or a submission's id")
    parser.add_argument("--why", type=_text, required=True, metavar="TEXT", help="the reason")
    parser.add_argument("--by", type=_text, metavar="NAME", help="who decides (default: the user)")
    parser.add_argument(
        "--points", action="append", default=[], type=_text, metavar="EXERCISE.CHECK=N", help="points for a check"
    )
    parser.add_argument(
        "--file", action="append", default=[], type=_text, metavar="EXERCISE=PATH", help="the file that counts"
    )
    parser.add_argument("--submission", type=_text, metavar="ID", help="the submission that counts")
    parser.add_argument("--submitted-at", type=_text, metavar="TIME", help="the time of submission that counts")
    parser.add_argument("--penalty", type=int, metavar="N", help="the points that lateness costs")
    parser.add_argument(
        "--excused", action=argparse.BooleanOptionalAction, default=None, help="excuse the learner, or no longer"
    )
    parser.add_argument("--comment", type=_text, metavar="TEXT", help="a text for the learner")
    parser.add_argument(
        "--ignore",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="do not grade the submission LEARNER, because its submitter is not in the class; or grade it again",
    )
    parser.add_argument(
        "--confirm",
        action="append",
        default=[],
        type=_text,
        metavar="WHAT",
        help="a decision on EXERCISE.CHECK, the file of EXERCISE or submitted_at also holds for the present files",
    )
    parser.add_argument(
        "--withdraw",
        action="append",
        default=[],
        type=_text,
        metavar="WHAT",
        help="a decision no longer holds: on EXERCISE.CHECK, on the file of EXERCISE, or on a key such as penalty",
    )
    options = parser.parse_args(words)
    from .decide import DecideOptions, run_decide
    from .results import course_of

    return run_decide(
        course_of(options.results, options.course, Path.cwd()),
        DecideOptions(
            results=options.results,
            learner=options.learner,
            why=options.why,
            by=options.by,
            points=options.points,
            files=options.file,
            submission=options.submission,
            submitted_at=options.submitted_at,
            penalty=options.penalty,
            excused=options.excused,
            comment=options.comment,
            ignored=options.ignore,
            confirm=options.confirm,
            withdraw=options.withdraw,
        ),
    )


def _compare(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="grade compare", description="Show whose total changed, and why.")
    parser.add_argument("before", type=Path, metavar="RESULTS_A", help="the folder of the earlier results")
    parser.add_argument("after", type=Path, metavar="RESULTS_B", help="the folder of the later results")
    options = parser.parse_args(words)
    from .compare import run_compare

    return run_compare(options.before, options.after)


def _page(words: list[str]) -> int:
    from .page import run_page
    from .results import course_of

    parser = argparse.ArgumentParser(prog="grade page", description="Make one HTML file to look at a class with.")
    parser.add_argument("results", type=Path, metavar="RESULTS", help="the folder that `grade cohort --out` wrote")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where it goes (default: RESULTS/page.html)")
    parser.add_argument(
        "--against", type=Path, metavar="EARLIER", help="show what changed since this folder of results"
    )
    parser.add_argument("--course", type=Path, metavar="DIR", help="the course that the class was graded with")
    options = parser.parse_args(words)
    course = course_of(options.results, options.course, Path.cwd())
    return run_page(options.results, options.out, options.against, course)


def _practice_parser(command: str, description: str) -> argparse.ArgumentParser:
    parser = _parser(command, description)
    parser.add_argument("--from", dest="folder", type=Path, metavar="DIR", help="the files in this folder")
    return parser


def _watch(words: list[str]) -> int:
    from ..sandbox import TIERS

    parser = _practice_parser("watch", "Grade on every save, and show one exercise at a time.")
    parser.add_argument("exercise", nargs="?", metavar="EXERCISE", help="the first one (default: the first not passed)")
    parser.add_argument("--isolation", choices=["auto", *TIERS], default="auto", help="as for `grade`")
    options = parser.parse_args(words)
    from .practice import run_watch

    course = _course(options)
    start = find_exercise(course, options.exercise) if options.exercise else None
    return run_watch(course, options.folder, start, options.isolation)


def _list(words: list[str]) -> int:
    parser = _practice_parser("list", "Show each exercise with status and points, and the next one.")
    options = parser.parse_args(words)
    from .practice import run_list

    return run_list(_course(options), options.folder)


def _next(words: list[str]) -> int:
    options = _practice_parser("next", "Show which file to open next.").parse_args(words)
    from .practice import run_list

    return run_list(_course(options), options.folder, next_only=True)


def _reset(words: list[str]) -> int:
    parser = _practice_parser("reset", "Begin an exercise again; a copy of your file is kept.")
    parser.add_argument("exercise", metavar="EXERCISE")
    options = parser.parse_args(words)
    from .practice import run_reset

    course = _course(options)
    return run_reset(course, options.folder, find_exercise(course, options.exercise))


def _play(words: list[str]) -> int:
    from ..replay.presets import presets

    parser = _practice_parser("play", "Replay your own backward pass, step by step, on a page in your browser.")
    parser.usage = (
        "grade play [EXERCISE [CHECK]] [options]\n       grade play PRESET [options]\n"
        "       grade play EXPRESSION NAME=VALUE ... [options]"
    )
    names = ", ".join(preset.id for preset in presets())
    parser.add_argument(
        "words",
        nargs="*",
        type=_text,
        metavar="WORD",
        help=f"an exercise, and a check by its number or id; a preset ({names}); or an expression and the values of "
        'its leaves, as in: "(a + b) * c" a=2 b=-3 c=10 (default: the exercise at hand)',
    )
    parser.add_argument(
        "--exercise",
        metavar="EXERCISE",
        help="whose file runs a preset or an expression (default: the last one begun that has a backward pass)",
    )
    parser.add_argument("--file", type=Path, metavar="FILE", help="the file to run, instead of the exercise's own")
    parser.add_argument("--landscape", action="store_true", help="show the steps of your `train` over the loss")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the page goes (default: beside the exercises)")
    parser.add_argument("--no-open", action="store_true", help="open no browser")
    options = parser.parse_intermixed_args(words)
    from .play import PlayOptions, run_play

    return run_play(
        _course(options),
        PlayOptions(
            words=tuple(options.words),
            exercise=options.exercise,
            file=options.file,
            folder=options.folder,
            out=options.out,
            browser=not options.no_open,
            landscape=options.landscape,
        ),
    )


def _ci(words: list[str]) -> int:
    from ..ci import PLATFORMS

    made = "; ".join(f"{name}: {platform.line}" for name, platform in PLATFORMS.items())
    parser = _parser("ci", f"Write what a platform needs to grade. {made}.", "the packaged one, which the wheel holds")
    parser.add_argument("action", choices=["init"], help="write the files")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), metavar="DIR", help="where (default: here)")
    parser.add_argument("--for", dest="platform", choices=PLATFORMS, required=True, help="the platform")
    parser.add_argument("--wheel", type=Path, required=True, metavar="FILE", help="the grader, made by `pip wheel`")
    options = parser.parse_intermixed_args(words)
    from .platforms import run_ci_init

    named = options.course is not None and options.course != Path(PACKAGED)
    course = load_course(find_course(options.course, None)) if named else None
    return run_ci_init(options.platform, options.wheel, course, options.folder)


def _completion(words: list[str]) -> int:
    from .completion import SHELLS, completion

    parser = _parser("completion", "Print a script that completes commands, options and exercises.")
    parser.add_argument("shell", choices=SHELLS, help="bash: source <(grade completion bash)")
    options = parser.parse_args(words)
    course = _course(options)
    print(completion(options.shell, course, {"": _grade, **_COMMANDS}), end="")
    return OK


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "build": _build,
    "ci": _ci,
    "cohort": _cohort,
    "compare": _compare,
    "decide": _decide,
    "completion": _completion,
    "export": _export,
    "hint": _hint,
    "list": _list,
    "new": _new,
    "next": _next,
    "page": _page,
    "play": _play,
    "release": _release,
    "reset": _reset,
    "solution": _solution,
    "start": _start,
    "stubs": _stubs,
    "verify": _verify,
    "watch": _watch,
}
