"""One-place edits of a learner's file."""

import ast
from pathlib import Path
from typing import Any

import pytest
from every import every
from hypothesis import given
from hypothesis import strategies as st

from grader.runner.worker.adapter import candidates as made
from grader.runner.worker.adapter.candidates import MOST, ParsedFile
from grader.runner.worker.adapter.edits import Candidate
from grader.runner.worker.adapter.trials import CandidateFile

SOLUTIONS = sorted((Path(__file__).resolve().parents[4] / "solutions").glob("*.py"))
PARTS = 5  # each run of the tests takes one of so many solutions
RULE = "def rule(self, other, out):\n    self.grad = other.data * out.grad\n    other.grad = self.data * out.grad\n"


def all_of(source: str) -> list[Candidate]:
    return made.candidates(ParsedFile(source, frozenset(range(1, source.count("\n") + 2))))


def edited(source: str, candidate: Candidate) -> str:
    return candidate.edited(source)


@every(
    ("old", "new"),
    [
        ("self.grad = b", "self.grad += b"),
        ("self.grad += b", "self.grad = b"),
        ("self.grad += b", "self.grad -= b"),
        ("return sum(items)", "return sum(items) / len(items)"),
        ("a == b", "a = b"),
        ("self.grad + b", "self.grad += b"),
        ("a.run", "a.run()"),
        ("self.data = b", "self.grad = b"),
        ("b.grad = self.data\n    a.grad = b", "b.grad = self.data\n    b.grad = b"),
        ("c = self.data * b", "c = 1.0 * b"),
        ("c = []\n    return [a]", "c = []\n    return c"),
        ("c = a * b", "c = (a + b)"),
        ("c = a - b", "c = (b - a)"),
        ("c = a ** b", "c = a ** (b - 1)"),
        ("c = a * b", "c = a"),
        ("c = a", "c = -a"),
        ("c = a", "c = a * b"),
        ("c = self.data * b", "c = self.grad * b"),
        ("c = (a > 0)", "c = (a >= 0)"),
        ("c = self.data * b", "c = (self.data > 0) * b"),
        ("c = max(a, b)", "c = (a + b)"),
        ("c = 1.0", "c = self.grad"),
        ("c = a\n    self.grad = b", "c = b\n    self.grad = a"),
        ("c = (a, self.data)", "c = (self.data, a)"),
        ("c = min(a, 1)", "c = a"),
        ("c = b(())", "c = b((self,))"),
        ("c = (a, b)", "c = (a, b, self,)"),
        ("c = a or b", "c = (a + b)"),
        ("c = 0.0", "c = 1"),
        ("c = True", "c = False"),
        ("c = a()", "c = a"),
        ("a.append(b)", "a.insert(0, b)"),
        ("for c in reversed(a): b()", "for c in a: b()"),
        ("for c in a: b()", "for c in reversed(list(a)): b()"),
        ("if a and b: c()", "if (a or b): c()"),
        ("if a: b()", "if True: b()"),
        ("return a if b else c", "return (c if b else a)"),
        ("a()\n    b()", "b()\n    a()"),
        ("for c in a:\n        b()\n        c()", "for c in a:\n        b()\n    c()"),
        ("for c in a:\n        b()\n    c()", "for c in a:\n        b()\n        c()"),
        ("a()\n    for c in b:\n        c()", "for c in b:\n        a()\n        c()"),
        ("a()\n    b()\n    c()", "b()\n    c()\n    a()"),
        ("a()\n    b()\n    c()", "c()\n    a()\n    b()"),
        ("a()\n    b()", "a()\n    pass"),
    ],
)
def test_each_family_edits_one_place(old: str, new: str) -> None:
    """An edit of each family is among the candidates."""
    head = "def f(self, a, b, c):\n    self.data, self.grad\n    "
    source = f"{head}{old}\n"
    assert f"{head}{new}\n" in [edited(source, candidate) for candidate in all_of(source)]


def test_the_same_edit_in_two_statements_is_one_candidate() -> None:
    """Symmetric lines are also edited together."""
    both = RULE.replace(" = ", " += ")
    found = [candidate for candidate in all_of(RULE) if edited(RULE, candidate) == both]
    assert [((2, 3), "accumulate")] == [(candidate.lines, candidate.kind) for candidate in found]


@every(("kind", "edit"), [("accumulate", "+="), ("operator", "-=")])
def test_the_kind_of_an_assignment_says_whether_its_sign_changes(kind: str, edit: str) -> None:
    """`-=` in place of `=` may correct a sign, so it is not of the kind that asks about what is stored."""
    source = "def f(a):\n    a.grad = -1.0\n"
    found = [one for one in all_of(source) if edited(source, one) == source.replace("=", edit)]
    assert [kind] == [one.kind for one in found]


ADDED = [
    (
        "def f(a, b, out):\n    a.g += out.g * b.d",
        "def f(a, b, out):\n    a.g += out.g * b.d\n    b.g += out.g * a.d",
        2,
    ),
    (
        "def f(a):\n    out = V(a)\n    def g(): pass\n    return out\ndef h(a):\n    a.b = f",
        "def f(a):\n    out = V(a)\n    def g(): pass\n    out.b = g\n    return out\ndef h(a):\n    a.b = f",
        3,
    ),
    ("def f(a):\n    b = set()\n    a()", "def f(a):\n    b = set()\n    a()\n    return b", 3),
    ("def f(a):\n    b = []\n    return b", "def f(a):\n    b = []\n    b.append(a)\n    return b", 2),
    (
        "class V:\n  def __init__(self):\n    self.g = 0.0\n  def f(self):\n    self()",
        "class V:\n  def __init__(self):\n    self.g = 0.0\n  def f(self):\n    self.g = 1.0\n    self()",
        4,
    ),
    (
        "def zero(p): pass\ndef f(p):\n    if p:\n        p()",
        "def zero(p): pass\ndef f(p):\n    if p:\n        zero(p)\n        p()",
        3,
    ),
]


