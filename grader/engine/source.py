"""Read a learner's file from disk without trusting what lies there."""

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 256 << 10


@dataclass(frozen=True)
class Source:
    """A file's text, or why there is none: `problem` is `missing`, `unreadable` or None."""

    path: Path
    text: str = ""
    problem: str | None = None
    message: str | None = None


def read_source(path: Path) -> Source:
    """Read a regular file of UTF-8 text below 256 KB; never blocks on a FIFO or follows a link at the end."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        handle = os.open(path, flags)
    except FileNotFoundError:
        return Source(path, problem="missing", message=f"there is no file {path.name}")
    except OSError as error:
        why = "it is a symbolic link" if error.errno == errno.ELOOP else (error.strerror or "unknown reason")
        return Source(path, problem="unreadable", message=f"{path.name} cannot be read: {why}")
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            return Source(path, problem="unreadable", message=f"{path.name} is no regular file")
        if found.st_size > MAX_BYTES:
            return Source(path, problem="unreadable", message=f"{path.name} is larger than {MAX_BYTES >> 10} KB")
        data = file.read(MAX_BYTES + 1)
    if b"\0" in data:
        return Source(path, problem="unreadable", message=f"{path.name} is not text: it has NUL bytes (UTF-16?)")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Source(path, problem="unreadable", message=f"{path.name} is not UTF-8 (byte {error.start})")
    return Source(path, text.replace("\r\n", "\n").replace("\r", "\n"))
