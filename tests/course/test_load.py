import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from every import every
from msgspec.structs import replace
from read_yaml import read_yaml

from grader.course.load import COMMANDS, Check, Course, CourseError, Limits, Part, load_course

WriteCourse = Callable[..., Path]
LineWith = Callable[[str, str], int]

ROOT = Path(__file__).resolve().parents[2]
HINTS = "    hints: [there is one]"
ERRORS = read_yaml(Path(__file__).with_name("errors.yaml"))


def test_a_course_is_read(write_course: WriteCourse) -> None:
    """The course has everything that the course file contains."""
    folder = write_course()
    course = load_course(folder)
    assert ("mini", "A miniature", ("numpy",)) == (course.id, course.title, course.allow_imports)
    assert Limits(calls=1000, cpu_s=1.5, memory_mb=256, output_kb=16) == course.limits
    assert ["03_first", "04_second"] == [exercise.stem for exercise in course.exercises]
    assert ("look again", "look closer") == course.exercises[0].hints
    assert [3, 2] == [exercise.max_score for exercise in course.exercises]
    assert folder == course.folder


def test_an_exercise_is_a_key_of_a_mapping() -> None:
    """So is one whose lesson has figures, after it went through JSON as well."""
    course = load_course(ROOT)
    again = Course.decoded(course.encoded(), ROOT)
    assert {exercise: exercise.id for exercise in course.exercises} == {one: one.id for one in again.exercises}


def test_a_course_survives_as_json(tmp_path: Path) -> None:
    """A course that was encoded is the same course, in whatever folder it is decoded."""
    course = load_course(ROOT)
    assert course == Course.decoded(course.encoded(), ROOT)
    assert replace(course, folder=tmp_path) == Course.decoded(course.encoded(), tmp_path)


def test_checks_take_the_defaults(write_course: WriteCourse) -> None:
    """A check has the course's defaults unless it sets its own values, and it has its line."""
    first = load_course(write_course()).exercises[0]
    assert (
        Check("one", "one is right", 2, False, "hidden", "hint", 2, 23),
        Check("two", "two is right", 1, False, "visible", "full", 0, 27),
        Check("more", "more than asked for", 4, True, "hidden", "hint", 0, 28),
    ) == first.checks
    assert 20 == first.line


def test_hints_by_code_are_read(write_course: WriteCourse, mini: str) -> None:
    """A code is that of an observation or the name of an exception. The table keeps its order."""
    table = "    hint_for: {overwrites: 1, RecursionError: 0, error: 1}\n"
    second = load_course(write_course(mini.replace(HINTS, table + HINTS))).exercises[1]
    assert (("overwrites", 1), ("RecursionError", 0), ("error", 1)) == second.hint_for


def test_the_next_hint_is_one_that_nothing_names(write_course: WriteCourse) -> None:
    """After the hint for a failure come the later hints that belong to no check and no code. Without a hint, none."""
    exercise = replace(load_course(write_course()).exercises[1], hints=("a", "b", "c", "d"), hint_for=(("value", 3),))
    assert ((1, 2, 4), (3, 4), ()) == tuple(exercise.hints_from(number) for number in (1, 3, 0))


def test_what_may_be_left_out(write_course: WriteCourse, mini: str) -> None:
    """Imports, limits and defaults are optional. Without them, nothing is allowed and everything is visible in full."""
    before, _, rest = mini.partition("allow_imports:")
    course = load_course(write_course(before + rest[rest.index("exercises:") :]))
    assert () == course.allow_imports
    assert Limits() == course.limits
    assert ("visible", "full") == (course.exercises[1].checks[0].visibility, course.exercises[1].checks[0].detail)


def test_parts_have_the_exercises_up_to_the_next_part(write_course: WriteCourse, mini: str) -> None:
    """A part has its title, its exercises and its points. A course without `parts` has none."""
    parts = "parts: [{title: One, first: first, total: 3}, {title: Two, first: second, total: 2}]\n"
    assert (Part("One", ("first",), 3), Part("Two", ("second",), 2)) == load_course(write_course(parts + mini)).parts
    whole = load_course(write_course("parts: [{title: All, first: first, total: 5}]\n" + mini))
    assert (Part("All", ("first", "second"), 5),) == whole.parts
    assert () == load_course(write_course()).parts


def test_paths_follow_from_the_exercise_file(write_course: WriteCourse) -> None:
    """Solution, stub and hidden tests have the name of the exercise file, and are not listed."""
    course = load_course(write_course())
    first = course.exercises[0]
    expected = ["exercises/03_first.py", "solutions/03_first.py", "tests/hidden/test_03_first.py"]
    found = [course.exercise_file(first), course.solution(first), course.hidden_test(first)]
    assert expected == [str(path.relative_to(course.folder)) for path in found]
    assert ["course.yaml", "answers.json"] == [course.file.name, course.book.name]


