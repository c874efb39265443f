"""Grade a class, for `grade cohort SUBMISSIONS`."""

import contextlib
import os
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import msgspec
from tqdm import tqdm

from .. import __version__
from ..base.files import UserError, read_plain, write_atomically
from ..base.text import did_you_mean, json_text, plain, readable
from ..classes.cohort import (
    EARLIER,
    GONE,
    ROSTER,
    SUMMARY,
    DaskPool,
    LocalPool,
    Pool,
    PoolError,
    Results,
    ResultsError,
    RunFile,
    RunProgress,
    Settings,
    Summary,
    class_of,
    drawn,
    grade_entries,
    record,
    rules_digest,
    see_that_files_are_there,
    settings,
    summarise,
)
from ..classes.cohort import since as changes_since
from ..classes.intake import Entry, IntakeError, entries, unclaimed
from ..classes.page import render_cohort
from ..classes.people import DEADLINES, OVERRIDES, Class
from ..course.load import Course
from ..course.oracle import read_book, require_torch
from ..runner.client import NOTEBOOK
from ..verdict.report import CourseStamp, Report, read_report
from ..words import instructor as words
from ..words.instructor import columns_text, render_changes
from .options import CohortOptions, default_memo
from .streams import complain, style

_PLAIN_EVERY_S = 10.0


def run_cohort(course: Course, options: CohortOptions) -> int:
    """Grade a class. Return the exit code: 0 if everything was graded and nothing needs review, or else 1."""
    if options.jobs < 1:
        raise UserError(words.FEW_JOBS)
    if options.seed != course.seed:
        require_torch("`grade cohort`")
    try:
        # the next run would take the results for submissions
        if _real(options.out).is_relative_to(_real(options.submissions)):
            raise IntakeError(words.out_inside(str(options.out), str(options.submissions)))
        submitted = _submitted(course, options)
        folder = readable(course.folder.absolute())
        print(words.course(plain(course.title), course.id, course.version, str(folder)), file=sys.stderr)
        print(words.submissions_found(len(submitted), str(options.submissions), submitted[0].layout), file=sys.stderr)
        with Results(options.out) as results:
            return _run(course, options, submitted, results)
    except KeyboardInterrupt:
        print(f"\ngrade: {words.run_interrupted(str(options.out))}", file=sys.stderr)
        return 130
    except (IntakeError, ResultsError, PoolError) as error:
        raise UserError(str(error)) from None
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        raise UserError(f"{what}{error.strerror}. {words.continue_with(str(options.out))}") from None


def _submitted(course: Course, options: CohortOptions) -> list[Entry]:
    """Return the submissions in a folder. Raises `IntakeError`, also for the folder of a single learner."""
    # a learner's own folder has exercise files, or a folder `exercises` with such files
    inner = _exercise_in(course, options.submissions / "exercises")
    file = inner or _exercise_in(course, options.submissions)
    if file is None or options.layout is not None:
        return entries(options.submissions, options.layout, options.assignment)
    above = shlex.quote(os.path.relpath(_real(options.submissions).parent))
    alone = words.one_learner(str(options.submissions), str(file.relative_to(options.submissions)), above)
    try:
        submitted = entries(options.submissions, None, options.assignment)
    except IntakeError:
        raise IntakeError(alone) from None
    if submitted[0].layout == "folders" and inner is not None:  # `exercises` is a folder of files, not a learner
        raise IntakeError(alone)
    if submitted[0].layout == "folders":
        complain(alone)
    return submitted


def _exercise_in(course: Course, folder: Path) -> Path | None:
    """Return the first exercise file in a folder, or None."""
    names = [Path(exercise.filename).with_suffix(end) for exercise in course.exercises for end in (".py", NOTEBOOK)]
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _run(course: Course, options: CohortOptions, submitted: Sequence[Entry], results: Results) -> int:
    book = read_book(course.book)
    # first of all, because the roster, the rules and the decisions are taken over, too
    if options.since is not None:
        results.take_over(options.since, submitted)
    before = _before(options.since, results)
    # the people of the class, and the rules for them
    people = class_of(course, results.folder, submitted, options.roster, options.deadlines, complain)
    if options.roster is not None and people.roster is not None:
        columns = plain(columns_text(people.roster.columns, people.roster.unread))
        print(words.roster(len(people.people), str(options.roster), columns), file=sys.stderr)
    beside = _beside(options, submitted)
    submitted = [
        replace(entry, choices=people.choices(entry.id)) for entry in submitted if entry.id not in people.ignored
    ]
    again = {one for name in options.again for one in _graded_again(people, name)}
    # before grading, which takes long: a decision with a mistake ends the run
    see_that_files_are_there(course, results.folder, submitted, people, options.jobs)
    _keep_rules(options, results)
    # grade each submission, and summarise the class from the same reports
    seed, seen = results.seed(options.seed)
    from_it = drawn(course, book, seed, default_memo())
    lines = options.explain == "lines"
    grading = settings(course, seed, from_it, isolation=options.isolation, official=not options.allow_process)
    with closing(_pool(grading, options, len(submitted))) as pool:
        folder = str(readable(course.folder.absolute()))
        run = RunFile(CourseStamp.of(course), __version__, seed, pool.start(), folder, seen)
        # before the first report, so that an interrupted run is continued with the same seed
        results.write_run(run)
        graded = grade_entries(
            course, submitted, results, seed, pool, options.jobs, seen=seed in seen, lines=lines, again=again
        )
        # the first item comes before any submission; the object is the same until the end
        progress = next(graded)
        reports = _reports_with_progress(graded, len(submitted))
        rules, earlier = rules_digest(results.folder), partial(_earlier, results)
        summary = summarise(course, reports, progress.faults, beside, people, earlier, rules=rules)
    # only after the last report, so that an interrupted run moves nothing away
    gone = results.set_aside(submitted)
    record(results.folder, people, summary.learners)
    results.write_run(msgspec.structs.replace(run, seen=tuple(dict.fromkeys((*seen, seed)))))
    # last, because exports and the page need the summary
    write_atomically(results.summary, json_text(summary).encode())
    # show
    name, color = str(readable(results.folder)), style().color
    sys.stdout.write(render_cohort(summary, results=name, kept=progress.kept, color=color))
    sys.stdout.write(render_changes(changes_since(before, summary, results, progress.replaced)))
    print(f"\n{words.places(f'{results.reports}{os.sep}', str(results.summary))}")
    for note in _notes(results.folder, progress, sorted(people.ignored), gone):
        print(note)
    return 1 if summary.needs_review or beside else 0


