"""Write down a decision about a learner: what `grade decide RESULTS LEARNER` does."""

import getpass
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ..course import Course, CourseError
from ..outside import did_you_mean, plain, read_plain, write_atomically
from ..people import OVERRIDES, entry_text, moment, read_overrides
from ..report.person import Decided
from ..words.instructor import decided_text
from .results import summary_of
from .words import UsageError


@dataclass(frozen=True)
class DecideOptions:
    """A decision as the command line gives it: `points` and `files` are words such as `swap.upstream=2`."""

    results: Path
    learner: str
    why: str
    by: str | None = None
    points: Sequence[str] = ()
    files: Sequence[str] = ()
    submission: str | None = None
    submitted_at: str | None = None
    penalty: int | None = None
    excused: bool | None = None
    comment: str | None = None


def run_decide(course: Course, options: DecideOptions) -> int:
    """Append a decision to `overrides.yaml`; returns 0. Raises `UsageError` and `CourseError`."""
    summary = summary_of(options.results)
    submissions = {name for one in summary.learners for name in one.submissions}
    people = {name for one in summary.learners for name in (one.id, one.person.login, one.person.email) if name}
    if options.learner not in submissions | people:
        near = did_you_mean(options.learner, sorted(submissions | people))
        raise UsageError(f"there is no learner or submission `{options.learner}` in {options.results}{near}")
    if options.submission is not None and options.submission not in submissions:
        raise UsageError(f"--submission: there is no submission `{options.submission}` in {options.results}")
    decided = _decided(options)
    path = options.results / OVERRIDES
    try:
        before = read_plain(path)
    except FileNotFoundError:
        before = b""
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    read_overrides(path, course, before or b"[]")  # a mistake that is there already is not this decision's
    joint = b"" if not before or before.endswith(b"\n") else b"\n"
    text = before + joint + entry_text(options.learner, decided).encode()
    try:
        read_overrides(path, course, text)
    except CourseError as error:
        raise UsageError(f"this cannot be decided: {error.message}") from None
    write_atomically(path, text)
    print(f"{plain(options.learner)}: {plain(decided_text(decided))}")
    print(f"Written to {path}. Run `grade cohort` again to apply it; it grades nothing twice.")
    return 0


def _decided(options: DecideOptions) -> Decided:
    submitted_at = None
    if options.submitted_at is not None:
        submitted_at = moment(options.submitted_at, zoned=True)
        if submitted_at is None:
            raise UsageError(f"--submitted-at {options.submitted_at}: write a time such as 2026-03-01T23:59:00+01:00")
    points: dict[str, int] = {}
    for word in options.points:
        name, _, number = word.partition("=")
        if not number.isascii() or not number.isdecimal() or len(number) > 9:
            raise UsageError(f"--points {word}: write EXERCISE.CHECK=N, such as swap.upstream=2")
        points[name] = int(number)
    files: dict[str, str] = {}
    for word in options.files:
        name, _, place = word.partition("=")
        if not place:
            raise UsageError(f"--file {word}: write EXERCISE=PATH, such as swap=old/02_swap.py")
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
    )
    if decided == Decided(by=decided.by, at=decided.at, why=decided.why):
        raise UsageError(
            "say what is decided: --points, --file, --submission, --submitted-at, --penalty, --excused or --comment"
        )
    return decided


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        raise UsageError("say who decides: --by NAME") from None
