"""The files of a submission as they were graded, kept beside its report."""

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from ..client import Source
from ..outside import json_text, read_plain, write_atomically
from ..report import Report
from ..report.choices import Found
from ..report.model import SubmissionStamp

CODE = "code"


class Code(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The text of each readable file of a submission, by exercise.

    Attributes:
        sha256: the digest in the report of the submission.
        files: the text of each readable file, by exercise.
        found: the files that somebody may choose from.
    """

    schema: Literal["backward/code/v1"]
    sha256: str
    files: dict[str, str]
    found: dict[str, dict[str, str]] = {}


def keep_code(folder: Path, stamp: SubmissionStamp, sources: Mapping[str, Source], found: Found) -> None:
    """Write the files of a submission to a folder of results, unless they are already there. Raises `OSError`."""
    path = _path(folder, stamp.id)
    files = {name: source.text for name, source in sources.items() if source.problem is None}
    listed = {exercise: dict(paths) for exercise, paths in found.items()}
    data = json_text(Code("backward/code/v1", stamp.sha256, files, listed)).encode()
    with contextlib.suppress(OSError):
        if read_plain(path) == data:
            return
    write_atomically(path, data)


def read_code(folder: Path, report: Report) -> Mapping[str, str]:
    """Return the files that a report was made from, by exercise; empty if they were not kept or have changed."""
    kept = _read(folder, report.submission.id)
    return kept.files if kept is not None and kept.sha256 == report.submission.sha256 else {}


def read_found(folder: Path, submission: str) -> Found:
    """Return the files that somebody may choose from; empty if they were not kept."""
    kept = _read(folder, submission)
    return kept.found if kept is not None else {}


def _read(folder: Path, submission: str) -> Code | None:
    try:
        return msgspec.json.decode(read_plain(_path(folder, submission)), type=Code)
    except (OSError, msgspec.MsgspecError):
        return None


def _path(folder: Path, submission: str) -> Path:
    return folder / CODE / f"{submission}.json"
