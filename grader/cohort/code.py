"""The files of a submission as they were graded, kept beside its report."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from ..client import Source
from ..outside import json_text, read_plain, write_atomically
from ..report import Report
from ..report.model import SubmissionStamp

CODE = "code"


class Code(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The text of each file that could be read, by exercise. `sha256` is that of the report's submission."""

    schema: Literal["backward/code/v1"]
    sha256: str
    files: dict[str, str]


class _Stamp(msgspec.Struct, frozen=True):
    sha256: str


def keep_code(folder: Path, stamp: SubmissionStamp, sources: Mapping[str, Source]) -> None:
    """Write the files of a submission into a folder of results, unless they are there. Raises `OSError`."""
    path = _path(folder, stamp.id)
    try:
        if msgspec.json.decode(read_plain(path), type=_Stamp).sha256 == stamp.sha256:
            return
    except (OSError, msgspec.MsgspecError):
        pass
    files = {name: source.text for name, source in sources.items() if source.problem is None}
    write_atomically(path, json_text(Code("backward/code/v1", stamp.sha256, files)).encode())


def read_code(folder: Path, report: Report) -> Mapping[str, str]:
    """Return the files that a report was made from, by exercise; nothing if they were not kept, or have changed."""
    try:
        kept = msgspec.json.decode(read_plain(_path(folder, report.submission.id)), type=Code)
    except (OSError, msgspec.MsgspecError):
        return {}
    return kept.files if kept.sha256 == report.submission.sha256 else {}


def _path(folder: Path, submission: str) -> Path:
    return folder / CODE / f"{submission}.json"
