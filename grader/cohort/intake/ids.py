"""Make ids for submissions that are safe as file names, unique, and the same on every run."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ...outside import decoded, printable
from ...words.instructor import intake
from .layout import Entry

_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)  # reserved on Windows
_DIGEST = re.compile(r"-[0-9a-f]{12}$")


def with_unique_ids(found: Sequence[Entry]) -> list[Entry]:
    """Return the entries with ids that are safe as file names, and unique even if case is ignored.

    A digest of the origin is appended to a name that is unsafe, not unique, or ends like a digest.
    Origins are unique. Entries with the same name get a note.
    """
    plain = [re.sub(r"[^A-Za-z0-9._-]", "_", decoded(entry.id)).strip(".-") for entry in found]
    often = Counter(text.lower() for text in plain)
    made: list[Entry] = []
    taken = set()
    named = Counter(entry.id for entry in found)
    for entry, text in zip(found, plain, strict=True):
        if named[entry.id] > 1:
            alike = [printable(other.origin) for other in found if other.id == entry.id]
            entry = replace(entry, notes=(*entry.notes, intake.several_times(alike)))
        unsafe = not text or text != entry.id or len(text) > 100 or _DEVICES.fullmatch(text) or _DIGEST.search(text)
        if unsafe or often[text.lower()] > 1:
            text, origin = text[:80].replace(".", "_") or "submission", decoded(entry.origin)
            while (name := f"{text}-{_digest(origin)}").lower() in taken:
                origin += "/"
            text = name
        taken.add(text.lower())
        made.append(replace(entry, id=text))
    return made


def _digest(origin: str) -> str:
    return hashlib.sha256(origin.encode("utf-8", "surrogatepass")).hexdigest()[:12]
