"""The engine exercise tells every right engine of the fixtures from every wrong one."""

from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.slow


@pytest.fixture
def verdicts(engines: list[Any]) -> list[Any]:
    return engines


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


def test_base_gets_full_marks(verdicts: list[Any]) -> None:
    """The engine that wrong.yaml edits is right itself."""
    (base,) = [verdict for verdict in verdicts if verdict.entry.name == "base"]
    assert base.result["max_score"] == base.result["score"]


def test_right_engines_get_full_marks(table: ModuleType, verdicts: list[Any]) -> None:
    """Every right engine passes every check, but for those listed with a reason."""
    right = [v for v in of_kind(verdicts, table.RIGHT_ENGINE) if v.entry.name not in table.KEEPS_NO_RULES]
    assert {} == table.told(v for v in right if v.lost)


def test_engines_that_keep_no_rules_get_the_numeric_points(table: ModuleType, verdicts: list[Any]) -> None:
    """They lose the two checks that look for a backward pass, and nothing else."""
    listed = [verdict for verdict in verdicts if verdict.entry.name in table.KEEPS_NO_RULES]
    assert dict.fromkeys(table.KEEPS_NO_RULES, table.NO_PASS) == {v.entry.name: v.lost for v in listed}


def test_engines_that_keep_no_rules_are_told_so(table: ModuleType, verdicts: list[Any]) -> None:
    """The messages of the two lost checks say what the grader could not tell."""
    for verdict in verdicts:
        if verdict.entry.name in table.KEEPS_NO_RULES:
            for message in verdict.explain().values():
                assert "the grader could not tell which rule adds to which gradient in backward()" in message


def test_wrong_engines_get_less_than_full_marks(table: ModuleType, verdicts: list[Any]) -> None:
    """One of three wrong engines is tried, and loses at least one check."""
    assert {} == table.told(verdict for verdict in of_kind(verdicts, table.WRONG_ENGINE) if not verdict.lost)


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
def test_the_other_wrong_engines_get_less_than_full_marks(table: ModuleType, other_engines: list[Any]) -> None:
    """Every other wrong engine loads, unless it is P11, and loses at least one check."""
    assert {} == table.told(verdict for verdict in other_engines if not verdict.lost)
    assert {} == table.told(verdict for verdict in other_engines if verdict.entry.name != "P11" and skips(verdict))


def test_right_numbers_are_no_backward_pass(table: ModuleType, verdicts: list[Any]) -> None:
    """Complex steps and dual numbers lose the two checks that look for a backward pass, and only those; differences,
    which are no more than near, lose those too."""
    lost = {v.entry.name: v.lost for v in of_kind(verdicts, table.NO_PASS_ENGINE)}
    near = {name: lost.pop(name) for name in ("finite_differences", "richardson")}
    assert dict.fromkeys(lost, table.NO_PASS) == lost
    assert {} == {name: checks for name, checks in near.items() if not table.NO_PASS <= checks}


def test_only_one_engine_cannot_be_loaded(table: ModuleType, verdicts: list[Any], memo: Path) -> None:
    """P11's class cannot be made; every other file loads, wrong or not, and has an outcome for every check."""
    assert {} == table.told(verdict for verdict in verdicts if verdict.entry.name != "P11" and skips(verdict))
    (unloaded,) = table.grade_all([entry for entry in table.engines() if entry.name == "P11"], memo=memo)
    assert skips(unloaded)


def test_every_shape_has_a_wrong_twin(table: ModuleType) -> None:
    """Beside each right engine of another shape stands the same engine with one wrong derivative."""
    shapes, twins = table.shapes_and_twins()
    assert {shape.name for shape in shapes} - table.KEEPS_NO_RULES.keys() == {twin.base for twin in twins}
