"""Rosters exported by platforms, and rosters written by hand."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.people import RosterError, read_roster
from grader.people.roster import parse_roster
from grader.report.person import Person
from grader.words.instructor import columns_text

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,The Backward Pass (4711)
    Points Possible,,,,,100
"Doe, Jane",1042,s-1,jane@example.edu,A,
"Student, Test",1999,,,A,
"""
GRADESCOPE = """\
First Name,Last Name,SID,Email,Role,Section
Jane,Doe,s-1,jane@example.edu,Student,A
Ada,Byron,,ada@example.edu,Instructor,A
"""
MOODLE = """\
Identifier,Full name,Email address,Status,Grade
Participant 12345,Jane Doe,jane@example.edu,Submitted,
"""
CLASSROOM = """\
"identifier","github_username","github_id","name"
"jane","octojane","583231","Jane Doe"
"""
NBGRADER = "id,last_name,first_name,email\njane,Doe,Jane,jane@example.edu\n"
BY_HAND = "\ufeffName;E-Mail;Login;Gruppe;Team\nJane Doe;jane@example.edu;jane;x;blue\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CANVAS, Person("Doe, Jane", "jane@example.edu", section="A", sis_id="s-1", canvas_id="1042")),
        (GRADESCOPE, Person("Jane Doe", email="jane@example.edu", section="A", sis_id="s-1")),
        (MOODLE, Person("Jane Doe", email="jane@example.edu", moodle_id="12345")),
        (CLASSROOM, Person("Jane Doe", "jane", github="octojane")),
        (NBGRADER, Person("Jane Doe", "jane", email="jane@example.edu")),
        (BY_HAND, Person("Jane Doe", "jane", email="jane@example.edu", group="blue")),
    ],
    ids=["canvas", "gradescope", "moodle", "classroom", "nbgrader", "by hand"],
)
def test_columns_are_recognised_by_name(text: str, expected: Person) -> None:
    """Rows that are not people, and people who are not learners, are left out."""
    assert (expected,) == parse_roster(text.encode(), "r.csv").people


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "r.csv: the file is empty"),
        ("login\n", "r.csv: the file lists no people"),
        ("height,weight\n1,2\n", "r.csv:1: no column identifies people"),
        ("login,username\na,b\n", "r.csv:1: `login` and `username` are both read as `login`; rename or remove one"),
        ("login,name\nann,Ann\n\nann,Anna\n", "r.csv:4: `ann` occurs twice; the first is in line 2."),
        ("login,name\nann,Doe, Ann\n", "r.csv:2: the row has 3 cells, but the header has 2"),
        ("login,section\n,A\n", "r.csv:2: the row has no login, name or e-mail address"),
        ("login,submitted_at\nann,yesterday\n", "r.csv:2: `yesterday` is not a time"),
        ('name,login\n"Doe\nJane",jane\n,jane\n', "r.csv:4: `jane` occurs twice; the first is in line 2."),
    ],
)
def test_mistakes_have_their_line(text: str, said: str) -> None:
    """The message has the file, the line, and what to do."""
    with pytest.raises(RosterError) as error:
        parse_roster(text.encode(), "r.csv")
    assert str(error.value).startswith(said)


def test_other_encodings_are_refused() -> None:
    """The message has the line of the first character that cannot be decoded."""
    with pytest.raises(RosterError, match=r"r\.csv:2: it is not UTF-8; save the file as CSV in UTF-8"):
        parse_roster("name\nJosé\n".encode("latin-1"), "r.csv")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The message names the file, without a traceback."""
    with pytest.raises(RosterError, match=r"no\.csv: there is no such file"):
        read_roster(tmp_path / "no.csv")


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_bytes_are_a_roster_or_a_mistake(data: bytes) -> None:
    """Only the expected error is raised, and every person has a unique key that can be shown."""
    for head in (b"", b"login,name,email\n"):
        try:
            people = parse_roster(head + data, "r.csv").people
        except RosterError:
            continue
        assert len(people) == len({person.key for person in people})
        assert all(person.name.isprintable() for person in people)


WORDS = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=8)


@pytest.mark.slow
@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=8, unique_by=lambda row: row[0]))
def test_what_is_written_is_read(rows: list[tuple[str, str, str]]) -> None:
    """Login, name and section of each person are read in their order, with every delimiter."""
    for delimiter in ",;\t":
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter).writerows([("login", "name", "section"), *rows])
        people = parse_roster(out.getvalue().encode(), "r.csv").people
        assert rows == [(person.login, person.name, person.section) for person in people]


def test_columns_that_are_not_recognised_are_told() -> None:
    """The message suggests a similar heading, unless another column has it."""
    roster = parse_roster(b"Login,Full name,Secton,Shoe size\nann,Ann A,B,38\n", "r.csv")
    assert (
        "columns recognised: Login, Full name as name; "
        "not recognised, and not used: `Secton` (did you mean `section`?), `Shoe size`"
    ) == columns_text(roster.columns, roster.unread)
    assert "columns recognised: SIS_ID" == columns_text((("SIS_ID", "sis_id"),), ())
