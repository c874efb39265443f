"""Read people's decisions from `overrides.yaml`, write new ones, and determine which of them apply."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
import yaml
from msgspec import Meta
from msgspec.structs import asdict, replace

from ...base.files import UserError, read_plain
from ...base.text import did_you_mean, text_digest
from ...course.learners import Decided, Decision, Learner
from ...course.load import Course, Document, child, items, line
from ...words.instructor import KEPT, problem_text
from .deadlines import WrittenText, time_at

# -- the choice between the files of a submission, and digests of the files for which a decision was made

Found: TypeAlias = Mapping[str, Mapping[str, str]]
"""For each exercise the files that may be meant, by path, each with the digest of its content, or an empty text where
the content was not read. Other files that could be graded are under an empty name."""

ALL = "*"  # in place of a learner, in a decision about every learner
NO_FILE = "none"  # in place of the digest of a file that is missing or cannot be read


class Choice(msgspec.Struct, frozen=True):
    """A decision that a file counts for an exercise.

    Attributes:
        path: the file, as a path in the submission.
        made_for: the digest of the files that could be chosen; empty if it is not known.
        line: the line of `overrides.yaml` where the decision begins.
    """

    path: str
    made_for: str = ""
    line: int = 0


def files_digest(found: Found, exercise: str, path: str) -> str | None:
    """Return a digest over all files that may be an exercise, including the chosen one.

    Return None if the chosen file does not exist, and an empty text if its content was not read.
    """
    meant = {**found.get(exercise, {})}
    if path not in meant and path in found.get("", {}):
        meant[path] = found[""][path]
    if not meant.get(path):
        return meant.get(path)
    return text_digest("".join(f"{name}\n{digest}\n" for name, digest in sorted(meant.items())))


def chosen(choices: Sequence[Choice], found: Found, exercise: str) -> Choice | None:
    """Return the last choice that was made from exactly these files, or whose files are not known; else None."""
    # the last choice that fits counts, even if a later one was made for other files
    for one in reversed(choices):
        digest = files_digest(found, exercise, one.path)
        if digest is not None and one.made_for in ("", digest):
            return one
    return None


# -- the decisions in `overrides.yaml`

OVERRIDES = "overrides.yaml"
WHOLE = ""  # used in place of an exercise for all files of a submission
# a key of a decision, and the name of a check, an exercise or a reason, or an empty text
DecisionPart: TypeAlias = tuple[str, str]

WHAT = tuple(
    name for name in Decided.__struct_fields__ if name not in ("by", "at", "why", "made_for", "line", "for_all")
)
_EMPTY = Decided("", "", "")
_BY_NAME = ("points", "files")  # their parts are known by the name of a check or an exercise, all others by the key
_WITHOUT_NAMES = tuple(key for key in WHAT if key not in (*_BY_NAME, "withdraw"))
_FOR_FILES = (*_BY_NAME, "submitted_at", "keep")  # these hold only for the files that they were made for
_MOST = 1_000_000_000
_Points = Annotated[int, Meta(ge=0, le=_MOST)]


class _Entry(Decision, frozen=True, kw_only=True):
    """A decision in the file, with limits on what people write. Times are read from the nodes of the file."""

    learner: WrittenText
    by: WrittenText
    at: Any
    why: WrittenText
    submission: WrittenText | None = None
    submitted_at: Any = None
    penalty: _Points | None = None


@dataclass(frozen=True)
class Overrides:
    """The decisions of a file in their order, by the learner or submission that they name."""

    by_learner: Mapping[str, tuple[Decided, ...]] = field(default_factory=dict)

    def of(self, *names: str) -> tuple[Decided, ...]:
        """Return the decisions that name any of `names` or all learners, in the order of the file."""
        found = [one for name in dict.fromkeys((*names, ALL)) for one in self.by_learner.get(name, ())]
        # decisions may use different names of one learner; the order of the file decides which one counts
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
        names = {*known, ALL}
        for name, decided in self.by_learner.items():
            if name not in names:
                return decided[0].line, name, did_you_mean(name, sorted(names))
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
        values = asdict(entry) | {"at": time_at(document, node, "at", or_day=True), "line": line(node)}
        values["for_all"] = entry.learner == ALL
        if entry.submitted_at is not None:
            values["submitted_at"] = time_at(document, node, "submitted_at")
        del values["learner"]
        found.setdefault(entry.learner, []).append(Decided(**values))
    return Overrides({name: tuple(listed) for name, listed in found.items()})


def parts(one: Decision) -> dict[DecisionPart, object]:
    """Return everything that a decision says, part by part, with the values."""
    found: dict[DecisionPart, object] = {}
    for key in WHAT:
        # the type of the value tells what its parts are; None is no decision
        match getattr(one, key):
            case dict() as values:
                found |= {(key, name): value for name, value in values.items()}
            case tuple() as names:
                found |= {(key, name): True for name in names}
            case None:
                pass
            case value:
                found[key, ""] = value
    return found


def with_parts(one: Decided, chosen: Mapping[DecisionPart, object]) -> Decided:
    """Return a decision by the same person, with these parts in place of its own."""
    values: dict[str, Any] = {}
    for (key, name), value in chosen.items():
        # as in `parts`, by the type of the empty value
        match getattr(_EMPTY, key):
            case dict():
                values.setdefault(key, {})[name] = value
            case tuple():
                values[key] = (*values.get(key, ()), name)
            case _:
                values[key] = value
    names = set(map(part_name, chosen))
    made_for = {name: digest for name, digest in one.made_for.items() if name in names}
    return Decided(one.by, one.at, one.why, made_for=made_for, line=one.line, for_all=one.for_all, **values)


def part_name(part: DecisionPart) -> str:
    """Return the name of a part for `withdraw` and `made_for`."""
    key, name = part
    return name if key in _BY_NAME else key


def names_for_files(one: Decision) -> set[str]:
    """Return the names of the parts of a decision that hold only for the files that they were made for."""
    return {part_name(part) for part in parts(one) if part[0] in _FOR_FILES}


def merged(decisions: Sequence[Decided]) -> Decided:
    """Merge decisions into one. A later value replaces an earlier one, but all comments are kept."""
    if not decisions:
        return _EMPTY
    values: dict[DecisionPart, object] = {}
    for one in decisions:
        values |= parts(one)
    comments = [one.comment for one in decisions if one.comment]
    one = with_parts(decisions[-1], values)
    return replace(one, comment="\n".join(comments)) if comments else one


def key_of(learner: str, decided: Decided) -> str:
    """Return a digest of everything that a person wrote in a decision, without the files that it was made for."""
    # an earlier run may have added `made_for`, which is not part of what a person wrote
    return text_digest(entry_text(learner, replace(decided, made_for={})))


def entry_text(learner: str, decided: Decided) -> str:
    """Return a decision as a YAML list item for the file."""
    entry: dict[str, object] = {"learner": learner}
    # what has its default value is left out, so that the file stays short
    for name in (*WHAT, "made_for"):
        value = getattr(decided, name)
        if value != getattr(_EMPTY, name):
            entry[name] = list(value) if isinstance(value, tuple) else value
    entry |= {"by": decided.by, "at": decided.at, "why": decided.why}
    # so wide that no text is broken into lines
    text = yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=10_000)
    if any(character in text for character in "\x85\u2028\u2029"):  # they end a line in YAML, unless they are escaped
        text = yaml.safe_dump([entry], sort_keys=False, width=10_000)
    return text


def _see_that_it_fits(document: Document, node: yaml.Node, entry: _Entry, course: Course) -> None:
    """Raise `CourseError` for a decision about nothing, or about a check or exercise that the course does not have."""
    if not parts(entry):
        raise document.error(node, problem_text("nothing_decided", keys=", ".join(WHAT)))
    if entry.learner == ALL and not {key for key, _ in parts(entry)} <= {"points", "withdraw"}:
        raise document.error(node, problem_text("not_for_all"))
    # the names that each key may contain
    most = {f"{exercise.id}.{check.id}": check.points for exercise in course.exercises for check in exercise.checks}
    exercises = [exercise.id for exercise in course.exercises]
    known = (
        ("points", "no_check", most),
        ("files", "no_exercise", exercises),
        ("keep", "no_reason", [*KEPT, *(f"{name}.{kind}" for name in exercises for kind in KEPT)]),
        ("withdraw", "no_such_decision", [*most, *exercises, *_WITHOUT_NAMES]),
    )
    for key, problem, names in known:
        for at in _names_at(node, key) if getattr(entry, key) else ():
            if at.value not in names:
                raise document.error(at, problem_text(problem, name=at.value, near=did_you_mean(at.value, names)))
    # no more points than the check is worth
    for key_node, value in items(child(node, "points")) if entry.points else ():
        name = key_node.value
        if not 0 <= entry.points[name] <= most[name]:
            problem = problem_text("too_many_points", name=name, points=entry.points[name], most=most[name])
            raise document.error(value, problem)
    # digests only of what the decision is about
    for at in _names_at(node, "made_for") if entry.made_for else ():
        if at.value not in names_for_files(entry):
            raise document.error(at, problem_text("made_for_nothing", name=at.value))


def _names_at(node: yaml.Node, key: str) -> list[yaml.ScalarNode]:
    """Return the items of a list, or the keys of a mapping."""
    return [one[0] if isinstance(one, tuple) else one for one in child(node, key).value]


# -- data of earlier runs that no report contains: roster times, and the files that decisions were made for

RECORDED = "recorded.json"


class EarlierRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `recorded.json`.

    Attributes:
        decisions: for decisions that do not name the files they were made for, the digests of the files that the first
            run applied them to. The keys are a digest of the decision, then a check or exercise.
        times: the times of submission that rosters gave for attempts without a time from the platform. The keys are the
            id of the submission, the digest of its files, and the key of the learner.
    """

    schema: Literal["backward/recorded/v1"] = "backward/recorded/v1"
    decisions: dict[str, dict[str, str]] = {}
    times: dict[str, dict[str, dict[str, str]]] = {}


