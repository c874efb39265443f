"""Record a decision about a learner, for `grade decide RESULTS LEARNER`."""

import getpass
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from ..cohort import Summary, read_found
from ..cohort.results import summary_of
from ..course import Course, CourseError
from ..outside import did_you_mean, plain, read_plain, write_atomically
from ..people import OVERRIDES, Overrides, entry_text, in_force, moment, parts, read_overrides
from ..report.choices import files_digest
from ..report.person import Decided, Learner
from ..words.instructor import KEPT, decided_text, kept_name, misplaced_text, no_such_file, problem_text
from .people import choosable, made_for_files, names_of
from .words import UsageError


@dataclass(frozen=True)
class DecideOptions:
    """A decision as given on the command line.

    Items of `points` look like `swap.upstream=2`, and items of `files` like `swap=old/02_swap.py`. Items of `confirm`
    and `withdraw` look like `swap.upstream`, and items of `keep` like `note` or `swap.syntax`.
    """

    results: Path
    learner: str | None
    why: str
    by: str | None = None
    points: Sequence[str] = ()
    files: Sequence[str] = ()
    submission: str | None = None
    submitted_at: str | None = None
    penalty: int | None = None
    excused: bool | None = None
    comment: str | None = None
    ignored: bool | None = None
    keep: Sequence[str] = ()
    confirm: Sequence[str] = ()
    withdraw: Sequence[str] = ()
    everyone: bool = False


def run_decide(course: Course, options: DecideOptions) -> int:
    """Append decisions to `overrides.yaml`, and return 0. Raises `UsageError` and `CourseError`."""
    summary = summary_of(options.results)
    path = options.results / OVERRIDES
    try:
        before = read_plain(path)
    except FileNotFoundError:
        before = b""
    except OSError as error:
        raise UsageError(f"{path}: {problem_text('unreadable', error=error.strerror)}") from None
    earlier = read_overrides(path, course, before or b"[]")  # first, to report an existing mistake as such
    if options.everyone:
        decisions = _closed(options, summary)
    elif options.learner is None:
        raise UsageError(problem_text("say_whom"))
    else:
        decisions = [(options.learner, _about_one(options, options.learner, summary, earlier))]
    joint = b"" if not before or before.endswith(b"\n") else b"\n"
    text = before + joint + "".join(entry_text(name, decided) for name, decided in decisions).encode()
    try:
        read_overrides(path, course, text)
    except CourseError as error:
        raise UsageError(problem_text("undecidable", why=error.message)) from None
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
    """Return the decision about a learner or a submission. Raises `UsageError`."""
    learner = _learner(summary, name)
    if learner is None and name not in earlier.by_learner:  # an ignored submission is not in the final table
        known = {name for one in summary.learners for name in names_of(one)}
        near = did_you_mean(name, sorted(known))
        raise UsageError(problem_text("unknown_in", name=name, folder=options.results, near=near))
    names = (name, *(names_of(learner) if learner is not None else ()))
    decided = _decided(options, _confirmed(options, earlier.of(*names)))
    _see_that_it_can_be(options, name, learner, summary)
    return replace(decided, made_for=made_for_files(options.results, learner, decided))


def _closed(options: DecideOptions, summary: Summary) -> list[tuple[str, Decided]]:
    """Return a decision for each open review that has one of the reasons in `keep`. Raises `UsageError`."""
    asked = _decided(options, Decided("", "", ""))
    only = Decided(asked.by, asked.at, asked.why, keep=asked.keep)
    if options.learner is not None or not asked.keep or asked != only or options.confirm:
        raise UsageError(problem_text("all_is_for_keep"))
    found: list[tuple[str, Decided]] = []
    for review in summary.needs_review:
        open_ = dict.fromkeys(kept_name(reason) for reason in review.reasons if reason.kind in KEPT)
        keep = tuple(name for name in open_ if {name, name.rpartition(".")[2]} & {*asked.keep})
        learner = _learner(summary, review.id)
        if keep and learner is not None and learner.report:
            decided = replace(only, keep=keep)
            found.append((review.id, replace(decided, made_for=made_for_files(options.results, learner, decided))))
    if not found:
        raise UsageError(problem_text("nothing_open", names=", ".join(asked.keep)))
    return found


def _confirmed(options: DecideOptions, earlier: Sequence[Decided]) -> Decided:
    """Return the confirmed decisions as one new decision. Raises `UsageError` if there is no such decision."""
    there = in_force(earlier, {}, {})  # all decisions that were not withdrawn, for whatever files they were made
    live = (*there.applied, *there.pending)
    points: dict[str, int] = {}
    files: dict[str, str] = {}
    submitted_at: str | None = None
    for option, words in (("--confirm", options.confirm), ("--withdraw", options.withdraw)):
        for word in words:
            of = [one for one in live if word in parts(one)]
            if not of:
                known = list(dict.fromkeys(name for one in live for name in parts(one)))
                near = did_you_mean(word, known) or (f"; there are: {', '.join(known)}" if known else "")
                said = problem_text("not_decided", learner=options.learner, near=near)
                raise UsageError(f"{option} {word}: {said}")
            if option == "--withdraw":
                continue
            if word not in {*of[-1].points, *of[-1].files, "submitted_at"}:
                raise UsageError(f"--confirm {word}: {problem_text('holds_already')}")
            points |= {name: number for name, number in of[-1].points.items() if name == word}
            files |= {name: path for name, path in of[-1].files.items() if name == word}
            submitted_at = of[-1].submitted_at if word == "submitted_at" else submitted_at
    return Decided("", "", "", points=points, files=files, submitted_at=submitted_at)


def _see_that_it_can_be(options: DecideOptions, name: str, learner: Learner | None, summary: Summary) -> None:
    """Raise `UsageError` for a decision without effect, or about a submission of somebody else."""
    if learner is not None and learner.standing == "unclaimed" and options.excused is not None:
        of, folder = shlex.quote(learner.id), shlex.quote(str(options.results))
        raise UsageError(problem_text("stranger", name=learner.id, of=of, folder=folder))
    if learner is not None and not learner.report and (options.points or options.files or options.keep):
        raise UsageError(problem_text("no_report", name=name))
    if options.ignored is not None and learner is not None and name not in learner.submissions:
        raise UsageError(f"--ignore: {misplaced_text(name, '', ())}")
    if options.submission is None:
        return
    owners = [one for one in summary.learners if options.submission in one.submissions]
    if not owners:
        near = did_you_mean(options.submission, sorted(key for one in summary.learners for key in one.submissions))
        raise UsageError(
            f"--submission: {problem_text('no_submission', name=options.submission, folder=options.results, near=near)}"
        )
    if learner not in owners and any(one.standing != "unclaimed" for one in owners):
        wrong = misplaced_text(name, options.submission, [one.id for one in owners])
        raise UsageError(f"--submission: {wrong}")


def _see_that_files_are_there(results: Path, learner: Learner | None, decided: Decided) -> None:
    """Raise `UsageError` if a chosen file is not in any submission of the learner."""
    names = learner.submissions if learner is not None else ()
    for exercise, path in decided.files.items():
        found = [read_found(results, name) for name in names]
        if not any(files_digest(one, exercise, path) is not None for one in found):
            there = [name for one in found for name in choosable(one, exercise)]
            raise UsageError(f"--file {exercise}={path}: {no_such_file(exercise, path, there)}")


def _decided(options: DecideOptions, confirmed: Decided) -> Decided:
    submitted_at = confirmed.submitted_at
    if options.submitted_at is not None:
        submitted_at = moment(options.submitted_at, zoned=True)
        if submitted_at is None:
            raise UsageError(f"--submitted-at {options.submitted_at}: {problem_text('write_time')}")
    points = dict(confirmed.points)
    for word in options.points:
        name, _, number = word.partition("=")
        if not number.isascii() or not number.isdecimal() or len(number) > 9:
            raise UsageError(f"--points {word}: {problem_text('write_points')}")
        points[name] = int(number)
    files = dict(confirmed.files)
    for word in options.files:
        name, _, place = word.partition("=")
        if not place:
            raise UsageError(f"--file {word}: {problem_text('write_file')}")
        files[name] = place
    decided = Decided(
        by=options.by or _user(),
        at=datetime.now().astimezone().replace(microsecond=0).isoformat(),
        why=options.why,
        points=points,
        files=files,
        submission=options.submission,
        submitted_at=submitted_at,
        penalty=options.penalty,
        excused=options.excused,
        comment=options.comment,
        ignored=options.ignored,
        keep=tuple(dict.fromkeys(options.keep)),
        withdraw=tuple(options.withdraw),
    )
    if decided == Decided(by=decided.by, at=decided.at, why=decided.why):
        raise UsageError(problem_text("say_what"))
    return decided


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        raise UsageError(problem_text("say_who")) from None
