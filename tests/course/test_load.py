import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from grader.course import COMMANDS, Check, CourseError, Limits, load_course

WriteCourse = Callable[..., Path]
LineWith = Callable[[str, str], int]

TWO = "      two: {points: 1, title: two is right, visibility: visible, detail: full}"
ONLY = "      only: {points: 2, title: the only one}"
HINTS = "    hints: [there is one]"


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


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        # what is not known
        ("format_version: 1", "format_version: 1\nauthor: me", "author", "unknown key `author`"),
        ("  id: mini", "  id: mini\n  year: 3", "year", "unknown key `year`"),
        ("  cpu_s: 1.5", "  cpu_s: 1.5\n  wall_s: 9", "wall_s", "unknown key `wall_s`"),
        ("  detail: hint", "  detail: hint\n  points: 1", "  points: 1", "unknown key `points`"),
        ("    title: The second one", "    title: The second one\n    tags: []", "tags", "unknown key `tags`"),
        (
            "        hint: 2",
            "        hint: 2\n        weight: 7",
            "weight",
            "unknown key `weight`; expected one of points, title",
        ),
        (ONLY, ONLY.replace("points", "pionts"), "pionts", "unknown key `pionts`; did you mean `points`?"),
        ("allow_imports:", "alow_imports:", "alow", "unknown key `alow_imports`; did you mean `allow_imports`?"),
        (
            "  cpu_s: 1.5",
            "  cpu: 1.5",
            "cpu:",
            "did you mean `cpu_s`? Expected one of calls, cpu_s, memory_mb, output_kb",
        ),
        # what stands there twice
        ("  total: 5", "  total: 5\n  title: Again", "Again", "the key `title` occurs twice"),
        ("        hint: 2", "        hint: 2\n        points: 3", "points: 3", "the key `points` occurs twice"),
        (TWO, TWO + "\n" + TWO.replace("two:", "one:"), "one: {", "the key `one` occurs twice"),
        # what is missing
        (
            "format_version: 1\n",
            "",
            "course:",
            "the file has no key `format_version`; add `format_version:` with a whole number",
        ),
        ("  title: A miniature\n", "", "id: mini", "`course` has no key `title`; add `title:` with text"),
        ("    title: The second one\n", "", "id: second", "this exercise has no key `title`; add `title:` with text"),
        (
            "        points: 2\n",
            "",
            "title: one is right",
            "the check `one` has no key `points`; add `points:` with a whole number",
        ),
        (ONLY, "      only: {points: 2}", "only:", "the check `only` has no key `title`"),
        (
            "    hints: [there is one]\n",
            "",
            "id: second",
            "has no key `hints`; add `hints:` with a list of texts, with at least one item",
        ),
        # what is of the wrong kind
        ("format_version: 1", "format_version: one", "format_version", "is the text `one`; write a whole number"),
        ("  total: 5", "  total: five", "total", "`total` is the text `five`; write a whole number between 1 and"),
        ("  total: 5", "  total: 0", "total", "`total` is `0`; write a whole number between 1 and 1,000,000,000"),
        ("  - numpy", "  - 3", "- 3", 'item 1 of `allow_imports` is `3`; write text, in quotes: "3"'),
        ("  calls: 1000", "  calls: many", "calls", "`calls` is the text `many`; write a whole number"),
        ("  calls: 1000", "  calls: yes", "calls", "`calls` is `yes`; write a whole number"),
        ("  memory_mb: 256", "  memory_mb: 0.5", "memory_mb", "`memory_mb` is `0.5`; write a whole number"),
        (
            "  visibility: hidden",
            "  visibility: secret",
            "secret",
            "`visibility` cannot be `secret`; expected one of hidden, visible",
        ),
        (
            "  visibility: hidden",
            "  visibility: vsible",
            "vsible",
            "cannot be `vsible`; did you mean `visible`? Expected one of",
        ),
        (
            "  detail: hint",
            "  detail: all",
            "detail: all",
            "`detail` cannot be `all`; expected one of full, hint, score",
        ),
        (
            TWO,
            TWO.replace("visible,", "open,"),
            "two:",
            "`visibility` cannot be `open`; expected one of hidden, visible",
        ),
        ("        points: 2", "        points: two", "points: two", "`points` is the text `two`; write a whole number"),
        (
            "        points: 2",
            "        points: -2",
            "points: -2",
            "`points` is `-2`; write a whole number between 0 and 1,000,000,000",
        ),
        ("        points: 2", "        points: 1.5", "points: 1.5", "`points` is `1.5`; write a whole number"),
        ("        hint: 2", "        hint: 0", "hint: 0", "`hint` is `0`; write a whole number of at least 1"),
        ("        title: one is right", "        title: ''", "title: ''", "`title` is empty; write text"),
        (
            "        title: one is right",
            "        title: 2026-02-03",
            "2026-02-03",
            '`title` is `2026-02-03`; write text, in quotes: "2026-02-03"',
        ),
        ("        title: one is right", "        title: 2026-02-30", "2026-02-30", "cannot be read"),
        ("bonus: true", "bonus: maybe", "maybe", "`bonus` is the text `maybe`; write true or false"),
        ("bonus: true", "bonus: !!int much", "much", "`much` cannot be read"),
        (ONLY, "      only: 2", "only: 2", "the check `only` is `2`; write a mapping with the keys points, title"),
        (
            "    hints: [there is one]",
            "    hints: []",
            "hints: []",
            "`hints` is an empty list; write a list of texts, with at least one item",
        ),
        ("      - look closer", "      - 7", "- 7", 'item 2 of `hints` is `7`; write text, in quotes: "7"'),
        (
            "    hints: [there is one]",
            "    hints: there is one",
            "there is one",
            "`hints` is the text `there is one`; write a list of texts",
        ),
        # what does not fit together
        (
            "format_version: 1",
            "format_version: 2",
            "format_version",
            "format_version 2 is not supported; write 1",
        ),
        ("  total: 5", "  total: 9", "total", "the points of the checks add up to 5, but `total` is 9"),
        (
            "id: second",
            "id: first",
            None,
            "there are two exercises `first`; the first is in line 20. Give each its own id",
        ),
        (
            "format_version: 1",
            "format_version: 1\ngrades: {A: 3, B: 4}",
            "B: 4",
            "the grade `B` begins at 4, but the grade before it, `A`, begins at 3. List the grades from the best down",
        ),
        (
            "format_version: 1",
            "format_version: 1\ngrades: {A: 3, B: 3}",
            "B: 3",
            "`B` begins at 3, but the grade before",
        ),
        ("format_version: 1", "format_version: 1\ngrades: {A: 6}", "A: 6", "which is not between 1 and 5"),
        ("id: second", "id: Second", "id: Second", "`Second` is not a valid id"),
        ("id: second", "id: " + "x" * 41, "xxx", "is not a valid id"),
        ("      only:", "      Only-one:", "Only-one", "`Only-one` is not a valid id"),
        ("id: second", "id: secnod", "secnod", "no file exercises/NN_secnod.py; did you mean `second`?"),
        ("id: second", "id: something_else", "something_else", "no file exercises/NN_something_else.py"),
        ("        hint: 2", "        hint: 3", "hint: 3", "there is no hint 3; the exercise has 2 hints"),
        (ONLY, ONLY.replace("one}", "one, hint: 2}"), "only:", "there is no hint 2; the exercise has 1 hint"),
        (HINTS, "    hint_for: {error: 2}\n" + HINTS, "error: 2", "there is no hint 2; the exercise has 1 hint"),
        (HINTS, "    hint_for: {error: -1}\n" + HINTS, "error: -1", "`error` is `-1`; write a whole number of at"),
        (HINTS, "    hint_for: {eror: 1}\n" + HINTS, "eror: 1", "`eror` is not the code of a failure; did you mean"),
        (HINTS, "    hint_for: {print: 1}\n" + HINTS, "print: 1", "of a failure; docs/authoring.md lists the codes"),
        ("    checks:\n" + ONLY, "    checks: {}", "id: second", "`second` has no checks"),
        ("  calls: 1000", "  calls: 0", "calls", "the limit `calls` must be greater than 0"),
        ("  cpu_s: 1.5", "  cpu_s: -1.5", "cpu_s", "the limit `cpu_s` must be greater than 0"),
        ("  cpu_s: 1.5", "  cpu_s: .nan", "cpu_s", "the limit `cpu_s` must be"),
        ("  cpu_s: 1.5", "  cpu_s: .inf", "cpu_s", "the limit `cpu_s` must be"),
        ("  memory_mb: 256", "  memory_mb: 0", "memory_mb", "the limit `memory_mb` must be greater than 0"),
        ("  memory_mb: 256", "  memory_mb: 9007199254740993", "memory_mb", "and at most 1,000,000,000"),
        ("  calls: 1000", f"  calls: {10**30}", "calls", "and at most 1,000,000,000"),
        (
            "        points: 2",
            f"        points: {10**30}",
            "points: 1000",
            "write a whole number between 0 and 1,000,000,000",
        ),
        (
            "  - numpy",
            "  - numpy.linalg",
            "numpy.linalg",
            "`numpy.linalg` is not the name of a module; name the package",
        ),
        ("  - numpy", "  - ../numpy", "../numpy", "`../numpy` is not the name of a module"),
        ("  - numpy", "  - ''", "''", "`` is not the name of a module"),
        ("  output_kb: 16", "  output_kb: -1", "output_kb", "the limit `output_kb` must be greater than 0"),
        # what is no YAML
        (
            "  title: A miniature",
            "  title: A: miniature",
            "A: mini",
            "cannot parse YAML: mapping values are not allowed",
        ),
        ("  title: A miniature", "\ttitle: A miniature", "\ttitle", "cannot parse YAML"),
        ("  title: A miniature", "  title: *nobody", "*nobody", "cannot parse YAML: found undefined alias"),
        ("  title: A miniature", "  title: @me", "@me", "cannot parse YAML"),
        ("format_version: 1", "format_version: 1\n---\nanother: document", None, "cannot parse YAML"),
        ("  title: A miniature", "  title: !!python/name:os.system x", "os.system", "cannot be read"),
        ("  title: A miniature", "  [a, b]: A miniature", "[a, b]", "a key must be a string"),
    ],
)
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


