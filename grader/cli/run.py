"""Grade exercise files, show the result and write the report, for `grade [EXERCISE ...]`."""

import os
import secrets
import sys
from collections.abc import Generator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from ..base.files import UserError, write_named
from ..base.processes import cores
from ..base.text import readable, shown_path
from ..course.load import Course, find_course
from ..course.oracle import AnswerBook, read_book, require_torch
from ..practice.kept import KeptResults
from ..practice.progress import Progress, progress_of, remember
from ..practice.screens import welcome, what_next
from ..practice.workspace import FOLDER, REPORT, Chosen, choose
from ..runner import sandbox
from ..runner.client import read_exercise
from ..verdict.report import Report, for_learner, line_of, to_json, write_report
from ..verdict.submission import Addition, Submission, is_run, read_submission, report_on
from ..verdict.terminal import render, shown_in_full
from ..words import author as for_ci
from ..words import practice
from ..words.repairs import SEARCH_ENDED, no_repairs_text
from .options import GradeOptions, course_of_folder, default_memo, official_course
from .streams import StatusLine, how_to_shorten, say, style

if TYPE_CHECKING:
    from ..verdict.formats import Output

_FILES = 3  # the least number of files for each process
_OWN_SEED = "course"  # as the text of --seed, the course's own seed


def run_grade(options: GradeOptions) -> int:
    """Grade and report. Return the exit code. Raises `UserError`."""
    run = _run_of(options)
    course = run.course

    # grade
    submission = read_submission(
        course,
        run.files.files,
        root=(run.files.given or run.files.root) if options.official else None,
        here=Path.cwd(),
        notes=run.notes,
    )
    kept, line = _kept(run, submission), StatusLine(not options.as_json)
    with closing(_reports(run, submission, kept, line)) as reports:
        # show the result, and then search for the line that must change
        full = next(reports)
        report = run.shown(full)
        progress = progress_of(run.own) if run.own is not None else None
        if progress is not None:
            progress.graded(report)
        if not options.as_json:
            _show(run, report, progress)
            sys.stdout.flush()
        try:
            for full in reports:
                report = run.shown(full)
        except KeyboardInterrupt:
            # an interrupt after the verdict only ends the search
            if options.as_json:
                raise
            line.clear()
            say(SEARCH_ENDED)
        if progress is not None:
            progress.searched(report)
        if options.line is not False:
            _show_line(report, options)

    # write it
    if options.as_json:
        sys.stdout.buffer.write(to_json(report))  # JSON is always UTF-8, whatever the terminal's encoding
        sys.stdout.flush()
    _write(run, report, progress)
    if kept is not None:
        kept.save(report)
    if run.formats:
        from ..verdict.formats import write_formats

        write_formats(run.formats, full, course, os.environ)
    enough = report.status == "passed" if options.min_score is None else report.score >= options.min_score
    return 0 if options.exit_zero or enough else 1


def _kept(run: "_GradeRun", submission: Submission) -> KeptResults | None:
    """Return the results of unchanged files; None for a run whose result is not for the learner's own eyes."""
    options = run.options
    if run.own is None or options.report or options.as_json or options.formats:
        return None
    settings = (run.seed, options.isolation)
    memo = default_memo("results")
    return KeptResults(memo, run.course, submission, run.files.files, settings, fresh=options.fresh)


def _reports(
    run: "_GradeRun", submission: Submission, kept: KeptResults | None, line: StatusLine
) -> Generator[Report, None, None]:
    """Grade, and yield the full report, and again with the result of each search."""
    options, course = run.options, run.course
    # for the line that must change: if it is asked for, or for a learner at a terminal
    by_default = run.own is not None and not options.as_json and sys.stdout.isatty()
    wanted = by_default if options.line is None else options.line
    searched = _exercises_to_search if wanted else _no_exercises

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
    start = partial(sandbox.start, options.isolation, allow_imports=course.allow_imports, official=options.official)
    with ExitStack() as started:
        warm = started.enter_context(start())
        book = read_book(course.book)
        sandboxes = [started.enter_context(start()) for _ in range(_helpers(run, submission, kept, book))]
        from ..verdict.grading import grade_events  # imports pytest, which takes time, while the workers start

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
                sandboxes=sandboxes,
            ),
            course,
        )


