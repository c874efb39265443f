"""The explanations for wrong files are complete and true."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from every import every
from many_graded import grader_of
from read_yaml import read_yaml

from grader.course.load import load_course
from grader.course.oracle.answer_book import read_book
from grader.course.program import NOTHING
from grader.program import Program, chain, leaf, program
from grader.runner.client import Source
from grader.verdict.diagnosis import Edit, anywhere, apply_edits, pass_probes
from grader.verdict.grading import Grader, examine, explain, score
from grader.verdict.report.shown import hint_of
from grader.words.facts import fact_text
from grader.words.learner import finding_text

ROOT = Path(__file__).resolve().parents[3]
COURSE = load_course(ROOT)
ENGINES = ROOT / "tests/fixtures/engines"
BOOK = read_book(COURSE.book)
_LINES = re.compile(r"\(lines? \d+(?: to \d+)?\)")
_CODE = re.compile(r"^line (\d+): (.+)$", re.MULTILINE)
LISTED = read_yaml(Path(__file__).with_name("faults.yaml"))
# the fast tests grade those with `fast`, each run also grades one of five, and a long run grades the others
FAULTS = [
    pytest.param(fault, marks=() if fault.get("fast") else pytest.mark.exhaustive if at % 5 else pytest.mark.slow)
    for at, fault in enumerate(LISTED)
]


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    """Return the grader for all files here."""
    with grader_of(COURSE, BOOK, None, COURSE.seed) as grader:
        yield grader


def told(grader: Grader, fault: dict[str, Any]) -> tuple[list[str], list[str], str, str, dict[str, int]]:
    """Return what a report says about a wrong file.

    These are the facts in sentences, the ids of the misconceptions, the message and the explanation of the first
    failure, and the hint of each failure.
    """
    exercise = next((e for e in COURSE.exercises if e.id == fault["of"]), COURSE.exercises[11])
    base = COURSE.solution(exercise) if exercise.id == fault["of"] else ENGINES / f"{fault['of']}.py"
    edits = [Edit(edit["old"], edit["new"]) for edit in fault["edits"]]
    text = apply_edits(base.read_text(encoding="utf-8"), edits, anywhere)
    examined = examine(grader, exercise, Source(COURSE.exercise_file(exercise), text), facts=True)
    assert examined.failures, "no check fails: do the checks of the exercise run the operation?"
    named = explain(BOOK.known[exercise.id], examined)
    finding = examined.outcomes[examined.failures[0]].finding
    assert finding is not None
    facts = [fact_text(fact) for fact in examined.facts]
    if exercise.id == fault["of"]:
        facts = [_LINES.sub("(LINES)", fact) for fact in facts]
        for function, (first, last) in ((fact.node, fact.lines) for fact in examined.facts if fact.lines):
            assert last - first < 8
            assert f"def {function or '_backward'}" in text.splitlines()[first - 1]
    result = score(exercise, examined.state, examined.checked, named, examined.facts)
    hints = {check.id: hint_of(check) for check in result.checks if check.id in examined.failures}
    diagnosis = next(check.diagnosis for check in result.checks if check.id == examined.failures[0])
    explained = diagnosis.explanation if diagnosis else ""
    message = finding_text(finding) or ""
    for number, code in _CODE.findall(message):
        assert code == text.splitlines()[int(number) - 1].strip()
    return facts, sorted({one.id for one in named.values()}), _CODE.sub(r"line N: \2", message), explained, hints


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault['of']}: {fault['id']}")
def test_what_is_told_of_a_wrong_file(grader: Grader, fault: dict[str, Any]) -> None:
    """The facts, the misconception if any, and the message and the hints if given are those in the list."""
    facts, named, message, explained, hints = told(grader, fault)
    assert (fault.get("facts", []), fault.get("named", [])) == (facts, named)
    assert fault.get("said", message).rstrip("\n") == message
    assert fault.get("explained", explained) == explained
    assert fault.get("hints", {}).items() <= hints.items()


@every(
    ("expected", "shown"),
    [
        (True, program("b = a + 1; c = a * 3; d = b * c", a=2)),
        (True, leaf(2.0)),
        (False, program("L = relu(a)", a=2)),
        (False, chain(60)),
        (False, NOTHING),
    ],
)
def test_a_small_program_of_plus_and_times_is_watched_first(expected: bool, shown: Program) -> None:
    """If possible, the backward pass is observed on the program that a learner is shown."""
    first = pass_probes(COURSE.limits, shown).runs[0].program
    assert expected == (first == shown)
    assert expected or pass_probes(COURSE.limits) == pass_probes(COURSE.limits, shown)
