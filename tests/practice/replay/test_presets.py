"""What `grade play` offers by name can be computed, and is small enough to be looked at."""

import math

import pytest
from every import every

from grader.course.program import ProgramError
from grader.practice.replay.amounts import flat
from grader.practice.replay.presets import presets, trainings
from grader.practice.replay.record import subject_of
from grader.practice.replay.right_pass import right_pass
from grader.program import chain


def test_the_presets_are_those_that_lessons_use() -> None:
    """Their ids are words after `grade play`."""
    expected = ["product", "neuron", "square", "diamond", "gate", "dead", "shared"]
    assert expected == [preset.id for preset in presets()]
    assert ["parabola", "points", "valley"] == [training.id for training in trainings()]


@every("preset", [*presets(), *trainings()], ids=lambda preset: preset.id)
def test_every_preset_has_finite_numbers(preset: object) -> None:
    """Values and gradients exist, and at least one leaf of each has a name."""
    right = right_pass(preset.parsed)  # type: ignore[attr-defined]
    assert all(map(math.isfinite, flat((*right.values, *right.grads))))


def test_a_preset_is_asked_by_its_id() -> None:
    """A replay of it says which one it is."""
    first = presets()[0]
    assert ("product", "A product of a sum", "L = (a + b) * c") == (
        first.subject.preset,
        first.subject.title,
        first.subject.program.text,
    )


def test_a_program_that_is_too_large_is_refused() -> None:
    """The message says how many nodes it may have."""
    with pytest.raises(ProgramError, match="it has 50 nodes; a replay shows at most 40"):
        subject_of(chain(50))
