"""Make the final table of a class from scores, rules on time and decisions. It has one row for each learner.

Scoring does not involve people. This module applies decisions and penalties afterwards, as data. It also applies the
final table to reports, for exports and feedback, and compares it with an earlier one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from msgspec.structs import replace

from ...course.learners import (
    Border,
    ChangedTotal,
    ChangeReason,
    Decided,
    Learner,
    NeedsReview,
    Person,
    ReviewKind,
    person_of,
)
from ...course.load import Grades
from ...verdict.report import (
    CheckResult,
    ExerciseResult,
    ExerciseStatus,
    Report,
    SubmissionStamp,
    skipped,
    with_results,
)
from .deadlines import DeadlineRules, moment, seconds_between
from .decisions import WHOLE, Choice, Found, InForce, Overrides, file_choices, in_force, merged
from .owners import HandIn, Joined, join
from .roster import Roster

Times: TypeAlias = Mapping[str, Mapping[str, Mapping[str, str]]]


@dataclass(frozen=True)
class Mark:
    """The data of one report that the final table needs.

    Attributes:
        report: the report's file, relative to the folder of results.
        submitted_at: the time that the platform gave.
        late: whether the platform marks the submission as late without giving a time.
        checks: the score of each check that decisions name, and whether it is a bonus, by `exercise.check`.
        files: the digests of the graded files by exercise.
        points: the points by exercise with bonus.
        sha256: the digest of all graded files.
        committed_at: the time of the commit. Its author can set it, so it counts only if no other time is known.
        gain: for each number of points, a failed check worth that much that counts towards the grade, as
            `exercise.check`.
        loss: the same for passed checks.
    """

    submission: str
    report: str
    submitted_at: str
    late: bool
    score: int
    bonus: int
    checks: Mapping[str, tuple[int, bool]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    sha256: str = ""
    gain: Mapping[int, str] = field(default_factory=dict)
    loss: Mapping[int, str] = field(default_factory=dict)
    committed_at: str = ""
    points: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class FinalTable:
    """The final table.

    Attributes:
        open: the reasons for a review that people or times cause, each with the id of a learner or a submission.
        borders: all learners who are close to the border of a grade.
    """

    learners: tuple[Learner, ...]
    open: tuple[tuple[str, NeedsReview], ...]
    borders: tuple[Border, ...]


@dataclass(frozen=True)
class Misplaced:
    """A decision in line `line` that cannot apply, because it names a wrong submission.

    Either the submission does not exist, or it belongs to `owners`, keys of people. An empty `submission` means that
    the decision ignores a learner, although only a submission can be ignored.
    """

    line: int
    learner: str
    submission: str
    owners: tuple[str, ...] = ()


def _nothing_found(submission: str) -> Found:
    return {}


@dataclass(frozen=True)
class Class:
    """The submissions of a class, its people and the rules for them. Without a roster, the submitters are the people.

    Attributes:
        found: returns the files of a submission that somebody may choose from.
        times: the times that rosters gave for attempts, as in `EarlierRecord`.
    """

    submissions: tuple[HandIn, ...]
    roster: Roster | None = None
    rules: DeadlineRules = field(default_factory=DeadlineRules)
    overrides: Overrides = field(default_factory=Overrides)
    found: Callable[[str], Found] = field(default=_nothing_found)
    times: Times = field(default_factory=dict)

    @cached_property
    def ignored(self) -> frozenset[str]:
        """Return the ids of the submissions that a decision ignores, because their submitters are not in the class."""
        decided = {one.id: merged(in_force(self.overrides.of(one.id), {}, {}).applied) for one in self.submissions}
        return frozenset(name for name, what in decided.items() if what.ignored)

    @cached_property
    def people(self) -> dict[str, Person]:
        """Return the people by their keys."""
        if self.roster is not None:
            return {person.key: person for person in self.roster.people}
        return {key: person for one in self._not_ignored for key, person in _submitters(one)}

    @cached_property
    def joined(self) -> Joined:
        """Return the owners of the submissions. A decision that a submission counts for somebody makes it theirs."""
        found = self._joined
        if self.roster is None:
            return found
        ids = {one.id for one in self._not_ignored}
        owned = dict(found.owned)
        for key, person in self.people.items():
            what = merged(in_force(self.overrides.of(*_names(key, person)), {}, {}).applied)
            if what.submission in ids and what.submission not in owned[key]:
                owned[key] = (*owned[key], what.submission)
        # a submission that a decision gives to somebody is no longer in doubt
        decided = {one for key in owned for one in owned[key] if one not in found.owned[key]}
        return Joined.of(owned, [one for one in found.unmatched if one.submission not in decided])

    @cached_property
    def _not_ignored(self) -> tuple[HandIn, ...]:
        return tuple(one for one in self.submissions if one.id not in self.ignored)

    @cached_property
    def _joined(self) -> Joined:
        """Return the owners of the submissions before any decision."""
        if self.roster is None:
            return Joined.of({key: (one.id,) for one in self._not_ignored for key, _ in _submitters(one)})
        return join(self.roster.people, self._not_ignored)

    def misplaced(self) -> Iterator[Misplaced]:
        """Yield each decision that names a submission which does not exist or belongs to somebody else."""
        owners, ids = self._joined.owners, {one.id for one in self.submissions}
        for name, decided in self.overrides.by_learner.items():
            # a decision may name a person, or a submission in place of its owners
            keys = {key for key, person in self.people.items() if name in _names(key, person)} | {*owners.get(name, ())}
            for one in decided:
                if one.submission is not None and one.submission not in ids:
                    yield Misplaced(one.line, name, one.submission)
                elif one.submission is not None and owners.get(one.submission) and not keys & {*owners[one.submission]}:
                    yield Misplaced(one.line, name, one.submission, owners[one.submission])
                if one.ignored and name not in ids:
                    yield Misplaced(one.line, name, "")

    @property
    def names(self) -> set[str]:
        """Return every name by which a decision may refer to a learner or a submission."""
        people = self.people
        found = {one.id for one in self.submissions} | people.keys()
        return found | {name for key, person in people.items() for name in _names(key, person)}

    @property
    def sections(self) -> set[str]:
        return {person.section for person in self.people.values() if person.section}

    def submissions_of(self, name: str) -> tuple[str, ...]:
        """Return the ids of a learner's submissions, or the id that the name itself is."""
        keys = [key for key, person in self.people.items() if name in _names(key, person)]
        owned = [one for key in keys for one in self.joined.owned.get(key, ())]
        return tuple(dict.fromkeys([*owned, *(one.id for one in self.submissions if one.id == name)]))

    def decisions(self, submission: str) -> tuple[Decided, ...]:
        """Return the decisions that name a submission or one of its owners."""
        owners = self.joined.owners.get(submission, ())
        return self.overrides.of(submission, *(name for key in owners for name in _names(key, self.people[key])))

    def choices(self, submission: str) -> dict[str, tuple[Choice, ...]]:
        """Return the decisions about which file counts for an exercise of a submission."""
        return file_choices(self.decisions(submission))


