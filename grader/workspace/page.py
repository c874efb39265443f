"""Keep the page of a replay where its learner finds it."""

import os
import tempfile
from pathlib import Path

from ..outside import readable, write_atomically
from .folder import own_folder

_PAGE = "replay.html"


def keep_replay(page: str, exercises: Path) -> Path:
    """Write a page into the folder that git ignores, beside the exercise files; return its path.

    Where these are not, or cannot be written to, it goes into the folder for temporary files.
    """
    try:
        if not exercises.is_dir():
            raise FileNotFoundError
        path = own_folder(exercises) / _PAGE
        write_atomically(path, page.encode())
        return path
    except OSError:
        handle, name = tempfile.mkstemp(prefix="grade-play-", suffix=".html")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(page)
        return readable(Path(name))
