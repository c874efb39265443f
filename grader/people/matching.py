"""Find the owner of each submission: join submissions with a roster, first by ids and then by names.

Nothing is guessed. A submission that fits two people is ambiguous. A submission that fits no person
belongs to a stranger. Both are reported.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from ..report.model import SubmissionStamp
from ..report.person import Person, Submitter, platform_id

_MANY_WORDS = 6  # a name with more words is compared only in its own word order


@dataclass(frozen=True)
class Handed:
    """A submission as the intake knows it, without its files."""

    id: str
    origin: str
    submitters: tuple[Submitter, ...]

    @classmethod
    def of(cls, stamp: SubmissionStamp) -> "Handed":
        """Return the submission that a stamp describes."""
        return cls(stamp.id, stamp.origin or stamp.id, stamp.submitters or ())


@dataclass(frozen=True)
class Unmatched:
    """A submitter whom the roster does not identify. `candidates` are keys of people, and empty for a stranger."""

    submission: str
    name: str
    candidates: tuple[str, ...]


@dataclass(frozen=True)
class Joined:
    """The owners of submissions.

    Attributes:
        owned: the ids of a person's submissions in their order, by the key of the person.
        owners: the keys of people by the id of a submission.
        unmatched: the submitters whom the roster does not identify with certainty.
    """

    owned: Mapping[str, tuple[str, ...]]
    owners: Mapping[str, tuple[str, ...]]
    unmatched: tuple[Unmatched, ...]

    @classmethod
    def of(cls, owned: Mapping[str, Sequence[str]], unmatched: Sequence[Unmatched] = ()) -> "Joined":
        owners: dict[str, list[str]] = defaultdict(list)
        for key, submissions in owned.items():
            for one in submissions:
                owners[one].append(key)
        return cls(
            {key: tuple(listed) for key, listed in owned.items()},
            {one: tuple(keys) for one, keys in owners.items()},
            tuple(unmatched),
        )


def join(people: Sequence[Person], submissions: Sequence[Handed]) -> Joined:
    """Return the owners of submissions.

    A submission of one member of a group also belongs to the members who have no submission of their own.
    """
    index = _Index(people, _prefix(people, [_folder(one) for one in submissions]))
    owned: dict[str, list[str]] = {person.key: [] for person in people}
    unmatched: list[Unmatched] = []
    for submission in submissions:
        for submitter in submission.submitters or (Submitter(""),):
            found, certain = index.find(submission, submitter)
            if certain:
                for person in found:
                    if submission.id not in owned[person.key]:
                        owned[person.key].append(submission.id)
            else:
                keys = tuple(sorted(person.key for person in found))
                unmatched.append(Unmatched(submission.id, submitter.name or submission.origin, keys))
    groups: dict[str, list[Person]] = defaultdict(list)
    for person in people:
        if person.group:
            groups[person.group].append(person)
    for members in groups.values():
        handed = list(dict.fromkeys(one for person in members for one in owned[person.key]))
        for person in members:
            owned[person.key] = owned[person.key] or handed
    return Joined.of(owned, unmatched)


def submitter_of(members: Sequence[Person], submission: Handed) -> str:
    """Return the key of the group member who submitted, or of the first member if that is not certain."""
    alone = [replace(person, group="") for person in members]
    return next(iter(join(alone, [submission]).owners.get(submission.id, ())), members[0].key)


def name_keys(name: str) -> Iterator[str]:
    """Yield the forms in which a name is compared: without case, accents and punctuation, with its words rotated.

    `Doe, Jane`, `Jane Doe` and Canvas' `doejane` have a form in common.
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    words = ["".join(c for c in word if c.isalnum()) for word in re.split(r"[\s,_]+", plain)]
    words = [word for word in words if word]
    turns = range(len(words)) if len(words) <= _MANY_WORDS else range(1)
    yield from {"".join(words[turn:] + words[:turn]) for turn in turns if words}


class _Index:
    """The people of a roster by everything that identifies them."""

    def __init__(self, people: Sequence[Person], prefix: str) -> None:
        self._prefix = prefix
        self._by: dict[tuple[str, str], list[Person]] = defaultdict(list)
        for person in people:
            for kind in ("login", "email", "sis_id", "canvas_id", "moodle_id", "github"):
                if value := getattr(person, kind):
                    self._by[kind, value.casefold()].append(person)
            for key in {*name_keys(person.name)}:
                self._by["name", key].append(person)
            for key in {*name_keys(person.group)}:
                self._by["group", key].append(person)

    def find(self, submission: Handed, submitter: Submitter) -> tuple[list[Person], bool]:
        """Return the people who may be a submitter, and whether this is certain."""
        for kind, keys in self._evidence(submission, submitter):
            found = self._look_up(keys)
            if kind == "group" and found:
                return found, len({person.group for person in found}) == 1
            if kind == "name":
                found = [person for person in found if not _contradicts(person, submission, submitter)]
            if found:
                return found, len(found) == 1
        return [], False

    def _look_up(self, keys: Iterable[tuple[str, str]]) -> list[Person]:
        return list({person.key: person for key in keys for person in self._by.get(key, ())}.values())

    def _evidence(self, submission: Handed, submitter: Submitter) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Yield the kinds of evidence with the keys to look up, the most certain first."""
        email, number = submitter.email.casefold(), submitter.id.casefold()
        kind, own = platform_id(submitter, submission.origin)
        if kind:
            yield "id", [(kind, own.casefold())]
        elif number:
            yield "id", [("login", number), ("sis_id", number), ("email", number)]
        if email:
            yield "email", [("email", email), ("login", email)]
        if not kind and not number and not email:
            for place in dict.fromkeys((submitter.name, submission.origin, submission.id)):
                place = place.casefold().removeprefix(self._prefix)
                yield "id", [(field, place) for field in ("login", "github", "email", "sis_id")]
        words = dict.fromkeys((submitter.name, submitter.name.casefold().removeprefix(self._prefix)))
        names = list(dict.fromkeys(key for name in words for key in name_keys(name)))
        yield "name", [("name", key) for key in names]
        yield "group", [("group", key) for key in names]


def _folder(submission: Handed) -> str:
    return submission.submitters[0].name if submission.submitters else submission.id


def _contradicts(person: Person, submission: Handed, submitter: Submitter) -> bool:
    """Return whether a person with the submitter's name has another id than the submitter."""
    kind, own = platform_id(submitter, submission.origin)
    if kind:
        return getattr(person, kind) not in ("", own)
    if submitter.email and person.email:
        return submitter.email.casefold() != person.email.casefold()
    return bool(submitter.id and person.sis_id and submitter.id not in (submitter.name, person.sis_id, person.login))


def _prefix(people: Sequence[Person], names: Sequence[str]) -> str:
    """Return the prefix, such as `backward-`, that most folders of people on the roster have before a login.

    Returns an empty text unless at least two folders have the prefix, or the only folder has it.
    """
    known = {value.casefold() for person in people for value in (person.login, person.github) if value}
    counted: Counter[str] = Counter()
    for name in names:
        low = name.casefold()
        for found in re.finditer("-", low):
            counted[low[: found.end()]] += low[found.end() :] in known and low not in known
    best = max(counted, key=lambda prefix: (counted[prefix], -len(prefix)), default="")
    return best if counted[best] >= min(2, len(names)) and counted[best] else ""
