"""A server process, the solution of exercise 12, and replays of programs on edits of it."""

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pages import browser, chromium, no_odd_words, odd_words, open_html, tab  # noqa: F401 - fixtures

from grader.course.load import Limits
from grader.practice.replay import Replay
from grader.practice.replay.record import FileToReplay, record, subject_of
from grader.program import Program
from grader.runner import sandbox
from grader.runner.client import Source
from grader.runner.sandbox import Started

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))

LIMITS = Limits(calls=20_000, cpu_s=0.5)
ENGINE = (ROOT / "solutions" / "12_engine.py").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def warm() -> Iterator[Started]:
    """Processes apart, without a sandbox, in which numpy may be used."""
    with sandbox.start("process", allow_imports=("numpy",)) as started:
        yield started


@pytest.fixture
def engine() -> str:
    """The solution of exercise 12."""
    return ENGINE


@pytest.fixture
def replay(warm: Started) -> Callable[..., Replay]:
    """Replay a program on a text, in which `old` stands in the place of each `new` of `edits`."""

    def made(program: Program, *edits: tuple[str, str], text: str = ENGINE) -> Replay:
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        file = FileToReplay("engine", "12_engine.py", Source(Path("12_engine.py"), text))
        (shown,) = record(warm, LIMITS, file, subject_of(program), (), lambda p: None)
        return shown

    return made


@pytest.fixture
def seen() -> Callable[[Replay, Mapping[str, Any]], dict[str, Any]]:
    """Return what a replay shows, under the keys of a case in a list."""
    return _seen


def _seen(shown: Replay, case: Mapping[str, Any]) -> dict[str, Any]:
    name = [node.name for node in shown.nodes]
    text, visit = shown.source.lines, shown.backward[shown.first_difference or 0] if shown.backward else None
    problem, about = shown.problem, None if shown.fault_node is None else name[shown.fault_node]
    found: dict[str, Any] = {
        "fault": shown.fault,
        "first": shown.first_difference,
        "node": about,
        "one_of": case["one_of"] if about in case.get("one_of", ()) else about,
        "grads": [node.yours.grad for node in shown.nodes],
        "yours": shown.nodes[0].yours.grad,
        "expected": shown.nodes[0].expected.grad,
        "rules": len(shown.reference),
        "inner": any(one.inner for one in shown.backward),
        "final": shown.nodes[shown.root].yours.grad,
        "own_graph": shown.own_graph,
        "aliases": [[*pair] for pair in shown.aliases],
        "operations": [node.op for node in shown.nodes],
    }
    if visit is not None:
        found |= {"at": name[visit.node], "upstream": visit.upstream, "visits": name[shown.backward[0].node]}
        found["changes"] = [[one.before, one.after] for one in visit.changes]
        found["lines"] = [text[one.line - 1].strip() for one in visit.changes]
        found["amounts"] = [*(one.amount for one in visit.changes[:1]), *(one.amount for one in visit.expected[:1])]
    if problem is not None:
        assert {"where", "says", "names"} & case.keys(), problem
        found |= {"where": problem.where, "says": problem.text[: len(case.get("says", ""))]}
        found["names"] = case.get("names", "") if case.get("names", "") in problem.text else problem.text
        found["line"] = text[problem.line - 1].strip() if problem.line else ""
    assert case.keys() <= {"what", "of", "run", "program", "leaves", "edits", *found}
    return {key: found[key] for key in case if key in found}
