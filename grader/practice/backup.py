"""Begin an exercise again without losing what was written."""

from itertools import count
from pathlib import Path

_FOLDER = ".backup"


def reset(path: Path, stub: str) -> Path | None:
    """Write the stub over an exercise file; return where the copy of the old file is, None if there was no old file.

    The copies are in the folder `.backup` beside the file, numbered. Raises `OSError`; the file is unchanged then.
    """
    copy = _keep(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(stub, encoding="utf-8")
    return copy


def _keep(path: Path) -> Path | None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    folder = path.with_name(_FOLDER)
    folder.mkdir(exist_ok=True)
    for number in count(1):
        copy = folder / f"{path.stem}.{number}{path.suffix}"
        try:
            with copy.open("xb") as file:
                file.write(content)
        except FileExistsError:
            continue
        return copy
    raise AssertionError("unreachable")