def test_a_version_stays_text(write_course: WriteCourse) -> None:
    """2026.10 is a name, not the number 2026.1."""
    course = load_course(write_course())
    assert ("2026.10", "mini 2026.10") == (course.version, course.seed)


@every(("old", "new", "at", "says"), ERRORS)
def test_an_error_names_the_line(
    write_course: WriteCourse, line_with: LineWith, mini: str, old: str, new: str, at: str | None, says: str
) -> None:
    """Every error in a course file has the file and the line."""
    assert 1 == mini.count(old)
    text = mini.replace(old, new)
    folder = write_course(text)
    with pytest.raises(CourseError) as caught:
        load_course(folder)
    assert folder / "course.yaml" == caught.value.path
    if at is not None:
        assert line_with(text, at) == caught.value.line
    assert says in caught.value.message


def test_the_second_of_two_exercises_is_the_wrong_one(write_course: WriteCourse, mini: str) -> None:
    """If two exercises have the same id, the line is that of the second one."""
    with pytest.raises(CourseError) as caught:
        load_course(write_course(mini.replace("id: second", "id: first")))
    assert 32 == caught.value.line


def test_a_second_document_is_told_by_its_line(write_course: WriteCourse, mini: str) -> None:
    """A file with two YAML documents is refused with the line where the second one begins."""
    text = mini + "---\nformat_version: 1\n"
    with pytest.raises(CourseError, match="cannot parse YAML") as caught:
        load_course(write_course(text))
    assert text.splitlines().index("---") + 1 == caught.value.line


@every("command", COMMANDS)
def test_an_exercise_is_not_called_like_a_command(write_course: WriteCourse, mini: str, command: str) -> None:
    """An id that is the name of a command would hide the command."""
    folder = write_course(mini.replace("id: second", f"id: {command}"), [f"exercises/04_{command}.py"])
    (folder / "exercises" / "03_first.py").touch()
    with pytest.raises(CourseError, match=f"`{command}` is a command of `grade`") as caught:
        load_course(folder)
    assert 32 == caught.value.line


@every(
    ("files", "says"),
    [
        (["exercises/03_first.py"], "there is no file exercises/NN_second.py"),
        (["exercises/03_first.py", "exercises/4_second.py"], "there is no file exercises/NN_second.py"),
        (["exercises/03_first.py", "exercises/04_second.txt"], "there is no file exercises/NN_second.py"),
        (["exercises/03_first.py", "solutions/04_second.py"], "there is no file exercises/NN_second.py"),
        (["exercises/03_first.py", "exercises/04_seconds.py"], "did you mean `seconds`?"),
        (
            ["exercises/03_first.py", "exercises/04_second.py", "exercises/05_second.py"],
            "several exercise files have this id",
        ),
    ],
)
def test_an_exercise_has_exactly_one_file(write_course: WriteCourse, files: Sequence[str], says: str) -> None:
    """An exercise without a file, or with two files, is an error at the line of its id."""
    with pytest.raises(CourseError) as caught:
        load_course(write_course(files=files))
    assert 32 == caught.value.line
    assert says in caught.value.message


@every(
    ("content", "line", "says"),
    [
        (b"", None, "is empty"),
        (b"# only a remark\n\n", None, "is empty"),
        ("title: \xe9t\xe9".encode("latin-1"), None, "cannot be read: it is not UTF-8"),
        ("format_version: 1".encode("utf-16"), None, "cannot be read: it is not UTF-8"),
        (b"format_version: 1\ntitle: \x07\n", None, "cannot parse YAML"),
        (b"just words\n", 1, "the file is the text `just words`; write a mapping with the keys format_version, course"),
        (b"- a\n- list\n", 1, "the file is a list; write a mapping with the keys"),
        (
            b"# nothing else\n\nformat_version: 1\n",
            3,
            "the file has no key `course`; add `course:` with a mapping with the keys id, version",
        ),
        (b"format_version: 1\ncourse: [\n", 3, "cannot parse YAML"),
        (b"format_version: 1\ncourse: 'open\n", 3, "cannot parse YAML"),
        (b"format_version: 1\ncourse: " + b"[" * 200_000, 2, "cannot parse YAML: it is nested more than 100 deep"),
        (b"a: &a [x, x]\nb: " + b"[" * 99 + b"*a, " * 20_000, 2, "cannot parse YAML: it has more than 20,000 values"),
        (b"format_version: !!int\n", 1, "`` cannot be read"),
        (b"format_version: !!float\n", 1, "`` cannot be read"),
        (b"#" * (5 << 20), None, "cannot be read: is larger than 4 MB"),
    ],
)
def test_a_damaged_file_is_told(write_course: WriteCourse, content: bytes, line: int | None, says: str) -> None:
    """The message says whether a course file is empty, has an unknown encoding, or is not a course."""
    folder = write_course(content)
    with pytest.raises(CourseError) as caught:
        load_course(folder)
    assert (folder / "course.yaml", line) == (caught.value.path, caught.value.line)
    assert says in caught.value.message


