"""The facts about functions that train are true, and lead to the mistake."""

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from edited_texts import texts
from read_yaml import read_yaml

from grader.course.facts import FaultFact
from grader.course.load import Limits
from grader.runner import sandbox
from grader.runner.client import EngineProcess, Loaded, Read, Reason, Source
from grader.verdict.checks.outcome import CheckOutcome, Finding
from grader.verdict.diagnosis import explains, training_facts, training_probes
from grader.words.facts import fact_text

ROOT = Path(__file__).resolve().parents[3]
SOLUTION = (ROOT / "solutions" / "13_descend.py").read_text(encoding="utf-8")
RIGHT = ROOT / "tests" / "fixtures" / "right" / "13_descend"
LIMITS = Limits(calls=200_000, cpu_s=1.0)
WRONG = read_yaml(Path(__file__).with_name("trainings.yaml"))
Facts = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def facts() -> Iterator[Facts]:
    """Return a function that returns the facts about the text of a file in sentences."""
    with sandbox.start("process", allow_imports=("numpy",)) as warm:

        def facts_of(text: str) -> list[str]:
            with EngineProcess(warm, Source(Path("13_descend.py"), text), None, LIMITS) as process:
                assert isinstance(process.load(), Loaded)
                answer = process.run(training_probes(LIMITS)).answer
            assert isinstance(answer, Read)
            return [fact_text(fact) for fact in training_facts(answer)]

        yield facts_of


def filled_in(bodies: dict[str, Any]) -> str:
    """Return the solution with other bodies of its functions."""
    text = SOLUTION
    for name in {"zero_grad", "step", "train"} & bodies.keys():
        begin = text.index("    # BEGIN SOLUTION", text.index(f"def {name}("))
        end = text.index("    # END SOLUTION\n", begin)
        text = text[:begin] + textwrap.indent(bodies[name], "    ") + text[end:]
    return text


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: str(wrong["id"]))
def test_a_wrong_training_has_its_facts(facts: Facts, wrong: dict[str, Any]) -> None:
    """The facts about a file are those in the list."""
    assert wrong["facts"] == facts(filled_in(wrong))


def test_functions_that_break_in_some_calls_have_no_facts(facts: Facts) -> None:
    """No fact is derived from the calls that did return."""
    breaks = "if len(parameters) > 2:\n    raise ValueError\n"
    assert [] == facts(filled_in({"zero_grad": breaks, "step": breaks, "train": "raise ValueError\n"}))


def test_a_right_training_has_no_facts(facts: Facts) -> None:
    """Nothing is said of a right file, however it is written."""
    right = {one.name: one.text for one in texts(RIGHT)}
    assert len(right) > 5
    assert {} == {name: found for name, text in {"solution": SOLUTION, **right}.items() if (found := facts(text))}


@pytest.mark.parametrize(
    ("expected", "outcome"),
    [
        (True, {"calls": ("train",)}),
        (False, {"calls": ("step",)}),
        (False, {"calls": ("train",), "finding": Finding("error", reason=Reason("raised"))}),
        (False, {"calls": ("train",), "status": "passed"}),
    ],
    ids=["a run of train", "a run of step", "an error", "a check that passed"],
)
def test_a_fact_about_train_explains_wrong_numbers_of_train(expected: bool, outcome: dict[str, Any]) -> None:
    """A check that does not call `train`, or in which the code raises an error, failed for another reason."""
    failed = CheckOutcome("descend", "neuron", **{"status": "failed", "finding": Finding("failed"), **outcome})
    assert expected == explains(FaultFact("passed_twice", node="train"), failed)
