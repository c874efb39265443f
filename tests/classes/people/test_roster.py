"""Rosters exported by platforms and written by hand, and the owners of submissions."""

import csv
import io
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from every import every
from hypothesis import given
from hypothesis import strategies as st
from read_yaml import read_yaml

from grader.base.text import printable
from grader.classes.people import HandIn, read_roster, submitter_of
from grader.classes.people.deadlines import DeadlineRules
from grader.classes.people.owners import Joined, join, name_keys
from grader.classes.people.roster import RosterError, parse_roster
from grader.course.learners import Person, Submitter
from grader.words.instructor import columns_text

MISTAKES = read_yaml(Path(__file__).with_name("mistakes.yaml"))["roster"]
ROSTERS = read_yaml(Path(__file__).with_name("rosters.yaml"))


@every("case", ROSTERS, ids=[case["from"] for case in ROSTERS])
def test_columns_are_recognised_by_name(case: dict[str, Any]) -> None:
    """Rows that are not people, and people who are not learners, are left out."""
    assert (Person(**case["learner"]),) == parse_roster(case["text"].encode(), "r.csv").people


@every("case", MISTAKES, ids=[case["said"] for case in MISTAKES])
def test_mistakes_have_their_line(case: dict[str, str]) -> None:
    """The message has the file, the line, and what to do."""
    with pytest.raises(RosterError) as error:
        parse_roster(case["text"].encode(), "r.csv")
    assert str(error.value).startswith(case["said"])


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
        # spaces of any width can be shown, although Python calls only one of them printable
        kinds = {unicodedata.category(character) for person in people for character in person.name}
        assert [] == [kind for kind in kinds if kind[0] == "C" or kind in ("Zl", "Zp")]


# an invisible letter is written as an escape
WORDS = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=8).filter(lambda one: one == printable(one))


@pytest.mark.slow
@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=8, unique_by=lambda row: row[0]))
def test_what_is_written_is_read(rows: list[tuple[str, str, str]]) -> None:
    """Login, name and section of each person are read in their order, with every delimiter."""
    for delimiter in ",;\t":
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter).writerows([("login", "name", "section"), *rows])
        people = parse_roster(out.getvalue().encode(), "r.csv").people
        assert rows == [(person.login, person.name, person.section) for person in people]


def test_a_team_of_classroom_50_is_a_group() -> None:
    """Its page has the users of a team in a cell, and `gh teacher download` a line for each member."""
    page = 'usernames,score,submitted_at\n"ann, bob",9,\neve,,\n'
    team = {"group": "ann, bob"}
    assert (Person("", "ann", **team), Person("", "bob", **team), Person("", "eve")) == parse_roster(
        page.encode(), "r.csv"
    ).people
    line = "{},9,2026-06-01T09:00:00Z,submit/1,https://github.com/o/cs-hello-{}/commit/a\n".format
    text = "username,score,datetime,submission_tag,review_url\n" + line("ann", "ann") + line("bob", "ann")
    people = parse_roster((text + line("eve", "eve") + "dan,,,,\n").encode(), "r.csv").people
    assert {"ann": "cs-hello-ann", "bob": "cs-hello-ann", "eve": "", "dan": ""} == {
        one.login: one.group for one in people
    }


@every(
    ("time", "zone", "expected"),
    [
        ("Sunday, 1 March 2026, 11:59 PM", "Europe/Berlin", "2026-03-01T23:59:00+01:00"),
        ("Sunday, March 1, 2026, 12:05 AM", "UTC", "2026-03-01T00:05:00+00:00"),
        ("-", "", ""),
        ("Sonntag, 1. M\u00e4rz 2026, 23:59", "UTC", "is not a time in Moodle's English form"),
        ("Sunday, 1 March 2026, 11:59 PM", "", "zone: Europe/Berlin"),
    ],
)
def test_moodles_times_need_a_zone(time: str, zone: str, expected: str) -> None:
    """The worksheet has them in English, or they are refused. They are read only if there is a due date."""
    text = f'Identifier,Full name,Last modified (submission)\nParticipant 1,Jane,"{time}"\n'.encode()
    rules = DeadlineRules(due="2026-03-01T00:00:00Z", zone=zone)
    if expected[:1] in ("", "2"):
        assert expected == parse_roster(text, "r.csv", rules).people[0].submitted_at
    else:
        with pytest.raises(RosterError, match=expected):
            parse_roster(text, "r.csv", rules)
    assert "" == parse_roster(text, "r.csv").people[0].submitted_at


def test_columns_that_are_not_recognised_are_told() -> None:
    """The message suggests a similar heading, unless another column has it."""
    roster = parse_roster(b"Login,Full name,Secton,Shoe size\nann,Ann A,B,38\n", "r.csv")
    assert (
        "columns recognised: Login, Full name as name; "
        "not recognised, and not used: `Secton` (did you mean `section`?), `Shoe size`"
    ) == columns_text(roster.columns, roster.unread)
    assert "columns recognised: SIS_ID" == columns_text((("SIS_ID", "sis_id"),), ())


# -- The owner of a submission, determined from the data of each platform

ANN = Person("Ann Ärzte", "stu1", "ann@example.edu", sis_id="s-1", canvas_id="1001", moodle_id="7001", github="octoann")
BOB = Person("Bob Doe", "stu2", "bob@example.edu", sis_id="s-2", canvas_id="1002", moodle_id="7002", github="octobob")
CLASS = (ANN, BOB)


def handed(name: str, *submitters: Submitter) -> HandIn:
    return HandIn(name, name, submitters or (Submitter(name),))


