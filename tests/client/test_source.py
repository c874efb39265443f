"""Reading a learner's file from disk, for any kind of file."""

import errno
import os
from pathlib import Path

import pytest
from unread import why_unread

from grader.client import Source, read_source
from grader.client.bounds import SOURCE


def read(folder: Path, content: bytes) -> Source:
    path = folder / "01_file.py"
    path.write_bytes(content)
    return read_source(path)


@pytest.mark.parametrize(
    ("expected", "content"),
    [
        ("", b""),
        ("x = 1\n", b"x = 1\n"),
        ("x = 1", b"\xef\xbb\xbfx = 1"),
        ("", b"\xef\xbb\xbf"),
        ("x = 1\ny = 2\n", b"x = 1\r\ny = 2\r\n"),
        ("x = 1\ny = 2\n", b"x = 1\ry = 2\r"),
        ("x = 1\n\ny = 2", b"x = 1\r\n\ry = 2"),
        ("# größe ∂L/∂a 🙂\n", "# größe ∂L/∂a 🙂\n".encode()),
        ("x = 1\n\x0c\ny = 2\n", b"x = 1\n\x0c\ny = 2\n"),
    ],
    ids=["empty", "plain", "BOM", "BOM alone", "CRLF", "CR", "mixed", "beyond ASCII", "form feed"],
)
def test_text_is_read(tmp_path: Path, expected: str, content: bytes) -> None:
    """UTF-8 is read with or without a BOM, and line ends are unified."""
    found = read(tmp_path, content)
    assert (expected, None, None) == (found.text, found.problem, why_unread(found))


@pytest.mark.parametrize(
    ("expected", "content"),
    [
        ("has NUL bytes", b"x = 1\0\n"),
        ("UTF-16?", "x = 1\n".encode("utf-16-le")),
        ("01_file.py is not", "x = 1\n".encode("utf-16")),
        ("is not UTF-8 (byte 2)", b"# \xff\xfe"),
        ("is not UTF-8 (byte 7)", "x = 'größe'".encode("latin-1")),
        ("is not UTF-8", "\ud800".encode("utf-8", "surrogatepass")),
        ("is larger than 256 KB", b"#" * (SOURCE + 1)),
    ],
    ids=["NUL", "UTF-16", "UTF-16 with BOM", "bytes", "Latin-1", "surrogate", "large"],
)
def test_what_is_no_text_is_unreadable(tmp_path: Path, expected: str, content: bytes) -> None:
    """A file that is not UTF-8 text, or is too large, has a message with its name and the reason."""
    found = read(tmp_path, content)
    assert ("", "unreadable") == (found.text, found.problem)
    assert expected in str(why_unread(found))


def test_a_file_of_just_the_limit_is_read(tmp_path: Path) -> None:
    """256 KB are allowed; the limit is exact."""
    assert len(read(tmp_path, b"#" * SOURCE).text) == SOURCE


@pytest.mark.parametrize("name", ["01_file.py", "no/such/folder/01_file.py"])
def test_a_file_that_is_not_there_is_missing(tmp_path: Path, name: str) -> None:
    """A missing file is distinguished from an unreadable one."""
    found = read_source(tmp_path / name)
    assert ("missing", "there is no file 01_file.py") == (found.problem, why_unread(found))


def test_a_dangling_link_is_unreadable(tmp_path: Path) -> None:
    """A link is not followed, not even to find out that its target does not exist."""
    link = tmp_path / "01_file.py"
    link.symlink_to(tmp_path / "nothing")
    assert read_source(link).problem == "unreadable"


@pytest.mark.parametrize("target", ["solution.py", "/dev/zero", "/dev/stdin", "."])
def test_a_link_is_not_followed(tmp_path: Path, target: str) -> None:
    """A link to a solution, to a device or to a folder is refused as a link."""
    (tmp_path / "solution.py").write_text("secret = 1\n")
    link = tmp_path / "01_file.py"
    link.symlink_to(target)
    found = read_source(link)
    assert ("", "unreadable", "01_file.py cannot be read: there is a symbolic link in its path") == (
        found.text,
        found.problem,
        why_unread(found),
    )


