"""Read a roster, and find the owner of each submission.

A roster is a CSV file with a row for each person, exported by a platform or written by hand. Submissions are joined
with it first by ids and then by names. Nothing is guessed. A submission that fits two people is ambiguous. A submission
that fits no person belongs to a stranger. Both are reported.
"""

import csv
import difflib
import io
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from ...base.files import UserError, read_plain
from ...base.text import few, letters, printable
from ...course.learners import Person, Submitter, platform_id
from ...verdict.report import SubmissionStamp
from ...words.instructor import problem_text
from .deadlines import moment

MAX_BYTES = 16 << 20
_DELIMITERS = (",", ";", "\t")
# The accepted headings, without spaces, punctuation and case. They come from the exports of Canvas (gradebook),
# Gradescope (roster), Moodle (participants, grading worksheet), GitHub Classroom (roster, grades) and nbgrader.
_HEADINGS: Mapping[str, tuple[str, ...]] = {
    "login": ("login", "loginid", "sisloginid", "username", "user", "netid", "rosteridentifier", "identifier"),
    "name": ("name", "student", "studentname", "fullname", "displayname", "learner"),
    "first": ("firstname", "givenname", "first"),
    "last": ("lastname", "surname", "familyname", "last"),
    "email": ("email", "emailaddress", "mail"),
    "section": ("section", "sections", "sectionname"),
    "group": ("group", "groups", "groupname", "team", "teamname"),
    "sis_id": ("sisid", "sisuserid", "sid", "studentid", "studentnumber", "idnumber"),
    "canvas_id": ("canvasid", "canvasuserid"),
    "moodle_id": ("moodleid",),
    "github": ("github", "githubuser", "githubusername", "githublogin"),
    "submitted_at": ("submittedat", "submissiontime", "submissiontimestamp"),
    "role": ("role", "roles"),
}
_FIELD = {heading: field for field, headings in _HEADINGS.items() for heading in headings}
_WANTED = "login, name, email, section, group, sis_id, canvas_id or github"
_IDENTITY = ("login", "name", "first", "last", "email", "sis_id", "canvas_id", "moodle_id", "github")
# the last alternative is empty: a cell without a role belongs to a learner, too
_LEARNER = re.compile(r"student|learner|", re.IGNORECASE)
# Moodle's grading worksheet has this in its column `Identifier`
_PARTICIPANT = re.compile(r"Participant (\d+)")
_ASSIGNMENT = re.compile(r"(.+) \(\d+\)", re.DOTALL)  # the heading of an assignment in Canvas' gradebook
_CANVAS_ROWS = ("Points Possible", "Student, Test", "Test Student")  # rows of the gradebook that are not people


class RosterError(UserError):
    """A roster cannot be used. `line`, `kind` and `fields` hold the reason as data. The message says what to do."""

    def __init__(self, file: str, line: int | None, kind: str, **fields: object) -> None:
        place = file if line is None else f"{file}:{line}"
        super().__init__(f"{place}: {problem_text(kind, **fields)}")
        self.line, self.kind, self.fields = line, kind, fields


