"""What the file of an exercise can train, and what there is to show while it does."""

import math
from pathlib import Path

import pytest
from every import every

from grader.course.load import load_course
from grader.practice.replay import language, training
from grader.practice.replay.model import Played
from grader.practice.replay.record import FileToReplay
from grader.practice.replay.training import offered, trained
from grader.runner.client import Source
from grader.runner.sandbox import Warm

ROOT = Path(__file__).resolve().parents[3]
COURSE = load_course(ROOT)
TEXTS = {one.id: COURSE.solution(one).read_text(encoding="utf-8") for one in COURSE.exercises}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Train for a few steps, the language model on one name."""
    monkeypatch.setattr(language, "STEPS", 5)
    monkeypatch.setattr(language, "NAMES", ("ela",))
    monkeypatch.setattr(training, "_CHAIN_STEPS", 4)


def parts(warm: Warm, name: str, chosen: str, text: str = "", engine: str = "", rate: float = 0.02) -> list[Played]:
    file = FileToReplay(name, "x.py", Source(Path("x.py"), text or TEXTS[name]))
    own = Source(Path("12.py"), engine) if engine else None
    return list(trained(warm, COURSE.limits, file, chosen, rate, own))


def test_four_exercises_train() -> None:
    """They are those about gradient descent, two language models and deep chains."""
    found = {name: [one.id for one in offered(text)] for name, text in TEXTS.items()}
    expected = {
        "descend": ["parabola", "points", "valley"],
        "names": ["names"],
        "vanish": ["weights-0.1", "weights-0.5", "weights-1"],
        "transformer": ["transformer"],
    }
    assert expected == {name: ids for name, ids in found.items() if ids}
    assert ["names"] == [name for name, text in TEXTS.items() if any(one.engines for one in offered(text))]


def test_a_model_that_is_trained_in_parts_is_the_same(warm: Warm) -> None:
    """Each part goes on where the one before ended. The losses and the names are those of a training in one go."""
    models = [part.model for part in parts(warm, "names", "names", rate=language.RATE)]
    assert [3, 5] == [len(model.trained.losses) for model in models if model]
    file = FileToReplay("names", "x.py", Source(Path("x.py"), TEXTS["names"]))
    (whole,) = language.trained_models(warm, COURSE.limits, file)
    last = models[-1]
    assert last is not None
    assert last.trained.losses == pytest.approx(whole.trained.losses)
    # sums in another order differ in their last digits
    for one, other in zip(last.rows, whole.rows, strict=True):
        assert one.context == other.context
        assert one.probabilities == pytest.approx(other.probabilities)
    assert last.drawn == whole.drawn


def test_a_model_is_trained_on_the_learners_engine(warm: Warm) -> None:
    """The losses are those of the given engine, and another class `Value` is really used."""
    given, own = (parts(warm, "names", "names", engine=engine, rate=0.7)[-1].model for engine in ("", TEXTS["engine"]))
    assert given
    assert own
    assert own.trained.losses == pytest.approx(given.trained.losses)
    (broken,) = parts(warm, "names", "names", engine="class Value:\n    pass\n")
    assert broken.model is not None
    assert "TypeError: Value() takes no arguments." in broken.model.trained.problem


@every("chosen", ["parabola", "points", "valley"])
def test_a_loss_has_every_step(warm: Warm, chosen: str) -> None:
    """The learning rate is the one that was asked for, and the steps agree with correct gradient descent."""
    (part,) = parts(warm, "descend", chosen)
    assert part.landscape is not None
    assert (0.02, None) == (part.landscape.rate, part.landscape.problem)
    losses, right = ([one.loss for one in steps] for steps in (part.landscape.steps, part.landscape.reference))
    assert losses == pytest.approx(right)


def test_chains_of_layers_are_trained(warm: Warm) -> None:
    """From small weights, the chain with residual connections learns, and the other one does not."""
    *_, last = shown = parts(warm, "vanish", "weights-0.1")
    deep, residual = last.thermometers
    assert (4, 4, "") == (len(shown), len(deep.losses), last.note)
    assert deep.losses[-1] == pytest.approx(deep.losses[0])
    assert (residual.losses[-1] or math.inf) < (residual.losses[0] or 0) / 10
    assert residual.yours == pytest.approx(residual.expected)


def test_a_file_without_layers_says_why(warm: Warm) -> None:
    """What is not filled in yet is named once, and the chain that works is shown."""
    half = TEXTS["vanish"].replace("h = h + (w * h).tanh()", "raise NotImplementedError")
    *_, last = parts(warm, "vanish", "weights-1", half)
    assert ["deep"] == [one.function for one in last.thermometers]
    assert "NotImplementedError" in last.note
    (nothing,) = parts(warm, "vanish", "weights-1", "x = y\n")
    assert ((), True) == (nothing.thermometers, "NameError" in nothing.note)
