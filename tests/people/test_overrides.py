"""The decisions in a file, errors with their lines, and the text that is appended."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.course import Course, CourseError
from grader.people import entry_text, merged, read_overrides
from grader.report.person import Decided

FILE = """\
# by hand
- learner: stu1
  points: {swap.upstream: 2}
  by: Ada
  at: 2026-03-05
  why: the check was wrong
- {learner: stu1, comment: Well done., by: Ada, at: 2026-03-06 10:00:00 +01:00, why: it was}
"""
HEAD = "- {learner: a, by: b, why: c, at: 2026-01-01, "


def test_a_file_of_decisions(course: Course) -> None:
    """Each decision has its line, in their order. A date means the beginning of that day."""
    first, second = read_overrides(Path("o.yaml"), course, FILE.encode()).of("stu1")
    assert ({"swap.upstream": 2}, "2026-03-05T00:00:00+00:00", 2) == (first.points, first.at, first.line)
    assert ("Well done.", "2026-03-06T10:00:00+01:00", 7) == (second.comment, second.at, second.line)


def test_no_file_is_no_decision(course: Course, tmp_path: Path) -> None:
    """Without a file, nobody has decided anything."""
    assert {} == read_overrides(tmp_path / "overrides.yaml", course).by_learner


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("learner: a\n", "o.yaml:1: expected a list of decisions"),
        ("- learner: a\n", "o.yaml:1: this decision has no key `by`; add `by:` with text"),
        (HEAD + "}\n", "o.yaml:1: nothing is decided; expected one of points, files,"),
        (
            f"\n{HEAD}points: {{swap.upstraem: 1}}}}\n",
            "o.yaml:2: there is no check `swap.upstraem`; did you mean",
        ),
        (
            HEAD + "\n  points: {swap.upstream: 3}}\n",
            "o.yaml:2: `swap.upstream` has 3 points, but the check is wo",
        ),
        (HEAD + "points: {swap.upstream: -1}}\n", "o.yaml:1: `swap.upstream` has -1 points, but the check is wo"),
        (HEAD + "files: {swpa: x.py}}\n", "o.yaml:1: there is no exercise `swpa`; did you mean `swap`?"),
        (HEAD + "submitted_at: 2026-01-01}\n", "o.yaml:1: `2026-01-01` is not a time; write one such as"),
        (HEAD + "pionts: {}}\n", "o.yaml:1: unknown key `pionts`; did you mean `points`?"),
        (HEAD + "excused: maybe}\n", "o.yaml:1: `excused` is the text `maybe`; write true or false"),
        ("- {learner: a, by: b, why: c, at: soon, excused: true}\n", "o.yaml:1: `soon` is not a time"),
    ],
)
def test_mistakes_have_their_line(course: Course, text: str, said: str) -> None:
    """The message says what is expected."""
    with pytest.raises(CourseError) as error:
        read_overrides(Path("o.yaml"), course, text.encode())
    assert str(error.value).startswith(said)


def test_the_later_of_two_decisions_counts() -> None:
    """This holds for each check. All comments are kept."""
    first = Decided("Ada", "2026-01-01", "x", points={"a.b": 1, "a.c": 1}, penalty=3, comment="one")
    second = Decided("Bob", "2026-01-02", "y", points={"a.b": 0}, penalty=0, comment="two")
    found = merged((first, second))
    assert found is not None
    assert ({"a.b": 0, "a.c": 1}, 0, "one\ntwo") == (found.points, found.penalty, found.comment)
    assert merged(()) is None


@settings(max_examples=30, deadline=None)
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


@settings(max_examples=50, deadline=None)
@given(data=st.binary(max_size=120))
def test_any_bytes_are_decisions_or_a_mistake(course: Course, data: bytes) -> None:
    """Only the expected error is raised."""
    for head in (b"", b"- learner: a\n  "):
        try:
            read_overrides(Path("o.yaml"), course, head + data)
        except CourseError:
            pass
