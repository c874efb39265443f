"""The sentence about a source without a text."""

from grader.runner.client import Source
from grader.words.practice import unread_text


def why_unread(source: Source) -> str | None:
    """Return the sentence that says why a source has no text, or None if it has one."""
    return unread_text(source.unread, source.path.name) if source.unread else None
