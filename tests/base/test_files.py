"""Only regular files are read and written, and anything else in their place is left alone."""

import os
import select
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.base.files import (
    in_the_way,
    open_plain,
    plain_folder,
    read_plain,
    write_atomically,
    write_files,
    write_named,
)

Make = Callable[[Path], Any]

ODD: dict[str, Make] = {
    "symbolic link": lambda path: path.symlink_to(path.with_name("secret")),
    "symbolic link to nowhere": lambda path: path.symlink_to("nowhere"),
    "symbolic link to itself": lambda path: path.symlink_to(path.name),
    "symbolic link to a device": lambda path: path.symlink_to("/dev/zero"),
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
}


@pytest.fixture(params=list(ODD.items()), ids=list(ODD))
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """Return the kind of a path, and the path. A secret is beside it."""
    kind, make = request.param
    (tmp_path / "secret").write_text("secret")
    path = tmp_path / "file"
    make(path)
    return kind.partition(" to ")[0], path


def looks(folder: Path) -> list[tuple[str, int, str]]:
    """Return name and kind of everything in a folder, and the text of files."""
    return [
        (path.name, stat.S_IFMT(path.lstat().st_mode), path.read_text() if stat.S_ISREG(path.lstat().st_mode) else "")
        for path in sorted(folder.iterdir())
    ]


def test_what_is_no_file_is_not_read(odd: tuple[str, Path]) -> None:
    """Links are not followed, and reading does not wait."""
    _, path = odd
    with pytest.raises(OSError, match=r"is a symbolic link|is not a regular file"):
        read_plain(path)


def test_what_is_no_file_is_not_written(odd: tuple[str, Path]) -> None:
    """The error names the kind, and nothing has changed, including the target of a link."""
    kind, path = odd
    before = looks(path.parent)
    with pytest.raises(OSError, match=f"a {kind} has that name|Is a directory"):
        write_atomically(path, b"new")
    assert before == looks(path.parent)


def test_what_stands_in_the_way_is_named(odd: tuple[str, Path], tmp_path: Path) -> None:
    """A file in the place of a file is fine, and so is an empty place."""
    kind, path = odd
    assert kind == in_the_way(path)
    assert (None, "file") == (in_the_way(tmp_path / "secret"), in_the_way(tmp_path / "secret", "folder"))
    assert (None, None) == (in_the_way(tmp_path / "new"), in_the_way(tmp_path, "folder"))


def test_a_socket_is_named(tmp_path: Path) -> None:
    """A socket is not a file."""
    os.mknod(tmp_path / "file", stat.S_IFSOCK | 0o600)
    assert "socket" == in_the_way(tmp_path / "file")


def test_a_folder_is_made_where_none_is(odd: tuple[str, Path], tmp_path: Path) -> None:
    """An existing folder is used, but not a link to one."""
    kind, path = odd
    plain_folder(tmp_path / "a" / "b")
    plain_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    if kind != "folder":
        with pytest.raises(OSError, match=f"is a {kind}; expected a folder"):
            plain_folder(path)


def test_a_link_is_followed_only_to_follow_it(tmp_path: Path) -> None:
    """A course's file may be a link to a file, but not to a pipe, on which reading would wait."""
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")
    assert b"text" == read_plain(tmp_path / "link", follow=True)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "other").symlink_to("pipe")
    with pytest.raises(OSError, match="other is not a regular file"):
        open_plain(tmp_path / "other", follow=True)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    """A gigabyte of zeros takes no memory."""
    with (tmp_path / "file").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(OSError, match="is larger than 1 MB"):
        read_plain(tmp_path / "file", 1 << 20)


# -- written atomically --------------------------------------------------------------------------------------


def test_pieces_are_written_as_they_come(tmp_path: Path) -> None:
    """A file can be larger than memory. It gets its name when it is complete."""
    path = tmp_path / "export"

    def in_pieces() -> Iterator[bytes]:
        yield b"one, "
        assert not path.exists()
        yield b"two"

    write_atomically(path, in_pieces())
    assert b"one, two" == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())


def test_pieces_that_cannot_be_made_leave_the_old_file(tmp_path: Path) -> None:
    """An error while the data is made is raised, and the old file stays."""
    path = tmp_path / "export"
    path.write_text("the old export")

    def in_pieces() -> Iterator[bytes]:
        yield b"one, "
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        write_atomically(path, in_pieces())
    assert [("export", "the old export")] == [(file.name, file.read_text()) for file in tmp_path.iterdir()]


