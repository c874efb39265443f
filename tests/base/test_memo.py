import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.base.memo import Memo


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "oracle.sqlite"


def change(path: Path, statement: str, *values: Any) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


def test_a_round_trip(path: Path) -> None:
    """A stored answer is found, also by another `Memo`. Other keys have none."""
    Memo(path).put({"a": "1", "b": "zwei ½"})
    assert {"a": "1", "b": "zwei ½"} == Memo(path).get(["a", "b", "c"])


def test_an_empty_memo_knows_nothing(path: Path) -> None:
    """An empty memo has no answers."""
    assert {} == Memo(path).get(["a"])


def test_a_later_answer_replaces_an_earlier_one(path: Path) -> None:
    """Storing a key again is not an error."""
    Memo(path).put({"a": "1"})
    Memo(path).put({"a": "2", "b": "3"})
    assert {"a": "2", "b": "3"} == Memo(path).get(["a", "b"])


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("UPDATE answers SET answer = ? WHERE key = 'a'", "another"),
        ("UPDATE answers SET answer = ? WHERE key = 'a'", b"one"),
        ("UPDATE answers SET answer = CAST(? AS TEXT) WHERE key = 'a'", b"\xff\xfe"),
        ("UPDATE answers SET checksum = ? WHERE key = 'a'", ""),
        ("UPDATE answers SET checksum = ? WHERE key = 'a'", b"\0"),
        ("UPDATE answers SET answer = (SELECT answer FROM answers WHERE key = ?) WHERE key = 'a'", "b"),
    ],
)
def test_a_row_that_was_changed_is_not_returned(path: Path, statement: str, value: Any) -> None:
    """An answer with a wrong checksum counts as unknown, and can be stored again."""
    Memo(path).put({"a": "one", "b": "two"})
    change(path, statement, value)
    assert {"b": "two"} == Memo(path).get(["b", "a"])
    Memo(path).put({"a": "one"})
    assert {"a": "one", "b": "two"} == Memo(path).get(["a", "b"])


def test_a_row_moved_to_another_key_is_not_returned(path: Path) -> None:
    """The checksum includes the key."""
    Memo(path).put({"a": "one"})
    change(path, "UPDATE answers SET key = 'b'")
    assert {} == Memo(path).get(["a", "b"])


@pytest.mark.parametrize("garbage", [b"no database at all " * 100, b"SQLite format 3\0" + b"\xff" * 4000])
def test_garbage_is_set_aside(path: Path, garbage: bytes) -> None:
    """A file that is not a database is renamed, and a new one is made."""
    path.parent.mkdir()
    path.write_bytes(garbage)
    assert {} == Memo(path).get(["a"])
    Memo(path).put({"a": "1"})
    assert {"a": "1"} == Memo(path).get(["a"])
    assert garbage == path.with_suffix(".damaged").read_bytes()


def test_an_empty_file_is_an_empty_memo(path: Path) -> None:
    """SQLite can use an empty file as a database, so it is not renamed."""
    path.parent.mkdir()
    path.touch()
    Memo(path).put({"a": "1"})
    assert {"a": "1"} == Memo(path).get(["a"])
    assert not path.with_suffix(".damaged").exists()


def test_damage_in_the_middle_is_harmless(path: Path) -> None:
    """With any part of a large file overwritten, no wrong answer is returned and nothing is raised."""
    answers = {f"key {i}": f"answer {i} " * 20 for i in range(500)}
    Memo(path).put(answers)
    data = bytearray(path.read_bytes())
    data[4096 : len(data) // 2] = b"\xa5" * (len(data) // 2 - 4096)
    path.write_bytes(data)
    found = Memo(path).get(answers)
    assert found == {key: answers[key] for key in found}
    Memo(path).put({"new": "1"})


@pytest.mark.parametrize("place", ["file/oracle.sqlite", "file/below/oracle.sqlite", "folder"])
def test_a_place_that_cannot_be_written_is_harmless(tmp_path: Path, place: str) -> None:
    """If the file cannot be written, nothing is stored and nothing is raised."""
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    Memo(tmp_path / place).put({"a": "1"})
    assert {} == Memo(tmp_path / place).get(["a"])


def test_a_database_of_somebody_else_is_harmless(path: Path) -> None:
    """A table of the same name with other columns is left alone."""
    path.parent.mkdir()
    change(path, "CREATE TABLE answers (question TEXT)")
    Memo(path).put({"a": "1"})
    assert {} == Memo(path).get(["a"])


def test_a_locked_file_is_harmless(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If another process locks the file for too long, nothing is stored and nothing is raised."""
    Memo(path).put({"a": "1"})
    holder = sqlite3.connect(path)
    holder.execute("BEGIN EXCLUSIVE")
    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda where, timeout=0.0: real(where, timeout=0.01))
    assert {} == Memo(path).get(["a"])
    Memo(path).put({"b": "2"})
    holder.rollback()
    holder.close()
    assert {"a": "1"} == Memo(path).get(["a", "b"])


@pytest.mark.parametrize("error", [sqlite3.OperationalError("database is locked"), sqlite3.DatabaseError("malformed")])
@pytest.mark.parametrize("which", [1, 2, 3, 4])
def test_whichever_statement_fails_nothing_is_raised(
    path: Path, monkeypatch: pytest.MonkeyPatch, which: int, error: sqlite3.Error
) -> None:
    """After a lock or an error at any statement, the memo only has fewer answers."""
    Memo(path).put({"a": "1"})
    count = 0

    class Flaky(sqlite3.Connection):
        def execute(self, *arguments: Any) -> sqlite3.Cursor:
            nonlocal count
            count += 1
            if count == which:
                raise error
            return super().execute(*arguments)

    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda where, timeout=1.0: real(where, timeout=timeout, factory=Flaky))
    assert Memo(path).get(["a"]) in ({}, {"a": "1"})
    count = 0
    Memo(path).put({"b": "2"})


WRITER = """
import sys
from pathlib import Path
from grader.base.memo import Memo

path, me = Path(sys.argv[1]), sys.argv[2]
for i in range(12):
    Memo(path).put({f"{me} {i}": f"answer {i} of {me}", "shared": "the same"})
    found = Memo(path).get([f"{me} {j}" for j in range(i + 1)] + ["shared"])
    assert len(found) == i + 2, found
"""


@pytest.mark.slow
def test_processes_share_a_memo(path: Path) -> None:
    """Four processes that write and read at once, starting without a file, lose nothing."""
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(me)]) for me in range(4)]
    assert [0, 0, 0, 0] == [writer.wait(timeout=240) for writer in writers]
    expected = {f"{me} {i}": f"answer {i} of {me}" for me in range(4) for i in range(12)}
    assert expected == Memo(path).get(expected)
