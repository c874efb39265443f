"""Notes on a submission as it was found: what was not read or not graded, and why."""

from collections.abc import Sequence

from ...base import few
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


def in_doubt(submitters: Sequence[str]) -> str:
    """Return a note on a file whose name fits several submitters."""
    return f"the file's name fits {' or '.join(submitters)}; the file is graded as a submission of its own"


def may_also_belong(files: Sequence[str]) -> str:
    """Return a note on files whose names fit this submitter and others."""
    return f"may also belong to this person, and is graded on its own: {few(files)}"


def more_notes(count: int) -> str:
    """Return a note on the notes that were left out."""
    return f"and {count} more {'note' if count == 1 else 'notes'} of this kind"


def no_time(text: str) -> str:
    """Return a note on a time of submission that a platform wrote in an unknown form."""
    return f"the time of submission cannot be read: {text}"


def not_in_export() -> str:
    """Return a note on a folder that an export's metadata lists, but that does not exist."""
    return "the export does not contain this folder"


def not_listed(metadata: str) -> str:
    """Return a note on a folder that an export's metadata does not list."""
    return f"{metadata} does not list this folder"


def other_names(names: Sequence[str], *, more: bool) -> str:
    """Return a note on files that do not have the name of an exercise."""
    return f"files with other names were not graded: {listed(names, more=more)}"


def several_times(origins: Sequence[str]) -> str:
    """Return a note on submissions with the same name."""
    return f"submitted more than once, each graded separately: {', '.join(origins)}"


def symbolic_link(name: str) -> str:
    """Return a note on a symbolic link in place of a submission."""
    return f"{name} is a symbolic link; its target was not read"


def too_deep(folder: str, depth: int) -> str:
    """Return a note on folders that are nested more than `depth` deep."""
    return f"{folder} has folders nested more than {depth} deep; they were not read"


def too_many_files(folder: str, most: int) -> str:
    """Return a note on a folder with more than `most` files."""
    return f"{folder} contains more than {most} files; the rest were not read"
