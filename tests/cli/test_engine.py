"""`grade engine FILE` grades an engine of arrays as the exercise on arrays."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
ARRAYS = (FIXTURES / "right" / "24_tensor" / "bases" / "function_classes.py").read_text(encoding="utf-8")
NUMBERS = (FIXTURES / "engines" / "base.py").read_text(encoding="utf-8")
SAYS = (
    "This engine's values are arrays. So it is graded as exercise 24 tensor. "
    "To grade it as exercise 12 engine, add --scalars."
)

pytestmark = pytest.mark.slow

Grade = Callable[..., CompletedProcess[str]]


@pytest.fixture
def written(work: Path) -> Path:
    (work / "arrays.py").write_text(ARRAYS, encoding="utf-8")
    (work / "numbers.py").write_text(NUMBERS, encoding="utf-8")
    (work / "12_engine.py").write_text(ARRAYS, encoding="utf-8")
    return work


def graded(run: CompletedProcess[str]) -> tuple[list[str], list[str]]:
    """Return the ids of the graded exercises, and the notes."""
    report = json.loads(run.stdout)
    return [exercise["id"] for exercise in report["exercises"]], report["notes"]


@pytest.mark.usefixtures("written")
def test_an_engine_of_arrays_passes_and_the_verdict_says_what_it_is_graded_as(installed_grade: Grade) -> None:
    """The installed command passes a right engine as exercise 24, and names the option for the other exercise."""
    run = installed_grade("engine", "arrays.py")
    assert SAYS in " ".join(run.stdout.split())
    assert 0 == run.returncode, run.stdout


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("engine", "arrays.py"), (["tensor"], [SAYS])),
        (("engine", "arrays.py", "--scalars"), (["engine"], [])),
        (("engine", "numbers.py"), (["engine"], [])),
        # the exercise of a submission is that of its file's name
        (("engine",), (["engine"], [])),
        (("12_engine.py",), (["engine"], [])),
        (("--from", ".", "12"), (["engine"], [])),
    ],
    ids=lambda words: " ".join(words) if isinstance(words[0], str) else "",
)
def test_only_a_named_file_is_graded_by_its_values(
    grade: Grade, words: tuple[str, ...], expected: tuple[list[str], list[str]]
) -> None:
    """A file after the exercise is graded by its values; the exercise itself and its own file are not."""
    assert expected == graded(grade(*words, "--json"))
