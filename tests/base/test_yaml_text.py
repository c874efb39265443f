"""YAML from others is read without recursion, and within bounds."""

import pytest
import yaml
from every import every
from hypothesis import example, given
from hypothesis import strategies as st

from grader.base.files import MAX_DEPTH, MAX_NODES, YamlError, yaml_texts, yaml_tree

TOKENS = [*"[]{}:,-?&*!|>'\"%@`# \n\tab01.e+_", "!!int ", "!!set ", "!x ", "<<: ", "&a ", "*a ", "a: ", "- ", "---\n"]
TEXTS = st.lists(st.sampled_from([*TOKENS, "...\n", "0x", "\x00", "\ufeff"]), max_size=12).map("".join)
SAFE = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
END = yaml.ScalarNode("tag:yaml.org,2002:null", "nothing")
BASE = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@given(TEXTS)
@example("a: &x 1\nb: &x 2\n")
def test_texts_are_those_of_the_library(text: str) -> None:
    """Texts are the same as PyYAML's, and a document that PyYAML refuses is refused."""
    try:
        expected = yaml.load(text.encode(), Loader=BASE)
    except (yaml.YAMLError, ValueError):
        with pytest.raises(YamlError):
            yaml_texts(text.encode())
    else:
        assert repr(expected) == repr(yaml_texts(text.encode()))  # what contains itself is equal to nothing


@given(TEXTS)
def test_a_tree_is_that_of_the_library(text: str) -> None:
    """Nodes and their tags are those of PyYAML, and a document that it refuses is refused."""
    try:
        expected = yaml.compose(text, Loader=SAFE)
    except (yaml.YAMLError, ValueError):
        with pytest.raises(YamlError):
            yaml_tree(text)
    else:
        assert yaml.serialize(expected or END, Dumper=DUMPER) == yaml.serialize(yaml_tree(text) or END, Dumper=DUMPER)


DEEP = {
    "lists": "[" * 200_000,
    "mappings": "{a: " * 200_000,
    "lists in lines": "- " * 200_000,
    "keys": "? " * 200_000,
    "closed": "[" * 200_000 + "]" * 200_000,
}


@every("text", DEEP.values(), ids=DEEP.keys())
def test_what_is_too_deep_is_an_error(text: str) -> None:
    """PyYAML uses recursion in C, so the process would end with a segmentation fault."""
    for read in (yaml_tree, lambda text: yaml_texts(text.encode())):
        with pytest.raises(YamlError, match=f"nested more than {MAX_DEPTH} deep"):
            read(text)


def test_what_is_as_deep_as_may_be_is_read() -> None:
    """No course and no export has this depth."""
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert text == repr(yaml_texts(text.encode())).replace(" ", "")
    assert yaml_tree(text) is not None


def test_references_count_as_often_as_they_are_made() -> None:
    """Twenty lines of ten references each mean more values than there are atoms."""
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 21))]
    with pytest.raises(YamlError, match=f"more than {MAX_NODES:,} values") as caught:
        yaml_tree("\n".join(lines))
    assert 5 == caught.value.line


def test_references_are_shared_among_texts() -> None:
    """The same lines are small if no values are copied."""
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 21))]
    made = yaml_texts("\n".join(lines).encode())
    assert made["a19"] is made["a20"][0] is made["a20"][9]


def test_too_many_values_are_an_error() -> None:
    """A course has a few hundred values."""
    with pytest.raises(YamlError, match="values"):
        yaml_tree("- a\n" * (MAX_NODES + 1))


@every(
    ("text", "line", "problem"),
    [
        ("a: 1\nb: *x\n", 2, "undefined alias|alias without an anchor"),
        ("a: 1\n? [b]\n: 2\n", None, "a key must be a string"),
        ("a: 1\n--- \nb: 2\n", 2, "several documents"),
        ("a: 1\nb: [\n", 3, "did not find"),
        ("a: \x00\n", None, "control characters|unacceptable character"),
    ],
)
def test_errors_name_line_and_problem(text: str, line: int | None, problem: str) -> None:
    """The message is one line."""
    with pytest.raises(YamlError, match=problem) as caught:
        yaml_texts(text.encode())
    assert line is None or line == caught.value.line
    assert "\n" not in str(caught.value)
