"""The named programs and losses that `grade play` offers. They are in `presets.yaml`."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import msgspec

from ...base.files import yaml_texts
from ...course.program import Program, program
from ...verdict.checks import Training
from .record import Subject, subject_of

_FILE = Path(__file__).resolve().parent / "presets.yaml"


class Preset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named program. `values` are the values of its leaves."""

    id: str
    title: str
    program: str
    values: dict[str, float]

    @property
    def subject(self) -> Subject:
        """Return the program in the form in which it is replayed."""
        return subject_of(self.parsed, self.title, self.id)

    @property
    def parsed(self) -> Program:
        return program(self.program, **self.values)


class TrainingPreset(Preset, frozen=True, forbid_unknown_fields=True):
    """A loss to minimise by gradient descent, with a number of steps and a learning rate."""

    rate: float
    steps: int

    @property
    def subject(self) -> Subject:
        """Return the loss in the form in which it is replayed, and the training."""
        return replace(subject_of(self.parsed), title=self.title, training=Training(self.parsed, self.steps, self.rate))


class _Presets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    presets: tuple[Preset, ...]
    landscapes: tuple[TrainingPreset, ...]


def presets() -> tuple[Preset, ...]:
    """Return the named programs."""
    return _read().presets


def trainings() -> tuple[TrainingPreset, ...]:
    """Return the named losses."""
    return _read().landscapes


@cache
def _read() -> _Presets:
    return msgspec.convert(yaml_texts(_FILE.read_bytes()), _Presets, strict=False)
