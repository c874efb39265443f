"""A new course and a new exercise have correct files, and the rest of course.yaml stays unchanged."""

import shutil
from pathlib import Path

import pytest
from read_yaml import read_yaml

from grader.author.build import is_work, make_stub
from grader.author.release import NewError, new_course, new_exercise
from grader.course.load import Part, load_course

ROOT = Path(__file__).resolve().parents[2]
PAGE = read_yaml(Path(__file__).with_name("texts.yaml"))["mini"]


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """Make a course of one exercise, whose course.yaml has comments, and further sections after the exercises."""
    folder = tmp_path / "mini"
    (folder / "exercises").mkdir(parents=True)
    (folder / "exercises" / "04_first.py").touch()
    (folder / "course.yaml").write_text(PAGE, encoding="utf-8")
    return folder


def files(folder: Path) -> set[str]:
    """Return every file below a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_new_course_has_what_it_needs(tmp_path: Path) -> None:
    """The id comes from the folder's name, the title is the given one, and the README has a row for the exercise."""
    course = new_course(tmp_path / "My Course", 'Say "hi": # now')
    assert ("my_course", 'Say "hi": # now', ["01_first"]) == (
        course.id,
        course.title,
        [e.stem for e in course.exercises],
    )
    assert {
        "README.md",
        "course.yaml",
        "exercises/01_first.py",
        "solutions/01_first.py",
        "solutions/01_first.mistakes.yaml",
        "tests/hidden/test_01_first.py",
    } == files(course.folder)
    assert "| 01 first | `_backward` of `log` | 5 |" in (course.folder / "README.md").read_text(encoding="utf-8")


def test_a_course_is_not_written_over_anything(tmp_path: Path) -> None:
    """A folder that contains a file is left unchanged."""
    (tmp_path / "mine.txt").touch()
    with pytest.raises(NewError, match="is not empty; name a new folder"):
        new_course(tmp_path)
    assert {"mine.txt"} == files(tmp_path)


def test_a_new_exercise_is_the_next_one(mini: Path) -> None:
    """The exercise has the next number, a title made from its name, and a stub of its solution."""
    made = new_exercise(load_course(mini), "log_sum")
    assert ("05_log_sum", "Log sum", 5) == (made.stem, made.title, made.max_score)
    course = load_course(mini)
    assert ["first", "log_sum"] == [exercise.id for exercise in course.exercises]
    assert make_stub(course, made) == course.exercise_file(made).read_text(encoding="utf-8")
    assert "# TODO: what is the contribution of log to its input?" in make_stub(course, made)


def test_the_last_part_gets_the_points(mini: Path) -> None:
    """In a course with parts, a new exercise belongs to the last part, whose total grows."""
    page = mini / "course.yaml"
    parts = "parts: [{title: All, first: first, total: 5}]   # one\n"
    page.write_text(parts + PAGE, encoding="utf-8")
    new_exercise(load_course(mini), "log_sum")
    assert (Part("All", ("first", "log_sum"), 10),) == load_course(mini).parts
    assert page.read_text(encoding="utf-8").startswith("parts: [{title: All, first: first, total: 10}]   # one\n")


def test_the_rest_of_the_course_file_stays_byte_for_byte(mini: Path) -> None:
    """Comments, quotes and columns stay. The entry follows the last exercise, and its points are added to the total."""
    new_exercise(load_course(mini), "second", "The second")
    before, added, after = (mini / "course.yaml").read_text(encoding="utf-8").partition("\n  - id: second\n")
    entry, end, rest = after.partition("\n# the end\n")
    assert PAGE.replace("total: 5 ", "total: 10 ") == before + end + rest
    assert '    title: "The second"\n    checks:\n      local_derivative: {points: 2,' in entry
    assert added


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(PAGE.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(PAGE[: PAGE.index("\n# the end")], id="exercises at the end"),
        pytest.param(PAGE[: PAGE.index("   # twice")], id="no line end"),
        pytest.param(PAGE.replace("  - id", "- id").replace("\n    ", "\n  "), id="no indentation"),
        pytest.param((ROOT / "course.yaml").read_text(encoding="utf-8"), id="the packaged course"),
    ],
)
def test_an_entry_fits_into_any_course_file(tmp_path: Path, page: str) -> None:
    """In any layout of course.yaml, the course gets one more exercise, and its total is right."""
    (tmp_path / "course.yaml").write_bytes(page.encode())
    names = ROOT / "exercises" if "id: distribute" in page else None
    (tmp_path / "exercises").mkdir()
    for name in [path.name for path in names.glob("*.py")] if names else ["04_first.py"]:
        (tmp_path / "exercises" / name).touch()
    before = load_course(tmp_path)
    new_exercise(before, "another")
    after = load_course(tmp_path)
    assert ([*before.exercises], 5) == ([*after.exercises[:-1]], after.max_score - before.max_score)