@pytest.mark.parametrize("command", COMMANDS)
def test_an_exercise_is_not_called_like_a_command(write_course: WriteCourse, mini: str, command: str) -> None:
    """An id that is the name of a command would hide the command."""
    folder = write_course(mini.replace("id: second", f"id: {command}"), [f"exercises/04_{command}.py"])
    (folder / "exercises" / "03_first.py").touch()
    with pytest.raises(CourseError, match=f"`{command}` is a command of `grade`") as caught:
        load_course(folder)
    assert 32 == caught.value.line


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


def test_a_byte_order_mark_is_harmless(write_course: WriteCourse, mini: str) -> None:
    """Windows editors add a byte order mark."""
    assert "mini" == load_course(write_course(b"\xef\xbb\xbf" + mini.encode())).id


def test_windows_line_ends_are_harmless(write_course: WriteCourse, mini: str) -> None:
    """Lines are counted in the same way with CR LF."""
    assert 23 == load_course(write_course(mini.replace("\n", "\r\n"))).exercises[0].checks[0].line


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


@pytest.mark.parametrize("name", [*HASHED, *NOT_HASHED])
def test_the_hash_is_over_what_decides_a_verdict(write_course: WriteCourse, name: str) -> None:
    """Hidden tests, answers and the course file change the hash. Files that learners edit do not."""
    folder = write_course(files=[*HASHED[1:], *NOT_HASHED, "exercises/04_second.py"])
    before = load_course(folder).hash
    with (folder / name).open("a") as file:
        file.write("# one more line\n")
    assert (name in HASHED) == (before != load_course(folder).hash)