def mark(report: Report, file: str, decisions: Sequence[Decided], grades: Grades) -> Mark:
    """Return the data of a report that the final table needs.

    Args:
        file: the report's file, relative to the folder of results.
        decisions: the decisions that may concern checks of the report.
    """
    decided = {name for one in decisions for name in one.points}
    checks: dict[str, tuple[int, bool]] = {}
    gain: dict[int, str] = {}
    loss: dict[int, str] = {}
    for exercise in report.exercises:
        for check in exercise.checks:
            name = f"{exercise.id}.{check.id}"
            if name in decided:
                checks[name] = check.score, check.bonus
            elif not grades.exercises or exercise.id in grades.exercises:
                # the first check of each number of points is enough to name one
                (loss if check.status == "passed" else gain).setdefault(check.max_score, name)
    stamp = report.submission
    at = moment(stamp.submitted_at or "") or ""
    return Mark(
        submission=stamp.id,
        report=file,
        submitted_at="" if stamp.commit else at,
        late=bool(stamp.late),
        score=report.score,
        bonus=report.bonus,
        checks=checks,
        files=digests(report),
        sha256=stamp.sha256,
        gain=gain,
        loss=loss,
        committed_at=at if stamp.commit else "",
        points={exercise.id: exercise.score + exercise.bonus for exercise in report.exercises},
    )


