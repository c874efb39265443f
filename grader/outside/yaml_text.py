"""YAML from outside, read in bounds.

PyYAML builds what it reads by recursion, in C where libyaml is there: two hundred thousand `[` end the process with a
segmentation fault, and thirty lines of references to references stand for more than any memory holds. So a document's
events, which come one after the other, are looked through first.
"""

from collections.abc import Iterator
from typing import Any

import yaml

MAX_DEPTH = 100
MAX_NODES = 20_000  # of a tree, with every reference counted as often as it is made
_SAFE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlError(ValueError):
    """A text that is no YAML, or none that can be read in bounds; `line` is where, or None."""

    def __init__(self, problem: str, line: int | None) -> None:
        super().__init__(problem)
        self.line = line

    def __str__(self) -> str:
        problem: str = self.args[0]
        return problem if self.line is None else f"line {self.line}: {problem}"

    @property
    def problem(self) -> str:
        """Return what is wrong, without the line."""
        return str(self.args[0])


def yaml_tree(text: str) -> yaml.Node | None:
    """Return the nodes of a document, which remember their lines; None for an empty one. Raises `YamlError`."""
    _count(text)
    try:
        return yaml.compose(text, Loader=_SAFE)
    except yaml.YAMLError as error:
        raise _told(error) from None


def yaml_texts(data: bytes) -> Any:
    """Return a document as dictionaries, lists and texts: nothing is taken for a number, a time or an object.

    A reference is the same object once more. Raises `YamlError`.
    """
    top: list[Any] = []
    filling: list[tuple[Any, list[Any]]] = [(top, top)]  # what is open now, and where its items are put
    known: dict[str | None, Any] = {}  # by their anchors; most have none
    for event in _events(data):
        made: Any
        if isinstance(event, yaml.CollectionEndEvent):
            made, items = filling.pop()
            if isinstance(made, dict):
                _fill(made, items, event)
            continue
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in known:
                raise YamlError("a reference to nothing that stands before it", _line(event))
            made = known[event.anchor]
        elif isinstance(event, yaml.ScalarEvent):
            known[event.anchor] = made = event.value
        elif isinstance(event, yaml.CollectionStartEvent):
            known[event.anchor] = made = {} if isinstance(event, yaml.MappingStartEvent) else []
        else:
            continue
        filling[-1][1].append(made)
        if isinstance(event, yaml.CollectionStartEvent):
            filling.append((made, made if isinstance(made, list) else []))
    return top[0] if top else None


def _fill(made: dict[str, Any], items: list[Any], event: yaml.Event) -> None:
    for key, value in zip(items[::2], items[1::2], strict=True):
        if not isinstance(key, str):
            raise YamlError("a key must be a word", _line(event))
        made[key] = value


def _count(text: str) -> None:
    """Raise `YamlError` for a document whose tree would be too large."""
    sizes = [0]  # of what is open now, the document itself first
    anchors: list[str | None] = []
    known: dict[str | None, int] = {}
    for event in _events(text):
        if isinstance(event, yaml.CollectionStartEvent):
            sizes.append(1)
            anchors.append(event.anchor)
            continue
        if isinstance(event, yaml.ScalarEvent):
            size, anchor = 1, event.anchor
        elif isinstance(event, yaml.CollectionEndEvent):
            size, anchor = sizes.pop(), anchors.pop()
        elif isinstance(event, yaml.AliasEvent):
            size, anchor = known.get(event.anchor, 1), None  # what contains itself is not known yet
        else:
            continue
        sizes[-1] += size
        if sizes[-1] > MAX_NODES:
            raise YamlError(f"it holds more than {MAX_NODES:,} values", _line(event))
        if anchor is not None:
            known[anchor] = size


def _events(text: str | bytes) -> Iterator[yaml.Event]:
    """Yield the events of one document. Raises `YamlError`."""
    depth = documents = 0
    try:
        for event in yaml.parse(text, Loader=_SAFE):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            documents += isinstance(event, yaml.DocumentStartEvent)
            if depth > MAX_DEPTH:
                raise YamlError(f"it is nested more than {MAX_DEPTH} deep", _line(event))
            if documents > 1:
                raise YamlError("there are several documents in it", _line(event))
            yield event
    except yaml.YAMLError as error:
        raise _told(error) from None


def _told(error: yaml.YAMLError) -> YamlError:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        return YamlError(error.problem or "malformed", mark.line + 1 if mark else None)
    return YamlError(" ".join(str(error).split()), None)


def _line(event: yaml.Event) -> int:
    return (event.start_mark.line if event.start_mark else 0) + 1
