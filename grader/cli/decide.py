"""Decide about a learner of a class, for `grade decide RESULTS`."""

import getpass
import shlex
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from msgspec import structs

from ..base.files import UserError, read_plain, write_atomically
from ..base.text import did_you_mean, plain
from ..classes.cohort import Summary, choosable, made_for_files, names_of, read_found, summary_of
from ..classes.people import (
    ALL,
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
from ..words.instructor import ALL_LEARNERS, KEPT, decided_text, kept_name, misplaced_text, no_such_file, problem_text
from .options import DecideOptions

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
        decisions = _about_all(options, summary, earlier)
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
        print(f"{ALL_LEARNERS if name == ALL else plain(name)}: {plain(decided_text(decided))}")
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


def _about_all(options: DecideOptions, summary: Summary, earlier: Overrides) -> list[tuple[str, Decided]]:
    """Return the decision about all learners, or those that close reviews. Raises `UserError`."""
    if options.learner is not None or options.confirm:
        raise UserError(problem_text("not_with_all"))
    if options.keep:
        return _decisions_to_close(options, summary)
    return [(ALL, _decision_of(options, _confirmed_decisions(options, earlier.of())))]


def _decisions_to_close(options: DecideOptions, summary: Summary) -> list[tuple[str, Decided]]:
    """Return a decision for each open review that has one of the reasons in `keep`. Raises `UserError`."""
    wish = _decision_of(options)
    only = Decided(wish.by, wish.at, wish.why, keep=wish.keep)
    if wish != only:
        raise UserError(problem_text("not_with_all"))
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
                raise UserError(
                    f"{option} {word}: {problem_text('not_decided', learner=options.learner or ALL, near=near)}"
                )
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
