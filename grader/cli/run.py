"""Grade exercise files, show the result and write the report, for `grade [EXERCISE ...]`."""

import os
import secrets
import sys
from collections.abc import Generator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from ..base.files import UserError, write_named
from ..base.text import readable, shown_path
from ..course.load import Course, find_course
from ..course.oracle import read_book, require_torch
from ..practice.kept import KeptResults
from ..practice.screens import progress_after, welcome, what_next
from ..practice.workspace import (
    FOLDER,
    REPORT,
    Progress,
    files_to_grade,
    folder_named,
    holds_exercises,
    is_file,
    learner_folders,
    remember,
)
from ..runner import sandbox
from ..verdict.report import Report, for_learner, line_of, to_json, write_report
from ..verdict.submission import Addition, Submission, read_submission, report_on
from ..verdict.terminal import render, shown_in_full
from ..words import author as for_ci
from ..words import practice
from ..words.learner import SEARCH_ENDED, no_repairs_text
from .options import GradeOptions, course_of_folder, default_memo, official_course
from .streams import StatusLine, how_to_shorten, say, style

if TYPE_CHECKING:
    from ..verdict.formats import Output

_OWN_SEED = "course"  # as the text of --seed, the course's own seed


def run_grade(options: GradeOptions) -> int:
    """Grade and report. Return the exit code. Raises `UserError`."""
    formats = _formats(options)
    run = _run_of(options, formats)
    options, course, files = run.options, run.course, run.files

    # grade
    line = StatusLine(not options.as_json)
    progress = None
    submission = read_submission(
        course,
        files,
        root=(options.folder or run.root) if options.official else None,
        here=Path.cwd(),
        notes=_notes(course, options),
    )
    kept = _kept(run, submission)
    with closing(_reports(run, submission, kept, line)) as reports:
        # show the result, and then the line that must change
        shown = False
        try:
            for full in reports:
                report = full if options.instructor else for_learner(full, course.details)
                if options.as_json:
                    continue
                progress = progress_after(run.own, report) if run.own is not None else None
                if not shown:
                    _show(course, report, files, run.folder, progress, options)
                    sys.stdout.flush()
                shown = True
        except KeyboardInterrupt:
            # an interrupt after the verdict only ends the search
            if not shown:
                raise
            line.clear()
            say(SEARCH_ENDED)
        if options.line is not False:
            _show_line(report, options)

    # write it
    if options.as_json:
        sys.stdout.buffer.write(to_json(report))  # JSON is always UTF-8, whatever the terminal's encoding
        sys.stdout.flush()
    _write(report, options, run.own, progress)
    if kept is not None:
        kept.save(report)
    if formats:
        from ..verdict.formats import write_formats

        write_formats(formats, full, course, os.environ)
    return 0 if options.exit_zero or _enough(report, options) else 1


def _kept(run: "_GradeRun", submission: Submission) -> KeptResults | None:
    """Return the results of unchanged files; None for a run whose result is not for the learner's own eyes."""
    options = run.options
    if run.own is None or options.report or options.as_json or options.formats:
        return None
    settings = (run.seed, options.isolation)
    memo = default_memo("results")
    return KeptResults(memo, run.course, submission, run.files, settings, fresh=options.fresh)


def _reports(
    run: "_GradeRun", submission: Submission, kept: KeptResults | None, line: StatusLine
) -> Generator[Report, None, None]:
    """Grade, and yield the full report, and again with the result of each search."""
    options, course = run.options, run.course
    searched = _exercises_to_search if _wants_line(run.own, options) else _no_exercises

    # nothing has changed: no process is started, and pytest is not imported
    if kept is not None and kept.answers(()):
        bare = [replace(kept.results[name], repairs=UNSET) for name in submission.sources]
        report = report_on(course, submission, bare, tier=kept.tier, seed=run.seed)
        if kept.answers(searched(report)):
            yield report
            for name in searched(report):
                if known := kept.results[name].repairs:
                    yield Addition(name, known).to(report)
            return

    # run the files that have changed, and search for the line
    started = sandbox.start(options.isolation, allow_imports=course.allow_imports, official=options.official)
    with started as warm:
        from ..verdict.grading import grade_events  # imports pytest, which takes time, while the worker starts

        book = read_book(course.book)
        if kept is not None:
            kept.only_of(warm.tier)
        yield from line.reports(
            grade_events(
                course,
                book,
                submission,
                seed=run.seed,
                memo=default_memo(),
                warm=warm,
                searched=searched,
                kept=None if kept is None else kept.results,
            ),
            course,
        )