@dataclass(frozen=True)
class Roster:
    """The people of a class, in the order of the file.

    Attributes:
        columns: pairs of a recognised heading and its field, in the order of the file.
        unread: pairs of another heading and a similar known heading, or an empty text.
        assignments: the headings of assignments in Canvas' gradebook by the assignment's name. A heading has the name
            and Canvas' id, as in `Backward (4711)`.
    """

    people: tuple[Person, ...]
    columns: tuple[tuple[str, str], ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    assignments: Mapping[str, str] = field(default_factory=dict)


def read_roster(path: Path) -> Roster:
    """Return the roster in a file. Raises `RosterError`."""
    try:
        data = read_plain(path, MAX_BYTES, follow=True)
    except FileNotFoundError:
        raise RosterError(str(path), None, "no_file") from None
    except OSError as error:
        raise RosterError(str(path), None, "unreadable", error=error.strerror) from None
    return parse_roster(data, str(path))


def parse_roster(data: bytes, name: str) -> Roster:
    """Return the roster in the bytes of a CSV file. Raises `RosterError`.

    Args:
        name: the name of the file in error messages.
    """
    # the header
    try:
        # spreadsheets begin a file with a byte order mark
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise RosterError(name, line, "roster_not_utf8") from None
    records = _records(text, _delimiter(text), name)
    header_line, header = next(records, (1, []))
    if not header:
        raise RosterError(name, None, "roster_empty", wanted=_WANTED)
    columns = _columns(header, header_line, name)
    # a person for each row
    people: list[Person] = []
    lines: dict[str, int] = {}
    for line, cells in records:
        if len(cells) > len(header) and any(cells[len(header) :]):
            raise RosterError(name, line, "roster_cells", cells=len(cells), header=len(header))
        person = _person(dict(zip(columns, cells, strict=False)), line, name)
        if person is None:
            continue
        if person.key in lines:
            raise RosterError(name, line, "roster_twice", key=person.key, first=lines[person.key])
        lines[person.key] = line
        people.append(person)
    if not people:
        raise RosterError(name, None, "roster_no_people")
    # the columns, for the message about the roster
    headings = list(zip(map(printable, header), columns, strict=True))
    free = [one for one, of in _FIELD.items() if of not in columns]
    unread = [heading for heading, of in headings if not of and heading]
    # two assignments of one name differ in their ids, which nobody gave
    named = [(found[1], heading) for heading in unread if (found := _ASSIGNMENT.fullmatch(heading))]
    count = Counter(name for name, _ in named)
    assignments = {name: heading for name, heading in named if count[name] == 1} if "canvas_id" in columns else {}
    return Roster(
        people=tuple(people),
        columns=tuple((heading, of) for heading, of in headings if of),
        unread=tuple((heading, _similar(heading, free)) for heading in unread if heading not in assignments.values()),
        assignments=assignments,
    )


def _records(text: str, delimiter: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not blank, with the line where it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    line = 1
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped):
                yield line, stripped
            # a cell in quotes may have several lines
            line = reader.line_num + 1
    except csv.Error as error:
        raise RosterError(name, line, "roster_csv", error=error) from None


def _delimiter(text: str) -> str:
    """Return the delimiter that gives the most known headings in the first line."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return max(_DELIMITERS, key=lambda one: sum(letters(cell) in _FIELD for cell in first.split(one)))


def _columns(header: Sequence[str], line: int, name: str) -> list[str | None]:
    """Return the field of each column, or None for an unused column."""
    words = [letters(cell) for cell in header]
    columns = [_FIELD.get(word) for word in words]
    # Canvas uses `ID` for its own id; nbgrader and handwritten lists use it for a login
    canvas = "student" in words and not {"sisuserid", "sisloginid"}.isdisjoint(words)
    if "id" in words:
        field = "canvas_id" if canvas else "login" if "login" not in columns else "sis_id"
        if field not in columns:
            columns[words.index("id")] = field
    # two columns for one field would hide one of them
    for field in _HEADINGS:
        places = [place for place, one in enumerate(columns) if one == field]
        if len(places) > 1:
            twice = " and ".join(f"`{printable(header[place])}`" for place in places)
            raise RosterError(name, line, "roster_columns", headings=twice, field=field)
    if not set(columns) & set(_IDENTITY):
        found = few([f"`{printable(cell)}`" for cell in header], 8)
        raise RosterError(name, line, "roster_who", wanted=_WANTED, found=found)
    return columns


def _similar(heading: str, free: Sequence[str]) -> str:
    """Return a heading from `free` that is similar to `heading`, or an empty text."""
    return next(iter(difflib.get_close_matches(letters(heading), free, n=1, cutoff=0.8)), "")


def _person(row: Mapping[str | None, str], line: int, name: str) -> Person | None:
    """Return the person in a row, or None if the row is not a learner."""
    cells = {field: printable(text) for field, text in row.items() if field and text}
    if cells.get("name") in _CANVAS_ROWS or not _LEARNER.fullmatch(cells.pop("role", "")):
        return None
    # a full name counts before one that is put together
    first, last = cells.pop("first", ""), cells.pop("last", "")
    cells.setdefault("name", " ".join(filter(None, (first, last))))
    participant = _PARTICIPANT.fullmatch(cells.get("login", ""))
    if participant:
        cells |= {"login": "", "moodle_id": participant[1]}
    person = Person(**cells)
    if not person.key:
        raise RosterError(name, line, "roster_row")
    if person.submitted_at:
        at = moment(person.submitted_at)
        if at is None:
            raise RosterError(name, line, "no_time", text=person.submitted_at)
        cells["submitted_at"] = at
    return Person(**cells)


# -- the owner of each submission

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
