"""Compare two final tables: find the learners whose total changed, and the reasons."""

from collections.abc import Iterator, Mapping, Sequence

from ..learners import Because, Change, Decided, Learner
from ..report.model import Report
from .decisions import merged


def changed_rows(
    before: Sequence[Learner], after: Sequence[Learner]
) -> Iterator[tuple[Learner | None, Learner | None]]:
    """Yield the rows before and after for each learner whose total or standing changed.

    They are in the order of the second table. Learners who are only in the first table come last. The row of the
    table without the learner is None.

    A learner may have another key in the other table if the roster changed. Then the row before is the row with the
    same submission, or of a person with an id in common. A row that is in only one table is omitted if it has no total.
    """
    earlier = _pairs(before, after)
    for one in after:
        was = earlier.get(one.id)
        if was is None and _total(one) is not None:
            yield None, one
        elif was is not None and (was.standing, was.total) != (one.standing, one.total):
            yield was, one
    paired = {one.id for one in earlier.values()}
    owned = {name for one in after for name in one.submissions}
    for one in before:
        claimed = one.standing == "unclaimed" and not owned.isdisjoint(one.submissions)
        if one.id not in paired and _total(one) is not None and not claimed:
            yield one, None


def compare(
    before: Sequence[Learner],
    after: Sequence[Learner],
    old: Mapping[str, Report],
    new: Mapping[str, Report],
) -> tuple[Change, ...]:
    """Return the learners whose total or standing changed, with the reasons.

    Args:
        old: the reports that count in the first table, by the learner's key there. Unknown reports are omitted.
        new: the reports that count in the second table, by the learner's key there.
    """
    found: list[Change] = []
    for was, one in changed_rows(before, after):
        if was is not None and one is None:
            found.append(Change(was.id, was.person.name, _total(was), None, (Because("gone"),)))
        elif one is not None and was is None:
            found.append(Change(one.id, one.person.name, None, _total(one), (Because("new"),)))
        elif was is not None and one is not None:
            reasons = tuple(_reasons(was, one, old.get(was.id), new.get(one.id)))
            found.append(Change(one.id, one.person.name, _total(was), _total(one), reasons))
    return tuple(found)


def in_both(before: Sequence[Learner], after: Sequence[Learner]) -> int:
    """Return the number of learners who are in both tables."""
    return len(_pairs(before, after))


def _pairs(before: Sequence[Learner], after: Sequence[Learner]) -> dict[str, Learner]:
    """Return the row in the first table of each learner who is in both, by the learner's key in the second table."""
    known = {one.id: one for one in before}
    found = {one.id: known[one.id] for one in after if one.id in known}
    left = [one for one in before if one.id not in found]
    for one in after:
        if one.id in found:
            continue
        marks = _marks(one)
        alike = [was for was in left if not marks.isdisjoint(_marks(was))]
        if len(alike) == 1:
            found[one.id] = alike[0]
            left.remove(alike[0])
    return found


def _marks(learner: Learner) -> set[tuple[str, str]]:
    """Return everything that identifies a learner independently of the roster's keys: submissions and ids."""
    ids = ("login", "email", "sis_id", "canvas_id", "moodle_id", "github")
    known = {(field, getattr(learner.person, field).casefold()) for field in ids}
    return {one for one in known if one[1]} | {("submission", name) for name in learner.submissions}


def _total(learner: Learner) -> int | None:
    return learner.total if learner.standing in ("graded", "unclaimed") else None


def _reasons(was: Learner, now: Learner, old: Report | None, new: Report | None) -> Iterator[Because]:
    before, after = (merged(one.decisions) for one in (was, now))
    if (was.standing == "excused") != (now.standing == "excused"):
        yield Because("excused", after=int(now.standing == "excused"))
    if "graded" in (was.standing, now.standing) and {was.standing, now.standing} & {"absent", "not_graded"}:
        yield Because("not_graded")
    if was.submission and now.submission and was.submission != now.submission:
        yield Because("submission", now.submission)
    elif was.report and now.report and was.report.startswith("reports/") != now.report.startswith("reports/"):
        yield Because("attempt")
    elif old is not None and new is not None:
        yield from _files(old, new, before, after)
    if old is not None and new is not None:
        yield from _grading(old, new, before, after)
    for name in dict.fromkeys((*before.points, *after.points)):
        if before.points.get(name) != after.points.get(name):
            yield Because("decision", name, before.points.get(name), after.points.get(name))
    yield from _lateness(was, now, before, after)


def _files(old: Report, new: Report, before: Decided, after: Decided) -> Iterator[Because]:
    """Yield the reasons why other files were graded: the learner changed them, or a decision did."""
    if old.submission.sha256 == new.submission.sha256:
        return
    first, second = old.submission.files or {}, new.submission.files or {}
    other = [one for one in dict.fromkeys((*first, *second)) if first.get(one) != second.get(one)]
    decided = [one for one in other if before.files.get(one) != after.files.get(one)]
    if other != decided or not other:
        yield Because("files")
    yield from (Because("file_decision", one) for one in decided)


def _grading(old: Report, new: Report, before: Decided, after: Decided) -> Iterator[Because]:
    """Yield the reasons why the same submission got other points. Checks with a decision are left out."""
    if old.course != new.course:
        yield Because("course")
    if old.grader_version != new.grader_version:
        yield Because("grader")
    first, second = _points(old), _points(new)
    other = [one for one in dict.fromkeys((*first, *second)) if first.get(one) != second.get(one)]
    undecided = [one for one in other if one not in before.points and one not in after.points]
    same = (old.submission.sha256, old.course, old.grader_version)
    if undecided and old.seed != new.seed and same == (new.submission.sha256, new.course, new.grader_version):
        yield Because("seed")
    yield from (Because("check", one, first.get(one), second.get(one)) for one in undecided)


def _lateness(was: Learner, now: Learner, before: Decided, after: Decided) -> Iterator[Because]:
    """Yield the reasons why the penalty changed."""
    if was.penalty == now.penalty:
        return
    if before.penalty != after.penalty:
        yield Because("decision", "penalty", before.penalty, after.penalty)
        return
    if before.submitted_at != after.submitted_at:
        yield Because("decision", "submitted_at")
    elif was.submitted_at != now.submitted_at:
        yield Because("time")
    if was.due != now.due:
        yield Because("due")
    same = (was.late_s, was.score + was.bonus) == (now.late_s, now.score + now.bonus)
    if same and before.submitted_at == after.submitted_at and was.due == now.due:
        yield Because("rules")
    yield Because("penalty", "", was.penalty, now.penalty)


def _points(report: Report) -> dict[str, int]:
    return {f"{exercise.id}.{check.id}": check.score for exercise in report.exercises for check in exercise.checks}
