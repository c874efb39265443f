"""The people of a class, as the files beside its results say: roster, deadlines and decisions."""

from collections.abc import Sequence
from pathlib import Path

from ..cohort import Entry
from ..cohort.run import ROSTER
from ..course import Course, CourseError
from ..outside import readable
from ..people import (
    DEADLINES,
    OVERRIDES,
    Class,
    Handed,
    read_overrides,
    read_roster,
    read_rules,
    see_that_they_are_known,
)


def class_of(
    course: Course, results: Path, found: Sequence[Entry], roster: Path | None = None, deadlines: Path | None = None
) -> Class:
    """Return the people of a class and the rules for them. Raises `RosterError` and `CourseError`.

    Args:
        results: the folder of results, where the files of earlier runs are.
        roster: the file to read instead of the one in the folder of results.
        deadlines: the file to read instead of the one in the folder of results.
    """
    kept = results / ROSTER
    if roster is None and kept.exists():
        roster = kept
    if deadlines is not None and not deadlines.exists():
        raise CourseError(deadlines, None, "there is no such file")
    rules_file = deadlines or results / DEADLINES
    overrides_file = results / OVERRIDES
    people = Class(
        submissions=tuple(Handed(one.id, str(readable(Path(one.origin))), one.submitters) for one in found),
        roster=None if roster is None else read_roster(roster),
        rules=read_rules(rules_file),
        overrides=read_overrides(overrides_file, course),
    )
    see_that_they_are_known(people.rules, rules_file, people.names, people.sections)
    unknown = people.overrides.unknown(people.names)
    if unknown is not None:
        line, name, near = unknown
        raise CourseError(overrides_file, line, f"there is no learner or submission `{name}`{near}")
    return people
