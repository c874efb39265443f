import ast
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from read_yaml import read_yaml

from grader.author.build import is_work, make_stub, shown_solution, write_stubs
from grader.course.figures import Figure
from grader.course.load import Course, CourseError, Exercise

LISTED = read_yaml(Path(__file__).with_name("stubs.yaml"))
WithSolution = Callable[..., Course]
BEGIN, END = "# BEGIN SOLUTION why?", "# END SOLUTION"


def made(course: Course) -> str:
    return make_stub(course, course.exercises[0])


def test_a_stub_has_a_question_where_the_solution_was(with_solution: WithSolution, stub: str) -> None:
    """A TODO replaces the region, with an exception that contains the open question."""
    assert stub == made(with_solution())


@pytest.mark.parametrize("case", LISTED["stubs"], ids=lambda case: repr(case["solution"]))
def test_only_the_region_changes(with_solution: WithSolution, case: dict[str, Any]) -> None:
    """Everything around a region stays, line by line; the indentation is that of its first marker."""
    complete = [line.replace("raise", 'raise NotImplementedError("first: why?")') for line in case["stub"]]
    assert "\n".join(complete) + "\n" == made(with_solution(case["solution"]))


FIGURE = Figure("sum", "L = a + a", {"a": 2.0}, ("graph", "steps"))
LESSON = """    value | gradient of each node
               .---.
    a  2 | 2 --|  (+)--> L  4 | 1
               '---'

    forward: read downwards   backward: read upwards
    L = a + a = 2 + 2 = 4     L._backward():  a.grad = 1 * 1 = 1
                                              a.grad = 1 + 1 * 1 = 2
                              L.grad = 1
"""


def with_figure(course: Course) -> Exercise:
    return replace(course.exercises[0], figures=(FIGURE,))


def test_a_figure_is_written_in_its_place(with_solution: WithSolution) -> None:
    """The stub, and the solution that a learner may see, have its characters."""
    solution = f"    [figure: sum]\n{BEGIN}\npass\n{END}\n"
    course = with_solution(solution)
    assert make_stub(course, with_figure(course)).startswith(LESSON + "# TODO")
    assert f"{LESSON}pass\n" == shown_solution(course, with_figure(course))


@pytest.mark.parametrize(
    ("place", "line", "says"),
    [
        ("    [figure: sun]", 2, "course.yaml has no figure `sun` for this exercise; did you mean `sum`?"),
        ("", None, "has no place for the figure `sum`: write `[figure: sum]` in its lesson"),
    ],
)
def test_a_figure_without_a_place_is_told(with_solution: WithSolution, place: str, line: int, says: str) -> None:
    """So is a place without a figure."""
    course = with_solution(f"a = 1\n{place}\n{BEGIN}\npass\n{END}\n")
    with pytest.raises(CourseError) as caught:
        make_stub(course, with_figure(course))
    assert (line, says) == (caught.value.line, caught.value.message)


@pytest.mark.parametrize("question", ['what is "self"?', "a \\n b", "don't?", "wo 'ist' \"es\" \\", "½ → {a} %s"])
def test_any_question_makes_a_string(with_solution: WithSolution, question: str) -> None:
    """Quotes and backslashes in the question are unchanged in the message of the exception."""
    stub = made(with_solution(f"# BEGIN SOLUTION {question}\npass\n# END SOLUTION\n"))
    (statement,) = ast.parse(stub).body
    assert isinstance(statement, ast.Raise)
    assert isinstance(statement.exc, ast.Call)
    assert f"first: {question}" == ast.literal_eval(statement.exc.args[0])
    assert f"# TODO: {question}" == stub.splitlines()[0]


@pytest.mark.parametrize("case", LISTED["unpaired"], ids=lambda case: repr(case["solution"]))
def test_markers_that_do_not_pair_are_told(with_solution: WithSolution, case: dict[str, Any]) -> None:
    """The error names the solution, the line and what is wrong with it."""
    course = with_solution(case["solution"])
    with pytest.raises(CourseError) as caught:
        made(course)
    assert (course.solution(course.exercises[0]), case["line"]) == (caught.value.path, caught.value.line)
    assert case["says"] in caught.value.message


@pytest.mark.parametrize(("begin", "end"), LISTED["slips"])
def test_a_slip_in_a_marker_gives_nothing_away(with_solution: WithSolution, begin: str, end: str) -> None:
    """A line that resembles a marker is an error at its line, or counts as a marker: the solution is never shown."""
    course = with_solution(f"{BEGIN}\n{END}\n{begin}\nthe_answer = 42\n{end}\n")
    assert "the_answer" not in made_or_told(course, line=3)


def made_or_told(course: Course, line: int) -> str:
    """Return the stub, or the error in that line."""
    try:
        return made(course)
    except CourseError as error:
        return error.message if error.line == line else f"the_answer: wrong line {error.line}"


