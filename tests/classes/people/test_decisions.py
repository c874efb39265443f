"""The decisions in a file, the text that is appended, and the decisions that apply to given files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from every import every
from hypothesis import given, settings
from hypothesis import strategies as st
from read_yaml import read_yaml

from grader.classes.people import (
    WHAT,
    Class,
    HandIn,
    Mark,
    Overrides,
    entry_text,
    in_force,
    made_for,
    merged,
    parts,
    read_overrides,
    settle,
    with_parts,
)
from grader.classes.people.decisions import WHOLE, Found, chosen, file_choices, files_digest
from grader.classes.people.settle import FinalTable
from grader.course.learners import Decided, NeedsReview
from grader.course.load import Course, CourseError, Grades

CHECK = "swap.upstream"
MISTAKES = read_yaml(Path(__file__).with_name("mistakes.yaml"))["decisions"]
FILE = """\
# by hand
- learner: stu1
  points: {swap.upstream: 2}
  by: Ada
  at: 2026-03-05
  why: the check was wrong
- {learner: stu1, comment: Well done., by: Ada, at: 2026-03-06 10:00:00 +01:00, why: it was}
"""


def test_a_file_of_decisions(course: Course) -> None:
    """Each decision has its line, in their order. A date means the beginning of that day."""
    first, second = read_overrides(Path("o.yaml"), course, FILE.encode()).of("stu1")
    assert ({"swap.upstream": 2}, "2026-03-05T00:00:00+00:00", 2) == (first.points, first.at, first.line)
    assert ("Well done.", "2026-03-06T10:00:00+01:00", 7) == (second.comment, second.at, second.line)


def test_no_file_is_no_decision(course: Course, tmp_path: Path) -> None:
    """Without a file, nobody has decided anything."""
    assert {} == read_overrides(tmp_path / "overrides.yaml", course).by_learner


@every("case", MISTAKES, ids=[case["said"] for case in MISTAKES])
def test_mistakes_have_their_line(course: Course, case: dict[str, str]) -> None:
    """The message says what is expected."""
    with pytest.raises(CourseError) as error:
        read_overrides(Path("o.yaml"), course, case["text"].encode())
    assert str(error.value).startswith(case["said"])


def test_the_later_of_two_decisions_counts() -> None:
    """This holds for each check. All comments are kept."""
    first = Decided("Ada", "2026-01-01", "x", points={"a.b": 1, "a.c": 1}, penalty=3, comment="one")
    second = Decided("Bob", "2026-01-02", "y", points={"a.b": 0}, penalty=0, comment="two")
    found = merged((first, second))
    assert ({"a.b": 0, "a.c": 1}, 0, "one\ntwo") == (found.points, found.penalty, found.comment)
    assert Decided("", "", "") == merged(())


def test_a_decision_is_the_sum_of_its_parts() -> None:
    """Every field that says what was decided comes back, so a new field needs no other place."""
    values: dict[str, Any] = {"points": {"a.b": 1}, "files": {"a": "x.py"}, "keep": ("note",), "withdraw": ("a.c",)}
    for name in WHAT:
        values.setdefault(name, 3)
    one = Decided("Ada", "2026-01-01", "x", made_for={"a.b": "1", "a": "2"}, line=4, **values)
    assert one == with_parts(one, parts(one))


@settings(max_examples=30)
@given(
    learner=st.text(min_size=1, max_size=20),
    why=st.text(min_size=1, max_size=40),
    comment=st.none() | st.text(min_size=1, max_size=40),
    points=st.none() | st.integers(0, 2),
)
def test_what_is_appended_is_read(
    course: Course, learner: str, why: str, comment: str | None, points: int | None
) -> None:
    """With any characters, the file stays valid YAML with the same content."""
    checks = {} if points is None else {"swap.upstream": points}
    made = Decided("Ada", "2026-03-05T00:00:00+00:00", why, points=checks, excused=True, comment=comment)
    text = FILE + entry_text(learner, made)
    found = read_overrides(Path("o.yaml"), course, text.encode("utf-8", "replace")).by_learner
    (read,) = [one for one in found[learner] if one.line > 7]
    assert (made.why, made.comment, made.points) == (read.why, read.comment, read.points)


@settings(max_examples=50)
@given(data=st.binary(max_size=120))
def test_any_bytes_are_decisions_or_a_mistake(course: Course, data: bytes) -> None:
    """Only the expected error is raised."""
    for head in (b"", b"- learner: a\n  "):
        try:
            read_overrides(Path("o.yaml"), course, head + data)
        except CourseError:
            pass


# -- The decisions that apply to given files

FOUND: Found = {"swap": {"a/02_swap.py": "1", "b/02_swap.py": "2"}, "": {"mine.py": "3", "w.zip/x.py": ""}}


def decided(line: int = 1, **what: object) -> Decided:
    return Decided("Ada", "2026-03-05T00:00:00+00:00", "so", line=line, **what)  # type: ignore[arg-type]


def points(line: int, number: int, digest: str = "") -> Decided:
    return decided(line, points={"swap.upstream": number}, made_for={"swap.upstream": digest} if digest else {})


@every(
    ("decisions", "files", "applied", "pending"),
    [
        ([points(1, 2)], {"swap": "old"}, [2], []),  # by hand, for any file
        ([points(1, 2, "old")], {"swap": "old"}, [2], []),
        ([points(1, 2, "old")], {"swap": "new"}, [], [2]),
        ([points(1, 2, "none")], {}, [2], []),  # for somebody without this file
        ([points(1, 2, "none")], {"swap": "new"}, [], [2]),
        ([points(1, 2, "old"), points(2, 1, "new")], {"swap": "new"}, [1], []),
        ([points(1, 2, "old"), points(2, 1, "new")], {"swap": "old"}, [2], []),  # back to the earlier file
        ([points(1, 2), points(2, 1)], {"swap": "old"}, [1], []),  # the later counts
        ([points(1, 2), decided(2, withdraw=("swap.upstream",))], {"swap": "old"}, [], []),
        ([points(1, 2, "old"), decided(2, withdraw=("swap.upstream",))], {"swap": "new"}, [], []),
        ([points(1, 2), decided(2, withdraw=("swap.upstream",)), points(3, 0)], {"swap": "old"}, [0], []),
    ],
)
def test_points_hold_for_the_file_that_they_were_given_for(
    decisions: list[Decided], files: Mapping[str, str], applied: list[int], pending: list[int]
) -> None:
    """For another file, the points are pending unless somebody decided again or withdrew them."""
    found = in_force(decisions, files, {})
    assert (applied, pending) == (
        [one.points["swap.upstream"] for one in found.applied],
        [one.points["swap.upstream"] for one in found.pending],
    )


def test_a_result_is_kept_for_the_files_that_it_was_kept_for() -> None:
    """With another file, even one that is not graded, the decision neither applies nor is pending."""
    files = {WHOLE: "all"}
    bare = decided(keep=("note", "swap.syntax"))
    one = decided(keep=("note", "swap.syntax"), made_for=made_for(bare, files, FOUND))
    assert {"keep"} == one.made_for.keys()
    assert ((one,), ()) == ((found := in_force((one,), files, FOUND)).applied, found.pending)
    assert (bare,) == in_force((bare,), files, FOUND).applied
    more = {**FOUND, "": {**FOUND[""], "new.py": "4"}}
    for other in (in_force((one,), {WHOLE: "others"}, FOUND), in_force((one,), files, more)):
        assert ((), ()) == (other.applied, other.pending)
    assert () == in_force((one, decided(2, withdraw=("keep",))), files, FOUND).applied


def test_a_decision_without_its_replaced_parts() -> None:
    """A decision contains only the parts that apply."""
    first = decided(1, points={"swap.upstream": 1, "chain.end": 2}, penalty=3, excused=True, comment="one")
    second = decided(2, points={"swap.upstream": 0}, excused=False, comment="two")
    third = decided(3, withdraw=("penalty",))
    assert (
        decided(1, points={"chain.end": 2}, comment="one"),
        decided(2, points={"swap.upstream": 0}, excused=False, comment="two"),
    ) == in_force((first, second, third), {}, {}).applied


@every(
    ("change", "holds"),
    [
        ({}, True),
        ({"swap": {"a/02_swap.py": "9", "b/02_swap.py": "2"}}, False),
        ({"swap": {"a/02_swap.py": "1", "b/02_swap.py": "9"}}, False),  # the file that was not chosen
        ({"swap": {"a/02_swap.py": "1", "b/02_swap.py": "2", "02_swap.py": "3"}}, False),
        ({"swap": {"b/02_swap.py": "2"}}, False),
        ({"": {"mine.py": "9"}}, True),  # a file that was no candidate
    ],
)
def test_a_choice_holds_for_the_files_that_it_was_made_from(change: Found, holds: bool) -> None:
    """If a file changed, was added or was removed, the choice is pending."""
    first = decided(files={"swap": "a/02_swap.py"})
    pinned = decided(files={"swap": "a/02_swap.py"}, made_for=made_for(first, {}, FOUND))
    assert pinned.made_for
    now = in_force([pinned], {}, {**FOUND, **change})
    assert ((pinned,), ()) == (now.applied, now.pending) if holds else ((), (pinned,)) == (now.applied, now.pending)
    choice = chosen(file_choices([pinned])["swap"], {**FOUND, **change}, "swap")
    assert holds == (choice is not None)


def test_a_file_of_another_name_is_part_of_the_choice() -> None:
    """This holds even if its name does not resemble the exercise's. In archives, digests are not known before."""
    digests = {files_digest({**FOUND, "": {"mine.py": digest}}, "swap", "mine.py") for digest in "345"}
    assert 3 == len(digests)
    assert "" == files_digest(FOUND, "swap", "w.zip/x.py")
    assert files_digest(FOUND, "swap", "nowhere.py") is None
    assert {} == made_for(decided(files={"swap": "w.zip/x.py"}), {}, FOUND)


