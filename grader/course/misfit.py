"""Find the value in a YAML file that does not fit its type, and suggest a replacement."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from msgspec import inspect

from ..outside import did_you_mean

_PLACE = re.compile(r" - at `\$(?P<path>[^`]*)`$")
_STEP = re.compile(r"\.(?P<key>[^.\[]+)|\[(?P<index>\d+|\.\.\.)\]")
_UNKNOWN = re.compile(r"unknown field `(?P<field>[^`]+)`")
_MISSING = re.compile(r"missing required field `(?P<field>[^`]+)`")
_SHOWN = 40  # characters of a value
_OF: tuple[tuple[type, type], ...] = ((inspect.IntType, int), (inspect.StrType, str))


@dataclass(frozen=True)
class _At:
    """A node, its name for a sentence, and the type that it should have."""

    node: yaml.Node
    name: str
    kind: Any


def misfit(node: yaml.Node, kind: Any, name: str, message: str) -> tuple[yaml.Node, str]:
    """Return the node that does not fit its type, and a sentence about the problem.

    Args:
        node: The node that was converted.
        kind: The type that it should have.
        name: Its name for a sentence.
        message: msgspec's error message.
    """
    place = _PLACE.search(message)
    at = _reached(_At(node, name, _resolved(inspect.type_info(kind))), place["path"] if place else "")
    if unknown := _UNKNOWN.search(message):
        field = unknown["field"]
        key = next((key for key, _ in _items(at.node) if key.value == field), at.node)
        return key, f"unknown key `{field}`{_instead(field, _keys(at.kind))}"
    if missing := _MISSING.search(message):
        field = missing["field"]
        expected = _expected(_field(at.kind, field))
        return at.node, f"{at.name} has no key `{field}`; add `{field}:` with {expected}"
    if isinstance(at.kind, inspect.LiteralType) and isinstance(at.node, yaml.ScalarNode):
        legal = [str(value) for value in at.kind.values]
        return at.node, f"{at.name} cannot be `{_short(at.node)}`{_instead(str(at.node.value), legal)}"
    return at.node, f"{at.name} is {_found(at)}; write {_expected(at.kind)}{_quotes(at)}"


def _reached(at: _At, path: str) -> _At:
    """Return the node at the end of a path in msgspec's notation, starting from a node."""
    for step in _STEP.finditer(path):
        if step["key"]:
            value = next((value for key, value in _items(at.node) if key.value == step["key"]), at.node)
            at = _At(value, f"`{step['key']}`", _resolved(_field(at.kind, step["key"])))
        elif step["index"] != "..." and isinstance(at.node, yaml.SequenceNode):
            number = int(step["index"])
            at = _At(at.node.value[number], f"item {number + 1} of {at.name}", _resolved(at.kind.item_type))
        else:  # a value of a mapping; msgspec does not say which
            kind = _resolved(at.kind.value_type)
            wrong = (_At(value, f"`{key.value}`", kind) for key, value in _items(at.node) if not _fits(value, kind))
            at = next(wrong, at)
    return at


def _fits(node: yaml.Node, kind: Any) -> bool:
    python = next((type_ for info, type_ in _OF if isinstance(kind, info)), object)
    value = yaml.SafeLoader("").construct_object(node) if isinstance(node, yaml.ScalarNode) else node
    if not isinstance(value, python) or (python is int and isinstance(value, bool)):
        return False
    return python is not int or ((kind.ge is None or value >= kind.ge) and (kind.le is None or value <= kind.le))


def _field(kind: Any, name: str) -> Any:
    fields = kind.fields if isinstance(kind, inspect.StructType) else ()
    return next((field.type for field in fields if field.encode_name == name), getattr(kind, "value_type", None))


def _resolved(kind: Any) -> Any:
    """Return the inner type of an optional type, and any other type itself."""
    if isinstance(kind, inspect.UnionType):
        return next((one for one in kind.types if not isinstance(one, inspect.NoneType)), kind)
    return kind


def _items(node: yaml.Node) -> list[tuple[yaml.Node, yaml.Node]]:
    return list(node.value) if isinstance(node, yaml.MappingNode) else []


def _keys(kind: Any) -> list[str]:
    return [field.encode_name for field in kind.fields] if isinstance(kind, inspect.StructType) else []


def _instead(word: str, legal: Sequence[str]) -> str:
    """Return the end of a sentence about a word that is not among the legal ones."""
    near = did_you_mean(word, legal)
    return f"{near} Expected one of {', '.join(legal)}" if near else f"; expected one of {', '.join(legal)}"


def _short(node: yaml.Node) -> str:
    text = " ".join(str(node.value).split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _found(at: _At) -> str:
    """Return a description of the node's value."""
    if isinstance(at.node, yaml.MappingNode):
        return "a mapping of keys to values"
    if isinstance(at.node, yaml.SequenceNode):
        return "a list" if at.node.value else "an empty list"
    if at.node.tag.endswith(":null") or not at.node.value:
        return "empty"
    is_text = at.node.tag.endswith(":str") and not isinstance(at.kind, inspect.StrType)
    return f"the text `{_short(at.node)}`" if is_text else f"`{_short(at.node)}`"


def _expected(kind: Any) -> str:
    """Return a description of the expected value."""
    kind = _resolved(kind)
    match kind:
        case inspect.IntType():
            return "a whole number" + _between(kind)
        case inspect.FloatType():
            return "a number"
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType(pattern=str(pattern)):
            return f"text that matches `{pattern}`"
        case inspect.StrType():
            return "text"
        case inspect.LiteralType():
            return "one of " + ", ".join(map(str, kind.values))
        case inspect.ListType():
            of = {inspect.StrType: " of texts", inspect.IntType: " of whole numbers"}.get(type(kind.item_type), "")
            return f"a list{of}" + ", with at least one item" * bool(kind.min_length)
        case inspect.StructType():
            return f"a mapping with the keys {', '.join(_keys(kind))}"
        case _:
            return "a mapping of keys to values"


def _between(kind: "inspect.IntType") -> str:
    if kind.ge is None:
        return ""
    if kind.le is None:
        return f" of at least {kind.ge}"
    return f" between {kind.ge} and {kind.le:,}"


def _quotes(at: _At) -> str:
    """Return a remedy if quotes are missing, so that text was read as another type; else an empty string."""
    if isinstance(at.kind, inspect.StrType):
        if isinstance(at.node, yaml.MappingNode):
            return ". Text with a colon and a blank in it needs quotes"
        if isinstance(at.node, yaml.ScalarNode) and at.node.value and not at.node.tag.endswith(":str"):
            return f', in quotes: "{_short(at.node)}"'
    return ""
