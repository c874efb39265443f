"""Practice in a terminal: lines that fit, the bar, and the next step."""

from pathlib import Path

import pytest
from every import every
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from reports import make_check, make_exercise, make_report

from grader.base.text import Style, columns, hint_lines
from grader.course.load import load_course
from grader.practice.screens import (
    exercise_list,
    exercise_screen,
    farewell,
    fitted,
    next_step,
    progress,
    reset_text,
    welcome,
    what_next,
)
from grader.practice.workspace import Reset
from grader.words import practice as said

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT)
FIRST = COURSE.exercises[0]


@given(st.lists(st.text(max_size=5), max_size=40), st.integers(1, 30))
def test_what_fits_is_as_long_as_the_window(lines: list[str], rows: int) -> None:
    """If all lines with text fit, they are kept. Otherwise, the first line and the last lines are."""
    shown = fitted(lines, rows)
    assert min(len(lines), rows) == len(shown)
    texts = [line for line in lines if line]
    if len(texts) <= rows:
        assert texts == [line for line in shown if line]
    else:
        assert rows <= 2 or (lines[0], "  …", lines[-1:]) == (shown[0], shown[1], shown[2:][-1:])


def test_a_course_of_one_exercise_is_told_in_the_singular() -> None:
    """Progress, the next step and the end use the singular."""
    course = replace(COURSE, exercises=COURSE.exercises[:1])
    assert "0 of 1 exercise passed" in progress(course, {})
    assert ["You have passed the exercise."] == next_step(course, None, ROOT) == farewell(course)[1:2]


def test_the_explanation_stands_at_the_end() -> None:
    """The explanation is below the lines of all checks, at the bottom of the screen."""
    wrong = make_check("second", "failed", program="L = a + b", expected={"dL/da": 1.0}, actual={"dL/da": 2.0})
    lines = exercise_screen(make_exercise(make_check("first"), wrong, make_check("third", "failed")))
    assert ["first", "second", "third"] == [line.split()[1] for line in lines[1:4]]
    assert ["second", "L = a + b"] == [line.strip() for line in lines[5:7]]


def test_every_failure_is_explained_once() -> None:
    """A misconception of several checks is written once."""
    checks = [make_check(title, "failed", diagnosis="It assigns.") for title in ("one", "two")]
    text = "\n".join(exercise_screen(make_exercise(*checks), everything=True))
    assert 1 == text.count("It assigns.")


def test_the_bar_counts_points() -> None:
    """The bar shows the points and the passed exercises of the whole course."""
    results = {FIRST.id: make_exercise(make_check())}
    assert progress(COURSE, results).endswith(
        f"] {results[FIRST.id].score}/{COURSE.max_score} points, 1 of {len(COURSE.exercises)} exercises passed"
    )
    assert progress(COURSE, {}).startswith("[" + "." * 24 + "]")


def test_the_list_marks_the_exercise_at_hand() -> None:
    """One line is marked. An exercise that was not graded has its name."""
    lines = exercise_list(COURSE, {}, FIRST)
    assert [f"> {FIRST.number} {FIRST.id}"] == [line for line in lines if line.startswith(">")]


def test_a_list_that_does_not_fit_has_the_exercises_of_the_current_part() -> None:
    """Other parts have only their title and total."""
    first, *others = COURSE.parts
    lines = [line for line in exercise_list(COURSE, {}, FIRST, rows=len(COURSE.exercises)) if line]
    assert len(first.exercises) + len(COURSE.parts) + 1 == len(lines)
    assert {f"{one.title}: 0/{one.max_score}" for one in others} <= {*lines}
    assert lines == [line for line in exercise_list(COURSE, {}, FIRST, rows=99) if line in lines]


def test_the_list_and_the_last_page_have_the_title_of_each_part() -> None:
    """A part begins with its title and its points. Without parts, the same lines follow each other."""
    results = {FIRST.id: replace(make_exercise(make_check()), id=FIRST.id, number=FIRST.number)}
    part, *others = COURSE.parts
    undivided = replace(COURSE, parts=())
    lines = exercise_list(COURSE, results, FIRST)
    heads = [f"{part.title}: 2/{part.max_score}", *(f"{one.title}: 0/{one.max_score}" for one in others)]
    assert heads[0] == lines[0]
    rest = [line for line in lines if line and line not in heads]
    assert rest == [line for line in exercise_list(undivided, results, FIRST) if line]
    assert {one.title for one in COURSE.parts} == {*farewell(COURSE)} - {*farewell(undivided)}
    assert {said.FURTHER} <= {*farewell(COURSE)} - {*farewell(replace(COURSE, further=()))}


