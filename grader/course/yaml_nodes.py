"""Convert PyYAML nodes to typed data, with the line of each error."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from ..outside import YamlError, did_you_mean, read_plain, yaml_tree
from .model import CourseError

T = TypeVar("T")
_MOST = 4 << 20
_PLACE = re.compile(r" - at `\$(?P<path>[^`]*)`$")
_STEP = re.compile(r"\.(?P<key>[^.\[]+)|\[(?P<index>\d+)\]")
_FIELD = re.compile(r"unknown field `(?P<field>[^`]+)`")


class Document:
    """A YAML file as a tree of nodes, which have their line numbers."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            text = read_plain(path, _MOST, follow=True).decode("utf-8")
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

    def error(self, node: yaml.Node, message: str) -> CourseError:
        return CourseError(self.path, line(node), message)

    def convert(self, node: yaml.Node, kind: type[T]) -> T:
        """Return the node's data as `kind`, a msgspec type. Raises `CourseError` with the line that does not fit."""
        try:
            return msgspec.convert(self.plain(node), kind, strict=True)
        except msgspec.ValidationError as error:
            message = str(error)
            place = _PLACE.search(message)
            path = place["path"] if place else ""
            found = _walk(node, path)
            message = _PLACE.sub("", message)
            field = _FIELD.search(message)
            if field:
                found = next((k for k, _ in items(found) if k.value == field["field"]), found)
                message = f"unknown key `{field['field']}`" + _instead(field["field"], _legal(kind, path))
            elif message.startswith("Invalid enum value"):
                message += _instead(str(self.plain(found)), _legal(kind, path))
            raise self.error(found, message) from None

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
            return yaml.SafeLoader("").construct_object(node)
        except (yaml.YAMLError, ValueError, LookupError, AttributeError, OverflowError):
            raise self.error(node, f"`{node.value}` cannot be read") from None


def line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def items(node: yaml.Node) -> list[tuple[yaml.Node, yaml.Node]]:
    return list(node.value) if isinstance(node, yaml.MappingNode) else []


def child(node: yaml.Node, key: str) -> yaml.Node:
    """Return the value of `key` in a mapping node, or the node itself if it has no such key."""
    return next((value for name, value in items(node) if name.value == key), node)


def _instead(word: str, legal: Sequence[str]) -> str:
    return f"{did_you_mean(word, legal)}; expected one of {', '.join(legal)}" if legal else ""


def _legal(kind: Any, path: str) -> list[str]:
    """Return the valid keys of a mapping, or values of an enumeration, at a path in a msgspec type."""
    from msgspec import inspect  # here, not above: only an error needs it

    here: Any = inspect.type_info(kind)
    for step in _STEP.finditer(path):
        here = _resolved(here)
        if isinstance(here, inspect.StructType):
            here = next((field.type for field in here.fields if field.encode_name == step["key"]), None)
        else:
            here = getattr(here, "item_type" if step["index"] else "value_type", None)
    here = _resolved(here)
    if isinstance(here, inspect.StructType):
        return [field.encode_name for field in here.fields]
    return [str(value) for value in here.values] if isinstance(here, inspect.LiteralType) else []


def _resolved(kind: Any) -> Any:
    """Return the inner type of an optional type, and any other type itself."""
    from msgspec import inspect

    if isinstance(kind, inspect.UnionType):
        return next((one for one in kind.types if not isinstance(one, inspect.NoneType)), kind)
    return kind


def _walk(node: yaml.Node, path: str) -> yaml.Node:
    for step in _STEP.finditer(path):
        if step["key"]:
            node = child(node, step["key"])
        elif isinstance(node, yaml.SequenceNode):
            node = node.value[int(step["index"])]
    return node
