"""Begin an exercise again without losing what was written."""

from itertools import count
from pathlib import Path

from msgspec import Struct

from ..outside import plain_folder, read_plain, write_atomically
from .folder import own_folder

_BACKUPS = "backup"


class Reset(Struct, frozen=True):
    """The outcome of a reset.

    Attributes:
        written: Whether the stub was written; not where the file was the stub.
        copy: Where the copy of the old file is; None if there was no old file, or no need for a copy.
    """

    written: bool
    copy: Path | None = None


def reset(path: Path, stub: str) -> Reset:
    """Write the stub over an exercise file that is not the stub already. Keep a copy of the old file, if there was one.

    Raises `OSError`; the file is unchanged then. So is what a link leads to that lies in the place of the file.
    """
    data = stub.encode()
    content = _content(path)
    if content == data:
        return Reset(written=False)
    copy = None if content is None else _copied(path, content)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)
    return Reset(written=True, copy=copy)


def keep(path: Path) -> Path | None:
    """Copy a file to `.backward/backup` beside it; return the copy, None if there is no file. Copies are numbered.

    Raises `OSError`, also for anything but a regular file.
    """
    content = _content(path)
    return None if content is None else _copied(path, content)


def _content(path: Path) -> bytes | None:
    try:
        return read_plain(path)
    except FileNotFoundError:
        return None


def _copied(path: Path, content: bytes) -> Path:
    folder = own_folder(path.parent) / _BACKUPS
    plain_folder(folder)
    for number in count(1):
        copy = folder / f"{path.stem}.{number}{path.suffix}"
        try:
            with copy.open("xb") as file:
                file.write(content)
        except FileExistsError:
            continue
        return copy
    raise AssertionError("unreachable")