def digests(report: Report) -> dict[str, str]:
    """Return the digests of a report's files by exercise, and the digest of all of them under `WHOLE`."""
    return {**(report.submission.files or {}), WHOLE: report.submission.sha256}


def settle(of: Class, marks: Mapping[str, Sequence[Mark]], grades: Grades, small: int) -> FinalTable:
    """Return the final table.

    Args:
        marks: the marks of each submission's attempts, oldest first; none if it has no report.
        small: the most points that a small check may have.
    """
    learners: list[Learner] = []
    open_: list[tuple[str, NeedsReview]] = []
    borders: list[Border] = []
    for key, person in of.people.items():
        owned = of.joined.owned.get(key, ())
        decisions = of.overrides.of(*_names(key, person), *owned)
        # a row for each person of the class
        learner, counted = _row(of, key, person, owned, marks, decisions, grades)
        learners.append(learner)
        open_ += ((key, reason) for reason in _open(learner, counted, owned, marks))
        if counted is not None and learner.standing == "graded":
            open_ += ((key, NeedsReview("other_files", decided=one)) for one in counted.decisions.pending)
            borders += _borders(learner, counted.mark, grades, small)
    # submitters whom the roster does not identify have rows of their own, so that no work is lost
    claimed = of.joined.owners
    for one in of.joined.unmatched:
        kind: ReviewKind = "ambiguous" if one.candidates else "stranger"
        open_.append((one.submission, NeedsReview(kind, names=one.candidates)))
        if one.submission not in claimed and all(one.submission != learner.id for learner in learners):
            person = Person(name=one.name)
            decisions = of.overrides.of(one.submission)
            learner, _ = _row(of, one.submission, person, (one.submission,), marks, decisions, grades)
            learners.append(replace(learner, standing="unclaimed") if learner.standing == "graded" else learner)
    borders.sort(key=lambda one: (-one.border, one.distance, one.id))
    return FinalTable(tuple(learners), tuple(open_), tuple(borders))


def _names(key: str, person: Person) -> tuple[str, ...]:
    """Return the names by which a decision may refer to a person."""
    return tuple(filter(None, (key, *person.names)))


def _submitters(submission: HandIn) -> Iterator[tuple[str, Person]]:
    """Yield each submitter with a key: the submission's id, with a number appended from the second submitter on."""
    for number, one in enumerate(submission.submitters, start=1):
        key = submission.id if number == 1 else f"{submission.id}:{number}"
        yield key, person_of(one, submission.origin)
    if not submission.submitters:
        yield submission.id, Person()


