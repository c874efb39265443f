"""A release has exercises, a README and a workflow, and nothing that a course keeps from learners."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from every import every
from msgspec.structs import replace

from grader.author.build import catalogue
from grader.author.release import ReleaseError, release, release_files, solution_bodies, squeezed
from grader.course.load import Course, CourseError, Exercise, load_course
from grader.course.oracle.answer_book import read_book, write_book
from grader.verdict.diagnosis import regions

ROOT = Path(__file__).resolve().parents[2]
COURSES = [load_course(ROOT), load_course(ROOT / "examples" / "tape")]
EXERCISES = [(course, exercise) for course in COURSES for exercise in course.exercises]
TRIVIAL = 12  # characters of a line that says nothing by itself, such as `return out`

each_course = pytest.mark.parametrize("course", COURSES, ids=lambda course: course.id)
each_exercise = every(("course", "exercise"), EXERCISES, ids=lambda it: it.id)


@pytest.fixture
def tape(tmp_path: Path) -> Course:
    """Return a copy of the second course."""
    return load_course(Path(shutil.copytree(ROOT / "examples" / "tape", tmp_path / "tape")))


def texts(course: Course) -> dict[str, str]:
    return {name: content.decode() for name, content in release_files(course).items()}


def lines(text: str) -> set[str]:
    """Return the lines that are not trivial, without their indentation."""
    return {line for line in map(squeezed, text.splitlines()) if len(line) > TRIVIAL}


def to_write(course: Course, exercise: Exercise) -> set[str]:
    """Return the lines of an exercise's solution regions that are nowhere else in its solution."""
    text = course.solution(exercise).read_text(encoding="utf-8")
    given, position, written = "", 0, ""
    for _, start, end in regions(text):
        given, written, position = given + text[position:start], written + text[start:end], end
    return lines(written) - lines(given + text[position:])


@each_course
def test_learners_get_the_exercises_and_a_readme_and_nothing_else(course: Course) -> None:
    """If the course has no workflow, a release has the exercises, three pages and `.gitignore`."""
    more = {
        "README.md",
        "AGENTS.md",
        ".gitignore",
        *({"docs/glossary.md"} if (course.folder / "docs" / "glossary.md").is_file() else ()),
    }
    assert {*(f"exercises/{exercise.filename}" for exercise in course.exercises), *more} == set(texts(course))


def test_an_existing_gitignore_is_kept(tape: Course, tmp_path: Path) -> None:
    """A new one ignores the environment that learners install the grader into."""
    files = release_files(tape)
    assert b".venv/" in files[".gitignore"].splitlines()
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / ".gitignore").write_text("mine\n")
    for folder, expected in (("new", files[".gitignore"]), ("old", b"mine\n")):
        release(files, tmp_path / folder)
        assert expected == (tmp_path / folder / ".gitignore").read_bytes()


@each_exercise
def test_no_line_of_a_solution_is_in_a_release(course: Course, exercise: Exercise) -> None:
    """No line of a solution is in its own exercise or the README. Earlier exercises contain no region of it."""
    secret, bodies = to_write(course, exercise), solution_bodies(course.solution(exercise).read_text(encoding="utf-8"))
    own = f"exercises/{exercise.filename}"
    for name, text in texts(course).items():
        if name in (own, "README.md"):
            assert set() == secret & lines(text), name
        if name <= own or name == "README.md":
            assert [] == [body for body in bodies if body in squeezed(text)], name


@each_exercise
def test_no_hidden_check_is_in_a_release(course: Course, exercise: Exercise) -> None:
    """No file contains the programs of a hidden test, its name, or the name of its check."""
    test = lines(course.hidden_test(exercise).read_text(encoding="utf-8"))
    secret = {line for line in test if line.startswith(("engine.", "program(", "@check(", "def test_"))}
    assert len(secret) > len(exercise.checks)
    for name, text in texts(course).items():
        assert set() == secret & lines(text), name


@pytest.mark.slow
@each_exercise
def test_no_misconception_is_in_a_release(course: Course, exercise: Exercise) -> None:
    """No exercise contains the title or explanation of a misconception, or the code that replaces the solution."""
    everything = squeezed("\n".join(texts(course).values()))
    own = lines(texts(course)[f"exercises/{exercise.filename}"])
    solution = lines(course.solution(exercise).read_text(encoding="utf-8"))
    for one in catalogue(course, exercise):
        assert squeezed(one.title) not in everything or len(one.title.split()) < 3
        assert squeezed(one.explanation) not in everything
        assert set() == (lines(one.source) - solution) & own, one.id


@each_course
def test_no_answer_is_in_a_release(course: Course) -> None:
    """A release contains no key of a program."""
    everything = "\n".join(texts(course).values())
    assert [] == [key for key in read_book(course.book).answers if key in everything]


def test_the_tests_above_look_for_something() -> None:
    """The tests above are not vacuous: nearly every exercise has lines to write, and misconceptions."""
    assert len([1 for course, exercise in EXERCISES if to_write(course, exercise)]) > 0.8 * len(EXERCISES)
    assert all(catalogue(course, exercise) for course, exercise in EXERCISES)


def test_work_in_an_exercise_is_not_handed_out(tape: Course) -> None:
    """If somebody has worked on an exercise file, learners get its stub."""
    exercise = tape.exercises[0]
    stub = tape.exercise_file(exercise).read_text(encoding="utf-8")
    shutil.copy(tape.solution(exercise), tape.exercise_file(exercise))
    assert stub == texts(tape)["exercises/01_record.py"]


