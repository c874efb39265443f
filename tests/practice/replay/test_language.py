"""A language model that a learner's file trains, with its own engine and with that of another file."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.course.load import Limits
from grader.practice.replay import language
from grader.practice.replay.language import is_language_model, record_model
from grader.practice.replay.model import Model
from grader.practice.replay.record import FileToReplay
from grader.runner.client import Source
from grader.runner.sandbox import Warm

ROOT = Path(__file__).resolve().parents[3]
NAMES = (ROOT / "solutions" / "17_names.py").read_text(encoding="utf-8")
LIMITS = Limits(calls=200_000, cpu_s=1.0)
WHOLE = language.NAMES, language.STEPS
FILE = FileToReplay("names", "17_names.py", Source(Path("17_names.py"), NAMES))


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Train for a few steps, on two names."""
    monkeypatch.setattr(language, "STEPS", 6)
    monkeypatch.setattr(language, "NAMES", ("ela", "anna"))


def test_the_model_is_that_of_the_exercise() -> None:
    """The letters, and at the end of the file the names, the numbers of neurons and steps, and the rate."""
    assert f'LETTERS = "{language.LETTERS}"' in NAMES
    assert f"names = {list(WHOLE[0])}".replace("'", '"') in NAMES
    assert "rows(len(LETTERS), 2), rows(4, 5), rows(len(LETTERS), 5)" in NAMES
    sizes = {name: (len(rows), len(rows[0])) for name, rows in language._PARAMETERS.items()}
    assert {"embedding": (5, 2), "hidden": (4, 5), "output": (5, 5)} == sizes
    assert f"steps={WHOLE[1]}, rate={language.RATE})" in NAMES


def model(warm: Warm, text: str = NAMES, engine: str | None = None, **more: Any) -> Model:
    file = replace(FILE, source=Source(FILE.source.path, text))
    return record_model(warm, LIMITS, file, None if engine is None else Source(Path("12_engine.py"), engine), **more)


def test_a_model_is_trained_and_makes_names(warm: Warm) -> None:
    """The loss falls below that of guessing. A row for each context has probabilities, from which names are drawn."""
    found = model(warm)
    assert ("", 6) == (found.trained.problem, len(found.trained.losses))
    assert (found.trained.losses[-1] or 9) < found.guessing == math.log(5)
    assert 21 == len({row.context for row in found.rows})
    assert all(1.0 == pytest.approx(sum(row.probabilities)) for row in found.rows)
    assert found.drawn == model(warm).drawn
    assert set("".join(found.drawn)) <= set("aeln")


def test_the_learners_own_engine_trains_the_model(warm: Warm, engine: str) -> None:
    """The losses are the same. The model is that of the file itself."""
    found = model(warm, engine=engine)
    assert found.own is not None
    assert found.own.losses == pytest.approx(found.trained.losses)
    assert found.drawn == model(warm).drawn


@pytest.mark.parametrize(
    ("engine", "problem"),
    [
        ("class Node:\n    pass\n", "This file has no class `Value`."),
        ("class Value:\n    pass\n", "TypeError: Value() takes no arguments."),
        ("raise KeyError('of mine')\nclass Value: pass\n", "KeyError: 'of mine'"),
        ("import os\nos._exit(0)\nclass Value: pass\n", "ended"),
        ("import sys\nfor m in list(sys.modules.values()):\n    m.__dict__.clear()\nclass Value: pass\n", "ended"),
    ],
)
def test_a_file_in_place_of_the_engine_changes_nothing_else(warm: Warm, engine: str, problem: str) -> None:
    """Whatever the other file does, the model is the one that the learner's file trains alone."""
    found = model(warm, engine=engine)
    assert found.own is not None
    assert (problem in found.own.problem, ()) == (True, found.own.losses)
    alone = model(warm)
    assert (alone.trained.losses, alone.rows, alone.drawn) == (found.trained.losses, found.rows, found.drawn)


def test_an_engine_that_did_not_pass_is_not_run(warm: Warm) -> None:
    """The page says why."""
    found = model(warm, engine="class Value: pass\n", passes=False)
    assert found.own is not None
    assert "does not pass" in found.own.problem


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("return sum(losses) / len(losses)\n    # END SOLUTION\n\n\ndef cross", "x = y\n\n\ndef cross", "NameError"),
        ("import math\n", "import math\nraise ValueError\n", "ValueError"),
        ("losses.append(loss.data)", "losses.append(math.nan)", ""),
        ("return [sum(w * hi", "return 3 if context == [4, 4] else [sum(w * hi", ""),
    ],
)
def test_a_file_that_does_not_train_says_why(warm: Warm, old: str, new: str, problem: str) -> None:
    """The problem is a sentence. What cannot be computed is left out."""
    assert 1 == NAMES.count(old)
    found = model(warm, NAMES.replace(old, new))
    assert problem in found.trained.problem
    assert not found.rows or None in found.trained.losses


def test_which_files_have_a_language_model() -> None:
    """Exercise 13 trains something else."""
    other = (ROOT / "solutions" / "13_descend.py").read_text(encoding="utf-8")
    assert [True, False] == [is_language_model(NAMES), is_language_model(other)]
