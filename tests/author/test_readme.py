"""The table of exercises in a README matches the course, or the finding says what to write."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.author.release import differing, row_of
from grader.course.load import Course, load_course

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT)
HEAD = "# A course\n\n| exercise | what you write | points |\n|---|---|---|\n"

Written = Callable[[list[str]], Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Write a README with a table of these rows."""

    def write(rows: list[str]) -> Path:
        (tmp_path / "README.md").write_text(HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")
        return tmp_path / "README.md"

    return write


def rows(course: Course) -> list[str]:
    return [row_of(exercise, "`_backward`") for exercise in course.exercises]


@pytest.mark.parametrize("page", ["README.md", "LEARNERS.md"])
def test_the_repositorys_own_tables_are_right(page: str) -> None:
    """The pages for learners list each exercise with its points."""
    assert [] == list(differing(COURSE, ROOT / page))


def test_a_row_that_differs_is_told_with_the_right_one(written: Written) -> None:
    """Points and bonus in a row are those of the course."""
    found = list(differing(COURSE, written([row.replace("10 + 3 bonus", "10") for row in rows(COURSE)])))
    assert [(10, "this row differs from the course; write `| 06 build_topo | `_backward` | 10 + 3 bonus |`")] == found


def test_rows_that_are_missing_or_too_many_are_told(written: Written) -> None:
    """A new exercise without a row is reported, and so is the row of a removed exercise."""
    listed = [row.replace("03 accumulate", "03 accumulates") for row in rows(COURSE)]
    assert [
        (None, "its table of exercises lacks 03_accumulate; add `| 03 accumulate | … | 10 |`"),
        (7, "there is no exercise `accumulates` in course.yaml; remove the row"),
    ] == list(differing(COURSE, written(listed)))


def test_rows_in_another_order_are_told(written: Written) -> None:
    """Rows in another order than the course's are reported, because learners follow the table."""
    first, second, *rest = rows(COURSE)
    assert [(5, "the rows are not in the order of course.yaml, or an exercise has two")] == list(
        differing(COURSE, written([second, first, *rest]))
    )


def test_an_empty_table_lacks_every_exercise(written: Written) -> None:
    """A table with a head but no rows is a table of exercises."""
    assert len(COURSE.exercises) == len(list(differing(COURSE, written([]))))


@pytest.mark.parametrize("text", [None, "", "# A course\n\n| a | b |\n|---|---|\n"])
def test_a_readme_without_a_table_has_nothing_to_check(tmp_path: Path, text: str | None) -> None:
    """A README without a table, or a missing README, has no findings."""
    if text is not None:
        (tmp_path / "README.md").write_text(text, encoding="utf-8")
    assert [] == list(differing(COURSE, tmp_path / "README.md"))
