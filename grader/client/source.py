"""Read a learner's file from disk without trusting what lies there."""

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from ..outside import readable
from . import bounds

MAX_BYTES = bounds.SOURCE

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOSE = getattr(os, "O_CLOEXEC", 0)
_FILE = os.O_RDONLY | _NO_FOLLOW | _CLOSE | getattr(os, "O_NONBLOCK", 0)
_FOLDER = os.O_RDONLY | _NO_FOLLOW | _CLOSE | getattr(os, "O_DIRECTORY", 0)


@dataclass(frozen=True)
class Source:
    """A file's text, or why there is none: `problem` is `missing`, `unreadable` or None. `path` is for showing it."""

    path: Path
    text: str = ""
    problem: str | None = None
    message: str | None = None


def read_source(path: Path, root: Path | None = None) -> Source:
    """Read a regular file of UTF-8 text of at most 256 KB, line ends made `\\n`.

    Never blocks on a FIFO, follows a symbolic link or takes a file that has a second name (a hard link): either could
    lead to a file that the submission only points at. Where `root` is given and the file lies there, no
    folder between them may be a link either.
    """
    shown = readable(path)
    try:
        handle = _open(path, root)
    except FileNotFoundError:
        return Source(shown, problem="missing", message=f"there is no file {shown.name}")
    except OSError as error:
        linked = error.errno in (errno.ELOOP, errno.EMLINK) or (root is not None and error.errno == errno.ENOTDIR)
        why = "there is a symbolic link in its path" if linked else (error.strerror or "unknown reason")
        return Source(shown, problem="unreadable", message=f"{shown.name} cannot be read: {why}")
    why_not = _refusal(os.fstat(handle))
    if why_not:
        os.close(handle)
        return Source(shown, problem="unreadable", message=f"{shown.name} {why_not}")
    with os.fdopen(handle, "rb") as file:
        return decode_source(shown, file.read(MAX_BYTES + 1))


def decode_source(path: Path, data: bytes) -> Source:
    """A source from the bytes of a file, of which no more than `MAX_BYTES + 1` need be given."""
    if len(data) > MAX_BYTES:
        return Source(path, problem="unreadable", message=f"{path.name} {_TOO_LARGE}")
    if b"\0" in data:
        return Source(path, problem="unreadable", message=f"{path.name} is not text: it has NUL bytes (UTF-16?)")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Source(path, problem="unreadable", message=f"{path.name} is not UTF-8 (byte {error.start})")
    return Source(path, text.replace("\r\n", "\n").replace("\r", "\n"))


_TOO_LARGE = f"is larger than {MAX_BYTES >> 10} KB"


def _refusal(found: os.stat_result) -> str | None:
    if not stat.S_ISREG(found.st_mode):
        return "is not a regular file"
    if found.st_nlink > 1:
        return "is a hard link: the same file has another name elsewhere"
    return _TOO_LARGE if found.st_size > MAX_BYTES else None


def _open(path: Path, root: Path | None) -> int:
    """Open the file, each component below `root` by itself so that none of them can be a link."""
    if root is None or not path.is_relative_to(root) or os.open not in os.supports_dir_fd:
        return os.open(path, _FILE)
    *folders, name = path.relative_to(root).parts
    at = os.open(root, os.O_RDONLY | _CLOSE)
    try:
        for folder in folders:
            inner = os.open(folder, _FOLDER, dir_fd=at)
            os.close(at)
            at = inner
        return os.open(name, _FILE, dir_fd=at)
    finally:
        os.close(at)
