"""Misconceptions are read, applied and refused with file and line."""

from pathlib import Path

import pytest
from every import every
from read_yaml import read_yaml

from grader.course.load import CourseError
from grader.verdict.diagnosis import Edit, apply_edits, read_misconceptions, regions, unfinished, without

LISTED = read_yaml(Path(__file__).with_name("misconceptions.yaml"))
SOLUTION, ENTRY = LISTED["solution"], LISTED["entry"]


def write(folder: Path, text: str) -> Path:
    path = folder / "01_plus.mistakes.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_region_is_named_after_the_method_or_function_around_it() -> None:
    """For nested functions, the name is that of the outermost one within a class."""
    assert ["__add__", "__mul__", "build"] == [name for name, _, _ in regions(SOLUTION)]


def test_a_function_can_be_left_to_be_filled() -> None:
    """The exception of a stub replaces the function's regions, and other regions stay."""
    left = without(SOLUTION, "__add__")
    assert [1, 0, 1] == [left.count(text) for text in ("NotImplementedError", "+= out.grad", "return []")]
    assert {"__add__", "__mul__", "build"} == {name for name, _, _ in regions(left)}


def test_a_solution_on_the_way() -> None:
    """A region has only its first statements, lacks one, or has a typing error. Each such file loads."""
    texts = list(unfinished(SOLUTION))
    counts = {
        (text.count("+= out.grad"), text.count("other.data * out.grad"), text.count("return []")) for text in texts
    }
    assert {(0, 1, 1), (1, 1, 1), (2, 0, 1), (2, 1, 0), (2, 1, 1)} == counts
    for text in texts:
        compile(text, "unfinished", "exec")


def test_edits_are_made_one_after_the_other() -> None:
    """A later edit is applied to the result of an earlier one."""
    edits = [Edit("return []", "return [1]"), Edit("[1]", "[2]", "build")]
    assert "    return [2]\n" in apply_edits(SOLUTION, edits)


@every(
    ("edit", "times"),
    [(Edit("self.grad += ", "x"), 2), (Edit("out = Value", "x"), 0), (Edit("other.grad", "x", "__mul__"), 0)],
    ids=["in two regions", "outside the regions", "in another region"],
)
def test_an_edit_fits_exactly_once(edit: Edit, times: int) -> None:
    """A text that occurs twice, never, or outside of the named region is refused."""
    with pytest.raises(ValueError, match=f"stands {times} times"):
        apply_edits(SOLUTION, [edit])


def test_a_misconception_carries_its_source(tmp_path: Path) -> None:
    """A misconception has its sentences and the edited solution."""
    (one,) = read_misconceptions(write(tmp_path, ENTRY), SOLUTION, 1)
    assert ("overwrite", 1, 1) == (one.id, one.hint, one.line)
    assert SOLUTION.replace("self.grad += out", "self.grad = out") == one.source


def test_a_misconception_may_edit_what_another_one_has_made(tmp_path: Path) -> None:
    """With `on`, the edits start from the source of another misconception instead of the solution."""
    second = ENTRY.replace("id: overwrite", "id: both").replace("edits:", "on: overwrite\n  edits:")
    second = second.replace("self.grad += out", "self.grad = out").replace("= out.grad", "= out")
    second = second.replace('new: "self.grad = out"', 'new: "self.grad = 2 * out"')
    _, both = read_misconceptions(write(tmp_path, ENTRY + second), SOLUTION, 1)
    assert SOLUTION.replace("self.grad += out", "self.grad = 2 * out") == both.source


def test_no_file_is_no_misconceptions(tmp_path: Path) -> None:
    """An exercise need not have misconceptions."""
    assert [] == read_misconceptions(tmp_path / "none.yaml", SOLUTION, 1)


@pytest.mark.parametrize(
    ("line", "fragment", "text"),
    [
        (7, "two misconceptions `overwrite`", ENTRY + ENTRY),
        (4, "there is no hint 2", ENTRY.replace("hint: 1", "hint: 2")),
        (6, "stands 0 times", ENTRY.replace("self.grad += out", "self.grad -= out")),
        (6, "no solution region in `__sub__`", ENTRY.replace("__add__", "__sub__")),
        (2, "unknown key `thinks`", ENTRY.replace("title", "thinks")),
        (6, "unknown key `with`", ENTRY.replace("new:", "with:")),
        (5, "no misconception `overwrite` stands before", ENTRY.replace("edits:", "on: overwrite\n  edits:")),
        (2, "a title has at most 60 characters; this one has 61", ENTRY.replace("assigns in `+`", "x" * 61)),
    ],
    ids=["id twice", "hint", "edit", "region", "key", "key of an edit", "on itself", "long title"],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, line: int, fragment: str, text: str) -> None:
    """Every error in the file has its line."""
    path = write(tmp_path, text)
    with pytest.raises(CourseError) as caught:
        read_misconceptions(path, SOLUTION, 1)
    assert (path, line) == (caught.value.path, caught.value.line)
    assert fragment in caught.value.message
