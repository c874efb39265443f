"""Grade a class, and decide about its learners, for `grade cohort SUBMISSIONS` and `grade decide RESULTS`."""

import contextlib
import getpass
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import structs
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
    choosable,
    class_of,
    drawn,
    grade_entries,
    made_for_files,
    names_of,
    read_found,
    record,
    rules_digest,
    see_that_files_are_there,
    settings,
    summarise,
    summary_of,
)
from ..classes.cohort import since as changes_since
from ..classes.intake import Entry, IntakeError, entries, unclaimed
from ..classes.page import render_cohort
from ..classes.people import (
    DEADLINES,
    OVERRIDES,
    WHAT,
    Overrides,
    entry_text,
    files_digest,
    in_force,
    merged,
    moment,
    names_for_files,
    part_name,
    parts,
    read_overrides,
    with_parts,
)
from ..course.learners import Decided, Learner
from ..course.load import Course, CourseError
from ..course.oracle import read_book, require_torch
from ..runner.client import NOTEBOOK
from ..verdict.report import CourseStamp, Report, read_report
from ..words import instructor as words
from ..words.instructor import (
    KEPT,
    columns_text,
    decided_text,
    kept_name,
    misplaced_text,
    no_such_file,
    problem_text,
    render_changes,
)
from .options import CohortOptions, DecideOptions, default_memo
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
    # the people of the class, and the rules for them
    book = read_book(course.book)
    # first of all, because the roster, the rules and the decisions are taken over, too
    if options.since is not None:
        results.take_over(options.since, submitted)
    before = _before(options, results)
    people = class_of(course, options.out, submitted, options.roster, options.deadlines, complain)
    if options.roster is not None and people.roster is not None:
        columns = plain(columns_text(people.roster.columns, people.roster.unread))
        print(words.roster(len(people.people), str(options.roster), columns), file=sys.stderr)
    # the roster and the deadlines may lie beside the submissions, and are no part of any
    own = {_real(path) for path in (options.roster, options.deadlines) if path is not None}
    beside = [
        name for name in unclaimed(options.submissions, submitted) if _real(options.submissions / name) not in own
    ]
    submitted = [
        replace(entry, choices=people.choices(entry.id)) for entry in submitted if entry.id not in people.ignored
    ]
    # before grading, which takes long: a decision with a mistake ends the run
    see_that_files_are_there(course, options.out, submitted, people, options.jobs)
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
        graded = grade_entries(course, submitted, results, seed, pool, options.jobs, seen=seed in seen, lines=lines)
        # the first item comes before any submission; the object is the same until the end
        progress = next(graded)
        reports = _reports_with_progress(graded, len(submitted))
        rules, earlier = rules_digest(options.out), partial(_earlier, results)
        summary = summarise(course, reports, progress.faults, beside, people, earlier, rules=rules)
    # only after the last report, so that an interrupted run moves nothing away
    gone = results.set_aside(submitted)
    record(options.out, people, summary.learners)
    results.write_run(msgspec.structs.replace(run, seen=tuple(dict.fromkeys((*seen, seed)))))
    # last, because exports and the page need the summary
    write_atomically(results.summary, json_text(summary).encode())
    # show
    sys.stdout.write(
        render_cohort(summary, results=str(readable(options.out)), kept=progress.kept, color=style().color)
    )
    sys.stdout.write(render_changes(changes_since(before, summary, results, progress.replaced)))
    print(f"\n{words.places(f'{results.reports}{os.sep}', str(results.summary))}")
    for note in _notes(options.out, progress, sorted(people.ignored), gone):
        print(note)
    return 1 if summary.needs_review or beside else 0


def _keep_rules(options: CohortOptions, results: Results) -> None:
    """Copy the given roster and deadlines to the folder of results."""
    for given, name in ((options.roster, ROSTER), (options.deadlines, DEADLINES)):
        # the summary is stale as soon as a rule has changed
        if given is not None and _real(given) != _real(options.out / name):
            results.summary.unlink(missing_ok=True)
            write_atomically(options.out / name, read_plain(given, follow=True))


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


# -- Record decisions

T = TypeVar("T")


