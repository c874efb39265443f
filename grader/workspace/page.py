"""Save the page of a replay in the learner's folder."""

import os
import tempfile
from pathlib import Path

from ..outside import readable, write_atomically
from .folder import own_folder

_PAGE = "replay.html"


def keep_replay(page: str, exercises: Path) -> Path:
    """Write a page to the folder `.backward` beside the exercise files, and return its path.

    If the exercise folder does not exist or cannot be written, the page goes to the folder for temporary files.
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
