"""Replays of right and of wrong engines: what ran, what is expected, and where they first differ."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy  # noqa: F401  (the shapes use it)
import pytest
from edited_texts import bases_of, edited_texts
from every import every
from read_yaml import read_yaml

from grader.course.load import Limits
from grader.course.oracle.answer_book import Answer
from grader.practice.replay import Replay
from grader.practice.replay.presets import presets
from grader.practice.replay.record import FileToReplay, Subject, record, subject_of
from grader.program import program
from grader.runner.client import Batch, Done, EngineProcess, Loaded, Odd, Ran, Read, Reading, Run, Source, ask
from grader.runner.sandbox import Warm

FILE = Path("12_engine.py")

Make = Callable[..., Replay]

SHAPES = Path(__file__).resolve().parents[2] / "fixtures" / "engines" / "shapes"
RIGHT = {one.name: one.text for one in edited_texts(SHAPES / "right.yaml", bases_of(SHAPES))}
WRONG = {one.name: one.text for one in edited_texts(SHAPES / "wrong.yaml", RIGHT)}
LIMITS = Limits(calls=20_000, cpu_s=0.5)

SQUARE = program("L = a * a", a=3)
DIAMOND = program("b = a + 1; c = a * 3; d = b * c", a=2)
NEST = program("L = (a * b + c) * (a + b)", a=2, b=-3, c=10)
# each run of the tests records one of four engines, and a long run records the others
ENGINES = [
    pytest.param(name, marks=pytest.mark.exhaustive) if at % 4 else name for at, name in enumerate([*RIGHT, *WRONG])
]
MUL = ("self.grad += other.data * out.grad", "other.grad += self.data * out.grad")
FAULTS = read_yaml(Path(__file__).with_name("faults.yaml"))


def line_of(text: str, part: str) -> int:
    return next(i for i, line in enumerate(text.splitlines(), 1) if part in line)


def names(replay: Replay, visits: Sequence[Any]) -> list[str]:
    return [replay.nodes[visit.node].name for visit in visits]


def gradients(replay: Replay) -> list[Any]:
    return [node.yours.grad for node in replay.nodes]


# -- right engines ---------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.id)
def test_a_right_engine_differs_nowhere(replay: Make, preset: Any) -> None:
    """On every preset the numbers are the expected ones, each visit adds what a right rule adds, and nothing is
    at fault."""
    shown = replay(preset.parsed)
    assert (None, "", None, None) == (shown.first_difference, shown.fault, shown.fault_node, shown.problem)
    for node in shown.nodes:
        assert pytest.approx(node.expected.data) == node.yours.data
        assert pytest.approx(node.expected.grad) == node.yours.grad
    assert sorted(names(shown, shown.backward)) == sorted(names(shown, shown.reference))
    for visit in shown.backward:
        assert [one.node for one in visit.expected] == [one.input for one in visit.changes]
        assert pytest.approx([one.amount for one in visit.expected]) == [one.amount for one in visit.changes]


def test_lines_are_the_learners_own(replay: Make, engine: str) -> None:
    """A node, a visit and a write have the lines of the file that made, began and wrote them."""
    shown = replay(SQUARE)
    made, rule = line_of(engine, "Value(self.data * other.data"), line_of(engine, MUL[0])
    assert [0, made] == [one.line for one in shown.forward]
    (visit,) = shown.backward
    assert [rule, rule + 1] == [change.line for change in visit.changes]
    assert engine.splitlines()[visit.line - 1].strip() == "def _backward():"
    assert list(shown.source.lines) == engine.split("\n")
    assert "12_engine.py" == shown.source.file


def test_numbers_among_the_operands_are_inputs_without_a_node(replay: Make) -> None:
    """`a + 1` has a node and a number as inputs."""
    shown = replay(DIAMOND)
    assert [(0, None), (None, 1.0)] == [(one.node, one.number) for one in shown.nodes[1].inputs]
    assert (["a", "b", "c", "d"], ["leaf", "add", "mul", "mul"]) == (
        [node.name for node in shown.nodes],
        [node.op for node in shown.nodes],
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ENGINES)
def test_a_replay_has_the_numbers_that_grading_observes(warm: Warm, name: str) -> None:
    """Engines of every shape, right ones and wrong ones: values and gradients are those of a run that is not recorded.

    A fault is named only if a gradient is wrong. An operation may set its own back to 0. A gradient that is not a
    number is shown as None.
    """
    text = {**RIGHT, **WRONG}[name]
    programs = [SQUARE, NEST, program("L = relu(a * b + d) + d ** 3", a=2, b=3, d=-10)]
    runs = tuple(Run(p, (ask.Backward(p.root), ask.GRADS, ask.VALUES)) for p in programs)
    with EngineProcess(warm, Source(FILE, text), None, LIMITS) as process:
        assert isinstance(process.load(), Loaded)
        observed = process.run(Batch(runs, LIMITS.calls, LIMITS.cpu_s)).answer
    assert isinstance(observed, Read)
    file = FileToReplay("engine", FILE.name, Source(FILE, text))
    faults = []
    for at, p in enumerate(programs):
        (shown,) = record(warm, LIMITS, file, subject_of(p), (), lambda p: None)
        seen = [seed[at] for seed in observed.seeds]
        found = tuple(gradients(shown)), tuple(node.yours.data for node in shown.nodes)
        assert found in [
            (tuple(None if isinstance(grad, Odd) else grad for grad in one.grads[0]), tuple(one.values[0]))
            for one in seen
            if isinstance(one, Done)
        ]
        checked = [node for node in shown.nodes if node.op == "leaf" or node.yours.grad != 0]
        wrong = any(node.yours.grad != pytest.approx(node.expected.grad) for node in checked)
        if shown.problem is None:
            assert wrong == bool(shown.fault)
        faults.append(shown.fault)
    if name in RIGHT:
        assert ["", "", ""] == faults


# -- wrong engines ---------------------------------------------------------------------------------


@pytest.mark.slow
@every("case", FAULTS, ids=[case["what"] for case in FAULTS])
def test_what_is_shown_of_an_engine(replay: Make, seen: Callable[..., Any], case: dict[str, Any]) -> None:
    """`faults.yaml` lists edits of an engine, and what their replays show."""
    asked = program(case.get("program", "L = a * a"), **case.get("leaves", {"a": 3}))
    found = seen(replay(asked, *case.get("edits", ())), case)
    assert {key: case[key] for key in found} == found


def test_a_pass_that_shows_no_steps_is_not_accused(warm: Warm) -> None:
    """Where gradients are worked out elsewhere, the replay says so and names no fault."""
    file = FileToReplay("engine", FILE.name, Source(FILE, RIGHT["gradients_in_a_dict"]))
    (shown,) = record(warm, LIMITS, file, subject_of(NEST), (), lambda p: None)
    assert shown.problem is not None
    assert ("read", "", ()) == (shown.problem.where, shown.fault, shown.backward)


def test_a_number_that_json_does_not_know_is_a_word(replay: Make) -> None:
    """nan, infinities and None have a text and no number."""
    shown = replay(
        SQUARE, *((old, f"self.grad = {new}") for old, new in zip(MUL, ("float('nan')", "None"), strict=True))
    )
    assert (None, "None") == (shown.nodes[0].yours.grad, shown.nodes[0].yours.grad_text)
    assert "nan" == shown.backward[0].changes[0].after_text
    assert "contribution" == shown.fault
    assert b"NaN" not in msgspec.json.encode(shown)


def test_what_a_learner_wrote_steers_nothing(replay: Make) -> None:
    """Control characters in a message are spelled out."""
    shown = replay(SQUARE, (MUL[0], "raise ValueError('\\x1b[31m' + chr(0x202e))"))
    assert shown.problem is not None
    assert "\x1b" not in shown.problem.text
    assert "\u202e" not in shown.problem.text


# -- several programs, and torch's numbers ------------------------------------------------------------


def test_other_programs_are_shown_if_the_file_can_build_them(warm: Warm, engine: str) -> None:
    """A preset with an operation that is missing is left out; the first program is shown whatever becomes of it."""
    file = FileToReplay("engine", FILE.name, Source(FILE, engine.replace("def tanh", "def other")))
    neuron = next(preset.subject for preset in presets() if preset.id == "neuron")
    every = record(warm, LIMITS, file, None, [preset.subject for preset in presets()], lambda p: None)
    assert [preset.id for preset in presets() if preset.id != "neuron"] == [one.preset for one in every]
    first, square = record(warm, LIMITS, file, neuron, [subject_of(SQUARE)], lambda p: None)
    assert (True, None) == (first.problem is not None, square.problem)


@pytest.mark.slow
def test_after_an_endless_program_no_other_is_run(warm: Warm, engine: str) -> None:
    """Waiting for one time limit is enough."""
    file = FileToReplay("engine", FILE.name, Source(FILE, engine.replace(MUL[0], "while True: pass")))
    assert 1 == len(
        record(warm, LIMITS, file, subject_of(SQUARE), [subject_of(NEST), subject_of(DIAMOND)], lambda p: None)
    )


def test_torchs_numbers_are_expected_where_they_are_known(warm: Warm, engine: str) -> None:
    """They win over the table's, and the replay says whose they are."""
    file = FileToReplay("engine", FILE.name, Source(FILE, engine))
    (shown,) = record(warm, LIMITS, file, subject_of(SQUARE), (), lambda p: Answer((3.0, 9.5), (6.5, 1.0)))
    assert ("torch", 9.5, 6.5) == (shown.asked, shown.nodes[1].expected.data, shown.nodes[0].expected.grad)


def test_a_check_of_local_rules_starts_where_the_check_starts(warm: Warm, engine: str) -> None:
    """Upstream gradient and existing gradients are those of the check."""
    both = program("L = a * b", a=2, b=-3)
    run = Run(both, (ask.Record(1), ask.Preload([(0, 5.0)]), ask.LocalRules(2, 4.0)))
    file = FileToReplay("engine", FILE.name, Source(FILE, engine))
    (shown,) = record(
        warm, LIMITS, file, Subject("a check", run), (), lambda p: Answer((2.0, -3.0, -6.0), (-3.0, 2.0, 1.0))
    )
    assert [-7.0, 8.0, 4.0] == gradients(shown) == [node.expected.grad for node in shown.nodes]
    assert ("", 4.0) == (shown.fault, shown.backward[0].upstream)


def test_what_is_shown_of_a_file_is_bounded(warm: Warm) -> None:
    """Of a long file the beginning is shown, of long lines too."""
    file = FileToReplay("engine", FILE.name, Source(FILE, "x = 1\n" * 5_000 + "#" * 1_000))
    (shown,) = record(warm, LIMITS, file, subject_of(SQUARE), (), lambda p: None)
    assert 2_000 == len(shown.source.lines)
    assert all(len(line) <= 300 for line in FileToReplay("engine", "x.py", Source(FILE, "#" * 1_000)).shown.lines)


def test_a_process_that_leaves_everything_out_is_told(monkeypatch: pytest.MonkeyPatch, replay: Make) -> None:
    """A worker may answer that it ran nothing."""
    reading = Reading("Value", "data", "grad", "_prev", "closure", "_backward", False)
    nothing = Ran(Read(reading, ((None,),) * 4), "", 0.0)
    monkeypatch.setattr(EngineProcess, "run", lambda process, batch: nothing)
    shown = replay(SQUARE)
    assert shown.problem is not None
    assert (
        "Your code's process returned no results for some of the expressions that it was given." == shown.problem.text
    )