def _no_exercises(_: Report) -> list[str]:
    return []


class _GradeRun(NamedTuple):
    """The files that a run grades, and how.

    Attributes:
        options: the options, without a folder among the words.
        course: the course.
        root: the folder above which no file is looked for.
        folder: the folder with the exercise files.
        files: the path of each exercise to be graded, by its id.
        seed: what random programs are drawn from.
        own: the folder of the learner who runs the command; None in a run for others or without exercise files.
    """

    options: GradeOptions
    course: Course
    root: Path
    folder: Path
    files: dict[str, Path]
    seed: str
    own: Path | None


def _run_of(options: GradeOptions, formats: "tuple[Output, ...]") -> _GradeRun:
    """Return what the options ask for. Raises `UserError`."""
    if options.folder is not None and not options.folder.is_dir():
        raise UserError(practice.no_folder("--from", str(options.folder)))
    course = official_course(options.course) if options.official else course_of_folder(options.course)
    options = _with_folder(course, options)
    if options.official:
        _refuse_links(options)
    # files above the folder of an official run are not part of the submission
    root, folder = learner_folders(course, upward=not options.official)
    folder = _with_files(course, options.folder) if options.folder else folder
    files = files_to_grade(course, options.words, folder)
    if not formats:  # a platform needs a result even if nothing was submitted
        _refuse_absent(course, files, options)
    _refuse_unreachable(course, files, options)
    seed = _seed(course, options)
    # the answer book has torch's answers for the course's own seed only
    if seed != course.seed:
        require_torch("`grade --official`" if options.official else "`grade --seed`")
    return _GradeRun(options, course, root, folder, files, seed, _own_folder(course, root, folder, options))


def _formats(options: GradeOptions) -> "tuple[Output, ...]":
    """Return the formats to write. Raises `UserError`."""
    if options.line and options.official:
        raise UserError(for_ci.LINE_AND_OFFICIAL)
    if not options.formats:
        return ()
    from ..verdict.formats import outputs  # imports every format

    # before grading, so that a format that cannot be written costs no time
    formats = outputs(options.formats, os.environ)
    printing = [one.format.name for one in formats if one.format.printed]
    if options.as_json and printing:
        raise UserError(for_ci.json_and_format(printing[0]))
    return formats


def _refuse_absent(course: Course, files: Mapping[str, Path], options: GradeOptions) -> None:
    """Raise `UserError` if none of the files exists.

    The file of a named exercise may be missing in an official run, in a folder that an option names, and beside other
    exercise files. Then the report says that it is missing.
    """
    if any(path.exists() or path.is_symlink() for path in files.values()):
        return
    named = [path for path in files.values() if str(path) in options.words]
    if named:
        raise UserError(practice.no_file(str(named[0])))
    # with other exercises in the folder, a missing file is a result and not an error
    looked, elsewhere = next(iter(files.values())).parent, options.official or options.folder is not None
    if not (options.words and elsewhere) and not holds_exercises(course, looked):
        raise UserError(practice.no_files(str(looked), above=not elsewhere))


def _show(
    course: Course,
    report: Report,
    files: Mapping[str, Path],
    folder: Path,
    progress: Progress | None,
    options: GradeOptions,
) -> None:
    """Print the report, and for the learner who runs this command what comes next."""
    # nothing is begun yet, so a table of results would say nothing
    if progress is not None and len(files) == len(course.exercises) > 1 and report.status == "not_started":
        flags = _flags(course, options)
        print("\n".join(welcome(course, report, files, flags, style(), how_to_shorten())))
    else:
        sys.stdout.write(render(report, course.title, everything=options.everything, style=style()))
        if progress is not None:
            lines = what_next(course, report, files, folder, progress.passed, _flags(course, options), style())
            print("\n".join(lines))


def _wants_line(own: Path | None, options: GradeOptions) -> bool:
    """Return whether to search for the line that must change: if it is asked for, or for a learner at a terminal."""
    by_default = own is not None and not options.as_json and sys.stdout.isatty()
    return by_default if options.line is None else options.line


def _exercises_to_search(report: Report) -> list[str]:
    """Return the exercise whose failure is explained, if there is one."""
    result, check = shown_in_full(report)
    return [result.id] if result is not None and check is not None and result.status != "passed" else []


def _show_line(report: Report, options: GradeOptions) -> None:
    """Print the line that must change. If the search was asked for, also print that there is none."""
    result, _ = shown_in_full(report)
    if options.as_json or result is None or not result.repairs:
        return
    none = options.line and (result.repairs.tried or result.repairs.ended) and not result.repairs.found
    text = no_repairs_text(result.repairs.tried, result.repairs.ended) if none else line_of(result)
    if text:
        say(text)