def _row(
    of: Class,
    key: str,
    person: Person,
    owned: Sequence[str],
    marks: Mapping[str, Sequence[Mark]],
    decisions: tuple[Decided, ...],
    grades: Grades,
) -> tuple[Learner, "_Scored | None"]:
    """Return a learner's row and the attempt that counts."""
    # the decisions that do not depend on files, and the due dates
    rules, independent = of.rules, in_force(decisions, {}, {}).applied
    what = merged(independent)
    due, dues = rules.due_for(person, (key, *owned)), rules.dues_for(person, (key, *owned))
    # the attempts, only those of one submission if a decision chooses it
    attempts: list[_TimedAttempt] = []
    for name in [one for one in owned if one == what.submission] or owned:
        own = marks.get(name, ())
        found = of.found(name) if own else {}
        for one in own:
            about_files = in_force(decisions, one.files, found)
            at = merged(about_files.applied).submitted_at or _time(of, key, person, own, one)
            attempts.append(_TimedAttempt(one, about_files, at))
    row = Learner(
        id=key,
        person=person,
        standing="absent" if not owned else "not_graded",
        submissions=tuple(owned),
        due=due or "",
        comment=what.comment or "",
        decisions=tuple(one for one in independent if not one.for_all),
    )
    # the attempt that counts
    every = {WHOLE: due, **dues}
    scored = [_scored(row, rules, every, one, _first_times(one, attempts), grades) for one in attempts]
    counted = _counts(rules, scored) if scored else None
    if counted is not None:
        row = counted.row
        # a penalty takes at most all points
        if row.total < 0:
            row = replace(row, penalty=row.score + row.bonus, total=0, graded=0)
    if what.excused:
        row = replace(row, standing="excused")
    elif row.standing in ("graded", "absent"):
        row = replace(row, grade=next((grade for grade, least in grades.borders.items() if row.graded >= least), ""))
    return row, counted


@dataclass(frozen=True)
class _TimedAttempt:
    """An attempt, the decisions about its files, and its time, which is empty if it is not known."""

    mark: Mark
    decisions: InForce
    at: str


@dataclass(frozen=True)
class _Scored(_TimedAttempt):
    """An attempt with the row that the learner has if this attempt counts. The total of the row may be negative."""

    row: Learner


def _time(of: Class, key: str, person: Person, attempts: Sequence[Mark], one: Mark) -> str:
    """Return the time of an attempt.

    The first of these times that is known counts: the platform's time, the roster's time if this is the latest attempt,
    the time that the roster gave when it was, and the commit's time. If the roster gives no time for this person, but
    for others who own the submission, the latest of their times counts: a group submits together.
    """
    recorded = of.times.get(one.submission, {}).get(one.sha256, {})
    others = [other for other in of.joined.owners.get(one.submission, ()) if other != key]
    # the roster's time is that of the present files; for earlier ones, use what it said then
    latest = one is attempts[-1]
    given = [of.people[other].submitted_at if latest else "" for other in others]
    known = [time for time in (*given, *(recorded.get(other, "") for other in others)) if time]
    own = (person.submitted_at if latest else "") or recorded.get(key, "")
    return one.submitted_at or own or max(known, key=_since_1970, default="") or one.committed_at


def _since_1970(time: str) -> int:
    return seconds_between("1970-01-01T00:00:00+00:00", time)


def _first_times(attempt: _TimedAttempt, attempts: Sequence[_TimedAttempt]) -> dict[str, str]:
    """Return the time of an attempt under `WHOLE`, and the first time of each of its files, by exercise."""
    first = {WHOLE: attempt.at}
    for exercise, digest in attempt.mark.files.items() if attempt.at else ():
        if exercise != WHOLE:
            # a file that was handed in earlier and is unchanged is as early as its first attempt
            same = [other.at for other in attempts if other.at and other.mark.files.get(exercise) == digest]
            first[exercise] = min([attempt.at, *same], key=_since_1970)
    return first


