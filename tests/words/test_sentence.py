"""Sentences as templates: what a field gives, and that every call has the values of all fields."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

from every import every

import grader
from grader.words.sentence import Sentence, duration_text

FOLDER = Path(grader.__file__).parent


@every(
    ("expected", "template", "values"),
    [
        ("a of 2", "{x} of {y}", ("a", 2)),
        ("2.5", "{x:.1f}", (2.5,)),
        ("1 exercise", "{n:exercise}", (1,)),
        ("2 exercises", "{n:exercise}", (2,)),
        ("0.5 seconds", "{n:second}", (0.5,)),
        ("it is", "it {n:is|are}", (1,)),
        ("a are", "a {n:is|are}", (0,)),
        ("a is", "{n} {n:is|are}", (["a"],)),
        ("a, b are", "{n} {n:is|are}", (("a", "b"),)),
        ("a or b", "{n: or }", (["a", "b"],)),
        ("a, b and more", "{n:2}", (["a", "b", "c"],)),
        ("kept in a|b", "kept{copy:? in {copy}}", ("a|b",)),
        ("kept", "kept{copy:? in {copy}}", ("",)),
        ("nothing", "{n:?{n:finding}|nothing}", (0,)),
        ("a {b}", "a {x}", ("{b}",)),
    ],
)
def test_a_field_is_filled_in(expected: str, template: str, values: tuple[object, ...]) -> None:
    """Each form of a field gives its text, and braces and bars in a value are kept."""
    assert expected == Sentence(template)(*values)


def test_values_may_have_names_and_defaults() -> None:
    """Values are taken in the given order, by name, or from the defaults."""
    sentence = Sentence("{a} {b} {c}", "c b a", a="-")
    assert ["- 2 1", "3 2 1"] == [sentence(1, 2), sentence(1, b=2, a=3)]


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(FOLDER.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def sentences(path: Path, tree: ast.Module) -> Iterator[tuple[ast.Call, Sentence]]:
    """Yield the calls of sentences in a module, each with its sentence."""
    package = ["grader", *path.parent.relative_to(FOLDER).parts]
    known: dict[str, object] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level and "words" in f"{node.module} {path}":
            base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])
            if base.startswith("grader.words"):
                for alias in node.names:
                    try:
                        found: object = importlib.import_module(f"{base}.{alias.name}")
                    except ModuleNotFoundError:
                        found = getattr(importlib.import_module(base), alias.name)
                    known[alias.asname or alias.name] = found
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Attribute(value=ast.Name(id=module), attr=name) if module in known:
                    sentence = getattr(known[module], name, None)
                case ast.Name(id=name):
                    sentence = known.get(name)
                case _:
                    continue
            if isinstance(sentence, Sentence):
                yield node, sentence


def test_each_call_has_the_values_of_all_fields() -> None:
    """No call lacks a value, has one too many, or names a field that the sentence does not have."""
    calls = [(path, *one) for path, tree in modules() for one in sentences(path, tree)]
    assert len(calls) > 100
    wrong = []
    for path, call, sentence in calls:
        named = [keyword.arg for keyword in call.keywords]
        given = [*sentence.fields[: len(call.args)], *named]
        fields = set(Sentence(sentence.template).fields)
        if {*given, *sentence.defaults} != fields or len(set(given)) < len(call.args) + len(named):
            wrong.append(f"{path}:{call.lineno}: {ast.unparse(call)}")
    assert [] == wrong


@every(
    ("seconds", "expected"),
    [
        (1, "1 minute"),
        (120, "2 minutes"),
        (3600, "1 hour"),
        (86_399, "1 day"),
        (90_000, "1 day 1 hour"),
        (90_060, "1 day 1 hour"),
        (86_460, "1 day 1 minute"),
        (9 * 86_400 + 7_200, "9 days 2 hours"),
    ],
)
def test_a_duration_has_its_two_largest_units(seconds: int, expected: str) -> None:
    """A duration has at most its two largest units."""
    assert expected == duration_text(seconds)