@every(("source", "more", "line"), ADDED, ids=lambda one: None)
def test_a_statement_that_a_function_lacks_is_added(source: str, more: str, line: int) -> None:
    """The candidate names the line before it, and the function."""
    (found,) = (one for one in all_of(source) if edited(source, one) == more)
    assert ("added", (line,), "f") == (found.kind, found.lines, found.function.rpartition(".")[2])


def test_what_a_function_has_is_not_added() -> None:
    """A statement that is there already is not overridden by another one."""
    assert [] == [one for one in all_of(RULE) if one.kind == "added"]


def test_the_same_edit_everywhere_is_one_candidate() -> None:
    """It fits symmetric lines of several functions. Without one of its statements, it is still an edit."""
    source = RULE + RULE.replace("rule", "other_rule")
    (found,) = (one for one in all_of(source) if edited(source, one) == source.replace(" = ", " += "))
    assert ((2, 3, 5, 6), "accumulate") == (found.lines, found.kind)
    less = found.without(3, source)
    assert less is not None
    assert (2, 5, 6) == less.lines
    before, after = source.splitlines(), less.edited(source).splitlines()
    assert [2, 5, 6] == [line for line, pair in enumerate(zip(before, after, strict=True), 1) if pair[0] != pair[1]]


def test_only_editable_lines_are_edited() -> None:
    """A line that is not among the given ones stays."""
    found = [one for one in made.candidates(ParsedFile(RULE, frozenset({3}))) if one.kind != "function"]
    assert found
    assert {(3,)} == {candidate.lines for candidate in found}
    assert {RULE.splitlines()[1]} == {edited(RULE, candidate).splitlines()[1] for candidate in found}


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.exhaustive) for part in range(1, PARTS))])
def test_candidates_of_solutions_are_other_programs(part: int) -> None:
    """Every candidate can be parsed, and is another program. No two are the same edit."""
    for path in SOLUTIONS[part::PARTS]:
        source = path.read_text(encoding="utf-8")
        found = all_of(source)
        assert 0 < len(found) <= MOST, path
        assert len(found) == len({candidate.splices for candidate in found}), path
        before = ast.dump(ast.parse(source))
        same = [c for c in found[::20] if ast.dump(ast.parse(edited(source, c))) == before]
        assert [] == same, path


@given(st.text(max_size=30))
def test_places_count_characters(comment: str) -> None:
    """Text before an edit does not move it, whatever characters the text has."""
    line = "# " + "".join(one for one in comment if one.isprintable()) + "\n"
    texts = {edited(RULE, candidate) for candidate in all_of(RULE)}
    assert {line + text for text in texts} == {edited(line + RULE, candidate) for candidate in all_of(line + RULE)}


@pytest.mark.parametrize("source", ["def f(:", "\0", "(" * 5_000])
def test_a_file_that_cannot_be_parsed_has_no_candidates(source: str) -> None:
    """Nothing of it can be run."""
    limits = {"calls": 1_000, "cpu_s": 1}
    order: dict[str, Any] = {
        "source": source,
        "filename": "x.py",
        "stub": None,
        "cells": [],
        "allow": {},
        "limits": limits,
    }
    file = CandidateFile({**order, "editable": [1], "solution": ""})
    assert ["candidates", []] == file.load()
    assert not file.loaded


def test_a_pair_may_be_a_mirror_image() -> None:
    """In a symmetric rule, the same mistake names other objects in the two lines."""
    rule = "def rule(self, other, out):\n    self.grad += {}.data * out.grad\n    other.grad += {}.data * out.grad\n"
    wrong, right = rule.format("self", "other"), rule.format("other", "self")
    assert {(2, 3)} == {one.lines for one in all_of(wrong) if edited(wrong, one) == right and one.kind == "name"}
    dropped = rule.replace("{}.data * ", "")
    assert {(2, 3)} == {one.lines for one in all_of(right) if edited(right, one) == dropped}


def test_a_function_with_editable_lines_is_a_candidate() -> None:
    """It covers the whole function, and has no text. What the stub already has is right."""
    source = "class V:\n  def f(self):\n    return 0\n\n  def g(self):\n    return 0\n"
    (found,) = (one for one in made.candidates(ParsedFile(source, frozenset({3}))) if one.kind == "function")
    assert ((2,), "V.f", source.replace("def f(self):\n    return 0", "")) == (
        found.lines,
        found.function,
        edited(source, found),
    )


def grafted(mine: str, right: str) -> dict[str, tuple[int, ...]]:
    """Return the files with a part of a right one, each with the lines that it changes."""
    files = (ParsedFile(text, frozenset(range(1, 20))) for text in (mine, right))
    return {edited(mine, one): one.lines for one in made.grafts(*files)}


def test_parts_of_a_right_function_are_put_into_the_function_of_its_name() -> None:
    """An expression, a statement, or two statements that have changed are replaced. Other functions give nothing."""
    head = "class V:\n    def f(self, a):\n        "
    mine, right = f"{head}b = g(a)\n        return b + 1\n", f"{head}b = self.h[a]\n        return 1 - b\n"
    found = grafted(mine, right)
    assert (3,) == found[mine.replace("g(a)", "self.h[a]")]
    assert (4,) == found[mine.replace("return b + 1", "return 1 - b")]
    assert (3, 4) == found[right]
    assert {} == grafted(mine, right.replace("def f", "def other"))