@pytest.mark.parametrize(("mark", "end"), [("\ufeff", "\n"), ("", "\r\n")])
def test_windows_editors_are_harmless(write_course: WriteCourse, mini: str, mark: str, end: str) -> None:
    """A byte order mark is skipped, and lines are counted in the same way with CR LF."""
    course = load_course(write_course((mark + mini.replace("\n", end)).encode()))
    assert 23 == course.exercises[0].checks[0].line


def test_a_course_file_must_be_there(tmp_path: Path) -> None:
    """The error for a folder without a course file has the expected path."""
    with pytest.raises(CourseError, match="cannot be read: No such file") as caught:
        load_course(tmp_path)
    assert (tmp_path / "course.yaml", None) == (caught.value.path, caught.value.line)


def test_an_error_reads_like_a_compilers(tmp_path: Path) -> None:
    """The message has path, line and text with colons between them. Without a line, it has path and text."""
    assert f"{tmp_path}:7: is wrong" == str(CourseError(tmp_path, 7, "is wrong"))
    assert f"{tmp_path}: is wrong" == str(CourseError(tmp_path, None, "is wrong"))


HASHED = ("course.yaml", "tests/hidden/test_03_first.py", "tests/hidden/test_04_second.py", "tests/hidden/answers.json")
NOT_HASHED = ("exercises/03_first.py", "solutions/03_first.py", "tests/hidden/notes.txt", "README.md")


@every("name", [*HASHED, *NOT_HASHED])
def test_the_hash_is_over_what_decides_a_verdict(write_course: WriteCourse, name: str) -> None:
    """Hidden tests, answers and the course file change the hash. Files that learners edit do not."""
    folder = write_course(files=[*HASHED[1:], *NOT_HASHED, "exercises/04_second.py"])
    before = load_course(folder).hash
    with (folder / name).open("a") as file:
        file.write("# one more line\n")
    assert (name in HASHED) == (before != load_course(folder).hash)


def a_line_moves(tests: Path) -> None:
    (tests / "test_03_first.py").write_text("")
    (tests / "test_04_second.py").write_text("pass\n")


CHANGES: dict[str, Callable[[Path], object]] = {
    "a line moves to the other test": a_line_moves,
    "a test has another name": lambda tests: (tests / "test_04_second.py").rename(tests / "test_05_second.py"),
    "a test is added": lambda tests: (tests / "test_06_third.py").touch(),
    "a test is added whose name is not UTF-8": lambda tests: (tests / "a\udcff.py").touch(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_the_hash_is_over_names_and_contents(write_course: WriteCourse, change: Callable[[Path], object]) -> None:
    """The hash changes if a hidden test is added or renamed, or if its content moves to another one."""
    folder = write_course(files=[*HASHED[1:], "exercises/03_first.py", "exercises/04_second.py"])
    tests = folder / "tests" / "hidden"
    (tests / "test_03_first.py").write_text("pass\n")
    (folder / "exercises" / "03_b\udcff.py").touch()
    before = load_course(folder).hash
    change(tests)
    assert before != load_course(folder).hash


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["a pipe", "a device"])
def test_a_hidden_test_that_is_no_file_is_told(write_course: WriteCourse, make: Callable[[Path], None]) -> None:
    """Reading does not wait for a file that never ends."""
    folder = write_course()
    (folder / "tests" / "hidden").mkdir(parents=True)
    make(folder / "tests" / "hidden" / "test_03_first.py")
    with pytest.raises(CourseError, match=r"cannot be read: test_03_first\.py is not a regular file"):
        load_course(folder)


def test_the_hash_does_not_depend_on_the_folder(write_course: WriteCourse, tmp_path: Path) -> None:
    """The same course in another folder has the same hash."""
    folder = write_course()
    before = load_course(folder).hash
    assert before == load_course(folder.rename(tmp_path / "elsewhere")).hash


def test_two_exercises_have_two_numbers(write_course: WriteCourse) -> None:
    """A number identifies one exercise. The error at the second exercise names both files."""
    with pytest.raises(CourseError, match=r"there are two exercises 03, 03_first\.py and 03_second\.py") as caught:
        load_course(write_course(files=["exercises/03_first.py", "exercises/03_second.py"]))
    assert 32 == caught.value.line
