"""Reports to and from JSON, and the JSON Schema that says what one looks like."""

import contextlib
import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from .model import SCHEMA, Report

# DEL and C1 controls, line and paragraph separators, marks that turn the direction of writing; second colons; brackets
_STEERING = re.compile(r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]|(?<=:):|(?<=##)\[")


def to_json(report: Report) -> bytes:
    """The report as indented JSON, ending in a line end.

    What could steer a terminal or a CI job's log (control characters, `::`, `##[`) is spelled by JSON's own escapes:
    the data is the same.
    """
    text = msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"
    return escape_steering(text).encode()


def escape_steering(json: str) -> str:
    """The same JSON, in which what could steer a terminal or a CI job's log is spelled by JSON's own escapes."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", json)


def read_report(data: bytes) -> Report:
    """Parse a report. Raises `ValueError` for anything that is none."""
    return msgspec.json.decode(data, type=Report)


def write_report(report: Report, path: Path) -> None:
    """Write a report's JSON atomically. Raises `OSError`."""
    write_atomically(path, to_json(report))


def write_atomically(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write so that the file holds the old content or the new one, never a part. Raises `OSError`, and what making
    the data raises.

    What is there and no regular file (`/dev/null`, a pipe) is written to, not replaced.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as device:
            device.writelines([data] if isinstance(data, bytes) else data)
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def schema() -> dict[str, Any]:
    """The report's JSON Schema (draft 2020-12)."""
    made = msgspec.json.schema(Report)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA, **made}
