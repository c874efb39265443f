"""Begin an exercise again without losing what was written."""

from itertools import count
from pathlib import Path

from msgspec import Struct

from ..outside import plain_folder
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

    Raises `OSError`; the file is unchanged then.
    """
    data = stub.encode()
    if path.is_file() and path.read_bytes() == data:
        return Reset(written=False)
    copy = keep(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return Reset(written=True, copy=copy)


def keep(path: Path) -> Path | None:
    """Copy a file to `.backward/backup` beside it; return the copy, None if there is no file. Copies are numbered.

    Raises `OSError`.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
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
