"""Each exercise accepts every right way to do it that the fixtures know, and none of its misconceptions."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from grader.course.load import Course, load_course
from grader.course.oracle.answer_book import AnswerBook, write_book
from grader.verdict.diagnosis import Edit, apply_edits

from .conftest import PARTS

pytestmark = pytest.mark.slow

Graded = Callable[[str, str], list[Any]]


def of_kind(verdicts: list[Any], kind: str) -> list[Any]:
    return [verdict for verdict in verdicts if verdict.entry.kind == kind]


def test_right_variants_get_full_marks(table: ModuleType, variants: list[Any]) -> None:
    """Whatever its shape, a right file loses nothing but bonus."""
    assert {} == table.told(v for v in of_kind(variants, table.RIGHT_VARIANT) if v.lost)


def test_each_exercise_has_five_right_variants(table: ModuleType) -> None:
    """There are five beside the solution. Those of the engine are in tests/fixtures/engines."""
    counts = Counter(one.stem for one in table.variants() if one.name != "solution")
    assert [] == [one.stem for one in table.exercises() if counts[one.stem] < 5 and one.id != "engine"]


def test_solutions_get_full_marks_and_all_bonus(table: ModuleType, graded: Graded) -> None:
    """The solutions that the stubs are made from pass every check."""
    solutions = [verdict for verdict in graded("variants", "sample") if verdict.entry.name == "solution"]
    assert len(table.exercises()) == len(solutions)
    assert {} == table.told(v for v in solutions if v.lost or v.lost_bonus)


def test_wrong_variants_lose_points(table: ModuleType, variants: list[Any]) -> None:
    """What is wrong only for some values, some roots or a second time is found out as well."""
    assert {} == table.told(verdict for verdict in of_kind(variants, table.WRONG_VARIANT) if not verdict.lost)


def test_misconceptions_lose_points(table: ModuleType, variants: list[Any]) -> None:
    """Every misconception costs something beside bonus, but for those whose answers are all right."""
    wrong = [v for v in of_kind(variants, table.MISCONCEPTION) if not v.entry.bonus_only]
    assert {} == table.told(verdict for verdict in wrong if not verdict.lost)


def test_misconceptions_fail_first_the_check_that_they_are_about(table: ModuleType, variants: list[Any]) -> None:
    """Nobody is told of a check whose title says nothing of the mistake before the one whose title does."""
    about = {
        f"{path.name.removesuffix('.mistakes.yaml')}/{mistake['id']}": mistake["about"]
        for path in table.SOLUTIONS.glob("*.mistakes.yaml")
        for mistake in yaml.safe_load(path.read_text(encoding="utf-8"))
    }
    first = {
        str(verdict.entry): next(c["id"] for c in verdict.result["checks"] if c["status"] != "passed")
        for verdict in of_kind(variants, table.MISCONCEPTION)
    }
    assert first == {name: about[name] for name in first}


def test_some_misconceptions_lose_bonus_alone(graded: Graded) -> None:
    """Going too deep costs the long chain, going everywhere again and again the stacked diamonds too."""
    lost = {
        "06_build_topo/recursion": {"long_chain"},
        "06_build_topo/visited_when_appending": {"long_chain", "stacked_diamonds"},
        "13_descend/no_bias": {"mlp"},
        "13_descend/no_tanh": {"mlp"},
        "13_descend/layers_read_the_inputs": {"mlp"},
        "13_descend/layers_as_wide_as_the_inputs": {"mlp", "parameters"},
        "13_descend/bias_is_no_parameter": {"parameters"},
        "13_descend/lists_of_parameters": {"parameters"},
        "13_descend/first_layer_alone": {"parameters"},
    }
    expected: dict[str, tuple[set[str], set[str]]] = {name: (set(), checks) for name, checks in lost.items()}
    assert expected == {
        str(v.entry): (v.lost, v.lost_bonus) for v in graded("variants", "sample") if v.entry.bonus_only
    }


def test_misconceptions_load(table: ModuleType, variants: list[Any]) -> None:
    """An edit makes a program that runs, not one that Python refuses."""
    wrong = of_kind(variants, table.MISCONCEPTION)
    assert {} == table.told(v for v in wrong if any(check["status"] == "skipped" for check in v.result["checks"]))


@pytest.mark.exhaustive  # each run compares two books of the course: tests/author/test_drift.py
def test_verdicts_are_the_same_with_another_machines_answers(
    table: ModuleType, graded: Graded, made_elsewhere: Callable[[Course], AnswerBook], tmp_path: Path
) -> None:
    """A book made of answers that are off by 1e-13 gives every check the same status, and says the same of it."""
    book = tmp_path / "answers.json"
    write_book(book, made_elsewhere(load_course(table.ROOT)))
    here = graded("variants", "sample")
    there = table.grade_all([v.entry for v in here], memo=tmp_path / "memo.sqlite", book=book)
    assert [judged(verdict) for verdict in here] == [judged(verdict) for verdict in there]


@pytest.mark.exhaustive  # each run compares some files that are harder: tests/leftovers/test_messes.py
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", ["engines", "variants"])
def test_results_are_those_of_one_process_per_batch(
    table: ModuleType, graded: Graded, memo: Path, name: str, part: str
) -> None:
    """Numbers, statuses, messages, diagnoses and output are the same, for right and for wrong files."""
    shared = graded(name, part)
    apart = table.grade_all([verdict.entry for verdict in shared], memo=memo, apart=True)
    assert [] == [str(one.entry) for one, other in zip(shared, apart, strict=True) if untimed(one) != untimed(other)]


def untimed(verdict: Any) -> dict[str, Any]:
    """Return a verdict's result without the details of checks that ran out of time."""
    checks = []
    for check in verdict.result["checks"]:
        by_chance = check["status"] == "timeout"
        checks.append({"id": check["id"], "score": check["score"]} if by_chance else check)
    return {**verdict.result, "checks": checks}


