import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from grader.course.load import CourseError
from grader.course.oracle.answer_book import Answer, AnswerBook, KnownBehaviour, KnownExercise, read_book, write_book

BOOK = AnswerBook(
    format=3,
    torch="2.13.0",
    stubs={"relu": 'print("½ \\n")\n', "distribute": ""},
    known={
        "relu": KnownExercise(
            (
                KnownBehaviour(
                    "leaky", "a dead unit leaks", "nothing gets through", 2, {"relu": "0"}, {"dead:0:1": "a3"}
                ),
            ),
            ({"alive:0:0": "f"},),
            {"relu": ("dead:0:1",)},
        ),
        "distribute": KnownExercise(),
    },
    answers={
        "b": Answer(values=(0.1 + 0.2, 1e-300), grads=(-0.0, 1 / 3)),
        "a": Answer(values=(1e22,), grads=(1.0,)),
    },
)


def test_a_round_trip(tmp_path: Path) -> None:
    """Reading a written book gives the same book. Floats are exact."""
    path = tmp_path / "answers.json"
    write_book(path, BOOK)
    assert BOOK == read_book(path)
    assert repr(BOOK.answers["b"].grads) == repr(read_book(path).answers["b"].grads)


def test_the_same_book_gives_the_same_file(tmp_path: Path) -> None:
    """The file has one line for each answer, sorted by key, so that a diff shows which answers changed."""
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    write_book(one, BOOK)
    write_book(other, msgspec.structs.replace(BOOK, answers=dict(reversed(BOOK.answers.items()))))
    assert one.read_bytes() == other.read_bytes()
    assert [True, True] == [any(f'"{key}": {{' in line for line in one.read_text().splitlines()) for key in "ab"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"format": 1}',
        b'{"format": 1, "torch": "2", "stubs": {}, "answers": {}}',
        b'{"format": 1, "torch": "2", "stubs": {}, "known": {"a": [{"id": "b"}]}, "answers": {}}',
        b'{"format": "1", "torch": "2", "stubs": {}, "known": {}, "answers": {}}',
        b'{"format": 1, "torch": "2", "stubs": {}, "known": {}, "answers": {}, "more": 1}',
        b'{"format": 1, "torch": "2", "stubs": {}, "known": {}, "answers": {"a": {"values": [1.0]}}}',
        b'{"format": 1, "torch": "", "stubs": {}, "known": {}, "answers": {"a": {"values": 1, "grads": []}}}',
    ],
)
def test_a_damaged_book_is_told(tmp_path: Path, content: bytes) -> None:
    """A file that cannot be decoded is a course error with its path and the remedy."""
    path = tmp_path / "answers.json"
    path.write_bytes(content)
    with pytest.raises(CourseError, match=r"is damaged .*`grade build` writes it anew") as caught:
        read_book(path)
    assert path == caught.value.path


def test_every_cut_of_a_book_is_told(tmp_path: Path) -> None:
    """A book that was cut off at any place is refused."""
    path = tmp_path / "answers.json"
    write_book(path, BOOK)
    whole = path.read_bytes().rstrip()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(CourseError, match="is damaged"):
            read_book(path)


def test_a_missing_book_is_told(tmp_path: Path) -> None:
    """Without a book, the message names the command that writes one."""
    with pytest.raises(CourseError, match="there is no answer book; `grade build` writes it") as caught:
        read_book(tmp_path / "answers.json")
    assert tmp_path / "answers.json" == caught.value.path


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), Path.mkdir])
def test_a_book_that_is_no_file_is_told(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """A pipe, a device or a folder is neither read nor written, and nothing waits for it."""
    path = tmp_path / "answers.json"
    make(path)
    with pytest.raises(CourseError, match=r"cannot be read: answers\.json is not a regular file"):
        read_book(path)
    with pytest.raises(OSError, match=r"a (pipe|symbolic link) has that name|Is a directory"):
        write_book(path, BOOK)


@pytest.mark.parametrize("number", [1, 4])
def test_a_book_of_another_format_is_told(tmp_path: Path, number: int) -> None:
    """For a book of another format, the message says so and names the command that writes a new one."""
    path = tmp_path / "answers.json"
    write_book(path, msgspec.structs.replace(BOOK, format=number))
    with pytest.raises(CourseError, match=f"has format {number}, not 3; `grade build` writes it anew"):
        read_book(path)
