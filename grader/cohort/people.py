"""Read the people of a class and the rules for them from the folder of results: roster, deadlines and decisions."""

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec

from ..base import json_text, readable, write_atomically
from ..course import Course, CourseError
from ..intake import Entry, Intake, Readers
from ..learners import Decided, Learner
from ..people import (
    DEADLINES,
    OVERRIDES,
    RECORDED,
    Class,
    Handed,
    digests,
    key_of,
    made_for,
    names_for_files,
    read_overrides,
    read_recorded,
    read_roster,
    read_rules,
    see_that_sections_are_known,
    unknown_learners,
    with_times,
)
from ..people.decisions import Found, files_digest
from ..words.instructor import misplaced_text, no_such_file, problem_text
from .results import REPORTS, ROSTER, read_found, reports


def class_of(
    course: Course,
    results: Path,
    found: Sequence[Entry],
    roster: Path | None = None,
    deadlines: Path | None = None,
    warn: Callable[[str], None] = lambda message: None,
) -> Class:
    """Return the people of a class and the rules for them. Raises `UserError`, `CourseError` and `OSError`.

    Args:
        results: the folder of results with the files of earlier runs.
        found: the submissions of the class.
        roster: the file to read instead of the one in the folder of results.
        deadlines: the file to read instead of the one in the folder of results.
        warn: called with a message about an extension for an unknown learner, if there is no roster.
    """
    kept = results / ROSTER
    if roster is None and kept.exists():
        roster = kept
    if deadlines is not None and not deadlines.exists():
        raise CourseError(deadlines, None, problem_text("no_file"))
    rules_file = deadlines or results / DEADLINES
    overrides_file = results / OVERRIDES
    recorded = read_recorded(results)
    people = Class(
        submissions=tuple(Handed(one.id, str(readable(Path(one.origin))), one.submitters) for one in found),
        roster=None if roster is None else read_roster(roster),
        rules=read_rules(rules_file, [exercise.id for exercise in course.exercises]),
        overrides=read_overrides(overrides_file, course).made_for(recorded.decisions),
        found=partial(read_found, results),
        times=recorded.times,
    )
    for error in unknown_learners(people.rules, rules_file, people.names):
        if people.roster is not None:
            raise error
        warn(f"{error}; {problem_text('not_yet')}")  # without a roster, learners are known by their submissions
    see_that_sections_are_known(people.rules, rules_file, people.sections)
    unknown = people.overrides.unknown(people.names)
    if unknown is not None:
        line, name, near = unknown
        raise CourseError(overrides_file, line, problem_text("unknown", name=name, near=near))
    for wrong in people.misplaced():
        raise CourseError(overrides_file, wrong.line, misplaced_text(wrong.learner, wrong.submission, wrong.owners))
    return people


def see_that_files_are_there(
    course: Course, results: Path, found: Sequence[Entry], people: Class, readers: int
) -> None:
    """Raise `CourseError` if a decision chooses a file that is in no submission of the learner.

    Decisions with digests of files are skipped, because their files existed when they were made.
    """
    new = {
        entry.id: {
            exercise: [one for one in listed if not one.made_for]
            for exercise, listed in people.choices(entry.id).items()
        }
        for entry in found
    }
    chosen: dict[tuple[int, str, str], list[str]] = {}
    with closing(Readers({exercise.id: exercise.filename for exercise in course.exercises}, readers)) as reading:
        for entry, read in reading.read([entry for entry in found if any(new[entry.id].values())]):
            if not isinstance(read, Intake):
                continue
            for exercise, listed in new[entry.id].items():
                for one in listed:
                    there = files_digest(read.found, exercise, one.path) is not None
                    names = chosen.setdefault((one.line, exercise, one.path), [])
                    names += [""] if there else choosable(read.found, exercise)
    for (line, exercise, path), names in sorted(chosen.items()):
        if "" not in names:
            raise CourseError(results / OVERRIDES, line, no_such_file(exercise, path, names))


def choosable(found: Found, exercise: str) -> list[str]:
    """Return the paths of the files that somebody may choose for an exercise, the most likely ones first."""
    return [*found.get(exercise, {}), *found.get("", {})]


def made_for_files(results: Path, learner: Learner | None, decided: Decided) -> dict[str, str]:
    """Return the digests of the files that a decision is made for: those that count for the learner at present.

    Raises `UsageError` for a report that cannot be used.
    """
    if learner is None or not learner.report:
        return made_for(decided, {}, {})
    (report,) = reports([results / learner.report])
    return made_for(decided, digests(report), read_found(results, learner.submission))


def record(results: Path, people: Class, learners: Sequence[Learner]) -> None:
    """Record the times that the roster gives, and the files that decisions were made for. Raises `OSError`."""
    before = read_recorded(results)
    recorded = with_times(before, learners, lambda name: _latest(results, name))
    decisions = {}
    for name, listed in people.overrides.by_learner.items():
        row = next((one for one in learners if name in names_of(one)), None)
        for one in listed:
            if names_for_files(one) - one.made_for.keys():
                one = msgspec.structs.replace(one, made_for=made_for_files(results, row, one))
            if one.made_for:
                decisions[key_of(name, one)] = one.made_for
    recorded = msgspec.structs.replace(recorded, decisions=decisions)
    if recorded != before:
        write_atomically(results / RECORDED, json_text(recorded).encode())


def names_of(learner: Learner) -> tuple[str, ...]:
    """Return the names by which a decision may refer to a learner."""
    return tuple(filter(None, (learner.id, learner.person.login, learner.person.email, *learner.submissions)))


def _latest(results: Path, submission: str) -> str | None:
    """Return the digest of a submission's files, or None if the platform gave a time or there is no report."""
    path = results / REPORTS / f"{submission}.json"
    stamp = next(reports([path]), None) if path.exists() else None
    if stamp is None or (stamp.submission.submitted_at and not stamp.submission.commit):
        return None
    return stamp.submission.sha256
