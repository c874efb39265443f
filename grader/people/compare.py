"""Compare two final tables: whose total changed, and why."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..report.model import Report
from ..report.person import Decided, Learner
from .overrides import merged

ReasonKind: TypeAlias = Literal[
    "check", "decision", "due", "excused", "files", "gone", "new", "not_graded", "penalty", "submission"
]


@dataclass(frozen=True)
class Because:
    """One reason why a total changed.

    | kind         | meaning                                                                            |
    |--------------|------------------------------------------------------------------------------------|
    | `check`      | the check `name` has `after` points instead of `before`                              |
    | `decision`   | a decision gives the check `name` `after` points; `before` is None where none did    |
    | `due`        | the due date is another one                                                          |
    | `excused`    | the learner is excused, `after` 1, or no longer, `after` 0                           |
    | `files`      | the files that were graded are other ones                                            |
    | `gone`       | the learner is in the first table alone                                              |
    | `new`        | the learner is in the second table alone                                             |
    | `not_graded` | one of the tables has no report on the learner                                       |
    | `penalty`    | the penalty is `after` points instead of `before`                                    |
    | `submission` | another submission counts                                                            |
    """

    kind: ReasonKind
    name: str = ""
    before: int | None = None
    after: int | None = None


@dataclass(frozen=True)
class Change:
    """A learner whose row changed. The totals are None where the learner has none."""

    id: str
    name: str
    before: int | None
    after: int | None
    reasons: tuple[Because, ...]


def compare(
    before: Sequence[Learner],
    after: Sequence[Learner],
    old: Mapping[str, Report],
    new: Mapping[str, Report],
) -> tuple[Change, ...]:
    """Return the learners whose total or standing changed, in the order of the second table.

    Args:
        old: the reports that count in the first table, by learner; those that are not known are left out.
        new: the reports that count in the second table, by learner.
    """
    earlier = {one.id: one for one in before}
    later = {one.id for one in after}
    found: list[Change] = []
    for one in after:
        was = earlier.get(one.id)
        if was is None:
            found.append(Change(one.id, one.person.name, None, _total(one), (Because("new"),)))
        elif (was.standing, was.total) != (one.standing, one.total):
            reasons = tuple(_reasons(was, one, old.get(one.id), new.get(one.id)))
            found.append(Change(one.id, one.person.name, _total(was), _total(one), reasons))
    found += [
        Change(one.id, one.person.name, _total(one), None, (Because("gone"),)) for one in before if one.id not in later
    ]
    return tuple(found)


def _total(learner: Learner) -> int | None:
    return learner.total if learner.standing in ("graded", "unclaimed") else None


def _reasons(was: Learner, now: Learner, old: Report | None, new: Report | None) -> Iterator[Because]:
    if (was.standing == "excused") != (now.standing == "excused"):
        yield Because("excused", after=int(now.standing == "excused"))
    if "graded" in (was.standing, now.standing) and {was.standing, now.standing} & {"absent", "not_graded"}:
        yield Because("not_graded")
    if was.submission and now.submission and was.submission != now.submission:
        yield Because("submission", now.submission)
    if old is not None and new is not None:
        if old.submission.sha256 != new.submission.sha256:
            yield Because("files")
        before, after = _points(old), _points(new)
        for name in dict.fromkeys((*before, *after)):
            if before.get(name) != after.get(name):
                yield Because("check", name, before.get(name), after.get(name))
    points, decided = _decided(was.decisions), _decided(now.decisions)
    for name in dict.fromkeys((*points, *decided)):
        if points.get(name) != decided.get(name):
            yield Because("decision", name, points.get(name), decided.get(name))
    if was.due != now.due:
        yield Because("due")
    if was.penalty != now.penalty:
        yield Because("penalty", "", was.penalty, now.penalty)


def _points(report: Report) -> dict[str, int]:
    return {f"{exercise.id}.{check.id}": check.score for exercise in report.exercises for check in exercise.checks}


def _decided(decisions: Sequence[Decided]) -> Mapping[str, int]:
    found = merged(decisions)
    return found.points if found else {}