def _with_folder(course: Course, options: GradeOptions) -> GradeOptions:
    """Move a folder from the words to `folder`, and return the new options.

    The learner's own folder is not set as `folder`. Raises `UserError` for several folders.
    """
    folder, words = folder_named(course, options.words)
    if folder is None:
        return options
    if options.folder is not None:
        raise UserError(practice.folder_and_more(str(folder)))
    own = learner_folders(course, upward=not options.official)
    # the learner's own folder is the default, so naming it changes nothing, not even the next step
    usual = not options.official and os.path.realpath(folder) in map(os.path.realpath, own)
    return replace(options, words=words, folder=None if usual else folder)


def _refuse_unreachable(course: Course, files: Mapping[str, Path], options: GradeOptions) -> None:
    """Raise `UserError` if `--min-score` is more than the points of the exercises to grade."""
    most = sum(exercise.max_score for exercise in course.exercises if exercise.id in files)
    if options.min_score is not None and not 0 <= options.min_score <= most:
        raise UserError(for_ci.min_score(most))


def _enough(report: Report, options: GradeOptions) -> bool:
    if options.min_score is None:
        return report.status == "passed"
    return report.score >= options.min_score


def _notes(course: Course, options: GradeOptions) -> tuple[str, ...]:
    """Return a note if the folder of an official run has a course of its own, which is not used."""
    own = (options.folder or Path()) / "course.yaml"
    if not options.official or not os.path.lexists(own) or os.path.realpath(own) == os.path.realpath(course.file):
        return ()
    return (for_ci.own_course(str(readable(own)), course.id, course.version),)


def _refuse_links(options: GradeOptions) -> None:
    """Raise `UserError` if a given path leads through a symbolic link, which may be a part of the submission."""
    folders = [Path(word).parent for word in options.words if is_file(word)]
    if options.folder is not None:
        folders.append(options.folder)
    # reading refuses links below the submission's folder; these are the links that lead to it
    for folder in folders:
        for part in (*reversed(folder.parents), folder):
            if part.is_symlink():
                raise UserError(for_ci.symbolic_link(str(part)))


def _seed(course: Course, options: GradeOptions) -> str:
    """Return the given seed, or else a secret seed in an official run, or else the course's own."""
    if options.seed == _OWN_SEED:
        return course.seed
    return options.seed or (secrets.token_hex(16) if options.official else course.seed)


def _own_folder(course: Course, root: Path, folder: Path, options: GradeOptions) -> Path | None:
    """Return the folder of the learner who runs this command; None in a run for others or without exercise files."""
    elsewhere = options.folder is None and not Path.cwd().is_relative_to(root)
    if options.official or options.instructor or elsewhere:
        return None
    return folder if holds_exercises(course, folder) else None


def _flags(course: Course, options: GradeOptions) -> tuple[str, ...]:
    """Return the options of this command that the next command needs again."""
    # the course that the next command would find by itself need not be named again
    unnamed = os.path.realpath(find_course(None, Path.cwd())) == os.path.realpath(course.folder)
    course_flags = ("--course", str(options.course)) if options.course and not unnamed else ()
    return (*course_flags, "--from", str(options.folder)) if options.folder else course_flags


def _write(report: Report, options: GradeOptions, own: Path | None, progress: Progress | None) -> None:
    path = options.report or _default_report(own, options)
    if path is None:
        return
    try:
        if options.report:
            write_named(path, to_json(report))
        else:
            if own is not None and progress is not None:
                remember(own, progress)
            write_report(report, path)
    except OSError as error:
        missing = "" if path.parent.exists() else str(path.parent)
        raise UserError(practice.report_not_written(str(path), error.strerror or "", missing)) from None
    if not options.as_json:
        print(practice.report_in(shown_path(path)))


def _with_files(course: Course, folder: Path) -> Path:
    """Return the folder with the exercise files: the given folder, or `exercises` in it."""
    inner = folder / "exercises"
    return inner if inner.is_dir() and not holds_exercises(course, folder) else folder


def _default_report(own: Path | None, options: GradeOptions) -> Path | None:
    """Return the default path of the report: in the learner's folder, or in the current folder for an official run."""
    if options.as_json:
        return None
    if own is not None:
        return own / FOLDER / REPORT
    return Path(REPORT) if options.official or options.instructor else None
