"""Notes on a submission as it was found: what was not read or not graded, and why."""

from collections.abc import Sequence

from ..files import listed


def cannot_be_read(name: str, why: str | None) -> str:
    """Return a note on a file or folder that the system does not read."""
    return f"{name} cannot be read: {why}"


def cell_not_graded(notebook: str, exercise: str, file: str) -> str:
    """Return a note on a cell for an exercise that also has a file."""
    return f"{notebook} has a cell for {exercise}, which was not graded, because there is {file}"


def copies(count: int, name: str, paths: Sequence[str]) -> str:
    """Return a note on several files with the same name and the same text. `paths` are the first of them."""
    return f"{count} identical copies of {name} were found: {listed(paths, more=count > len(paths))}"


def more_notes(count: int) -> str:
    """Return a note on the notes that were left out."""
    return f"and {count} more {'note' if count == 1 else 'notes'} of this kind"


def other_names(names: Sequence[str], *, more: bool) -> str:
    """Return a note on files that do not have the name of an exercise."""
    return f"files with other names were not graded: {listed(names, more=more)}"


def symbolic_link(name: str) -> str:
    """Return a note on a symbolic link in place of a submission."""
    return f"{name} is a symbolic link; its target was not read"


def too_deep(folder: str, depth: int) -> str:
    """Return a note on folders that are nested more than `depth` deep."""
    return f"{folder} has folders nested more than {depth} deep; they were not read"


def too_many_files(folder: str, most: int) -> str:
    """Return a note on a folder with more than `most` files."""
    return f"{folder} contains more than {most} files; the rest were not read"
