"""A learner's training run over the loss."""

from pathlib import Path

import pytest

from grader.course.load import Limits
from grader.course.program import ProgramError
from grader.practice.replay import Landscape
from grader.practice.replay.landscape import record_training
from grader.practice.replay.record import FileToReplay
from grader.program import Program, program
from grader.runner.client import Source
from grader.runner.sandbox import Warm
from grader.verdict.checks.questions import Training

ROOT = Path(__file__).resolve().parents[3]
DESCEND = (ROOT / "solutions" / "13_descend.py").read_text(encoding="utf-8")
LIMITS = Limits(calls=200_000, cpu_s=1.0)
ONE = program("loss = (w * 2 - 2) ** 2", w=3)
TWO = program("loss = (w * 2 - v) ** 2 + v * v", w=3, v=2)


def trained(warm: Warm, text: str = DESCEND, loss: Program = ONE, steps: int = 3, rate: float = 0.1) -> Landscape:
    file = FileToReplay("descend", "13_descend.py", Source(Path("13_descend.py"), text))
    return record_training(warm, LIMITS, file, "One parameter", Training(loss, steps, rate))


def test_the_steps_are_the_learners_own(warm: Warm) -> None:
    """Before each step the parameter and the loss that `train` returned, and what they are after the last."""
    found = trained(warm, steps=2)
    assert [(3.0,), (1.4,), (1.08,)] == [tuple(round(x or 0, 9) for x in step.values) for step in found.steps]
    assert [16.0, 0.64, 0.0256] == [round(step.loss or 0, 9) for step in found.steps]
    assert ("", None) == (found.problem or "", found.grid)
    assert [pytest.approx(step.values) for step in found.reference] == [step.values for step in found.steps]


def test_one_parameter_has_a_curve(warm: Warm) -> None:
    """It covers the steps, and its lowest point is the minimum."""
    curve = trained(warm).curve
    assert curve[0][0] < 1.0 < 3.0 < curve[-1][0]
    assert pytest.approx(1.0, abs=0.05) == min(curve, key=lambda point: point[1] or 0.0)[0]


def test_two_parameters_have_a_grid(warm: Warm) -> None:
    """A row for each y, a column for each x."""
    found = trained(warm, loss=TWO, rate=0.05)
    assert found.grid is not None
    assert ((), ("w", "v")) == (found.curve, found.parameters)
    assert (len(found.grid.y), len(found.grid.x)) == (len(found.grid.loss), len(found.grid.loss[0]))
    x, y = found.grid.x[0], found.grid.y[-1]
    assert pytest.approx((x * 2 - y) ** 2 + y * y) == found.grid.loss[-1][0]


def test_a_wrong_direction_shows(warm: Warm) -> None:
    """Steps against the gradient lead away, while the right ones arrive; the picture stays around the right ones."""
    found = trained(warm, DESCEND.replace("p.data -= rate", "p.data += rate"), steps=8)
    assert (found.steps[-1].values[0] or 0) > 200
    assert pytest.approx(1.0, abs=0.01) == found.reference[-1].values[0]
    assert found.curve[-1][0] < 20


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("loss.backward()", "loss.backwards()", "Your code raised AttributeError"),
        ("def train", "deef train", "Python cannot parse the file"),
        ("def train", "def other", "There is no function `train`"),
        ("for _ in range(steps):", "while True:", "Stopped:"),
    ],
)
def test_a_training_that_fails_says_why(warm: Warm, old: str, new: str, said: str) -> None:
    """There are no steps then; the right ones are shown."""
    found = trained(warm, DESCEND.replace(old, new))
    assert found.problem is not None
    assert found.problem.text.startswith(said)
    assert ((), 4) == (found.steps, len(found.reference))


def test_a_train_that_returns_no_losses_shows_its_steps(warm: Warm) -> None:
    """Losses that it does not give are unknown, but for the last, which follows from the parameters."""
    found = trained(warm, DESCEND.replace("return losses", "return None"), steps=2)
    assert [None, None, 0.0256] == [step.loss and round(step.loss, 9) for step in found.steps]


@pytest.mark.parametrize("steps", [0, 61])
def test_a_landscape_has_few_steps(warm: Warm, steps: int) -> None:
    """More than can be seen is refused."""
    with pytest.raises(ProgramError, match="1 to 60 steps"):
        trained(warm, steps=steps)
