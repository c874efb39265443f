"""The choice between the files of a submission, and digests of the files for which a decision was made."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec

Found: TypeAlias = Mapping[str, Mapping[str, str]]
"""For each exercise the files that may be meant, by path, each with the digest of its content, or an empty text where
the content was not read. Other files that could be graded are under an empty name."""

NO_FILE = "none"  # in place of the digest of a file that is missing or cannot be read


class Choice(msgspec.Struct, frozen=True):
    """A decision that a file counts for an exercise.

    Attributes:
        path: the file, as a path in the submission.
        made_for: the digest of the files that could be chosen; empty if it is not known.
        line: the line of `overrides.yaml` where the decision begins.
    """

    path: str
    made_for: str = ""
    line: int = 0


def text_digest(text: str) -> str:
    """Return the SHA-256 of a file's text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def files_digest(found: Found, exercise: str, path: str) -> str | None:
    """Return a digest over all files that may be an exercise, including the chosen one.

    Return None if the chosen file does not exist, and an empty text if its content was not read.
    """
    meant = {**found.get(exercise, {})}
    if path not in meant and path in found.get("", {}):
        meant[path] = found[""][path]
    if not meant.get(path):
        return meant.get(path)
    return text_digest("".join(f"{name}\n{digest}\n" for name, digest in sorted(meant.items())))


def chosen(choices: Sequence[Choice], found: Found, exercise: str) -> Choice | None:
    """Return the last choice that was made from exactly these files, or whose files are not known; else None."""
    for one in reversed(choices):
        digest = files_digest(found, exercise, one.path)
        if digest is not None and one.made_for in ("", digest):
            return one
    return None