def read_recorded(folder: Path) -> EarlierRecord:
    """Return the recorded data in a folder of results. Raises `UserError` for a damaged file, and `OSError`."""
    path = folder / RECORDED
    try:
        return msgspec.json.decode(read_plain(path), type=EarlierRecord)
    except FileNotFoundError:
        return EarlierRecord()
    except msgspec.MsgspecError as error:
        raise UserError(problem_text("recorded_damaged", path=path, error=error)) from None


def with_times(
    recorded: EarlierRecord, learners: Iterable[Learner], attempts: Callable[[str], str | None]
) -> EarlierRecord:
    """Return the recorded data, extended by the times that the roster gives for the latest attempts.

    Args:
        attempts: returns the digest of a submission's latest files, or None if the platform gave a time for them.
    """
    times = {name: {sha256: dict(at) for sha256, at in of.items()} for name, of in recorded.times.items()}
    for learner in learners:
        for name in learner.submissions if learner.person.submitted_at else ():
            sha256 = attempts(name)
            if sha256 is not None:
                times.setdefault(name, {}).setdefault(sha256, {})[learner.id] = learner.person.submitted_at
    return msgspec.structs.replace(recorded, times=times)


# -- the decisions that apply: those that were not replaced or withdrawn, and were not made for other files


@dataclass(frozen=True)
class InForce:
    """The decisions about a learner that apply to certain files.

    Attributes:
        applied: the decisions that apply, in their order. Each contains only the parts that apply.
        pending: the decisions that were made for other files, one for each part. A part is left out if a decision
            that applies replaces it.
    """

    applied: tuple[Decided, ...]
    pending: tuple[Decided, ...]