@pytest.mark.parametrize(
    ("content", "says"),
    [(None, "there is no file 01_first.py"), (b"\xff\xfe", "is not UTF-8"), (b"a\0b", "is not text")],
)
def test_a_solution_that_cannot_be_read_is_told(with_solution: WithSolution, content: bytes | None, says: str) -> None:
    """A missing or damaged solution is a course error with its path."""
    course = with_solution()
    path = course.solution(course.exercises[0])
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CourseError, match=says) as caught:
        made(course)
    assert path == caught.value.path


def test_missing_files_are_written(with_solution: WithSolution, stub: str) -> None:
    """All missing exercise files are made and named."""
    course = with_solution(stub_source("a"), stub_source("b"))
    assert ["01_first.py", "02_second.py"] == write_stubs(course, {})
    assert 'raise NotImplementedError("second: b?")' in course.exercise_file(course.exercises[1]).read_text()


def stub_source(question: str) -> str:
    return f"# BEGIN SOLUTION {question}?\n1\n# END SOLUTION\n"


def test_files_in_step_are_left_alone(with_solution: WithSolution) -> None:
    """A second run writes nothing."""
    course = with_solution()
    write_stubs(course, {})
    assert [] == write_stubs(course, {})


@pytest.mark.parametrize("present", ["", "\n\n", "the old stub", "the old stub\n\n"])
def test_what_nobody_touched_is_written_anew(with_solution: WithSolution, stub: str, present: str) -> None:
    """An empty file and an earlier stub are replaced without `force`."""
    course = with_solution()
    path = course.exercise_file(course.exercises[0])
    path.write_text(present)
    assert ["01_first.py"] == write_stubs(course, {"first": "the old stub\n"})
    assert stub == path.read_text()


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(b"def add(a, b):\n    return a + b\n", id="a solution"),
        pytest.param(b"the old stub\n# and a remark\n", id="a remark"),
        pytest.param("# für später\nreturn a + b\n".encode("latin-1"), id="not UTF-8"),
        pytest.param("return a + b\n".encode("utf-16"), id="UTF-16"),
        pytest.param(b"# " + b"x" * 300_000 + b"\n", id="too large"),
    ],
)
def test_work_is_not_overwritten(with_solution: WithSolution, stub: str, work: bytes) -> None:
    """A file that somebody worked on stays, unless force is given."""
    course = with_solution()
    path = course.exercise_file(course.exercises[0])
    path.write_bytes(work)
    assert [] == write_stubs(course, {"first": "the old stub\n"})
    assert work == path.read_bytes()
    assert ["01_first.py"] == write_stubs(course, {"first": "the old stub\n"}, force=True)
    assert stub == path.read_text()


def test_work_in_one_file_keeps_no_other_from_being_written(with_solution: WithSolution) -> None:
    """If somebody has worked on one file, untouched files are still replaced."""
    course = with_solution(stub_source("a"), stub_source("b"))
    course.exercise_file(course.exercises[0]).write_text("mine\n")
    assert ["02_second.py"] == write_stubs(course, {})


def test_work_behind_a_link_is_not_overwritten(with_solution: WithSolution, tmp_path: Path) -> None:
    """If an exercise file is a link, the target of the link stays unchanged."""
    course = with_solution()
    elsewhere = tmp_path / "mine.py"
    elsewhere.write_text("return a + b\n")
    os.symlink(elsewhere, course.exercise_file(course.exercises[0]))
    assert [] == write_stubs(course, {})
    assert "return a + b\n" == elsewhere.read_text()


@pytest.mark.parametrize(
    ("expected", "present"),
    [
        (False, None),
        (False, ""),
        (False, "\n"),
        (False, "the old stub"),
        (False, "{stub}"),
        (False, "{stub}\n\n"),
        (True, "{stub}# a remark\n"),
        (True, "{solution}"),
        (True, "# \0"),
    ],
)
def test_a_file_has_been_worked_on_or_not(
    with_solution: WithSolution, stub: str, expected: bool, present: str | None
) -> None:
    """A file is work unless it is missing, empty, or a present or earlier stub."""
    course = with_solution()
    exercise = course.exercises[0]
    if present is not None:
        text = present.replace("{stub}", stub).replace("{solution}", course.solution(exercise).read_text())
        course.exercise_file(exercise).write_text(text)
    assert expected == is_work(course, exercise, {"first": "the old stub\n"})


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("../mine.py")], ids=["a pipe", "a link"])
def test_even_with_force_only_files_are_overwritten(
    with_solution: WithSolution, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """Even with `force`, a pipe does not block, and nothing is written through a link."""
    course = with_solution()
    (tmp_path / "mine.py").write_text("mine\n")
    make(course.exercise_file(course.exercises[0]))
    with pytest.raises(CourseError, match=r"cannot be written: a (pipe|symbolic link) has that name"):
        write_stubs(course, {}, force=True)
    assert "mine\n" == (tmp_path / "mine.py").read_text()


def test_an_error_in_any_solution_writes_nothing(with_solution: WithSolution, tmp_path: Path) -> None:
    """All stubs are made before the first one is written."""
    course = with_solution(stub_source("a"), "no region\n")
    with pytest.raises(CourseError):
        write_stubs(course, {})
    assert [] == list((tmp_path / "exercises").iterdir())
