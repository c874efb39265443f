"""Read a roster: a CSV file with a row for each person, exported by a platform or written by hand."""

import csv
import dataclasses
import difflib
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from ...base.files import UserError, read_plain
from ...base.text import few, letters, printable
from ...course.learners import Person
from ...words.instructor import problem_text
from .deadlines import DeadlineRules, moment, moodle_moment, seconds_between, zone_named

MAX_BYTES = 16 << 20
_DELIMITERS = (",", ";", "\t")
# The accepted headings, without spaces, punctuation and case. They come from the exports of Canvas (gradebook),
# Gradescope (roster), Moodle (participants, grading worksheet), GitHub Classroom (roster, grades), nbgrader and
# Classroom 50 (roster.csv, `gh teacher download`'s scores.csv, and the page's "Download scores").
_HEADINGS: Mapping[str, tuple[str, ...]] = {
    "login": ("login", "loginid", "sisloginid", "username", "user", "netid", "rosteridentifier", "identifier"),
    "logins": ("usernames",),
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
    "submitted_at": ("submittedat", "datetime", "submissiontime", "submissiontimestamp"),
    "modified": ("lastmodifiedsubmission",),
    "role": ("role", "roles"),
    "attempt": ("submissiontag",),
    "review": ("reviewurl",),
}
_UNUSED = ("githubid",)  # a number, which is in no name of a folder
_FIELD = {heading: field for field, headings in _HEADINGS.items() for heading in headings}
_WANTED = "login, name, email, section, group, sis_id, canvas_id or github"
_IDENTITY = ("login", "logins", "name", "first", "last", "email", "sis_id", "canvas_id", "moodle_id", "github")
# the last alternative is empty: a cell without a role belongs to a learner, too
_LEARNER = re.compile(r"student|learner|", re.IGNORECASE)
# Moodle's grading worksheet has this in its column `Identifier`
_PARTICIPANT = re.compile(r"Participant (\d+)")
_REPOSITORY = re.compile(r"https://github\.com/[^/]+/([^/]+)/.*")
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
    assignments: Mapping[str, str] = dataclasses.field(default_factory=dict)


def read_roster(path: Path, rules: DeadlineRules | None = None) -> Roster:
    """Return the roster in a file. Raises `RosterError`.

    Args:
        rules: the rules on time. Without a due date, Moodle's times, which have no zone, are left out.
    """
    try:
        data = read_plain(path, MAX_BYTES, follow=True)
    except FileNotFoundError:
        raise RosterError(str(path), None, "no_file") from None
    except OSError as error:
        raise RosterError(str(path), None, "unreadable", error=error.strerror) from None
    return parse_roster(data, str(path), rules or DeadlineRules())


def parse_roster(data: bytes, name: str, rules: DeadlineRules = DeadlineRules()) -> Roster:  # noqa: B008 - it is frozen
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
    people: dict[str, Person] = {}
    lines: dict[str, int] = {}
    for line, cells in records:
        if len(cells) > len(header) and any(cells[len(header) :]):
            raise RosterError(name, line, "roster_cells", cells=len(cells), header=len(header))
        row = dict(zip(columns, cells, strict=False))
        modified = row.pop("modified", "")
        if modified and modified != "-" and (rules.due or rules.exercises or rules.sections):
            row["submitted_at"] = _moodle_time(modified, rules.zone, line, name)
        for person in _members(row, line, name):
            if person.key not in lines:
                lines[person.key] = line
                people[person.key] = person
            # Classroom 50 lists every attempt, and the latest one counts
            elif "attempt" not in columns:
                raise RosterError(name, line, "roster_twice", key=person.key, first=lines[person.key])
            else:
                people[person.key] = _latest(people[person.key], person)
    if not people:
        raise RosterError(name, None, "roster_no_people")
    # members of a team share a repository; a group of one is none
    teams = Counter(person.group for person in people.values())
    if "review" in columns:
        people = {key: replace(one, group="") if teams[one.group] == 1 else one for key, one in people.items()}
    # the columns, for the message about the roster
    headings = list(zip(map(printable, header), columns, strict=True))
    free = [one for one, of in _FIELD.items() if of not in columns]
    unread = [heading for heading, of in headings if not of and heading]
    # two assignments of one name differ in their ids, which nobody gave
    named = [(found[1], heading) for heading in unread if (found := _ASSIGNMENT.fullmatch(heading))]
    count = Counter(name for name, _ in named)
    assignments = {name: heading for name, heading in named if count[name] == 1} if "canvas_id" in columns else {}
    return Roster(
        people=tuple(people.values()),
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


def _moodle_time(text: str, name: str, line: int, file: str) -> str:
    """Return the time in a cell of Moodle's worksheet, in ISO 8601. `name` is that of its zone."""
    zone = zone_named(name) if name else None
    if zone is None:
        raise RosterError(file, line, "moodle_zone", text=text)
    at = moodle_moment(text, zone)
    if at is None:
        raise RosterError(file, line, "moodle_time", text=text)
    return at


def _similar(heading: str, free: Sequence[str]) -> str:
    """Return a heading from `free` that is similar to `heading`, or an empty text."""
    word = letters(heading)
    return "" if word in _UNUSED else next(iter(difflib.get_close_matches(word, free, n=1, cutoff=0.8)), "")


def _latest(one: Person, other: Person) -> Person:
    """Return a person as in the later of two attempts."""
    times = [seconds_between("1970-01-01T00:00:00Z", at) if at else 0 for at in (one.submitted_at, other.submitted_at)]
    return other if times[1] > times[0] else one


def _members(row: Mapping[str | None, str], line: int, name: str) -> Iterator[Person]:
    """Yield the people in a row: none if it is not about a learner, and several if it has the users of a team."""
    cells = {field: text for field, text in row.items() if field}
    team = [user for part in cells.pop("logins", "").split(",") if (user := part.strip())]
    repository = _REPOSITORY.fullmatch(cells.pop("review", ""))
    cells.pop("attempt", None)
    if repository is not None:
        cells.setdefault("group", repository[1])
    # the row of a team has no name of a single member
    if len(team) > 1:
        cells = {key: text for key, text in cells.items() if key not in ("name", "first", "last")}
        cells["group"] = ", ".join(team)
    for own in [{"login": user} for user in team] or [{}]:
        person = _person({**cells, **own}, line, name)
        if person is not None:
            yield person


def _person(row: Mapping[str, str], line: int, name: str) -> Person | None:
    """Return the person in a row, or None if the row is not a learner."""
    cells = {field: printable(text) for field, text in row.items() if text}
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
        person = replace(person, submitted_at=at)
    return person
