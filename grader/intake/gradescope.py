"""A Gradescope export: a folder for each submission, and a file that lists the submitters."""

from collections.abc import Iterator
from typing import Any

from ..base import YamlError, printable, read_plain, yaml_texts
from ..learners import Submitter
from ..words import instructor as intake
from .layout import Entry, Folder, IntakeError, Layout, stamped

METADATA = "submission_metadata.yml"
_REMEDY = "; `--layout folders` reads the folders without it"


def fits(folder: Folder) -> bool:
    """Return whether the folder contains the export's metadata. A folder of that name may be a person's."""
    return METADATA in folder.names and not (folder.path / METADATA).is_dir()


def read(folder: Folder) -> Iterator[Entry]:
    """Yield an entry for each submission in the metadata and for each other folder. Raises `IntakeError`."""
    metadata = _metadata(folder)
    there = set(folder.names)
    for name in sorted({*metadata, *(n for n in folder.names if (folder.path / n).is_dir())}):
        known = metadata.get(name)
        notes = [] if isinstance(known, dict) else [intake.not_listed(METADATA)]
        notes += [] if name in there else [intake.not_in_export()]
        known = known if isinstance(known, dict) else {}
        submitted, unclear = stamped(known.get(":created_at"))
        yield Entry(
            name,
            name,
            (folder.path / name,) if name in there else (),  # a name from the metadata must not lead out of the export
            submitters=tuple(_submitters(known.get(":submitters"))),
            submitted_at=submitted,
            notes=(*notes, *unclear),
        )


def _metadata(folder: Folder) -> dict[Any, Any]:
    path = folder.path / METADATA
    try:
        metadata = yaml_texts(read_plain(path))  # the file also holds output of submissions, and Ruby's YAML tags
    except (OSError, YamlError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise IntakeError(f"{path} cannot be read: {why}{_REMEDY}") from None
    if not isinstance(metadata, dict):
        raise IntakeError(f"{path} does not map folders to submissions{_REMEDY}")
    return metadata


def _submitters(listed: Any) -> Iterator[Submitter]:
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            said = (one.get(key) for key in (":name", ":sid", ":email"))
            name, sid, email = (printable(text) if isinstance(text, str) else "" for text in said)
            yield Submitter(name=name or email or sid, id=sid, email=email)


LAYOUT = Layout("gradescope", f"an export with its {METADATA}", fits, read, keeps=lambda folder: frozenset({METADATA}))
