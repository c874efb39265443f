"""Read people's decisions from `overrides.yaml`, and write new ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec
import yaml
from msgspec import Meta
from msgspec.structs import replace

from ..course import Course, Document, child, items, line
from ..outside import did_you_mean
from ..report.choices import text_digest
from ..report.person import Decided
from ..words.instructor import KEPT, problem_text
from .in_force import KEEP, ONCE
from .yaml_times import time_at

OVERRIDES = "overrides.yaml"
_MOST = 1_000_000_000
_NOTHING: tuple[Any, ...] = (None, {}, [], ())
_Text = Annotated[str, Meta(min_length=1, max_length=4_000)]
_Points = Annotated[int, Meta(ge=0, le=_MOST)]
_WHAT = ("points", "files", *ONCE, "comment", KEEP, "withdraw")


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    learner: _Text
    by: _Text
    why: _Text
    at: Any
    points: dict[str, int] = {}
    files: dict[str, _Text] = {}
    submission: _Text | None = None
    submitted_at: Any = None
    penalty: _Points | None = None
    excused: bool | None = None
    comment: _Text | None = None
    ignored: bool | None = None
    keep: list[_Text] = []
    withdraw: list[_Text] = []
    made_for: dict[str, _Text] = {}


@dataclass(frozen=True)
class Overrides:
    """The decisions of a file in their order, by the learner or submission that they name."""

    by_learner: Mapping[str, tuple[Decided, ...]] = field(default_factory=dict)

    def of(self, *names: str) -> tuple[Decided, ...]:
        """Return the decisions that name any of `names`, in the order of the file."""
        found = [one for name in dict.fromkeys(names) for one in self.by_learner.get(name, ())]
        return tuple(sorted(found, key=lambda one: one.line))

    def made_for(self, known: Mapping[str, Mapping[str, str]]) -> "Overrides":
        """Return the decisions, completed with the files that they were made for as an earlier run recorded them.

        Args:
            known: digests by check or exercise, by the key of a decision.
        """
        return Overrides(
            {
                learner: tuple(
                    replace(one, made_for={**known.get(key_of(learner, one), {}), **one.made_for}) for one in listed
                )
                for learner, listed in self.by_learner.items()
            }
        )

    def unknown(self, known: Iterable[str]) -> tuple[int, str, str] | None:
        """Return line, name and a similar name for the first decision about an unknown learner, or None.

        Args:
            known: the names of all learners and submissions.
        """
        there = set(known)
        for name, decided in self.by_learner.items():
            if name not in there:
                return decided[0].line, name, did_you_mean(name, sorted(there))
        return None


def read_overrides(path: Path, course: Course, data: bytes | None = None) -> Overrides:
    """Return the decisions in a file, or no decisions if the file does not exist. Raises `CourseError` with the line.

    Args:
        data: the content to use instead of the file's.
    """
    if data is None and not path.exists():
        return Overrides()
    document = Document(path, data)
    if not isinstance(document.root, yaml.SequenceNode):
        raise document.error(document.root, problem_text("no_list"))
    found: dict[str, list[Decided]] = {}
    for node in document.root.value:
        entry = document.convert(node, _Entry, "this decision")
        _see_that_it_fits(document, node, entry, course)
        decided = Decided(
            by=entry.by,
            at=time_at(document, node, "at", or_day=True),
            why=entry.why,
            points=entry.points,
            files=entry.files,
            submission=entry.submission,
            submitted_at=None if entry.submitted_at is None else time_at(document, node, "submitted_at"),
            penalty=entry.penalty,
            excused=entry.excused,
            comment=entry.comment,
            ignored=entry.ignored,
            keep=tuple(entry.keep),
            withdraw=tuple(entry.withdraw),
            made_for=entry.made_for,
            line=line(node),
        )
        found.setdefault(entry.learner, []).append(decided)
    return Overrides({name: tuple(listed) for name, listed in found.items()})


def merged(decisions: Sequence[Decided]) -> Decided | None:
    """Merge decisions that apply into one. A later value replaces an earlier one. Return None for no decisions."""
    if not decisions:
        return None
    last = decisions[-1]
    kept = tuple(dict.fromkeys(name for one in decisions for name in one.keep))
    values: dict[str, Any] = {"points": {}, "files": {}, KEEP: kept}
    for one in decisions:
        values["points"] |= one.points
        values["files"] |= one.files
        for name in ONCE:
            if getattr(one, name) is not None:
                values[name] = getattr(one, name)
    comments = [one.comment for one in decisions if one.comment]
    return Decided(by=last.by, at=last.at, why=last.why, comment="\n".join(comments) or None, **values)


def key_of(learner: str, decided: Decided) -> str:
    """Return a digest of everything that a person wrote in a decision, without the files that it was made for."""
    return text_digest(entry_text(learner, replace(decided, made_for={})))


def entry_text(learner: str, decided: Decided) -> str:
    """Return a decision as a YAML list item for the file."""
    entry: dict[str, Any] = {"learner": learner}
    entry |= {name: value for name in _WHAT if (value := getattr(decided, name)) not in _NOTHING}
    entry |= {name: list(value) for name, value in entry.items() if isinstance(value, tuple)}
    if decided.made_for:
        entry["made_for"] = decided.made_for
    entry |= {"by": decided.by, "at": decided.at, "why": decided.why}
    text = yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=10_000)
    if any(character in text for character in "\x85\u2028\u2029"):  # they end a line in YAML, unless they are escaped
        text = yaml.safe_dump([entry], sort_keys=False, width=10_000)
    return text


def _see_that_it_fits(document: Document, node: yaml.Node, entry: _Entry, course: Course) -> None:
    """Raise `CourseError` for a decision about nothing, or about a check or exercise that the course does not have."""
    if all(getattr(entry, name) in _NOTHING for name in _WHAT):
        raise document.error(node, problem_text("nothing_decided", keys=", ".join(_WHAT)))
    most = {f"{exercise.id}.{check.id}": check.points for exercise in course.exercises for check in exercise.checks}
    for key, value in items(child(node, "points")) if entry.points else ():
        name = key.value
        if name not in most:
            raise document.error(key, problem_text("no_check", name=name, near=did_you_mean(name, most)))
        if not 0 <= entry.points[name] <= most[name]:
            said = problem_text("too_many_points", name=name, points=entry.points[name], most=most[name])
            raise document.error(value, said)
    exercises = [exercise.id for exercise in course.exercises]
    for key, _ in items(child(node, "files")) if entry.files else ():
        if key.value not in exercises:
            near = did_you_mean(key.value, exercises)
            raise document.error(key, problem_text("no_exercise", name=key.value, near=near))
    for key, _ in items(child(node, "made_for")) if entry.made_for else ():
        times, kept = (["submitted_at"] if entry.submitted_at else []), ([KEEP] if entry.keep else [])
        if key.value not in {*entry.points, *entry.files, *times, *kept}:
            raise document.error(key, problem_text("made_for_nothing", name=key.value))
    kinds = [*KEPT, *(f"{name}.{kind}" for name in exercises for kind in KEPT)]
    for at in child(node, KEEP).value if entry.keep else ():
        if at.value not in kinds:
            raise document.error(at, problem_text("no_reason", name=at.value, near=did_you_mean(at.value, kinds)))
    for at in child(node, "withdraw").value if entry.withdraw else ():
        known = [*most, *exercises, *ONCE, "comment", KEEP]
        if at.value not in known:
            near = did_you_mean(at.value, known)
            raise document.error(at, problem_text("no_such_decision", name=at.value, near=near))
