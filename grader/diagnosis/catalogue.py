"""Read the misconceptions listed beside a solution, and apply their edits to it."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..course import Document
from ..course.load import child, line
from .edits import edited

LONGEST_TITLE = 60


class _Raw(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*$")]
    title: Annotated[str, Meta(min_length=1)]
    explanation: Annotated[str, Meta(min_length=1)]
    hint: Annotated[int, Meta(ge=0)]
    edits: Annotated[list[Any], Meta(min_length=1)]
    about: str | None = None
    unfinished: bool = False
    on: str | None = None  # an earlier misconception; the edits apply to its source instead of the solution


class Misconception(msgspec.Struct, frozen=True):
    """A known wrong way to solve an exercise, and the solution edited by it.

    Attributes:
        title: The mistake in a few words, for the list on a class page.
        explanation: The text for the learner: what their code behaves like, and what is right.
        hint: The number of the hint that helps, or 0 if none does.
        line: The line of the file at which the misconception begins.
        source: The text of the solution after its edits.
        about: The check whose title describes the mistake, and which fails before any other.
        unfinished: Whether the explanation is also true of an unfinished solution that behaves the same.
    """

    id: str
    title: str
    explanation: str
    hint: int
    line: int
    source: str
    about: str | None = None
    unfinished: bool = False


def read_misconceptions(path: Path, solution: str, hints: int) -> list[Misconception]:
    """Return the misconceptions in a file, applied to the text of the solution beside it.

    If the file does not exist, there are none.

    Raises:
        CourseError: A key is unknown, an id is given twice, a title is too long, a hint does not exist, or the `old`
            of an edit does not occur exactly once where it should.
    """
    if not path.exists():
        return []
    document = Document(path)
    document.convert(document.root, list[Any])
    found: list[Misconception] = []
    for node in document.root.value:
        raw = document.convert(node, _Raw, "this misconception")
        if any(raw.id == other.id for other in found):
            raise document.error(child(node, "id"), f"there are two misconceptions `{raw.id}`")
        if len(raw.title) > LONGEST_TITLE:
            message = f"a title has at most {LONGEST_TITLE} characters; this one has {len(raw.title)}"
            raise document.error(child(node, "title"), message)
        if raw.hint > hints:
            raise document.error(child(node, "hint"), f"there is no hint {raw.hint}: the exercise has {hints}")
        start = solution if raw.on is None else next((m.source for m in found if m.id == raw.on), None)
        if start is None:
            raise document.error(child(node, "on"), f"no misconception `{raw.on}` stands before this one")
        source = edited(document, node, start)
        about = raw.about, raw.unfinished
        found.append(Misconception(raw.id, raw.title, raw.explanation, raw.hint, line(node), source, *about))
    return found
