"""Read untrusted YAML within bounds.

PyYAML builds its result by recursion, in C if libyaml is installed. A text of 200,000 `[` then ends
the process with a segmentation fault. Thirty lines of aliases of aliases expand to more than any
memory holds. Therefore the depth and size of a document are checked first, on its stream of events.
"""

from collections.abc import Iterator
from typing import Any

import yaml

MAX_DEPTH = 100
MAX_NODES = 20_000  # of a tree; each alias of a node counts as another copy of it
_SAFE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlError(ValueError):
    """A text is not valid YAML, or exceeds a bound. `line` is the line of the problem, or None."""

    def __init__(self, problem: str, line: int | None) -> None:
        super().__init__(problem)
        self.line = line

    def __str__(self) -> str:
        problem: str = self.args[0]
        return problem if self.line is None else f"line {self.line}: {problem}"

    @property
    def problem(self) -> str:
        """Return the problem, without the line."""
        return str(self.args[0])


def yaml_tree(text: str) -> yaml.Node | None:
    """Return the root node of a document; None for an empty one. Nodes know their lines. Raises `YamlError`."""
    _count(text)
    try:
        return yaml.compose(text, Loader=_SAFE)
    except yaml.YAMLError as error:
        raise _yaml_error(error) from None


def yaml_texts(data: bytes) -> Any:
    """Return a document as dictionaries, lists and strings. No scalar becomes a number, a time or an object.

    An alias becomes the same object as its anchor. Raises `YamlError`.
    """
    top: list[Any] = []
    filling: list[tuple[Any, list[Any]]] = [(top, top)]  # the open collections, each with the list of its items
    known: dict[str | None, Any] = {}  # by anchor
    for event in _events(data):
        made: Any
        if isinstance(event, yaml.CollectionEndEvent):
            made, items = filling.pop()
            if isinstance(made, dict):
                _fill(made, items, event)
            continue
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in known:
                raise YamlError("an alias without an anchor before it", _line(event))
            made = known[event.anchor]
        elif isinstance(event, yaml.NodeEvent) and event.anchor is not None and event.anchor in known:
            raise YamlError(f"the anchor `{event.anchor}` is defined twice", _line(event))
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
            raise YamlError("a key must be a string", _line(event))
        made[key] = value


def _count(text: str) -> None:
    """Raise `YamlError` for a document whose tree would be too large."""
    sizes = [0]  # of the open collections; the first is the document
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
            size, anchor = known.get(event.anchor, 1), None  # a collection that contains itself is not known yet
        else:
            continue
        sizes[-1] += size
        if sizes[-1] > MAX_NODES:
            raise YamlError(f"it has more than {MAX_NODES:,} values", _line(event))
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
                raise YamlError("it holds several documents", _line(event))
            yield event
    except yaml.YAMLError as error:
        raise _yaml_error(error) from None


def _yaml_error(error: yaml.YAMLError) -> YamlError:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        return YamlError(error.problem or "malformed", mark.line + 1 if mark else None)
    return YamlError(" ".join(str(error).split()), None)


def _line(event: yaml.Event) -> int:
    return (event.start_mark.line if event.start_mark else 0) + 1
