"""Replays for the tests of their page: of a right engine, and of engines with one mistake each."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from grader.course.load import Limits
from grader.course.oracle.answer_book import Answer
from grader.practice.replay import Landscape, Replay, SourceText
from grader.practice.replay.amounts import flat
from grader.practice.replay.model import Step
from grader.practice.replay.record import FileToReplay, record, subject_of
from grader.practice.replay.right_pass import right_pass
from grader.program import Program, program
from grader.runner import sandbox
from grader.runner.client import Source

ENGINE = Path(__file__).resolve().parents[2] / "solutions" / "12_engine.py"
CODE = ENGINE.read_text(encoding="utf-8")
RULE = ("self.grad += other.data * out.grad", "other.grad += self.data * out.grad")
_EACH = "for node in reversed(order):"
# by mistake: the texts that are replaced, and those in their places
_MISTAKES = {
    "": (),
    "assigns": tuple((line, line.replace("+=", "=")) for line in RULE),
    "sign": tuple((line, line.replace("+=", "-=")) for line in RULE),
    "order": ((_EACH, "for node in order:"),),
    "twice": ((_EACH, "for node in [order[-1], *reversed(order)]:"),),
    "never": ((_EACH, "for node in [node for node in reversed(order) if node._prev][:-1]:"),),
}
SOURCE = SourceText(f"exercises/{ENGINE.name}", tuple(CODE.split("\n")))
LANDSCAPE = Landscape(
    title="Your training",
    program="L = (w - 2)**2",
    source=SOURCE,
    parameters=("w",),
    rate=0.25,
    steps=(Step((0.0,), 4.0), Step((1.0,), 1.0)),
    reference=(Step((0.0,), 4.0), Step((1.0,), 1.0)),
    curve=((0.0, 4.0), (1.0, 1.0), (2.0, 0.0)),
    grid=None,
    problem=None,
    asked="torch",
)


def line_of(text: str) -> int:
    """Return the number of the line of the engine that has a text."""
    return next(at for at, line in enumerate(CODE.splitlines(), 1) if text in line)


def _answer(asked: Program) -> Answer:
    right = right_pass(asked)
    return Answer(tuple(flat(right.values)), tuple(flat(right.grads)))


def replay(
    text: str,
    mistake: str = "",
    *,
    source: SourceText | None = None,
    title: str = "",
    leaves: Mapping[str, Any] | None = None,
    code: str = CODE,
    **more: float,
) -> Replay:
    """Record an engine on a program.

    Args:
        text: the program.
        mistake: what `*` does wrong (`assigns`, `sign`), or the pass: it runs forwards (`order`), runs the first rule
            `twice`, or the last one `never`.
        source: the learner's file that is shown in place of the engine.
        title: of the replay; the text unless given.
        leaves: the values, which may also be given by name.
        code: the engine.
    """
    for old, new in _MISTAKES[mistake]:
        assert old in code
        code = code.replace(old, new)
    file = FileToReplay("engine", SOURCE.file, Source(Path(SOURCE.file), code))
    asked = program(text, **(leaves or {}), **more)
    with sandbox.start("process", allow_imports=("numpy",)) as warm:
        (shown,) = record(warm, Limits(), file, subject_of(asked, title or text), (), _answer)
    return shown if source is None else replace(shown, source=source)