def in_force(decisions: Sequence[Decided], files: Mapping[str, str], found: Found) -> InForce:
    """Return the decisions that apply to the files of a submission.

    Of two decisions about the same thing, the later one counts. A decision about points, about the file that counts or
    about the time of submission applies only to the files that it was made for. If those are unknown, it applies to
    all files. A decision that withdraws for all learners withdraws only what was decided for all. All comments apply.
    A decision that keeps a result applies only to the files it was made for, too, but is
    never pending, because the reason for the review is then open again.

    Args:
        files: the digest of the graded file by exercise, and the digest of the whole submission under `WHOLE`.
        found: the files that somebody may choose from.
    """
    numbered = [_numbered(one, number) for number, one in enumerate(decisions)]
    # first the decisions about all learners, so that those about one learner hold again
    for number, one in enumerate(decisions):
        for earlier, what in zip(decisions[:number], numbered, strict=False) if one.for_all else ():
            for part in [part for part in what if earlier.for_all and part_name(part) in one.withdraw]:
                del what[part]
    # For each part, the number of the last decision about it: one that applies to these files, or
    # one that was made for other files.
    held: dict[DecisionPart, int] = {}
    other: dict[DecisionPart, int] = {}
    for number, one in enumerate(decisions):
        # a decision may withdraw earlier ones, for whatever files they were made
        for listed in () if one.for_all else (held, other):
            for part in [part for part in listed if part_name(part) in one.withdraw]:
                del listed[part]
        for part in numbered[number]:
            made_for = one.made_for.get(part_name(part), "")
            present = _digest(one, part, files, found)
            (held if present is not None and made_for in ("", present) else other)[part] = number
    # each decision with only the parts in which no later one replaced it
    applied = [{part: what[part] for part in what if held.get(part) == number} for number, what in enumerate(numbered)]
    return InForce(
        applied=tuple(with_parts(one, what) for one, what in zip(decisions, applied, strict=True) if what),
        pending=tuple(
            with_parts(decisions[number], {part: numbered[number][part]})
            for part, number in other.items()
            if part not in held and part[0] != "keep"
        ),
    )


