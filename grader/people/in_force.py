"""Determine which decisions apply: those that were not replaced or withdrawn, and were not made for other files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msgspec.structs import replace

from ..report.choices import NO_FILE, Choice, Found, files_digest, text_digest
from ..report.person import Decided

ONCE = ("submission", "submitted_at", "penalty", "excused", "ignored")  # only the last decision on each of these counts
KEEP = "keep"
WHOLE = ""  # used in place of an exercise for all files of a submission
_Part: TypeAlias = tuple[str, str]  # a key of a decision, and the name of a check or an exercise, or a number


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
    all files. All comments apply. A decision that keeps a result applies only to the files it was made for, too, but is
    never pending, because the reason for the review is then open again.

    Args:
        files: the digest of the graded file by exercise, and the digest of the whole submission under `WHOLE`.
        found: the files that somebody may choose from.
    """
    held: dict[_Part, int] = {}
    other: dict[_Part, int] = {}
    for place, one in enumerate(decisions):
        for listed in (held, other):
            for part in [part for part in listed if _name(part) in one.withdraw]:
                del listed[part]
        for part in _parts(one, place):
            made_for = one.made_for.get(_name(part), "")
            there = _digest(one, part, files, found)
            (held if there is not None and made_for in ("", there) else other)[part] = place
    applied = (_only(one, {part for part in held if held[part] == place}) for place, one in enumerate(decisions))
    return InForce(
        applied=tuple(one for one in applied if one is not None),
        pending=tuple(
            made
            for part, place in other.items()
            if part not in held and part[0] != KEEP and (made := _only(decisions[place], {part})) is not None
        ),
    )


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
    for part in _parts(one, 0):
        key, name = part
        if key in ("files", "submitted_at", KEEP) or (key == "points" and _exercise(name) not in one.files):
            digest = _digest(one, part, files, found)
        elif key == "points" and not one.files[_exercise(name)].endswith(".ipynb"):  # the decision chooses this file
            digest = _of(found, _exercise(name), one.files[_exercise(name)])
        else:
            continue
        if digest and _name(part) not in digests:
            digests[_name(part)] = digest
    return digests


def parts(one: Decided) -> tuple[str, ...]:
    """Return the names of everything that a decision is about, as `withdraw` uses them."""
    return tuple(dict.fromkeys(_name(part) for part in _parts(one, 0)))


def _parts(one: Decided, place: int) -> Iterator[_Part]:
    yield from (("points", name) for name in one.points)
    yield from (("files", name) for name in one.files)
    yield from ((key, "") for key in ONCE if getattr(one, key) is not None)
    yield from ((KEEP, name) for name in one.keep)
    if one.comment is not None:
        yield "comment", str(place)


def _name(part: _Part) -> str:
    key, name = part
    return name if key in ("points", "files") else key


def _digest(one: Decided, part: _Part, files: Mapping[str, str], found: Found) -> str | None:
    """Return the digest of the files that a part of a decision is about.

    The digest is empty if the part is not about files, and None if the chosen file does not exist.
    """
    key, name = part
    if key == "points":
        return files.get(_exercise(name), NO_FILE)
    if key == "submitted_at":
        return files.get(WHOLE, "")
    if key == KEEP:  # also a file that is not graded may answer the question
        there = [f"{path}\n{digest}\n" for _, paths in sorted(found.items()) for path, digest in sorted(paths.items())]
        return text_digest("".join([files[WHOLE], *there])) if WHOLE in files else ""
    return files_digest(found, name, one.files[name]) if key == "files" else ""


def _of(found: Found, exercise: str, path: str) -> str:
    return found.get(exercise, {}).get(path) or found.get("", {}).get(path, "")


def _exercise(check: str) -> str:
    return check.partition(".")[0]


def _only(one: Decided, kept: set[_Part]) -> Decided | None:
    """Return a decision with only the parts in `kept`, or None if `kept` is empty."""
    if not kept:
        return None
    names = set(map(_name, kept))
    return replace(
        one,
        points={name: points for name, points in one.points.items() if ("points", name) in kept},
        files={name: path for name, path in one.files.items() if ("files", name) in kept},
        comment=one.comment if any(key == "comment" for key, _ in kept) else None,
        keep=tuple(name for name in one.keep if (KEEP, name) in kept),
        withdraw=(),
        made_for={name: digest for name, digest in one.made_for.items() if name in names},
        **{key: getattr(one, key) if (key, "") in kept else None for key in ONCE},
    )