def test_points_for_the_file_that_is_chosen_with_them() -> None:
    """If both are decided together, the points are for the chosen file, not for the file that was graded before."""
    both = decided(files={"swap": "mine.py"}, points={"swap.upstream": 1, "chain.end": 2})
    digests = made_for(both, {"swap": "before", "chain": "c"}, FOUND)
    assert ("3", "c") == (digests["swap.upstream"], digests["chain.end"])


def test_a_time_holds_for_the_files_that_it_was_given_for() -> None:
    """A later submission has its own time."""
    time = decided(submitted_at="2026-03-01T12:00:00+00:00", made_for={"submitted_at": "first"})
    first = Mark("stu1", "first.json", "", True, 60, 0, files={WHOLE: "first"})
    later = Mark("stu1", "later.json", "", True, 70, 0, files={WHOLE: "later"})
    assert "2026-03-01T12:00:00+00:00" == row([time], first).learners[0].submitted_at
    table = row([time], first, later)
    assert ("", 70) == (table.learners[0].submitted_at, table.learners[0].total)
    assert ["late_unknown", "other_files"] == [reason.kind for _, reason in table.open]
    assert {"submitted_at": "later"} == made_for(decided(submitted_at="x"), {WHOLE: "later"}, {})


def row(decisions: list[Decided], *marks: Mark) -> FinalTable:
    of = Class((HandIn("stu1", "stu1", ()),), overrides=Overrides({"stu1": tuple(decisions)}))
    return settle(of, {"stu1": marks}, Grades({"A": 90}), 2)