def _scored(
    row: Learner,
    rules: DeadlineRules,
    dues: Mapping[str, str | None],
    attempt: _TimedAttempt,
    times: Mapping[str, str],
    grades: Grades,
) -> _Scored:
    """Return an attempt with its points after the decisions that apply to it.

    Args:
        row: the learner's row without any attempt.
        dues: the due dates of the exercises that have their own, and that of all others under `WHOLE`.
        times: the time of the attempt under `WHOLE`, and the first time of each of its files, by exercise.
    """
    # points after the decisions on checks
    one, what = attempt.mark, merged(attempt.decisions.applied)
    score, bonus, points = one.score, one.bonus, dict(one.points)
    for name, decided in what.points.items():
        # a decision that names another submission may be about checks that were not marked here
        if name in one.checks:
            before, is_bonus = one.checks[name]
            bonus, score = (bonus + decided - before, score) if is_bonus else (bonus, score + decided - before)
            exercise = name.partition(".")[0]
            points[exercise] = points.get(exercise, 0) + decided - before
    # lateness and penalty, for each part that has a due date of its own
    late = {part: rules.late_s(due, times.get(part)) for part, due in dues.items()}
    own = [part for part in dues if part != WHOLE]

    def penalty(of: Mapping[str, int], whole: int) -> int:
        """Return the penalty for exercises with these points, whose sum is `whole`."""
        worth = {part: of.get(part, 0) for part in own}
        worth[WHOLE] = whole - sum(worth.values())
        return rules.penalty(*((worth[part], late[part]) for part in dues)) if what.penalty is None else what.penalty

    lost = penalty(points, score + bonus)
    # the points that count towards the grade
    towards = {part: points.get(part, 0) for part in grades.exercises}
    graded = sum(towards.values()) if towards else score + bonus
    graded -= penalty(towards or points, graded)
    # for people: each late exercise, whether or not it has a due date of its own
    by_exercise = {part: late.get(part, late[WHOLE]) for part in one.files if part != WHOLE} if own else {}
    late_s = max(by_exercise.values(), default=0) if own else late[WHOLE]
    by_exercise = {part: seconds for part, seconds in by_exercise.items() if seconds}
    row = replace(
        row,
        standing="graded",
        submission=one.submission,
        report=one.report,
        submitted_at=times[WHOLE],
        late_s=late_s,
        late=by_exercise,
        points=points,
        score=score,
        bonus=bonus,
        penalty=lost,
        total=score + bonus - lost,
        graded=max(graded, 0),
        decisions=attempt.decisions.applied,
    )
    return _Scored(one, attempt.decisions, attempt.at, row)


def _counts(rules: DeadlineRules, scored: Sequence[_Scored]) -> _Scored:
    """Return the attempt that counts. If the rule does not distinguish attempts, the last one in the list counts."""
    latest_first = scored[::-1]  # `max` returns the first of equal attempts
    if rules.attempts == "best" or not _in_order(scored):
        return max(latest_first, key=lambda one: one.row.total)
    in_time = [one for one in latest_first if one.row.late_s == 0] if rules.attempts == "last_in_time" else []
    candidates = in_time or latest_first
    if not all(one.row.submitted_at for one in scored):  # without every time, the order of the list decides
        return candidates[0]
    return max(candidates, key=lambda one: _since_1970(one.row.submitted_at))


def _in_order(scored: Sequence[_Scored]) -> bool:
    """Return whether the last attempt is known. The attempts of one submission are listed oldest first."""
    return all(one.row.submitted_at for one in scored) or len({one.mark.submission for one in scored}) == 1


def _open(
    learner: Learner, counted: _Scored | None, owned: Sequence[str], marks: Mapping[str, Sequence[Mark]]
) -> Iterator[NeedsReview]:
    what = merged(learner.decisions)
    unknown = counted is not None and counted.mark.late and not learner.submitted_at
    if unknown and what.penalty is None:
        yield NeedsReview("late_unknown")
    # of each submission, the last attempt
    latest = [one for key in owned for one in marks.get(key, ())[-1:]]
    times = [one.submitted_at or learner.person.submitted_at or one.committed_at for one in latest]
    if len(owned) > 1 and not all(times) and what.submission is None:
        yield NeedsReview("several", names=tuple(owned))


def _borders(learner: Learner, counted: Mark, grades: Grades, small: int) -> Iterator[Border]:
    """Yield the borders directly above and below a learner's points, if one small check would move them across."""
    who = learner.id, learner.person.name, learner.graded
    own = learner.grade
    above = [(grade, border) for grade, border in grades.borders.items() if border > learner.graded]
    below = [(grade, border) for grade, border in grades.borders.items() if border <= learner.graded]
    # grades are listed best first, so the nearest border above is the last one
    for grade, border in above[-1:]:
        lacking = border - learner.graded
        enough = [points for points in counted.gain if lacking <= points <= small]
        if enough:
            yield Border(*who, grade, border, lacking, counted.gain[min(enough)], own)
    for grade, border in below[:1]:
        spare = learner.graded - border
        # more than `spare`, because a learner with exactly the points of the border has the grade
        enough = [points for points in counted.loss if spare < points <= small]
        if enough:
            yield Border(*who, grade, border, -spare, counted.loss[min(enough)], own)