def out_of_date_book(course: Course) -> Path:
    path = course.solution(course.exercises[0])
    path.write_text(path.read_text(encoding="utf-8").replace("# BEGIN SOLUTION ", "# BEGIN SOLUTION now: ", 1), "utf-8")
    return course.book


def out_of_date_file(course: Course) -> Path:
    book = read_book(course.book)
    exercise = course.exercises[0]
    course.exercise_file(exercise).write_text("", encoding="utf-8")
    assert book.stubs[exercise.id]
    return course.exercise_file(exercise)


@pytest.mark.parametrize("age", [out_of_date_book, out_of_date_file])
def test_a_release_needs_stubs_in_step(tape: Course, age: Callable[[Course], Path]) -> None:
    """If a solution changed after the stubs were made, nothing is handed out, and the message names `grade build`."""
    path = age(tape)
    with pytest.raises(CourseError, match="run `grade build`") as caught:
        release_files(tape)
    assert path == caught.value.path


def test_a_missing_stub_in_the_book_is_out_of_date(tape: Course) -> None:
    """An exercise that was added since the book was built is not handed out."""
    book = read_book(tape.book)
    write_book(tape.book, replace(book, stubs={k: v for k, v in book.stubs.items() if k != "reset"}))
    with pytest.raises(CourseError, match="its stub of 03_reset is out of date; run `grade build`"):
        release_files(tape)


def test_the_readme_is_the_courses_own(tape: Course) -> None:
    """`LEARNERS.md` comes before `README.md`. Without both, a README is made from the exercises' titles."""
    assert "| 02 replay | The tape, read from its end | 10 |" in texts(tape)["README.md"]
    (tape.folder / "README.md").write_text("# For all\n", encoding="utf-8")
    assert "# For all\n" == texts(tape)["README.md"]
    (tape.folder / "LEARNERS.md").write_text("# For learners\n", encoding="utf-8")
    assert "# For learners\n" == texts(tape)["README.md"]


def test_the_vocabulary_of_checks_is_no_check(tape: Course) -> None:
    """A README may say how a program is written, and what a hidden test calls, if it shows no check."""
    readme = 'Write `program("L = a + b")`, and compare with `engine.agrees(` or `engine.sorts(`.\n'
    (tape.folder / "README.md").write_text(readme, encoding="utf-8")
    assert readme == texts(tape)["README.md"]


@pytest.mark.parametrize("name", [".github/workflows/grade.yml", ".gitlab-ci.yml"])
def test_the_workflow_goes_with_it(tape: Course, name: str) -> None:
    """Only the workflow that grades is released, and no other workflow of the course."""
    (tape.folder / ".github" / "workflows").mkdir(parents=True)
    (tape.folder / ".github" / "workflows" / "ci.yml").write_text("on: push\n", encoding="utf-8")
    (tape.folder / name).write_text("name: grade\n", encoding="utf-8")
    assert [".gitignore", name] == [path for path in texts(tape) if path.startswith(".")]
    assert "name: grade\n" == texts(tape)[name]


@pytest.mark.parametrize("name", ["README.md", "LEARNERS.md", ".gitlab-ci.yml"])
@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("solutions/01_record.py", "gives away the solution of 01_record"),
        ("tests/hidden/test_01_record.py", "shows a hidden check of 01_record"),
    ],
)
def test_what_gives_something_away_is_not_handed_out(tape: Course, name: str, file: str, says: str) -> None:
    """The error names a README with a solution or a check in it, and says what it reveals."""
    text = (tape.folder / file).read_text(encoding="utf-8")
    (tape.folder / name).write_text(f"# For example\n\n```python\n{text}```\n", encoding="utf-8")
    with pytest.raises(CourseError, match=says) as caught:
        release_files(tape)
    assert tape.folder / name == caught.value.path


def written(folder: Path) -> Iterator[str]:
    return (str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_release_is_written(tmp_path: Path) -> None:
    """Folders are made, and files are written unchanged and named. A second release writes nothing."""
    files = {"exercises/01_a.py": b"a\n", "README.md": b"b\n"}
    assert (list(files), []) == release(files, tmp_path / "out")
    assert files == {name: (tmp_path / "out" / name).read_bytes() for name in written(tmp_path / "out")}
    assert ([], []) == release(files, tmp_path / "out")


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    """An existing file with other content is named, and no file is written. `--replace` replaces and names it."""
    (tmp_path / "README.md").write_text("mine\n")
    files = {"exercises/01_a.py": b"a\n", "README.md": b"b\n"}
    with pytest.raises(ReleaseError, match=r"README\.md: a file with other content has this name; name a new folder"):
        release(files, tmp_path)
    assert (["README.md"], "mine\n") == (list(written(tmp_path)), (tmp_path / "README.md").read_text())
    assert (["exercises/01_a.py"], ["README.md"]) == release(files, tmp_path, replace=True)
    assert "b\n" == (tmp_path / "README.md").read_text()


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("elsewhere.md"), Path.mkdir])
def test_only_files_are_written_to(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """A pipe, a link or a folder in the place of a file is an error, even with `--replace`."""
    make(tmp_path / "README.md")
    with pytest.raises(OSError, match=r"regular file|symbolic link|directory"):
        release({"README.md": b"b\n"}, tmp_path, replace=True)
    assert not (tmp_path / "elsewhere.md").exists()
