"""Each exercise accepts every right way to do it that the fixtures know, and none of its misconceptions."""

from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from grader.course import load_course


@pytest.fixture(scope="module")
def verdicts(table: ModuleType, memo: Path) -> list[Any]:
    return table.grade_all([*table.variants(), *table.misconceptions()], memo=memo)


def of_kind(verdicts: list[Any], kind: str) -> list[Any]:
    return [verdict for verdict in verdicts if verdict.entry.kind == kind]


def test_right_variants_get_full_marks(table: ModuleType, verdicts: list[Any]) -> None:
    """Whatever its shape, a right file loses nothing but bonus."""
    assert {} == {str(v.entry): v.explain() for v in of_kind(verdicts, table.RIGHT_VARIANT) if v.lost}


def test_solutions_get_full_marks_and_all_bonus(verdicts: list[Any]) -> None:
    """The solutions that the stubs are made from pass every check."""
    solutions = [verdict for verdict in verdicts if verdict.entry.name == "solution"]
    assert {} == {str(v.entry): v.explain() for v in solutions if v.lost or v.lost_bonus}


def test_misconceptions_lose_points(table: ModuleType, verdicts: list[Any]) -> None:
    """Every misconception costs something beside bonus, but for those whose answers are all right."""
    wrong = [v for v in of_kind(verdicts, table.MISCONCEPTION) if (v.entry.stem, v.entry.name) not in table.BONUS_ONLY]
    assert [] == [str(verdict.entry) for verdict in wrong if not verdict.lost]


def test_right_but_costly_misconceptions_lose_bonus_alone(table: ModuleType, verdicts: list[Any]) -> None:
    """Going too deep costs the long chain, going everywhere twice the stacked diamonds too."""
    expected = {
        ("06_build_topo", "recursion"): (frozenset(), {"long_chain"}),
        ("06_build_topo", "visited_when_appending"): (frozenset(), {"long_chain", "stacked_diamonds"}),
    }
    listed = {(v.entry.stem, v.entry.name): v for v in of_kind(verdicts, table.MISCONCEPTION)}
    assert expected == {key: (listed[key].lost, listed[key].lost_bonus) for key in table.BONUS_ONLY}


def test_misconceptions_load(table: ModuleType, verdicts: list[Any]) -> None:
    """An edit makes a program that runs, not one that Python refuses."""
    skipped = [
        c for v in of_kind(verdicts, table.MISCONCEPTION) for c in v.result["checks"] if c["status"] == "skipped"
    ]
    assert [] == skipped


def test_every_fixture_belongs_to_an_exercise(table: ModuleType) -> None:
    """No folder of right variants and no file of mistakes is passed over."""
    names = {path.name for path in table.VARIANTS.iterdir()}
    names |= {path.name.removesuffix(".mistakes.yaml") for path in table.SOLUTIONS.glob("*.mistakes.yaml")}
    assert set() == names - set(table.stems())


def test_variants_are_more_than_the_solution(table: ModuleType) -> None:
    """Each exercise with right variants has five besides its solution."""
    counts = Counter(entry.stem for entry in table.variants())
    assert {} == {stem: counts[stem] for stem in table.stems() if 1 < counts[stem] < 6}


def test_each_old_text_stands_once(table: ModuleType) -> None:
    """Every `old` matches exactly once in the region it means, whether or not the edits before it have been made."""
    for stem, listed in table.mistakes().items():
        for mistake in listed:
            table.with_mistake(stem, mistake)
            for edit in mistake["edits"]:
                table.with_mistake(stem, {"id": mistake["id"], "edits": [edit]})


def test_every_edit_changes_something(table: ModuleType) -> None:
    """`old` and `new` differ."""
    same = [m["id"] for listed in table.mistakes().values() for m in listed for e in m["edits"] if e["old"] == e["new"]]
    assert [] == same


def test_mistakes_have_the_fields_of_the_format(table: ModuleType) -> None:
    """id, believes, instead, hint and edits, and in an edit old, new and perhaps in."""
    for listed in table.mistakes().values():
        for mistake in listed:
            assert {"id", "believes", "instead", "hint", "edits"} == set(mistake)
            for edit in mistake["edits"]:
                assert {"old", "new"} == set(edit) - {"in"}


def test_ids_and_sentences_are_unique(table: ModuleType) -> None:
    """No two misconceptions of an exercise share an id or what they believe."""
    for listed in table.mistakes().values():
        for field in ("id", "believes"):
            texts = [mistake[field] for mistake in listed]
            assert sorted(set(texts)) == sorted(texts)


def test_hints_exist(table: ModuleType) -> None:
    """Each misconception points at one of its exercise's hints."""
    hints = {exercise.stem: len(exercise.hints) for exercise in load_course(table.ROOT).exercises}
    for stem, listed in table.mistakes().items():
        assert [] == [mistake["id"] for mistake in listed if mistake["hint"] not in range(1, hints[stem] + 1)]


def test_an_edit_that_does_not_match_is_refused(table: ModuleType) -> None:
    """Text outside the solution region is not found, and an ambiguous region is asked about."""
    outside = {"id": "outside", "edits": [{"old": "out._backward = _backward", "new": "pass"}]}
    with pytest.raises(ValueError, match="stands there 0 times"):
        table.with_mistake("01_distribute", outside)
    twice = {"id": "twice", "edits": [{"old": "out.grad", "new": "1.0"}]}
    with pytest.raises(ValueError, match="stands there 2 times"):
        table.with_mistake("01_distribute", twice)
    where = {"id": "where", "edits": [{"old": "self.grad += out.grad", "new": "pass"}]}
    with pytest.raises(ValueError, match="has to name one of __add__, __mul__"):
        table.with_mistake("03_accumulate", where)