def _numbered(one: Decided, number: int) -> dict[DecisionPart, object]:
    """Return the parts of a decision that can apply. Each comment has its own number, because all comments apply."""
    return {
        (key, str(number) if key == "comment" else name): value
        for (key, name), value in parts(one).items()
        if key != "withdraw"
    }


def file_choices(decisions: Sequence[Decided]) -> dict[str, tuple[Choice, ...]]:
    """Return the decisions about which file counts that were not withdrawn, by exercise, oldest first."""
    found: dict[str, list[Choice]] = {}
    for one in decisions:
        for name in one.withdraw:
            found.pop(name, None)
        for exercise, path in one.files.items():
            found.setdefault(exercise, []).append(Choice(path, one.made_for.get(exercise, ""), one.line))
    return {exercise: tuple(listed) for exercise, listed in found.items()}


def made_for(one: Decided, files: Mapping[str, str], found: Found) -> dict[str, str]:
    """Return the digests of the files that a decision is made for, as far as they are known."""
    digests = dict(one.made_for)
    for part in parts(one):
        key, name = part
        # parts about the files that are graded now, or that the decision chooses
        if key in ("files", "submitted_at", "keep") or (key == "points" and _exercise(name) not in one.files):
            digest = _digest(one, part, files, found)
        # A decision may choose a file and give its points at once. A notebook may be listed with
        # the digest of its whole content, but its report has that of its code, so the two cannot be
        # compared.
        elif key == "points" and not one.files[_exercise(name)].endswith(".ipynb"):  # the decision chooses this file
            digest = _of(found, _exercise(name), one.files[_exercise(name)])
        else:
            continue
        if digest and part_name(part) not in digests:
            digests[part_name(part)] = digest
    return digests


def _digest(one: Decided, part: DecisionPart, files: Mapping[str, str], found: Found) -> str | None:
    """Return the digest of the files that a part of a decision is about.

    The digest is empty if the part is not about files, and None if the chosen file does not exist.
    """
    key, name = part
    if key == "points":
        return files.get(_exercise(name), NO_FILE)
    if key == "submitted_at":
        return files.get(WHOLE, "")
    if key == "keep":  # also a file that is not graded may answer the question
        rows = [f"{path}\n{digest}\n" for _, paths in sorted(found.items()) for path, digest in sorted(paths.items())]
        return text_digest("".join([files[WHOLE], *rows])) if WHOLE in files else ""
    return files_digest(found, name, one.files[name]) if key == "files" else ""


def _of(found: Found, exercise: str, path: str) -> str:
    return found.get(exercise, {}).get(path) or found.get("", {}).get(path, "")


def _exercise(check: str) -> str:
    return check.partition(".")[0]
