"""Sentences for learners that need more grammar than a template has."""

from every import every

from grader.words import practice as said


@every(
    ("expected", "numbers"),
    [
        ("1", ["01"]),
        ("1, 2", ["01", "02"]),
        ("1 to 3", ["01", "02", "03"]),
        ("1 to 3, 5, 6, 8 to 10", ["01", "02", "03", "05", "06", "08", "09", "10"]),
    ],
)
def test_numbers_that_follow_each_other_are_a_range(expected: str, numbers: list[str]) -> None:
    """Two numbers are listed one by one, and a gap ends a range."""
    assert f"there is no exercise `x`; the exercises are {expected}, and `grade list` names them" == said.no_exercise(
        "x", numbers, ""
    )
