"""Cases of test data are what their items make of them."""

from pathlib import Path

from read_yaml import cases_of

CASES = """\
- {what: one}
- {what: two, each: [{a: 1}, {a: 2}], a: 0, b: 3}
- {what: three, each: [x, y], files: [$, z/$], named: {$: 1}}
- {what: four, each: [[x, y]], files: [$, z], text: $1 and $0}
"""


def test_an_item_makes_a_case(tmp_path: Path) -> None:
    """A mapping adds keys, a text replaces `$`, and a list stands for several elements."""
    (tmp_path / "cases.yaml").write_text(CASES, encoding="utf-8")
    assert [
        {"what": "one"},
        {"what": "two", "a": 1, "b": 3},
        {"what": "two", "a": 2, "b": 3},
        {"what": "three ('x')", "files": ["x", "z/x"], "named": {"x": 1}},
        {"what": "three ('y')", "files": ["y", "z/y"], "named": {"y": 1}},
        {"what": "four (['x', 'y'])", "files": ["x", "y", "z"], "text": "y and x"},
    ] == cases_of(tmp_path / "cases.yaml")