def _graded_again(people: Class, name: str) -> tuple[str, ...]:
    """Return the ids of the submissions that `--again` names. Raises `UserError` if there is none."""
    found = people.submissions_of(name)
    if not found:
        near = did_you_mean(name, sorted(people.names))
        raise UserError(f"--again {name}: {words.problem_text('nothing_of', name=name, near=near)}")
    return found


def _beside(options: CohortOptions, submitted: Sequence[Entry]) -> list[str]:
    """Return the names of files and folders that belong to no submission."""
    # the roster and the deadlines may lie beside the submissions, and are no part of any
    own = {_real(path) for path in (options.roster, options.deadlines) if path is not None}
    names = unclaimed(options.submissions, submitted)
    return [name for name in names if _real(options.submissions / name) not in own]


def _keep_rules(options: CohortOptions, results: Results) -> None:
    """Copy the given roster and deadlines to the folder of results."""
    for given, name in ((options.roster, ROSTER), (options.deadlines, DEADLINES)):
        # the summary is stale as soon as a rule has changed
        if given is not None and _real(given) != _real(results.folder / name):
            results.summary.unlink(missing_ok=True)
            write_atomically(results.folder / name, read_plain(given, follow=True))


def _pool(grading: Settings, options: CohortOptions, count: int) -> Pool:
    """Return the processes that grade `count` submissions."""
    return DaskPool(grading, options.dask) if options.dask else LocalPool(grading, min(options.jobs, max(1, count)))


def _notes(out: Path, progress: RunProgress, ignored: Sequence[str], gone: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each kind of report that was not kept as it was."""
    aside = str(out / GONE)
    if progress.outdated:
        yield words.reports_outdated(progress.outdated)
    if ignored:
        yield words.submissions_ignored(list(map(plain, ignored)), OVERRIDES)
    if gone:
        yield words.reports_gone(list(map(plain, gone)), aside)
    if progress.edited:
        yield words.reports_edited(progress.edited, aside)
        yield words.change_points(shlex.quote(str(out)))
    if progress.unsearched:
        yield words.not_searched(progress.unsearched)
    if progress.damaged:
        yield words.reports_damaged(progress.damaged, aside)


def _before(since: Path | None, results: Results) -> Summary | None:
    """Return the summary of the previous run or of `--since`, or None if this version cannot read one."""
    for path in (results.summary, *([since / SUMMARY] if since else [])):
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            return msgspec.json.decode(read_plain(path), type=Summary)
    return None


def _earlier(results: Results, name: str) -> Iterator[tuple[str, Report]]:
    """Yield the readable earlier reports on a submission, each with its file."""
    for path in results.earlier_reports(name):
        with contextlib.suppress(OSError, ValueError):
            yield f"{EARLIER}/{path.name}", read_report(read_plain(path))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _reports_with_progress(states: Iterable[RunProgress], total: int) -> Iterator[Report]:
    """Yield the reports, and show progress: a bar on a terminal, or else a line every few seconds."""
    shown = _with_bar(states, total) if sys.stderr.isatty() else _in_lines(states)
    yield from (progress.report for progress in shown if progress.report is not None)


def _with_bar(states: Iterable[RunProgress], total: int) -> Iterator[RunProgress]:
    with tqdm(total=total, bar_format=f"{{l_bar}}{{bar}}| {words.PROGRESS}{{postfix}}", unit="") as bar:
        for progress in states:
            bar.set_postfix_str(words.faults(len(progress.faults)), refresh=False)
            bar.update(progress.done - bar.n)
            yield progress


def _in_lines(states: Iterable[RunProgress]) -> Iterator[RunProgress]:
    started = last = time.monotonic()
    for progress in states:
        now = time.monotonic()
        if now - last >= _PLAIN_EVERY_S:
            last = now
            shape = ", ".join(filter(None, [words.PROGRESS, words.faults(len(progress.faults))]))
            meter = tqdm.format_meter(progress.done, progress.total, now - started, bar_format=shape, unit="")
            print(meter, file=sys.stderr, flush=True)
        yield progress
