"""The engine exercise tells every right engine of the fixtures from every wrong one."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.slow

Graded = Callable[[str, str], list[Any]]


def skips(verdict: Any) -> bool:
    """Return whether a check was skipped, as all are where a file cannot be loaded."""
    return any(check["status"] == "skipped" for check in verdict.result["checks"])


def of_kind(verdicts: list[Any], kind: str) -> list[Any]:
    return [verdict for verdict in verdicts if verdict.entry.kind == kind]


def test_no_fixture_is_left_out(table: ModuleType) -> None:
    """Every file and every entry of a list below tests/fixtures/engines is graded, except the bases of lists."""
    files = [path for path in table.ENGINES.rglob("*.*") if "bases" not in path.parts]
    programs = [path.stem for path in files if path.suffix == ".py"]
    lists = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in files if path.suffix == ".yaml"]
    expected = Counter([*programs, *(row["id"] for rows in lists for row in rows)])
    assert len(expected) > 400
    assert expected == Counter(entry.name for entry in table.engines())


def test_base_gets_full_marks(graded: Graded) -> None:
    """The engine that wrong.yaml edits is right itself."""
    (base,) = [verdict for verdict in graded("engines", "sample") if verdict.entry.name == "base"]
    assert base.result["max_score"] == base.result["score"]


def test_right_engines_get_full_marks(table: ModuleType, engines: list[Any]) -> None:
    """Every right engine passes every check, but for those listed with a reason."""
    right = [v for v in of_kind(engines, table.RIGHT_ENGINE) if v.entry.name not in table.KEEPS_NO_RULES]
    assert right
    assert {} == table.told(v for v in right if v.lost)


def test_engines_that_keep_no_rules_get_the_numeric_points(table: ModuleType, graded: Graded) -> None:
    """They lose the two checks that look for a backward pass, and nothing else.

    The messages of the two lost checks say what the grader could not tell.
    """
    listed = {v.entry.name: v for v in graded("engines", "sample") if v.entry.name in table.KEEPS_NO_RULES}
    assert dict.fromkeys(table.KEEPS_NO_RULES, table.NO_PASS) == {
        name: verdict.lost for name, verdict in listed.items()
    }
    for verdict in listed.values():
        for message in verdict.explain().values():
            assert "the grader could not tell which rule adds to which gradient in backward()" in message


def test_wrong_engines_get_less_than_full_marks(table: ModuleType, engines: list[Any]) -> None:
    """Every wrong engine loses at least one check."""
    wrong = of_kind(engines, table.WRONG_ENGINE)
    assert wrong
    assert {} == table.told(verdict for verdict in wrong if not verdict.lost)


def test_right_numbers_are_no_backward_pass(table: ModuleType, graded: Graded) -> None:
    """Complex steps and dual numbers lose the two checks that look for a backward pass, and only those; differences,
    which are no more than near, lose those too."""
    lost = {v.entry.name: v.lost for v in of_kind(graded("engines", "sample"), table.NO_PASS_ENGINE)}
    near = {name: lost.pop(name) for name in ("finite_differences", "richardson")}
    assert dict.fromkeys(lost, table.NO_PASS) == lost
    assert {} == {name: checks for name, checks in near.items() if not table.NO_PASS <= checks}


def test_only_one_engine_cannot_be_loaded(table: ModuleType, engines: list[Any], memo: Path) -> None:
    """P11's class cannot be made; every other file loads, wrong or not, and has an outcome for every check."""
    assert {} == table.told(verdict for verdict in engines if verdict.entry.name != "P11" and skips(verdict))
    (unloaded,) = table.grade_all([entry for entry in table.engines() if entry.name == "P11"], memo=memo)
    assert skips(unloaded)


def test_every_shape_has_a_wrong_twin(table: ModuleType) -> None:
    """Beside each right engine of another shape stands the same engine with one wrong derivative."""
    shapes, twins = table.shapes_and_twins()
    assert {shape.name for shape in shapes} - table.KEEPS_NO_RULES.keys() == {twin.base for twin in twins}


def test_the_sample_has_every_kind_of_every_exercise(table: ModuleType) -> None:
    """What is left out of a short run is like what is in it."""
    everything = [*table.engines(), *table.variants(), *table.wrong_variants(), *table.misconceptions()]
    groups = {(entry.kind, entry.stem) for entry in everything}
    assert groups == {(entry.kind, entry.stem) for entry in table.sample(everything)}
    assert {exercise.stem for exercise in table.exercises()} == {stem for _, stem in groups}