def test_exercises_in_brackets_are_told(mini: Path) -> None:
    """A list of exercises in one line is an error, and nothing is written."""
    flow = "exercises: [{id: first, title: F, checks: {one: {points: 5, title: o}}, hints: [h]}]\n"
    page = PAGE[: PAGE.index("exercises:")] + flow
    (mini / "course.yaml").write_text(page, encoding="utf-8")
    before = files(mini)
    with pytest.raises(Exception, match=r"course\.yaml:10: `exercises` is in brackets"):
        new_exercise(load_course(mini), "second")
    assert (before, page) == (files(mini), (mini / "course.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "title", "says"),
    [
        ("first", None, "there is an exercise `first`"),
        ("Second", None, "is no name of an exercise: lower-case letters"),
        ("hint", None, "is a command of `grade`"),
        ("second", "a\nb", "a title is one line of text"),
        ("second", "\x1b[2J", "a title is one line of text"),
        ("second", 'say """', "a title is one line of text"),
        ("second", " ", "a title is one line of text"),
        ("taken", None, "test_05_taken.py already exists; move it away"),
    ],
)
def test_what_cannot_be_added_writes_nothing(mini: Path, name: str, title: str | None, says: str) -> None:
    """The message says what to do, and no file is left behind."""
    (mini / "tests" / "hidden").mkdir(parents=True)
    (mini / "tests" / "hidden" / "test_05_taken.py").touch()
    before = files(mini)
    with pytest.raises(NewError, match=says):
        new_exercise(load_course(mini), name, title)
    assert (before, PAGE) == (files(mini), (mini / "course.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["README.md", "LEARNERS.md"])
def test_a_table_of_exercises_gets_a_row(mini: Path, name: str) -> None:
    """The row comes after the last one, and text below the table stays."""
    table = "# Mine\n\n| exercise | what | points |\n|---|---|---|\n| 04 first | one | 5 |\n"
    (mini / name).write_text(f"{table}\nThe end.\n", encoding="utf-8")
    new_exercise(load_course(mini), "second")
    row = "| 05 second | `_backward` of `log` | 5 |\n"
    assert f"{table}{row}\nThe end.\n" == (mini / name).read_text(encoding="utf-8")


def test_a_readme_without_a_table_stays(mini: Path) -> None:
    """Only a table of exercises gets a row."""
    (mini / "README.md").write_text("# Mine\n\n| a | b |\n|---|---|\n", encoding="utf-8")
    new_exercise(load_course(mini), "second")
    assert "# Mine\n\n| a | b |\n|---|---|\n" == (mini / "README.md").read_text(encoding="utf-8")


def test_the_tape_can_have_another_exercise(tmp_path: Path) -> None:
    """A course file keeps its comments, even one in its first line."""
    shutil.copytree(ROOT / "examples" / "tape", tmp_path / "tape")
    made = new_exercise(load_course(tmp_path / "tape"), "undo")
    course = load_course(tmp_path / "tape")
    assert ("05_undo", 45) == (made.stem, course.max_score)
    assert course.file.read_text(encoding="utf-8").startswith("# A second, small course")


def test_a_new_exercise_that_nobody_touched_is_no_work(tmp_path: Path) -> None:
    """If the author rewrites the solution first, `grade build` writes the exercise file again. A touched one stays."""
    course = new_course(tmp_path / "mini")
    (first,) = course.exercises
    solution = course.solution(first)
    solution.write_text(solution.read_text().replace("The first exercise", "Logarithms").replace("what is", "which is"))
    assert not is_work(course, first, {})
    course.exercise_file(first).write_text(course.exercise_file(first).read_text() + "x = 1\n")
    assert is_work(course, first, {})
