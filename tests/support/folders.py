"""Keep the files of a folder as data, so that tests can share what was expensive to write."""

import shutil
from collections.abc import Mapping
from pathlib import Path


def taken(folder: Path) -> dict[str, bytes]:
    """Remove a folder, and return the contents of its files by path."""
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    shutil.rmtree(folder)
    return files


def laid_out(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write files, by path, into a folder, and return the folder."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder
