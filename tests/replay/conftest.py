"""A server process, the solution of exercise 12, and replays of programs on edits of it."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader import sandbox
from grader.client import Source
from grader.course import Limits
from grader.program import Program
from grader.replay import Replay
from grader.replay.record import LearnerFile, record, subject_of
from grader.sandbox import Warm

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

LIMITS = Limits(calls=20_000, cpu_s=0.5)
ENGINE = (ROOT / "solutions" / "12_engine.py").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    """Processes apart, without a sandbox, in which numpy may be used."""
    with sandbox.start("process", allow_imports=("numpy",)) as started:
        yield started


@pytest.fixture
def engine() -> str:
    """The solution of exercise 12."""
    return ENGINE


@pytest.fixture
def replay(warm: Warm) -> Callable[..., Replay]:
    """Replay a program on a text, in which `old` stands in the place of each `new` of `edits`."""

    def made(program: Program, *edits: tuple[str, str], text: str = ENGINE) -> Replay:
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        file = LearnerFile("engine", "12_engine.py", Source(Path("12_engine.py"), text))
        (shown,) = record(
            warm,
            LIMITS,
            file,
            subject_of(program),
            (),
            lambda p: None,
        )
        return shown

    return made
