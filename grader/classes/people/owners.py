"""Find the owner of each submission: the people of a roster whom its submitters are.

Submissions are joined with a roster first by ids and then by names. Nothing is guessed. A submission that fits two
people is ambiguous. A submission that fits no person belongs to a stranger. Both are reported.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from ...course.learners import Person, Submitter, platform_id
from ...verdict.report import SubmissionStamp

_MANY_WORDS = 6  # a name with more words is compared only in its own word order


@dataclass(frozen=True)
class HandIn:
    """A submission as the intake knows it, without its files."""

    id: str
    origin: str
    submitters: tuple[Submitter, ...]

    @classmethod
    def of(cls, stamp: SubmissionStamp) -> "HandIn":
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


def join(people: Sequence[Person], submissions: Sequence[HandIn]) -> Joined:
    """Return the owners of submissions.

    A submission of one member of a group also belongs to the members who have no submission of their own.
    """
    index = _PeopleIndex(people, _prefix(people, [_folder(one) for one in submissions]))
    owned: dict[str, list[str]] = {person.key: [] for person in people}
    unmatched: list[Unmatched] = []
    # each submission belongs to the people whom its submitters certainly are
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
    # members of a group share a submission, except those who have one of their own
    groups: dict[str, list[Person]] = defaultdict(list)
    for person in people:
        if person.group:
            groups[person.group].append(person)
    for members in groups.values():
        handed = list(dict.fromkeys(one for person in members for one in owned[person.key]))
        for person in members:
            owned[person.key] = owned[person.key] or handed
    return Joined.of(owned, unmatched)


def submitter_of(members: Sequence[Person], submission: HandIn) -> str:
    """Return the key of the group member who submitted, or of the first member if that is not certain."""
    # without their group, so that a submission belongs only to the member who submitted it
    alone = [replace(person, group="") for person in members]
    return next(iter(join(alone, [submission]).owners.get(submission.id, ())), members[0].key)


def name_keys(name: str) -> Iterator[str]:
    """Yield the forms in which a name is compared: without case, accents and punctuation, with its words rotated.

    `Doe, Jane`, `Jane Doe` and Canvas' `doejane` have a form in common.
    """
    # NFKD takes accents apart from their letters, so that they can be left out
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    words = ["".join(c for c in word if c.isalnum()) for word in re.split(r"[\s,_]+", plain)]
    words = [word for word in words if word]
    # a rotation for each word, so the number of forms is bounded
    turns = range(len(words)) if len(words) <= _MANY_WORDS else range(1)
    yield from {"".join(words[turn:] + words[:turn]) for turn in turns if words}


class _PeopleIndex:
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

    def find(self, submission: HandIn, submitter: Submitter) -> tuple[list[Person], bool]:
        """Return the people who may be a submitter, and whether this is certain."""
        # the most certain evidence that finds anybody decides; less certain evidence is not asked
        for kind, keys in self._evidence(submission, submitter):
            found = self._look_up(keys)
            # all members of one group are meant together
            if kind == "group" and found:
                return found, len({person.group for person in found}) == 1
            # two people may have the same name, and different ids
            if kind == "name":
                found = [person for person in found if not _contradicts(person, submission, submitter)]
            if found:
                return found, len(found) == 1
        return [], False

    def _look_up(self, keys: Iterable[tuple[str, str]]) -> list[Person]:
        return list({person.key: person for key in keys for person in self._by.get(key, ())}.values())

    def _evidence(self, submission: HandIn, submitter: Submitter) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Yield the kinds of evidence with the keys to look up, the most certain first."""
        email, number = submitter.email.casefold(), submitter.id.casefold()
        kind, own = platform_id(submitter, submission.origin)
        if kind:
            yield "id", [(kind, own.casefold())]
        elif number:
            yield "id", [("login", number), ("sis_id", number), ("email", number)]
        if email:
            yield "email", [("email", email), ("login", email)]
        # a folder's name alone: it may be a login, perhaps after a prefix such as `backward-`
        if not kind and not number and not email:
            for place in dict.fromkeys((submitter.name, submission.origin, submission.id)):
                place = place.casefold().removeprefix(self._prefix)
                yield "id", [(field, place) for field in ("login", "github", "email", "sis_id")]
        words = dict.fromkeys((submitter.name, submitter.name.casefold().removeprefix(self._prefix)))
        names = list(dict.fromkeys(key for name in words for key in name_keys(name)))
        yield "name", [("name", key) for key in names]
        yield "group", [("group", key) for key in names]


def _folder(submission: HandIn) -> str:
    return submission.submitters[0].name if submission.submitters else submission.id


def _contradicts(person: Person, submission: HandIn, submitter: Submitter) -> bool:
    """Return whether a person with the submitter's name has another id than the submitter."""
    kind, own = platform_id(submitter, submission.origin)
    if kind:
        return getattr(person, kind) not in ("", own)
    if submitter.email and person.email:
        return submitter.email.casefold() != person.email.casefold()
    return bool(submitter.id and person.sis_id and submitter.id not in (submitter.name, person.sis_id, person.login))


def _prefix(people: Sequence[Person], names: Sequence[str]) -> str:
    """Return the prefix that the most folders have before a login of the roster, such as `backward-`.

    At least two folders must have the prefix, or the only folder. Otherwise, return an empty text.
    """
    known = {value.casefold() for person in people for value in (person.login, person.github) if value}
    counted: Counter[str] = Counter()
    for name in names:
        low = name.casefold()
        # each beginning that ends with a hyphen, if a login follows it; a folder that is itself a
        # login has none
        for found in re.finditer("-", low):
            counted[low[: found.end()]] += low[found.end() :] in known and low not in known
    # of prefixes that are as frequent, the shortest
    best = max(counted, key=lambda prefix: (counted[prefix], -len(prefix)), default="")
    return best if counted[best] >= min(2, len(names)) and counted[best] else ""