# -- the final table applied to reports, for exports and feedback


def adjusted(report: Report, learner: Learner) -> Report:
    """Return a report with the points that people decided, and with the learner's row of the final table."""
    decided = {name: one for one in learner.decisions for name in one.points}
    changed = with_results(report, [_exercise(one, decided) for one in report.exercises]) if decided else report
    return replace(changed, learner=learner)


def nothing_submitted(like: Report, learner: Learner) -> Report:
    """Return the report of a learner who submitted nothing, with every exercise missing.

    Args:
        like: any report of the same class.
    """
    exercises = [
        ExerciseResult(
            id=exercise.id,
            number=exercise.number,
            title=exercise.title,
            status="missing",
            score=0,
            max_score=exercise.max_score,
            bonus=0,
            checks=tuple(skipped(check) for check in exercise.checks),
        )
        for exercise in like.exercises
    ]
    report = with_results(like, exercises)
    return replace(report, submission=SubmissionStamp(learner.id, ""), notes=(), learner=learner)


def _exercise(exercise: ExerciseResult, decided: Mapping[str, Decided]) -> ExerciseResult:
    checks = tuple(_check(exercise.id, check, decided) for check in exercise.checks)
    if checks == exercise.checks:
        return exercise
    score = sum(check.score for check in checks if not check.bonus)
    return replace(
        exercise,
        checks=checks,
        score=score,
        bonus=sum(check.score for check in checks if check.bonus),
        status=status_after(exercise.status, exercise.score, score, exercise.max_score),
    )


def status_after(status: ExerciseStatus, before: int, after: int, most: int) -> ExerciseStatus:
    """Return the status of an exercise whose points without bonus were changed by decisions."""
    return status if before == after else "passed" if after == most else "partial" if after else "failed"


def _check(exercise: str, check: CheckResult, decided: Mapping[str, Decided]) -> CheckResult:
    name = f"{exercise}.{check.id}"
    one = decided.get(name)
    return check if one is None else replace(check, score=one.points[name], decided=one)


# -- two final tables compared: the learners whose total changed, and the reasons


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
        # a stranger's submission that now belongs to a learner is that learner's new row, not a
        # loss
        claimed = one.standing == "unclaimed" and not owned.isdisjoint(one.submissions)
        if one.id not in paired and _total(one) is not None and not claimed:
            yield one, None


def compare(
    before: Sequence[Learner],
    after: Sequence[Learner],
    old: Mapping[str, Report],
    new: Mapping[str, Report],
) -> tuple[ChangedTotal, ...]:
    """Return the learners whose total or standing changed, with the reasons.

    Args:
        old: the reports that count in the first table, by the learner's key there. Unknown reports are omitted.
        new: the reports that count in the second table, by the learner's key there.
    """
    found: list[ChangedTotal] = []
    for was, one in changed_rows(before, after):
        if was is not None and one is None:
            found.append(ChangedTotal(was.id, was.person.name, _total(was), None, (ChangeReason("gone"),)))
        elif one is not None and was is None:
            found.append(ChangedTotal(one.id, one.person.name, None, _total(one), (ChangeReason("new"),)))
        elif was is not None and one is not None:
            reasons = tuple(_reasons(was, one, old.get(was.id), new.get(one.id)))
            found.append(ChangedTotal(one.id, one.person.name, _total(was), _total(one), reasons))
    return tuple(found)


def in_both(before: Sequence[Learner], after: Sequence[Learner]) -> int:
    """Return the number of learners who are in both tables."""
    return len(_pairs(before, after))


