"""Read the rules on time from `deadlines.yaml`, and apply them to a time of submission."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import yaml
from msgspec import Meta

from ..course import CourseError, Document, child
from ..outside import did_you_mean
from ..report.person import Person
from ..words.instructor import problem_text
from .times import later_by, seconds_between
from .yaml_times import seconds_at, time_at

DEADLINES = "deadlines.yaml"
Attempts = Literal["last", "best", "last_in_time"]
_Text = Annotated[str, Meta(min_length=1, max_length=4_000)]
_UNIT = {"hour": 3600, "day": 86400}


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class _Penalty(_Strict, frozen=True):
    percent: Annotated[int, Meta(ge=1, le=100)]
    per: Literal["hour", "day"]
    cap: Annotated[int, Meta(ge=1, le=100)] = 100


class _Section(_Strict, frozen=True):
    due: Any


class _Extension(_Strict, frozen=True):
    why: _Text
    learner: _Text | None = None
    section: _Text | None = None
    until: Any = None
    extra: _Text | None = None


class _Rules(_Strict, frozen=True):
    due: Any = None
    grace: _Text | None = None
    penalty: _Penalty | None = None
    attempts: Attempts = "last"
    sections: dict[str, _Section] = {}
    extensions: list[_Extension] = []


@dataclass(frozen=True)
class Extension:
    """More time for a learner or a section.

    Attributes:
        until: the new due date in ISO 8601, or None.
        extra_s: seconds that are added to the due date, if `until` is None.
        line: the line of the extension in the file.
    """

    learner: str | None
    section: str | None
    until: str | None
    extra_s: int
    line: int


@dataclass(frozen=True)
class Rules:
    """The rules on time of an assignment.

    Attributes:
        due: the due date in ISO 8601; None for no due date.
        grace_s: seconds after the due date that do not count as late.
        percent: the percentage of the points to take off for each started hour or day; 0 for no penalty.
        per_s: the length of that hour or day in seconds.
        cap: the highest percentage to take off.
        attempts: the rule that selects one of several attempts.
        sections: the due dates of sections that have their own.
    """

    due: str | None = None
    grace_s: int = 0
    percent: int = 0
    per_s: int = 86400
    cap: int = 100
    attempts: Attempts = "last"
    sections: dict[str, str] = field(default_factory=dict)
    extensions: tuple[Extension, ...] = ()

    def due_for(self, person: Person, names: tuple[str, ...] = ()) -> str | None:
        """Return the due date of a person's submission, extensions included; None for no due date.

        If several extensions apply to the person or the section, the latest one counts.

        Args:
            names: further names by which an extension may refer to the person.
        """
        due = self.sections.get(person.section, self.due)
        known = {person.key, person.login, person.email, *names} - {""}
        best = due
        for one in self.extensions:
            if one.learner in known or (one.section is not None and one.section == person.section):
                until = one.until or (later_by(due, timedelta(seconds=one.extra_s)) if due else None)
                if until is not None and best is not None and seconds_between(best, until) > 0:
                    best = until
        return best

    def late_s(self, due: str | None, submitted_at: str | None) -> int:
        """Return how many seconds late a submission is; 0 within the grace period, or if a time is unknown."""
        if not due or not submitted_at:
            return 0
        over = seconds_between(due, submitted_at)
        return over if over > self.grace_s else 0

    def penalty(self, points: int, late_s: int) -> int:
        """Return the points to take off: `percent` for each started hour or day, up to `cap`, rounded down."""
        begun = -(-late_s // self.per_s)
        return points * min(self.percent * begun, self.cap) // 100


def read_rules(path: Path) -> Rules:
    """Return the rules in a file, or no rules if the file does not exist. Raises `CourseError` with the line."""
    if not path.exists():
        return Rules()
    document = Document(path)
    raw = document.convert(document.root, _Rules)
    due = time_at(document, document.root, "due") if raw.due is not None else None
    sections = {name: time_at(document, child(child(document.root, "sections"), name), "due") for name in raw.sections}
    penalty = raw.penalty
    if penalty is not None and due is None and not sections:
        raise document.error(child(document.root, "penalty"), problem_text("penalty_without_due"))
    nodes = child(document.root, "extensions").value if raw.extensions else []
    return Rules(
        due=due,
        grace_s=seconds_at(document, document.root, "grace") if raw.grace is not None else 0,
        percent=penalty.percent if penalty else 0,
        per_s=_UNIT[penalty.per] if penalty else 86400,
        cap=penalty.cap if penalty else 100,
        attempts=raw.attempts,
        sections=sections,
        extensions=tuple(_extension(document, node, one) for node, one in zip(nodes, raw.extensions, strict=True)),
    )


def unknown_learners(rules: Rules, path: Path, names: set[str]) -> list[CourseError]:
    """Return an error for each extension for an unknown learner."""
    return [
        CourseError(path, one.line, problem_text("no_learner", name=one.learner, near=near))
        for one in rules.extensions
        if one.learner is not None and one.learner not in names
        for near in [did_you_mean(one.learner, sorted(names))]
    ]


def see_that_sections_are_known(rules: Rules, path: Path, sections: set[str]) -> None:
    """Raise `CourseError` if the rules name an unknown section."""
    for one in rules.extensions:
        if one.section is not None and one.section not in sections:
            near = did_you_mean(one.section, sorted(sections))
            raise CourseError(path, one.line, problem_text("no_section", name=one.section, near=near))
    for section in rules.sections:
        if section not in sections:
            near = did_you_mean(section, sorted(sections))
            raise CourseError(path, None, problem_text("no_section", name=section, near=near))


def _extension(document: Document, node: yaml.Node, raw: _Extension) -> Extension:
    if (raw.learner is None) == (raw.section is None):
        raise document.error(node, problem_text("either", one="learner", other="section"))
    if (raw.until is None) == (raw.extra is None):
        raise document.error(node, problem_text("either", one="until", other="extra"))
    until = time_at(document, node, "until") if raw.until is not None else None
    extra = seconds_at(document, node, "extra") if raw.extra is not None else 0
    return Extension(raw.learner, raw.section, until, extra, int(node.start_mark.line) + 1)
