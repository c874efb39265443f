"""Convert PyYAML nodes to typed data, with the line of each error."""

from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from ..outside import YamlError, read_plain, yaml_tree
from .model import CourseError

T = TypeVar("T")
_MOST = 4 << 20


class Document:
    """A YAML file as a tree of nodes with their line numbers."""

    def __init__(self, path: Path, data: bytes | None = None) -> None:
        """Read the file at `path`, or `data` as its content. Raises `CourseError`."""
        self.path = path
        try:
            text = (read_plain(path, _MOST, follow=True) if data is None else data).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise CourseError(path, None, f"cannot be read: {reason}") from None
        try:
            root = yaml_tree(text)
        except YamlError as error:
            raise CourseError(path, error.line, f"cannot parse YAML: {error.problem}") from None
        if root is None:
            raise CourseError(path, None, "the file is empty")
        self.root: yaml.Node = root
        self._scalars = yaml.SafeLoader("")

    def error(self, node: yaml.Node, message: str) -> CourseError:
        return CourseError(self.path, line(node), message)

    def convert(self, node: yaml.Node, kind: type[T], name: str = "the file") -> T:
        """Return the node's data as `kind`, a msgspec type.

        Args:
            name: the node's name for an error message.

        Raises:
            CourseError: the data does not fit. The error has the line.
        """
        try:
            return msgspec.convert(self.plain(node), kind, strict=True)
        except msgspec.ValidationError as error:
            from .misfit import misfit  # here, not above: only an error needs it

            raise self.error(*misfit(node, kind, name, str(error))) from None

    def plain(self, node: yaml.Node) -> Any:
        """Return the node as plain Python data. Raises `CourseError`, for example for a duplicate key."""
        try:
            return self._plain(node)
        except RecursionError:
            raise self.error(node, "a value contains itself") from None

    def _plain(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(item) for item in node.value]
        if isinstance(node, yaml.MappingNode):
            mapping: dict[str, Any] = {}
            for key, value in items(node):
                if not isinstance(key, yaml.ScalarNode):
                    raise self.error(key, "a key must be a string")
                if key.value in mapping:
                    raise self.error(key, f"the key `{key.value}` occurs twice")
                # a version such as 2026.10 must not become the number 2026.1
                mapping[key.value] = value.value if key.value == "version" else self._plain(value)
            return mapping
        try:
            return self._scalars.construct_object(node)
        except (yaml.YAMLError, ValueError, LookupError, AttributeError, OverflowError):
            raise self.error(node, f"`{node.value}` cannot be read") from None


def line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def items(node: yaml.Node) -> list[tuple[yaml.Node, yaml.Node]]:
    return list(node.value) if isinstance(node, yaml.MappingNode) else []


def child(node: yaml.Node, key: str) -> yaml.Node:
    """Return the value of `key` in a mapping node, or the node itself if it has no such key."""
    return next((value for name, value in items(node) if name.value == key), node)
