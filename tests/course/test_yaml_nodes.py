from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from grader.course.load import CourseError, Document, child, items, line

MakeDocument = Callable[[str], Document]


class Part(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    sizes: list[int] = []


class Whole(msgspec.Struct, forbid_unknown_fields=True):
    parts: list[Part]
    main: Part | None = None


@pytest.fixture
def document(tmp_path: Path) -> MakeDocument:
    """Make a document from a text."""

    def make(text: str) -> Document:
        (tmp_path / "a.yaml").write_text(text)
        return Document(tmp_path / "a.yaml")

    return make


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("word", "word"),
        ("3", 3),
        ("1_000", 1000),
        ("2.5", 2.5),
        ("true", True),
        ("~", None),
        ("'3'", "3"),
        ("[a, 1, [b]]", ["a", 1, ["b"]]),
        ("{a: 1, b: {c: 2}}", {"a": 1, "b": {"c": 2}}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ("{version: 2026.10}", {"version": "2026.10"}),
        ("{a: {version: 1_0}}", {"a": {"version": "1_0"}}),
        ("{version: {points: 2}}", {"version": {"points": 2}}),
        ("{1: one, true: two}", {"1": "one", "true": "two"}),
        ("a: |\n  two\n  lines\n", {"a": "two\nlines\n"}),
    ],
)
def test_nodes_become_plain_data(document: MakeDocument, text: str, expected: Any) -> None:
    """Numbers, words and lists have YAML's types. Keys are text, and so is a version."""
    made = document(text)
    assert expected == made.plain(made.root)


@pytest.mark.parametrize(
    ("text", "number", "says"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "the key `a` occurs twice"),
        ("a:\n  - {b: 1,\n     b: 2}\n", 3, "the key `b` occurs twice"),
        ("a: 1\n'a': 2\n", 2, "the key `a` occurs twice"),
        ("a: 1\n? {b: 1}\n: 2\n", 2, "a key must be a string"),
        ("a: 1\nb: !!python/name:os.system x\n", 2, "`x` cannot be read"),
        ("a: 1\nb: !mine x\n", 2, "`x` cannot be read"),
        ("a: 1\nb: !!int three\n", 2, "`three` cannot be read"),
        ("a: 1\nb: !!float three\n", 2, "`three` cannot be read"),
        ("a: 1\nb: !!bool three\n", 2, "`three` cannot be read"),
        ("a: 1\nb: !!timestamp three\n", 2, "`three` cannot be read"),
        ("a: 1\nb: 2026-13-01\n", 2, "`2026-13-01` cannot be read"),
        ("a: 1\nb: =\n", 2, "`=` cannot be read"),
    ],
)
def test_what_cannot_be_data_is_told_by_its_line(document: MakeDocument, text: str, number: int, says: str) -> None:
    """Duplicate keys, keys that are not text and unsuitable tags are errors at their own line."""
    made = document(text)
    with pytest.raises(CourseError) as caught:
        made.plain(made.root)
    assert number == caught.value.line
    assert says in caught.value.message


def test_a_node_inside_itself_is_an_error(document: MakeDocument) -> None:
    """In YAML a list can contain itself, which is an error here."""
    made = document("a: &x\n  - *x\n")
    with pytest.raises(CourseError):
        made.plain(made.root)


def test_data_is_converted(document: MakeDocument) -> None:
    """A document that fits is converted to the requested type."""
    made = document("parts: [{name: a}, {name: b, sizes: [1, 2]}]")
    assert Whole([Part("a"), Part("b", [1, 2])]) == made.convert(made.root, Whole)


@pytest.mark.parametrize(
    ("text", "number", "says"),
    [
        ("parts:\n  - name: a\n  - name: 3\n", 3, '`name` is `3`; write text, in quotes: "3"'),
        (
            "parts:\n  - name: a\n    sizes:\n      - 1\n      - two\n",
            5,
            "item 2 of `sizes` is the text `two`; write a whole number",
        ),
        (
            "parts:\n  - name: a\n    sizes: [1,\n      two]\n",
            4,
            "item 2 of `sizes` is the text `two`; write a whole number",
        ),
        ("parts:\n  - name: a\n  - sizes: []\n", 3, "item 2 of `parts` has no key `name`; add `name:` with text"),
        ("parts: []\n\nmain:\n  name: 1\n", 4, '`name` is `1`; write text, in quotes: "1"'),
        ("parts: []\nmain:\n  name: a\n  colour: red\n", 4, "unknown key `colour`"),
        ("parts: []\n'main.name': a\n", 2, "unknown key `main.name`"),
        ("\n\nparts: 3\n", 3, "`parts` is `3`; write a list"),
        ("# no mapping\n- a\n", 2, "the file is a list; write a mapping with the keys parts, main"),
    ],
)
def test_what_does_not_fit_is_told_by_its_line(document: MakeDocument, text: str, number: int, says: str) -> None:
    """The line is that of the innermost error, and the message has no path of msgspec's."""
    made = document(text)
    with pytest.raises(CourseError) as caught:
        made.convert(made.root, Whole)
    assert number == caught.value.line
    assert says in caught.value.message
    assert "$" not in caught.value.message


def test_a_part_can_be_converted_alone(document: MakeDocument) -> None:
    """If only a part of a file is converted, errors still have the lines of the file."""
    made = document("parts: []\nmain:\n  name: a\n  sizes: none\n")
    with pytest.raises(CourseError) as caught:
        made.convert(child(made.root, "main"), Part)
    assert 4 == caught.value.line


def test_a_child_is_found_by_its_key(document: MakeDocument) -> None:
    """`child` returns the value under a key, or the node itself if there is none."""
    made = document("a: 1\nb:\n  c: 2\n")
    assert [1, 3, 1] == [line(child(made.root, key)) for key in ("a", "b", "missing")]
    scalar = child(made.root, "a")
    assert scalar is child(scalar, "anything")


def test_items_of_a_scalar_are_none(document: MakeDocument) -> None:
    """Only a mapping has items."""
    made = document("a: 1\nb: 2\n")
    assert ["a", "b"] == [key.value for key, _ in items(made.root)]
    assert [] == items(yaml.ScalarNode("tag:yaml.org,2002:str", "word"))