def mark(file: str, score: int, check: int) -> Mark:
    return Mark("stu1", f"{file}.json", "", False, score, 0, {"swap.upstream": (check, False)}, {"swap": file})


def test_a_corrected_file_is_not_lowered_and_a_broken_one_keeps_no_points() -> None:
    """The result of the checks counts until somebody confirms the decision, and a review asks for this."""
    table = row([points(1, 0, "old")], mark("old", 60, 2), mark("new", 80, 2))
    assert (80, ()) == (table.learners[0].total, table.learners[0].decisions)
    assert [("stu1", NeedsReview("other_files", decided=points(1, 0, "old")))] == list(table.open)
    assert [] == list(row([points(1, 0, "old")], mark("old", 60, 2)).open)
    assert 58 == row([points(1, 0, "old")], mark("old", 60, 2)).learners[0].total
    broken = row([points(1, 2, "old")], mark("old", 60, 0), mark("new", 10, 0))
    assert (10, 1) == (broken.learners[0].total, len(broken.open))


@every(
    ("written", "points"),
    [
        (["one 1", "all 2"], 2),  # the later one counts
        (["all 2", "one 1"], 1),
        (["one 1", "all 2", "all -"], 1),  # what was decided about the learner holds again
        (["all 2", "one -"], None),  # an exception for one learner
        (["all 1", "all 2", "all -"], None),
        (["all 1", "all -", "all 2"], 2),
    ],
)
def test_decisions_about_all_learners(written: list[str], points: int | None) -> None:
    """They hold for whatever files, and can be withdrawn for all without the decisions about one learner."""
    decided = []
    for word in written:
        whom, what = word.split()
        fields: dict[str, Any] = {"withdraw": (CHECK,)} if what == "-" else {"points": {CHECK: int(what)}}
        decided.append(Decided("Ada", "2026-03-05", "so", **fields, for_all=whom == "all"))
    applied = merged(in_force(decided, {"swap": "digest"}, {}).applied)
    assert points == applied.points.get(CHECK)
