"""The owner of a submission, determined from the data of each platform."""

import pytest

from grader.people import Handed, submitter_of
from grader.people.matching import Joined, join, name_keys
from grader.report.person import Person, Submitter

ANN = Person("Ann Ärzte", "stu1", "ann@example.edu", sis_id="s-1", canvas_id="1001", moodle_id="7001", github="octoann")
BOB = Person("Bob Doe", "stu2", "bob@example.edu", sis_id="s-2", canvas_id="1002", moodle_id="7002", github="octobob")
CLASS = (ANN, BOB)


def handed(name: str, *submitters: Submitter) -> Handed:
    return Handed(name, name, submitters or (Submitter(name),))


def owners(people: tuple[Person, ...], *submissions: Handed) -> dict[str, tuple[str, ...]]:
    return {key: owned for key, owned in join(people, submissions).owned.items() if owned}


@pytest.mark.parametrize(
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
def test_each_platform_says_who_it_is(submission: Handed) -> None:
    """People are found by login, GitHub user, e-mail address, number or name, without case and accents."""
    assert {"stu1": (submission.id,)} == owners(CLASS, submission)


def test_a_classroom_puts_its_name_before_the_users() -> None:
    """The prefix is the one that most folders have before a user on the roster. Users may have hyphens."""
    people = (*CLASS, Person(login="jane-doe"), Person(login="doe"))
    names = ("backward-stu1", "backward-octobob", "backward-jane-doe")
    expected = {"stu1": ("backward-stu1",), "stu2": ("backward-octobob",), "jane-doe": ("backward-jane-doe",)}
    assert expected == owners(people, *map(handed, names))


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


@pytest.mark.parametrize(
    "stranger",
    [
        handed("eve"),
        handed("doebob_9", Submitter("doebob", "9")),
        handed("submission_2", Submitter("Bob Doe", "", "bob@elsewhere.org")),
    ],
    ids=lambda one: one.id,
)
def test_a_namesake_with_another_id_is_a_stranger(stranger: Handed) -> None:
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