def _helpers(run: "_GradeRun", submission: Submission, kept: KeptResults | None, book: AnswerBook) -> int:
    """Return how many forks of this process are to grade exercises beside it: none in an official run.

    With a seed other than the course's, most answers come from one process with torch, which they cannot share.
    """
    if run.options.official or run.seed != run.course.seed:
        return 0
    known = {} if kept is None else kept.results
    to_run = [
        one for one, source in submission.sources.items() if one not in known and is_run(source, book.stubs.get(one))
    ]
    return max(0, min(cores(), len(to_run) // _FILES) - 1)


def _no_exercises(_: Report) -> list[str]:
    return []


class _GradeRun(NamedTuple):
    """A run of `grade`: its options, the files that it grades, and how it grades them.

    Attributes:
        options: the options of the command.
        course: the course.
        files: the files to be graded.
        own: the folder of the learner who runs the command; None in a run for others or without exercise files.
        seed: what random programs are drawn from.
        formats: the formats to write.
        notes: notes for the report.
    """

    options: GradeOptions
    course: Course
    files: Chosen
    own: Path | None
    seed: str
    formats: "tuple[Output, ...]"
    notes: tuple[str, ...]

    def shown(self, full: Report) -> Report:
        """Return a report without what the person who runs the command may not see."""
        return full if self.options.instructor else for_learner(full, self.course.details)

    @property
    def flags(self) -> tuple[str, ...]:
        """Return the options of this command that the next command needs again."""
        # the course that the next command would find by itself need not be named again
        given, course = self.files.given, self.options.course
        unnamed = os.path.realpath(find_course(None, Path.cwd())) == os.path.realpath(self.course.folder)
        course_flags = ("--course", str(course)) if course and not unnamed else ()
        return (*course_flags, "--from", str(given)) if given else course_flags


def _run_of(options: GradeOptions) -> _GradeRun:
    """Return what the options ask for. Raises `UserError`."""
    formats = _formats(options)
    course = official_course(options.course) if options.official else course_of_folder(options.course)
    # a platform needs a result even if nothing was submitted
    files = choose(course, options.words, options.folder, official=options.official, required=not formats)
    notes = _notes(options, course, files)
    files, note = _by_values(options, course, files)
    most = sum(exercise.max_score for exercise in course.exercises if exercise.id in files.files)
    if options.min_score is not None and not 0 <= options.min_score <= most:
        raise UserError(for_ci.min_score(most))
    # a secret seed in an official run; the answer book has torch's answers for the course's own seed only
    given = course.seed if options.seed == _OWN_SEED else options.seed
    seed = given or (secrets.token_hex(16) if options.official else course.seed)
    if seed != course.seed:
        require_torch("`grade --official`" if options.official else "`grade --seed`")
    own = None if options.official or options.instructor else files.own
    return _GradeRun(options, course, files, own, seed, formats, notes + note)


def _by_values(options: GradeOptions, course: Course, files: Chosen) -> tuple[Chosen, tuple[str, ...]]:
    """Return the files, with an engine of arrays as that exercise's, and a note that says so.

    Only a file that is named for a single exercise, as in `grade engine FILE`, is run to find out.
    """
    exercise = course.by_id[next(iter(files.files))]
    path = files.files[exercise.id]
    if options.scalars or not exercise.arrays or len(options.words) != 2 or str(path) != options.words[1]:
        return files, ()
    source = read_exercise(exercise, path)
    if not is_run(source, read_book(course.book).stubs.get(exercise.id)):
        return files, ()
    from ..verdict.grading import takes_arrays  # imports pytest

    with sandbox.start(options.isolation, allow_imports=course.allow_imports, official=options.official) as warm:
        if not takes_arrays(warm, source, course.limits):
            return files, ()
    other = course.by_id[exercise.arrays]
    note = practice.graded_as(other.number, other.id, exercise.number, exercise.id)
    return files._replace(files={other.id: path}), (note,)


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


def _show(run: _GradeRun, report: Report, progress: Progress | None) -> None:
    """Print the report, and for the learner who runs this command what comes next."""
    course, files = run.course, run.files.files
    # nothing is begun yet, so a table of results would say nothing
    if progress is not None and len(files) == len(course.exercises) > 1 and report.status == "not_started":
        print("\n".join(welcome(course, report, files, run.flags, style(), how_to_shorten())))
    else:
        sys.stdout.write(render(report, course.title, everything=run.options.everything, style=style()))
        if progress is not None:
            print("\n".join(what_next(course, report, files, run.files.folder, progress.passed, run.flags, style())))


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


def _notes(options: GradeOptions, course: Course, files: Chosen) -> tuple[str, ...]:
    """Return a note if the folder of an official run has a course of its own, which is not used."""
    own = (files.given or Path()) / "course.yaml"
    if not options.official or not os.path.lexists(own) or os.path.realpath(own) == os.path.realpath(course.file):
        return ()
    return (for_ci.own_course(str(readable(own)), course.id, course.version),)


def _write(run: _GradeRun, report: Report, progress: Progress | None) -> None:
    """Write the report where it is asked for, or in the learner's folder, or in the current folder if it is official.

    The learner's progress is written with the report in their folder.
    """
    options, path = run.options, run.options.report
    if path is None and not options.as_json:
        by_default = Path(REPORT) if options.official or options.instructor else None
        path = run.own / FOLDER / REPORT if run.own is not None else by_default
    if path is None:
        return
    try:
        if options.report:
            write_named(path, to_json(report))
        else:
            if run.own is not None and progress is not None:
                remember(run.own, progress)
            write_report(report, path)
    except OSError as error:
        missing = "" if path.parent.exists() else str(path.parent)
        raise UserError(practice.report_not_written(str(path), error.strerror or "", missing)) from None
    if not options.as_json:
        print(practice.report_in(shown_path(path)))
