"""Begin an exercise again without losing what was written."""

from itertools import count
from pathlib import Path

from ..outside import plain_folder
from .folder import own_folder

_BACKUPS = "backup"


def reset(path: Path, stub: str) -> Path | None:
    """Write the stub over an exercise file; return where the copy of the old file is, None if there was no old file.

    Raises `OSError`; the file is unchanged then.
    """
    copy = keep(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(stub, encoding="utf-8")
    return copy


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
