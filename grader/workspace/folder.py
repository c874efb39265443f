"""The folder beside the exercise files that holds everything which is not the learner's own work."""

from pathlib import Path

from ..outside import plain_folder

FOLDER = ".backward"


def own_folder(exercises: Path) -> Path:
    """Return the folder `.backward` in a folder of exercise files, made if it is not there.

    Git ignores it by a `.gitignore` of its own. Raises `OSError`, also where a link has its name.
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