def test_the_hash_tells_which_file_holds_what(write_course: WriteCourse) -> None:
    """Moving a line from one hidden test to the other changes the hash."""
    folder = write_course(files=[*HASHED[1:], "exercises/03_first.py", "exercises/04_second.py"])
    one, other = (folder / name for name in HASHED[1:3])
    one.write_text("pass\n")
    before = load_course(folder).hash
    one.write_text("")
    other.write_text("pass\n")
    assert before != load_course(folder).hash


def test_the_hash_is_over_names_too(write_course: WriteCourse) -> None:
    """Another name of a hidden test changes the hash, even if the content stays."""
    folder = write_course(files=[*HASHED[1:], "exercises/03_first.py", "exercises/04_second.py"])
    before = load_course(folder).hash
    (folder / HASHED[2]).rename((folder / HASHED[2]).with_name("test_05_second.py"))
    assert before != load_course(folder).hash


def test_an_added_hidden_test_changes_the_hash(write_course: WriteCourse) -> None:
    """A new hidden test changes the hash too."""
    folder = write_course()
    before = load_course(folder).hash
    (folder / "tests" / "hidden").mkdir(parents=True)
    (folder / "tests" / "hidden" / "test_03_first.py").touch()
    assert before != load_course(folder).hash


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["a pipe", "a device"])
def test_a_hidden_test_that_is_no_file_is_told(write_course: WriteCourse, make: Callable[[Path], None]) -> None:
    """Reading does not wait for a file that never ends."""
    folder = write_course()
    (folder / "tests" / "hidden").mkdir(parents=True)
    make(folder / "tests" / "hidden" / "test_03_first.py")
    with pytest.raises(CourseError, match=r"cannot be read: test_03_first\.py is not a regular file"):
        load_course(folder)


def test_a_file_of_any_name_may_lie_beside_the_tests(write_course: WriteCourse) -> None:
    """A name that is not UTF-8 is part of the hash."""
    folder = write_course()
    (folder / "tests" / "hidden").mkdir(parents=True)
    before = load_course(folder).hash
    (folder / "tests" / "hidden" / "a\udcff.py").touch()
    (folder / "exercises" / "03_b\udcff.py").touch()
    assert before != load_course(folder).hash


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
