"""Reset an exercise without losing the learner's file."""

from itertools import count
from pathlib import Path

from msgspec import Struct

from ..outside import plain_folder, read_plain, write_atomically
from .folder import own_folder

_BACKUPS = "backup"


class Reset(Struct, frozen=True):
    """The outcome of a reset.

    Attributes:
        written: whether the stub was written. It is not written if the file already was the stub.
        copy: the path of the copy of the old file; None if no copy was made.
    """

    written: bool
    copy: Path | None = None


def reset(path: Path, stub: str) -> Reset:
    """Replace an exercise file with the stub, unless it is the stub already. Keep a copy of an existing file.

    Raises `OSError`; then the file is unchanged. If the file is a link, its target is unchanged too.
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
    """Copy a file to `.backward/backup` beside it. Return the path of the copy, or None if there is no file.

    Copies are numbered. Raises `OSError`, also for anything but a regular file.
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
