"""The presets of `grade play`, from `presets.yaml`."""

from functools import cache
from pathlib import Path

import msgspec

from ..outside import yaml_texts
from ..program import Program, program
from .asked import Asked, asked

_FILE = Path(__file__).resolve().parent / "presets.yaml"


class Preset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named program. `values` are the values of its leaves."""

    id: str
    title: str
    program: str
    values: dict[str, float]

    @property
    def asked(self) -> Asked:
        """Return the program in the form in which it is replayed."""
        return asked(self.parsed, self.title, self.id)

    @property
    def parsed(self) -> Program:
        return program(self.program, **self.values)


class Training(Preset, frozen=True, forbid_unknown_fields=True):
    """A loss to minimise by gradient descent, with a number of steps and a learning rate."""

    rate: float
    steps: int


class _Presets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    presets: tuple[Preset, ...]
    landscapes: tuple[Training, ...]


def presets() -> tuple[Preset, ...]:
    """Return the named programs."""
    return _read().presets


def trainings() -> tuple[Training, ...]:
    """Return the named losses."""
    return _read().landscapes


@cache
def _read() -> _Presets:
    return msgspec.convert(yaml_texts(_FILE.read_bytes()), _Presets, strict=False)