def test_a_name_that_is_not_utf_8_is_a_name(tmp_path: Path) -> None:
    """A name that is not UTF-8 can be used."""
    path = tmp_path / "a\udcff\n"
    write_atomically(path, b"text")
    assert b"text" == read_plain(path)


# -- written where somebody said -----------------------------------------------------------------------------


def test_a_device_is_written_to_and_stays_one() -> None:
    """`--report /dev/null`, even from root, discards the report and does not replace the device."""
    device = Path("/dev/null")
    write_named(device, b"report")
    assert stat.S_ISCHR(device.lstat().st_mode)


def test_a_pipe_gets_all_of_it(tmp_path: Path) -> None:
    """The reader of a pipe gets all of the data, of any length."""
    pipe, data = tmp_path / "pipe", b"report" * 50_000
    os.mkfifo(pipe)
    writing = threading.Thread(target=write_named, args=(pipe, [data[:9], data[9:]]))
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    writing.start()
    select.select([reader], [], [])  # until the writer is there
    os.set_blocking(reader, True)
    with os.fdopen(reader, "rb") as file:
        received = file.read(len(data))
    writing.join()
    assert data == received
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


def test_a_pipe_that_nobody_reads_is_told(tmp_path: Path) -> None:
    """Writing does not wait for a reader, who may never come."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="a pipe has that name, and nothing reads from it"):
        write_named(tmp_path / "pipe", b"report")


@pytest.mark.parametrize("target", ["secret", "nowhere", "/dev/null", "/dev/full"])
def test_a_link_is_not_written_through(tmp_path: Path, target: str) -> None:
    """A link is not replaced either, because its owner may need it."""
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "link").symlink_to(target)
    before = looks(tmp_path)
    with pytest.raises(OSError, match="a symbolic link has that name"):
        write_named(tmp_path / "link", b"report")
    assert (before, target) == (looks(tmp_path), os.readlink(tmp_path / "link"))


def test_what_this_process_has_open_can_be_named(tmp_path: Path) -> None:
    """`/dev/stdout` and `/dev/fd/3` are links of the system. The open file gets the data at its position."""
    with (tmp_path / "out").open("wb", buffering=0) as file:
        file.write(b"before, ")
        for place in (f"/dev/fd/{file.fileno()}", f"/proc/self/fd/{file.fileno()}"):
            write_named(Path(place), b"now, ")
        file.write(b"after")
    assert b"before, now, now, after" == (tmp_path / "out").read_bytes()


def test_what_another_process_has_open_cannot(tmp_path: Path) -> None:
    """A link below /proc may have any target."""
    with pytest.raises(OSError, match="a symbolic link has that name"):
        write_named(Path(f"/proc/{os.getppid()}/fd/1"), b"report")


def test_an_ordinary_file_is_written_atomically(tmp_path: Path) -> None:
    """This holds for a new file and for an existing one."""
    for data in (b"a longer report", b"report"):
        write_named(tmp_path / "file", data)
        assert [("file", data)] == [(path.name, path.read_bytes()) for path in tmp_path.iterdir()]


def test_files_are_not_written_through_a_linked_folder(tmp_path: Path) -> None:
    """If a folder in the path is a link, nothing is written to its target."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".github").symlink_to("../elsewhere")
    with pytest.raises(NotADirectoryError, match="symbolic link"):
        write_files({"a/b/c": b"1", ".github/d/e": b"2"}, tmp_path / "work")
    assert [] == list((tmp_path / "elsewhere").iterdir())
    assert b"1" == (tmp_path / "work" / "a" / "b" / "c").read_bytes()


def test_a_file_that_is_open_elsewhere_is_replaced_a_little_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows, a scanner or an editor may have a file open for a moment. Other refusals are not tried again."""
    replace, refusals = os.replace, [PermissionError(), PermissionError(), PermissionError()]
    for refusal in refusals[:2]:
        setattr(refusal, "winerror", 32)  # noqa: B010  (mypy knows it only on Windows)

    def refused(source: str, target: Path) -> None:
        if refusals:
            raise refusals.pop(0)
        replace(source, target)

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(PermissionError):
        write_atomically(tmp_path / "file", b"old")
    write_atomically(tmp_path / "file", b"new")
    assert (b"new", []) == ((tmp_path / "file").read_bytes(), refusals)