def run_decide(course: Course, options: DecideOptions) -> int:
    """Append decisions to `overrides.yaml`, and return 0. Raises `UserError` and `CourseError`."""
    summary = summary_of(options.results)
    path = options.results / OVERRIDES
    try:
        before = read_plain(path)
    except FileNotFoundError:
        before = b""
    except OSError as error:
        raise UserError(f"{path}: {problem_text('unreadable', error=error.strerror)}") from None
    earlier = read_overrides(path, course, before or b"[]")  # first, to report an existing mistake as such
    if options.everyone:
        decisions = _decisions_to_close(options, summary)
    elif options.learner is None:
        raise UserError(problem_text("say_whom"))
    else:
        decisions = [(options.learner, _about_one(options, options.learner, summary, earlier))]
    # an editor may have left the last line without its end
    joint = b"" if not before or before.endswith(b"\n") else b"\n"
    text = before + joint + "".join(entry_text(name, decided) for name, decided in decisions).encode()
    try:
        # the whole new text, before a byte of it is written
        read_overrides(path, course, text)
    except CourseError as error:
        raise UserError(problem_text("undecidable", why=error.message)) from None
    for name, decided in decisions:
        _see_that_files_are_there(options.results, _learner(summary, name), decided)
    write_atomically(path, text)
    for name, decided in decisions:
        print(f"{plain(name)}: {plain(decided_text(decided))}")
    print(problem_text("written", path=path))
    return 0


def _learner(summary: Summary, name: str) -> Learner | None:
    """Return the first learner who has this name, or a submission with this id."""
    return next((one for one in summary.learners if name in names_of(one)), None)


def _about_one(options: DecideOptions, name: str, summary: Summary, earlier: Overrides) -> Decided:
    """Return the decision about a learner or a submission. Raises `UserError`."""
    learner = _learner(summary, name)
    if learner is None and name not in earlier.by_learner:  # an ignored submission is not in the final table
        known = {name for one in summary.learners for name in names_of(one)}
        near = did_you_mean(name, sorted(known))
        raise UserError(problem_text("unknown_in", name=name, folder=options.results, near=near))
    names = (name, *(names_of(learner) if learner is not None else ()))
    confirmed = _confirmed_decisions(options, earlier.of(*names))
    decided = _decision_of(options, confirmed)
    _see_that_it_can_be(options, name, learner, summary)
    return structs.replace(decided, made_for=made_for_files(options.results, learner, decided))


def _decisions_to_close(options: DecideOptions, summary: Summary) -> list[tuple[str, Decided]]:
    """Return a decision for each open review that has one of the reasons in `keep`. Raises `UserError`."""
    wish = _decision_of(options)
    only = Decided(wish.by, wish.at, wish.why, keep=wish.keep)
    if options.learner is not None or not wish.keep or wish != only or options.confirm:
        raise UserError(problem_text("all_is_for_keep"))
    decisions: list[tuple[str, Decided]] = []
    for review in summary.needs_review:
        open_ = dict.fromkeys(kept_name(reason) for reason in review.reasons if reason.kind in KEPT)
        # `--keep syntax` closes the reviews of every exercise, `--keep swap.syntax` those of one
        keep = tuple(name for name in open_ if {name, name.rpartition(".")[2]} & {*wish.keep})
        learner = _learner(summary, review.id)
        if keep and learner is not None and learner.report:
            made_for = made_for_files(options.results, learner, structs.replace(only, keep=keep))
            decisions.append((review.id, structs.replace(only, keep=keep, made_for=made_for)))
    if not decisions:
        raise UserError(problem_text("nothing_open", names=", ".join(wish.keep)))
    return decisions


def _confirmed_decisions(options: DecideOptions, earlier: Sequence[Decided]) -> list[Decided]:
    """Return the earlier decisions that are confirmed. Raises `UserError` if there is no such decision.

    Names in `withdraw` must belong to earlier decisions, too.
    """
    state = in_force(earlier, {}, {})  # all decisions that were not withdrawn, for whatever files they were made
    live = (*state.applied, *state.pending)
    confirmed: list[Decided] = []
    for option, given in (("--confirm", options.confirm), ("--withdraw", options.withdraw)):
        for word in given:
            of = [one for one in live if word in map(part_name, parts(one))]
            if not of:
                known = list(dict.fromkeys(part_name(part) for one in live for part in parts(one)))
                near = did_you_mean(word, known) or (f"; there are: {', '.join(known)}" if known else "")
                raise UserError(f"{option} {word}: {problem_text('not_decided', learner=options.learner, near=near)}")
            if option == "--withdraw":
                continue
            # only a decision that was made for certain files can be confirmed for others
            if word == "keep" or word not in names_for_files(of[-1]):
                raise UserError(f"--confirm {word}: {problem_text('holds_already')}")
            again = {part: value for part, value in parts(of[-1]).items() if part_name(part) == word}
            confirmed.append(with_parts(of[-1], again))
    return confirmed


