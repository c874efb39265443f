"""The folder beside the exercise files for everything that is not the learner's own work."""

from pathlib import Path

from ..outside import plain_folder

FOLDER = ".backward"


def own_folder(exercises: Path) -> Path:
    """Return the folder `.backward` in a folder of exercise files. Make it if it does not exist.

    The folder contains a `.gitignore`, so that git ignores it. Raises `OSError`, also if a link has the folder's name.
    """
    folder = exercises / FOLDER
    plain_folder(folder)
    ignored = folder / ".gitignore"
    try:
        with ignored.open("x", encoding="utf-8") as file:
            file.write("*\n")
    except FileExistsError:
        pass
    return folder
