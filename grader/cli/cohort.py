"""Grade a class, for `grade cohort SUBMISSIONS --out RESULTS`."""

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
from ..base import UserError, json_text, plain, read_plain, readable, write_atomically
from ..client import NOTEBOOK
from ..cohort import (
    LocalPool,
    Pool,
    PoolError,
    Results,
    ResultsError,
    Standing,
    Summary,
    drawn,
    grade_entries,
    rules_digest,
    settings,
    summarise,
)
from ..cohort.results import EARLIER, GONE, ROSTER, SUMMARY, RunFile, class_of, record, see_that_files_are_there
from ..cohort.results import since as changes_since
from ..cohort.run import DaskPool, Settings
from ..course import Course
from ..intake import Entry, IntakeError, entries, unclaimed
from ..oracle import require_torch
from ..oracle.answer_book import read_book
from ..people import DEADLINES, OVERRIDES
from ..report import Report, read_report
from ..report.model import CourseStamp
from ..views.page import render_cohort
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
        if _real(options.out).is_relative_to(_real(options.submissions)):
            raise IntakeError(words.out_inside(str(options.out), str(options.submissions)))
        submitted = _submitted(course, options)
        folder = readable(course.folder.absolute())
        print(words.course(plain(course.title), course.id, course.version, str(folder)), file=sys.stderr)
        print(words.found(len(submitted), str(options.submissions), submitted[0].layout), file=sys.stderr)
        with Results(options.out) as results:
            return _run(course, options, submitted, results)
    except KeyboardInterrupt:
        print(f"\ngrade: {words.interrupted(str(options.out))}", file=sys.stderr)
        return 130
    except (IntakeError, ResultsError, PoolError) as error:
        raise UserError(str(error)) from None
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        raise UserError(f"{what}{error.strerror}. {words.continue_with(str(options.out))}") from None


def _submitted(course: Course, options: CohortOptions) -> list[Entry]:
    """Return the submissions in a folder. Raises `IntakeError`, also for the folder of a single learner."""
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
    # the people of the class, and the rules for them
    book = read_book(course.book)
    if options.since is not None:
        results.take_over(options.since, submitted)
    before = _before(options, results)
    people = class_of(course, options.out, submitted, options.roster, options.deadlines, complain)
    if options.roster is not None and people.roster is not None:
        columns = plain(columns_text(people.roster.columns, people.roster.unread))
        print(words.roster(len(people.people), str(options.roster), columns), file=sys.stderr)
    own = {_real(path) for path in (options.roster, options.deadlines) if path is not None}
    beside = [
        name for name in unclaimed(options.submissions, submitted) if _real(options.submissions / name) not in own
    ]
    submitted = [
        replace(entry, choices=people.choices(entry.id)) for entry in submitted if entry.id not in people.ignored
    ]
    see_that_files_are_there(course, options.out, submitted, people, options.jobs)
    _keep_rules(options, results)
    # grade each submission, and summarise the class from the same reports
    seed, seen = results.seed(options.seed)
    from_it = drawn(course, book, seed, default_memo())
    lines = options.explain == "lines"
    grading = settings(
        course, seed, from_it, isolation=options.isolation, official=not options.allow_process, lines=lines
    )
    with closing(_pool(grading, options, len(submitted))) as pool:
        folder = str(readable(course.folder.absolute()))
        run = RunFile(CourseStamp.of(course), __version__, seed, pool.start(), folder, seen)
        results.note(run)
        graded = grade_entries(course, submitted, results, seed, pool, options.jobs, seen=seed in seen, lines=lines)
        standing = next(graded)
        reports = _watched(graded, len(submitted))
        rules, earlier = rules_digest(options.out), partial(_earlier, results)
        summary = summarise(course, reports, standing.faults, beside, people, earlier, rules=rules)
    gone = results.set_aside(submitted)
    record(options.out, people, summary.learners)
    results.note(msgspec.structs.replace(run, seen=tuple(dict.fromkeys((*seen, seed)))))
    # last, because exports and the page need the summary
    write_atomically(results.summary, json_text(summary).encode())
    # show
    sys.stdout.write(
        render_cohort(summary, results=str(readable(options.out)), kept=standing.kept, color=style().color)
    )
    sys.stdout.write(render_changes(changes_since(before, summary, results, standing.replaced)))
    print(f"\n{words.places(f'{results.reports}{os.sep}', str(results.summary))}")
    for note in _notes(options.out, standing, sorted(people.ignored), gone):
        print(note)
    return 1 if summary.needs_review or beside else 0


def _keep_rules(options: CohortOptions, results: Results) -> None:
    """Copy the given roster and deadlines to the folder of results."""
    for given, name in ((options.roster, ROSTER), (options.deadlines, DEADLINES)):
        if given is not None and _real(given) != _real(options.out / name):
            results.summary.unlink(missing_ok=True)
            write_atomically(options.out / name, read_plain(given, follow=True))


def _pool(grading: Settings, options: CohortOptions, count: int) -> Pool:
    """Return the processes that grade `count` submissions."""
    return DaskPool(grading, options.dask) if options.dask else LocalPool(grading, min(options.jobs, max(1, count)))


def _notes(out: Path, standing: Standing, ignored: Sequence[str], gone: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each kind of report that was not kept as it was."""
    aside = str(out / GONE)
    if standing.outdated:
        yield words.outdated(standing.outdated)
    if ignored:
        yield words.ignored(list(map(plain, ignored)), OVERRIDES)
    if gone:
        yield words.gone(list(map(plain, gone)), aside)
    if standing.edited:
        yield words.edited(standing.edited, aside)
        yield words.change_points(shlex.quote(str(out)))
    if standing.damaged:
        yield words.damaged(standing.damaged, aside)


def _before(options: CohortOptions, results: Results) -> Summary | None:
    """Return the summary of the previous run or of `--since`, or None if this version cannot read one."""
    for path in (results.summary, *([options.since / SUMMARY] if options.since else [])):
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


def _watched(standings: Iterable[Standing], total: int) -> Iterator[Report]:
    """Yield the reports, and show progress: a bar on a terminal, or else a line every few seconds."""
    shown = _with_bar(standings, total) if sys.stderr.isatty() else _in_lines(standings)
    yield from (standing.report for standing in shown if standing.report is not None)


def _with_bar(standings: Iterable[Standing], total: int) -> Iterator[Standing]:
    with tqdm(total=total, bar_format=f"{{l_bar}}{{bar}}| {words.PROGRESS}{{postfix}}", unit="") as bar:
        for standing in standings:
            bar.set_postfix_str(words.faults(len(standing.faults)), refresh=False)
            bar.update(standing.done - bar.n)
            yield standing


def _in_lines(standings: Iterable[Standing]) -> Iterator[Standing]:
    started = last = time.monotonic()
    for standing in standings:
        now = time.monotonic()
        if now - last >= _PLAIN_EVERY_S:
            last = now
            shape = ", ".join(filter(None, [words.PROGRESS, words.faults(len(standing.faults))]))
            meter = tqdm.format_meter(standing.done, standing.total, now - started, bar_format=shape, unit="")
            print(meter, file=sys.stderr, flush=True)
        yield standing