def _pairs(before: Sequence[Learner], after: Sequence[Learner]) -> dict[str, Learner]:
    """Return the row in the first table of each learner who is in both, by the learner's key in the second table."""
    # by the same key; then by ids and submissions in common, if exactly one other row has them
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


def _reasons(was: Learner, now: Learner, old: Report | None, new: Report | None) -> Iterator[ChangeReason]:
    before, after = (merged(one.decisions) for one in (was, now))
    if (was.standing == "excused") != (now.standing == "excused"):
        yield ChangeReason("excused", after=int(now.standing == "excused"))
    if "graded" in (was.standing, now.standing) and {was.standing, now.standing} & {"absent", "not_graded"}:
        yield ChangeReason("not_graded")
    # another submission or another attempt explains that the files differ
    if was.submission and now.submission and was.submission != now.submission:
        yield ChangeReason("submission", now.submission)
    elif was.report and now.report and was.report.startswith("reports/") != now.report.startswith("reports/"):
        yield ChangeReason("attempt")
    elif old is not None and new is not None:
        yield from _files(old, new, before, after)
    if old is not None and new is not None:
        yield from _grading(old, new, before, after)
    for name in dict.fromkeys((*before.points, *after.points)):
        if before.points.get(name) != after.points.get(name):
            yield ChangeReason("decision", name, before.points.get(name), after.points.get(name))
    yield from _lateness(was, now, before, after)


def _files(old: Report, new: Report, before: Decided, after: Decided) -> Iterator[ChangeReason]:
    """Yield the reasons why other files were graded: the learner changed them, or a decision did."""
    if old.submission.sha256 == new.submission.sha256:
        return
    first, second = old.submission.files or {}, new.submission.files or {}
    other = [one for one in dict.fromkeys((*first, *second)) if first.get(one) != second.get(one)]
    decided = [one for one in other if before.files.get(one) != after.files.get(one)]
    if other != decided or not other:
        yield ChangeReason("files")
    yield from (ChangeReason("file_decision", one) for one in decided)


def _grading(old: Report, new: Report, before: Decided, after: Decided) -> Iterator[ChangeReason]:
    """Yield the reasons why the same submission got other points. Checks with a decision are left out."""
    if old.course != new.course:
        yield ChangeReason("course")
    if old.grader_version != new.grader_version:
        yield ChangeReason("grader")
    first, second = _points(old), _points(new)
    other = [one for one in dict.fromkeys((*first, *second)) if first.get(one) != second.get(one)]
    undecided = [one for one in other if one not in before.points and one not in after.points]
    # another seed is a reason only if files, course and grader are the same
    same = (old.submission.sha256, old.course, old.grader_version)
    if undecided and old.seed != new.seed and same == (new.submission.sha256, new.course, new.grader_version):
        yield ChangeReason("seed")
    yield from (ChangeReason("check", one, first.get(one), second.get(one)) for one in undecided)


def _lateness(was: Learner, now: Learner, before: Decided, after: Decided) -> Iterator[ChangeReason]:
    """Yield the reasons why the penalty changed."""
    if was.penalty == now.penalty:
        return
    # a decision on the penalty replaces everything else that could have changed it
    if before.penalty != after.penalty:
        yield ChangeReason("decision", "penalty", before.penalty, after.penalty)
        return
    if before.submitted_at != after.submitted_at:
        yield ChangeReason("decision", "submitted_at")
    elif was.submitted_at != now.submitted_at:
        yield ChangeReason("time")
    if was.due != now.due:
        yield ChangeReason("due")
    same = (was.late_s, was.score + was.bonus) == (now.late_s, now.score + now.bonus)
    # nothing of the learner changed, so the rules did
    if same and before.submitted_at == after.submitted_at and was.due == now.due:
        yield ChangeReason("rules")
    yield ChangeReason("penalty", "", was.penalty, now.penalty)


def _points(report: Report) -> dict[str, int]:
    return {f"{exercise.id}.{check.id}": check.score for exercise in report.exercises for check in exercise.checks}