def owners(people: tuple[Person, ...], *submissions: HandIn) -> dict[str, tuple[str, ...]]:
    return {key: owned for key, owned in join(people, submissions).owned.items() if owned}


@every(
    "submission",
    [
        handed("stu1"),
        handed("STU1"),
        handed("octoann"),
        handed("ann@example.edu"),
        handed("Ann Arzte"),
        handed("arzteann_1001", Submitter("arzteann", "1001")),
        handed("somebody_1001", Submitter("somebody", "1001")),
        handed("Ann Ärzte_7001_assignsubmission_file_", Submitter("Ann Ärzte", "7001")),
        handed("submission_1", Submitter("A. A.", "", "Ann@Example.edu")),
        handed("submission_1", Submitter("A. A.", "s-1", "other@example.edu")),
        handed("stu1", Submitter("stu1", "stu1")),
    ],
    ids=lambda one: one.id,
)
def test_each_platform_says_who_it_is(submission: HandIn) -> None:
    """People are found by login, GitHub user, e-mail address, number or name, without case and accents."""
    assert {"stu1": (submission.id,)} == owners(CLASS, submission)


def test_a_classroom_puts_its_name_before_the_users() -> None:
    """The prefix is the one that most folders, at least two, have before a user on the roster. Users have hyphens."""
    people = (*CLASS, Person(login="jane-doe"), Person(login="doe"))
    names = ("backward-octobob", "backward-jane-doe", "notes")
    assert {"stu2": names[:1], "jane-doe": names[1:2]} == owners(people, *map(handed, names))
    assert {} == owners(people, *map(handed, names[1:]))


def test_twins_of_a_name_are_not_guessed() -> None:
    """The submission has no owner, and both people are named."""
    twins = (Person("Jo Roe", "jo1"), Person("Jo Roe", "jo2"))
    found = join(twins, [handed("roejo_55", Submitter("roejo", "55"))])
    assert {"jo1": (), "jo2": ()} == found.owned
    assert [("roejo_55", ("jo1", "jo2"))] == [(one.submission, one.candidates) for one in found.unmatched]


def test_twins_are_told_apart_by_an_id() -> None:
    """A number on the roster decides, whatever the name."""
    twins = (Person("Jo Roe", "jo1", canvas_id="55"), Person("Jo Roe", "jo2", canvas_id="56"))
    assert {"jo2": ("roejo_56",)} == owners(twins, handed("roejo_56", Submitter("roejo", "56")))


@every(
    "stranger",
    [
        handed("eve"),
        handed("doebob_9", Submitter("doebob", "9")),
        handed("submission_2", Submitter("Bob Doe", "", "bob@elsewhere.org")),
    ],
    ids=lambda one: one.id,
)
def test_a_namesake_with_another_id_is_a_stranger(stranger: HandIn) -> None:
    """The name does not decide if an id says otherwise."""
    found = join(CLASS, [stranger])
    assert [(stranger.id, ())] == [(one.submission, one.candidates) for one in found.unmatched]


def test_a_group_submits_together() -> None:
    """A submission may have the group's name, a member's name or several submitters. Own submissions are not shared."""
    pair = (Person("A", "a", group="Team 1"), Person("B", "b", group="Team 1"), Person("C", "c", group="Team 2"))
    assert {"a": ("x-team-1",), "b": ("x-team-1",)} == owners(pair, handed("x-team-1", Submitter("Team 1")))
    assert {"a": ("a",), "b": ("a",)} == owners(pair, handed("a"))
    assert {"a": ("a",), "b": ("b",)} == owners(pair, handed("a"), handed("b"))
    both = handed("submission_1", Submitter("A", "a"), Submitter("C", "c"))
    assert {"a": ("submission_1",), "b": ("submission_1",), "c": ("submission_1",)} == owners(pair, both)


def test_owners_are_the_other_way_around() -> None:
    """`owners` has the keys of people by submission."""
    assert {"x": ("a", "b"), "y": ("b",)} == Joined.of({"a": ["x"], "b": ["x", "y"]}).owners


def test_names_are_compared_in_any_order() -> None:
    """Canvas writes the last name first and in one word."""
    assert "souzaanamaria" in set(name_keys("Ana Maria Souza"))
    assert set(name_keys("Doe, Jane")) == set(name_keys("jane DOE")) >= {"doejane"}


def test_the_member_of_a_group_who_submitted() -> None:
    """The member is found at any place in the roster. If nobody's name is on the submission, it is the first member."""
    team = (Person("Ann A", "stu1", group="blue"), Person("Bob B", "stu2", group="blue"))
    assert ["stu2", "stu1", "stu1"] == [submitter_of(team, handed(name)) for name in ("stu2", "Ann A", "blue")]


def test_columns_of_assignments_are_known_by_their_names() -> None:
    """In Canvas' gradebook, a heading has an assignment's name and id. Two assignments of one name are not used."""
    header = "Student,ID,SIS User ID,SIS Login ID,Section,Homework 1 (4711),Homework 1 (4712),Backward (4713),Notes"
    roster = parse_roster(f"{header}\nJane,1,S1,jane,A,,,,\n".encode(), "roster.csv")
    assert {"Backward": "Backward (4713)"} == roster.assignments
    assert ["Homework 1 (4711)", "Homework 1 (4712)", "Notes"] == [heading for heading, _ in roster.unread]
    elsewhere = parse_roster(b"login,Backward (4713)\njane,\n", "roster.csv")
    assert {} == elsewhere.assignments
