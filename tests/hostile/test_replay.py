"""Recorded answers to the course's programs are worth nothing if a secret seed chooses the numbers."""

import base64
import inspect
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ours import ROOT

from grader.course.load import Course, load_course
from grader.course.oracle.answer_book import read_book
from grader.runner import sandbox
from grader.runner.client import Batch, protocol
from grader.runner.sandbox import Started
from grader.runner.worker.confine import framing
from grader.verdict.grading import grade
from grader.verdict.report import Report, review_reasons

SEED = "a secret"
COURSES = {"course": ROOT, "tape": ROOT / "examples" / "tape"}

# Points for what is the same whatever numbers are given: nothing tells who worked it out. SECURITY.md names them.
SAME_FOR_ALL_NUMBERS = {
    # these exercises ask for numbers, so whoever has them has solved it
    "course": {"by_hand": 2, "predict": 11, "softmax": 2, "vanish": 2, "loss": 1, "transformer": 2},
    "tape": {"reset": 4},  # after a reset everything is 0
}

REPLAY = '''\
"""replay: plays back what a right engine answered to the course's own programs, and computes nothing."""

import base64
import json
import sys
import zlib

RECORDED = json.loads(zlib.decompress(base64.b85decode("@recording@")))


@shape@


@key@


def recorded(runs):
    """Each run's outcome, found by its numbers, by what the whole batch looks like, or by what it looks like itself."""
    shapes = [shape(*run) for run in runs]
    known = RECORDED["batches"].get(key(shapes))
    for place, run in enumerate(runs):
        alike = known[place] if known else RECORDED["shapes"].get(key(shapes[place]))
        outcome = RECORDED["runs"].get(key(run), alike)
        yield None if outcome is None else RECORDED["outcomes"][outcome]


def execute(module, filename, batch):
    """In the place of the worker's own."""
    asked = [batch["runs"]]
    for others in batch["rearranged"]:
        asked.append([other or run for run, other in zip(batch["runs"], others)])
    return ["read", RECORDED["reading"], [list(recorded(runs)) for runs in asked]]


sys.modules["worker.adapter.execute"].execute = execute


class Value:
    def __init__(self, data):
        self.data, self.grad = data, 0.0
'''


def shape(program: Any, steps: Any) -> str:
    """Return a run without the numbers that may change: its operations, their operands, and its steps."""
    called = [[step[0], step[-1]] if step[-1] == "call" else step[-1:] for step in steps]
    return json.dumps([[node[:1] if node[0] == "leaf" else node for node in program], called])


def key(asked: Any) -> str:
    """Return a short key for a run, a shape or a batch. With the whole texts as keys, the file would be too large."""
    return str(zlib.crc32(json.dumps(asked).encode()))


class Recording:
    """The answers of an engine to every batch."""

    def __init__(self) -> None:
        self.outcomes: list[Any] = []
        # places in `outcomes`
        self.runs: dict[str, int] = {}
        self.shapes: dict[str, int] = {}
        self.batches: dict[str, list[int]] = {}
        self.reading: Any = None

    def take(self, frame: bytes, batch: Batch) -> None:
        """Keep the answer to a batch, if it fits into a file."""
        if len(frame) > 2_000_000:
            return
        asked = json.loads(batch.encode())
        _, reading, seeds = json.loads(frame[framing.HEADER.size :])
        for seed, others in zip(seeds, [[None] * len(batch.runs), *asked["rearranged"]], strict=True):
            runs = [other or run for run, other in zip(asked["runs"], others, strict=True)]
            outcomes = [first if found == ["same"] else found for found, first in zip(seed, seeds[0], strict=True)]
            shapes = [shape(*run) for run in runs]
            places = [self._place(outcome) for outcome in outcomes]
            self.runs.update(zip(map(key, runs), places, strict=True))
            self.shapes.update(zip(map(key, shapes), places, strict=True))
            self.batches[key(shapes)] = places
        self.reading = reading if batch.engine or self.reading is None else self.reading

    def _place(self, outcome: Any) -> int:
        if outcome not in self.outcomes:
            self.outcomes.append(outcome)
        return self.outcomes.index(outcome)

    @property
    def file(self) -> str:
        """Return a file that plays back all answers."""
        text = base64.b85encode(zlib.compress(json.dumps(vars(self)).encode())).decode()
        return REPLAY.replace("@shape@", UNTYPED_SHAPE).replace("@key@", UNTYPED_KEY).replace("@recording@", text)


UNTYPED_KEY = inspect.getsource(key).replace(": Any", "").replace(" -> str", "")
UNTYPED_SHAPE = inspect.getsource(shape).replace(": Any", "").replace(" -> str", "")


@pytest.fixture(scope="module")
def warm() -> Iterator[Started]:
    with sandbox.start(allow_imports=("numpy",), official=True) as started:
        yield started


@pytest.fixture(scope="module", params=COURSES)
def name(request: pytest.FixtureRequest) -> str:
    """Return the name of each course, one after another."""
    return str(request.param)


@pytest.fixture(scope="module")
def course(name: str) -> Course:
    return load_course(COURSES[name])


@pytest.fixture(scope="module")
def replay(course: Course, warm: Started, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a file for each exercise that plays back the solution's answers from a practice run."""
    folder = tmp_path_factory.mktemp("replay")
    book = read_book(course.book)
    decode = protocol.decode_batch
    files = {}
    for exercise in course.exercises:
        recording = Recording()

        def recorded(frame: bytes, batch: Batch, recording: Recording = recording) -> Any:
            recording.take(frame, batch)
            return decode(frame, batch)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(protocol, "decode_batch", recorded)
            grade(course, book, {exercise.id: course.solution(exercise)}, seed=course.seed, memo=None, warm=warm)
        files[exercise.id] = folder / exercise.filename
        files[exercise.id].write_text(recording.file, encoding="utf-8")
    return files


@pytest.fixture(scope="module")
def official(course: Course, replay: dict[str, Path], warm: Started) -> Report:
    """Return the result of the replay under a secret seed."""
    return grade(course, read_book(course.book), replay, seed=SEED, memo=None, warm=warm)


def test_a_replay_works_where_the_programs_are_known(course: Course, replay: dict[str, Path], warm: Started) -> None:
    """In a practice run, whose programs can be recorded, the replay gets full marks, so the attack works."""
    practice = grade(course, read_book(course.book), replay, seed=course.seed, memo=None, warm=warm)
    assert (practice.max_score, "passed") == (practice.score, practice.status)


def test_a_replay_gets_no_more_than_an_empty_file(name: str, official: Report) -> None:
    """Under a secret seed, recorded answers are wrong, except those that are the same for all numbers."""
    points = {exercise.id: exercise.score + exercise.bonus for exercise in official.exercises}
    assert SAME_FOR_ALL_NUMBERS[name] == {exercise: score for exercise, score in points.items() if score}


def test_a_replay_needs_review(official: Report) -> None:
    """The replay leaves out unknown programs, and a review is requested."""
    assert "left_out" in {reason.kind for reason in review_reasons(official)}