def _see_that_it_can_be(options: DecideOptions, name: str, learner: Learner | None, summary: Summary) -> None:
    """Raise `UserError` for a decision without effect, or about a submission of somebody else."""
    # the name belongs to no learner of the roster, so there is no row to excuse
    if learner is not None and learner.standing == "unclaimed" and options.excused is not None:
        of, folder = shlex.quote(learner.id), shlex.quote(str(options.results))
        raise UserError(problem_text("stranger", name=learner.id, of=of, folder=folder))
    if learner is not None and not learner.report and (options.points or options.files or options.keep):
        raise UserError(problem_text("no_report", name=name))
    if options.ignored is not None and learner is not None and name not in learner.submissions:
        raise UserError(f"--ignore: {misplaced_text(name, '', ())}")
    if options.submission is not None:
        problem = _misplaced(options.submission, options.results, name, learner, summary)
        if problem is not None:
            raise UserError(f"--submission: {problem}")


def _misplaced(submission: str, results: Path, name: str, learner: Learner | None, summary: Summary) -> str | None:
    """Return the reason why a submission cannot be that of a learner; None if it can."""
    owners = [one for one in summary.learners if submission in one.submissions]
    if not owners:
        near = did_you_mean(submission, sorted(key for one in summary.learners for key in one.submissions))
        return problem_text("no_submission", name=submission, folder=results, near=near)
    if learner not in owners and any(one.standing != "unclaimed" for one in owners):
        return misplaced_text(name, submission, [one.id for one in owners])
    return None


def _see_that_files_are_there(results: Path, learner: Learner | None, decided: Decided) -> None:
    """Raise `UserError` if a chosen file is not in any submission of the learner."""
    names = learner.submissions if learner is not None else ()
    for exercise, path in decided.files.items():
        files = [read_found(results, name) for name in names]
        if not any(files_digest(one, exercise, path) is not None for one in files):
            paths = [name for one in files for name in choosable(one, exercise)]
            raise UserError(f"--file {exercise}={path}: {no_such_file(exercise, path, paths)}")


def _decision_of(options: DecideOptions, confirmed: Sequence[Decided] = ()) -> Decided:
    """Return the decision that the options describe, together with confirmed ones. Raises `UserError`."""
    read: dict[str, Callable[[Any], Any]] = {
        "points": partial(_pairs, "--points", "write_points", _number),
        "files": partial(_pairs, "--file", "write_file", lambda path: path or None),
        "submitted_at": _time,
        "keep": tuple,
        "withdraw": tuple,
    }
    values = {name: value for name in WHAT if (value := getattr(options, name)) not in (None, ())}
    one = Decided(
        by=options.by or _user(),
        at=datetime.now().astimezone().replace(microsecond=0).isoformat(),
        why=options.why,
        **{name: read[name](value) if name in read else value for name, value in values.items()},
    )
    decided = merged((*confirmed, one))
    if not parts(decided):
        raise UserError(problem_text("say_what"))
    return decided


def _time(word: str) -> str:
    time = moment(word, zoned=True)
    if time is None:
        raise UserError(f"--submitted-at {word}: {problem_text('write_time')}")
    return time


def _number(text: str) -> int | None:
    # `int` also accepts blanks, underscores, signs and the digits of other scripts
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 9 else None


def _pairs(option: str, problem: str, read: Callable[[str], T | None], words: Sequence[str]) -> dict[str, T]:
    """Return the values of `NAME=VALUE` words by name. Raises `UserError` where `read` returns None for a value."""
    values: dict[str, T] = {}
    for word in words:
        name, _, text = word.partition("=")
        value = read(text)
        if value is None:
            raise UserError(f"{option} {word}: {problem_text(problem)}")
        values[name] = value
    return values


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        raise UserError(problem_text("say_who")) from None