def judged(verdict: Any) -> tuple[str, list[tuple[str, ...]]]:
    """What a verdict says, without numbers: each check's status and diagnosis.

    What is wrong and slow at once runs out of time or not, as busy as the machine is.
    """
    parts = ("id", "status", "score", "diagnosis")
    said = [[str(check.get(part)) for part in parts] for check in verdict.result["checks"]]
    alike = {"timeout": "failed"}
    return str(verdict.entry), [tuple(alike.get(word, word) for word in words) for words in said]


def test_each_old_text_stands_once(table: ModuleType) -> None:
    """Every `old` matches exactly once in the region it means, whether or not the edits before it have been made."""
    assert table.misconceptions()
    for path in sorted(table.SOLUTIONS.glob("*.mistakes.yaml")):
        solution = path.with_name(path.name.replace(".mistakes.yaml", ".py")).read_text(encoding="utf-8")
        for mistake in yaml.safe_load(path.read_text(encoding="utf-8")):
            for edit in mistake["edits"]:
                assert solution != apply_edits(solution, [Edit(edit["old"], edit["new"], edit.get("in"))])


def test_no_two_misconceptions_make_the_same_program(table: ModuleType) -> None:
    """Each misconception differs from the others of its exercise, and from the solution."""
    counts = Counter((entry.stem, entry.text) for entry in [*table.variants(), *table.misconceptions()])
    assert [] == [stem for (stem, _), times in counts.items() if times > 1]


def test_every_fixture_belongs_to_an_exercise(table: ModuleType) -> None:
    """No folder of right variants and no file of mistakes is passed over."""
    names = {path.name for path in table.VARIANTS.iterdir()} - {"bases"}
    names |= {path.name.removesuffix(".mistakes.yaml") for path in table.SOLUTIONS.glob("*.mistakes.yaml")}
    assert set() == names - {exercise.stem for exercise in table.exercises()}


def test_variants_are_more_than_the_solution(table: ModuleType) -> None:
    """Each exercise with right variants has five besides its solution."""
    counts = Counter(entry.stem for entry in table.variants())
    assert {} == {stem: times for stem, times in counts.items() if 1 < times < 6}
