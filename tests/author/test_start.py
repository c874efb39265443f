from collections.abc import Callable
from pathlib import Path

import pytest

from grader.answer_book import AnswerBook
from grader.author import hand_out
from grader.course import Course

WithSolution = Callable[..., Course]
STUBS = {"first": "# TODO: ½?\n", "second": "# TODO\n"}
BOOK = AnswerBook(format=2, torch="none", stubs=STUBS, known={}, answers={})


def test_stubs_are_handed_out(with_solution: WithSolution, tmp_path: Path) -> None:
    """Every exercise's stub from the answer book is written into a folder made for it."""
    folder = tmp_path / "new" / "work"
    assert [folder / "01_first.py", folder / "02_second.py"] == hand_out(with_solution("", ""), BOOK, folder)
    assert "# TODO: ½?\n" == (folder / "01_first.py").read_text(encoding="utf-8")


def test_what_is_there_is_left_alone(with_solution: WithSolution, tmp_path: Path) -> None:
    """Handing out again writes only what is missing."""
    course = with_solution("", "")
    (tmp_path / "01_first.py").write_text("mine\n")
    assert [tmp_path / "02_second.py"] == hand_out(course, BOOK, tmp_path)
    assert "mine\n" == (tmp_path / "01_first.py").read_text()
    assert [] == hand_out(course, BOOK, tmp_path)


def test_a_folder_that_cannot_be_made_is_an_os_error(with_solution: WithSolution, tmp_path: Path) -> None:
    """A file where the folder should be is told by the system."""
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="File exists"):
        hand_out(with_solution("", ""), BOOK, tmp_path / "file")