def test_a_link_on_the_way_is_refused_where_a_folder_is_given(tmp_path: Path) -> None:
    """Below a submission's folder, no part of the path may be a link. Links above it belong to the reader."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "01_file.py").write_text("secret = 1\n")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "sub").symlink_to(tmp_path / "secret")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    found = read_source(tmp_path / "work" / "sub" / "01_file.py", tmp_path / "work")
    assert ("", "unreadable") == (found.text, found.problem)
    assert "symbolic link" in str(why_unread(found))
    assert read_source(tmp_path / "link" / "01_file.py", tmp_path / "link").text == "secret = 1\n"


@pytest.mark.parametrize("name", ["01_file.py", "a/b/01_file.py"])
def test_a_file_below_a_folder_is_read(tmp_path: Path, name: str) -> None:
    """Real folders in the path are allowed. A missing file is missing."""
    path = tmp_path / name
    assert read_source(path, tmp_path).problem == "missing"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x = 1\n")
    assert read_source(path, tmp_path).text == "x = 1\n"


def test_a_second_name_for_a_file_is_refused(tmp_path: Path) -> None:
    """A hard link could belong to somebody else."""
    (tmp_path / "solution.py").write_text("secret = 1\n")
    os.link(tmp_path / "solution.py", tmp_path / "01_file.py")
    found = read_source(tmp_path / "01_file.py")
    assert ("", "unreadable") == (found.text, found.problem)
    assert "hard link" in str(why_unread(found))


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """The message names a folder in the place of a file as such."""
    (tmp_path / "01_file.py").mkdir()
    descriptors = len(os.listdir("/proc/self/fd"))
    found = read_source(tmp_path / "01_file.py")
    assert ("unreadable", "01_file.py is not a regular file") == (found.problem, why_unread(found))
    assert descriptors == len(os.listdir("/proc/self/fd"))


def test_a_fifo_does_not_block(tmp_path: Path) -> None:
    """Reading does not wait for a pipe to which nobody writes."""
    os.mkfifo(tmp_path / "01_file.py")
    found = read_source(tmp_path / "01_file.py")
    assert ("unreadable", "01_file.py is not a regular file") == (found.problem, why_unread(found))


def test_a_device_is_no_file() -> None:
    """A device is not read."""
    assert read_source(Path("/dev/zero")).problem == "unreadable"


def test_a_file_below_a_file_is_unreadable(tmp_path: Path) -> None:
    """A path through something that is not a folder is refused with the system's message."""
    (tmp_path / "file").write_text("")
    found = read_source(tmp_path / "file" / "01_file.py")
    assert ("unreadable", f"01_file.py cannot be read: {os.strerror(errno.ENOTDIR)}") == (
        found.problem,
        why_unread(found),
    )


def test_a_name_that_is_too_long_is_unreadable(tmp_path: Path) -> None:
    """A name that the file system refuses is not a fault of the grader."""
    assert read_source(tmp_path / ("x" * 300 + ".py")).problem == "unreadable"


def test_a_file_that_may_not_be_read_is_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the missing permission (simulated, because root may read everything)."""
    path = tmp_path / "01_file.py"
    path.write_text("x = 1\n")

    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", refuse)
    found = read_source(path)
    monkeypatch.undo()
    assert ("unreadable", "01_file.py cannot be read: Permission denied") == (found.problem, why_unread(found))


def test_a_linked_folder_on_the_way_is_refused(tmp_path: Path) -> None:
    """With `below`, a symbolic link among the folders is refused as one at the end is."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "01_plus.py").write_text("x = 1\n")
    (tmp_path / "linked").symlink_to("real")
    plain = read_source(tmp_path / "real" / "01_plus.py", tmp_path)
    assert ("x = 1\n", None) == (plain.text, plain.problem)
    refused = read_source(tmp_path / "linked" / "01_plus.py", tmp_path)
    assert ("", "unreadable") == (refused.text, refused.problem)
    assert "symbolic link" in str(why_unread(refused))