def test_the_last_page_trains_the_transformer() -> None:
    """It names the exercise with its command. A course without one does not."""
    lines = " ".join(farewell(COURSE))
    assert f"{said.MADE} `grade play 27` trains your model of exercise 27" in lines
    first = replace(COURSE, exercises=COURSE.exercises[:3], parts=())
    assert said.MADE not in farewell(first)


def test_the_next_step_names_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The path is relative to the current folder."""
    monkeypatch.chdir(tmp_path)
    assert next_step(COURSE, FIRST, tmp_path / "exercises")[0].startswith("Next: open exercises/01_distribute.py (")
    assert [f"You have passed all {len(COURSE.exercises)} exercises."] == next_step(COURSE, None, tmp_path)


def test_a_hint_is_wrapped() -> None:
    """No line is wider than the terminal."""
    for exercise in COURSE.exercises:
        for hint in exercise.hints:
            assert all(len(line) <= 78 for line in hint_lines(exercise.stem, hint, Style()))


WIDTHS = [38, 40, 58, 60, 78, 118, 198]  # of a terminal with two columns more


@every("width", WIDTHS)
def test_every_line_of_practice_fits(width: int) -> None:
    """Next steps, first and last screens, the list, hints and the result of a reset fit 40 to 200 columns."""
    style, folder = Style(width), Path("exercises")
    files = {one.id: folder / one.filename for one in COURSE.exercises}
    lines = [*farewell(COURSE, style), *exercise_list(COURSE, {}, FIRST, style)]
    lines += reset_text(files[FIRST.id], Reset(written=False), style)
    lines += reset_text(
        files[FIRST.id], Reset(written=True, copy=folder / ".backward/backup/01_distribute.1.py"), style
    )
    for exercise in COURSE.exercises:
        lines += next_step(COURSE, exercise, folder, style)
        for status in ("failed", "missing", "not_started"):
            result = replace(make_exercise(make_check("a", "failed")), id=exercise.id, status=status)
            lines += what_next(COURSE, make_report(result), files, folder, (), ("--from", "exercises"), style)
        lines += style.wrap(said.last_hint(exercise.id, 12), style.prose)
        lines += style.wrap(said.hints_later(exercise.id), style.prose)
    lines += welcome(COURSE, make_report(replace(result, id=FIRST.id)), files, (), style)
    assert [] == [line for line in lines if columns(line) > width]


def test_a_file_elsewhere_is_named_again() -> None:
    """The suggested command grades the same file. The next exercise is expected in the usual folder."""
    folder = Path("exercises")
    wrong, right = (
        replace(make_exercise(make_check(), make_check("b", status)), id=FIRST.id, status=word)
        for status, word in (("failed", "partial"), ("passed", "passed"))
    )
    files = {FIRST.id: Path("elsewhere") / FIRST.filename}
    assert [
        "Next: change elsewhere/01_distribute.py, then",
        "`grade distribute elsewhere/01_distribute.py`",
    ] == what_next(COURSE, make_report(wrong), files, folder, (), style=Style(78))
    assert ["Next: open exercises/02_swap.py, then `grade 2`"] == what_next(
        COURSE, make_report(right), files, folder, [FIRST.id]
    )


def test_a_next_file_that_does_not_exist_is_not_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In a folder with one file, the next step is the command that writes the next one. A notebook counts as a file."""
    report = make_report(replace(make_exercise(make_check()), id=FIRST.id, status="passed"))
    monkeypatch.chdir(tmp_path)
    files, following = {FIRST.id: Path(FIRST.filename)}, COURSE.exercises[1]
    steps = what_next(COURSE, report, files, Path(), [FIRST.id])
    assert ["Next: `grade reset 2` writes 02_swap.py, which is missing."] == steps
    Path(following.notebook).touch()
    steps = what_next(COURSE, report, files, Path(), [FIRST.id])
    assert ["Next: open 02_swap.ipynb, then `grade 2`"] == steps
