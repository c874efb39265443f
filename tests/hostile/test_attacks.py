"""No attack gets full marks in any tier. In every sandbox, none has an effect outside, and honest files pass."""

from types import ModuleType
from typing import Any

import pytest

from grader.runner.sandbox import OFFICIAL, TIERS

every_tier = pytest.mark.parametrize("tier", TIERS)
every_sandbox = pytest.mark.parametrize("tier", OFFICIAL)


@every_tier
def test_no_attack_is_accepted(run: Any, harness: ModuleType) -> None:
    """Hostile files are all wrong and never get full marks, even without a sandbox."""
    assert [] == harness.told(run.accepted)


@every_sandbox
def test_no_attack_has_an_effect(run: Any, harness: ModuleType) -> None:
    """Nothing outside is read, written, reached, signalled, started or left behind, and the grader survives."""
    assert [] == harness.told(run.with_effect)


@every_sandbox
def test_right_and_wrong_files_are_judged_as_ever(run: Any, harness: ModuleType) -> None:
    """After each attack, in the same warm process, a control passes the checks that it should, and fails the other."""
    assert [] == harness.told(run.controls_wrong)


@every_tier
def test_honest_files_get_full_marks(run: Any, harness: ModuleType) -> None:
    """Ordinary actions of learners, such as printing, importing and measuring, cost nothing in any tier."""
    assert [] == harness.told(run.rejected)


@every_sandbox
def test_honest_files_attempt_nothing(run: Any, harness: ModuleType) -> None:
    """The report on an honest file has no refused system call."""
    assert [] == harness.told(outcome for outcome in run.honest.values() if outcome.attempts)


@every_sandbox
def test_attempts_are_in_the_report(run: Any, harness: ModuleType) -> None:
    """The report names the system call with which an attack tries to reach out."""
    refused: dict[str, str] = harness.REFUSED
    assert refused == {name: call for name, call in refused.items() if call in run.attacks[name].attempts}


@every_tier
def test_everything_was_graded(run: Any, harness: ModuleType) -> None:
    """Each attack and each honest file has an outcome, unless it is skipped for a reason."""
    assert {file.name for file in harness.files("attacks")} - set(run.skipped) == set(run.attacks)
    assert {file.name for file in harness.files("honest")} == set(run.honest)


def test_there_are_attacks_of_every_class(harness: ModuleType) -> None:
    """There are at least 75 attacks and ten honest files, and every class has an attack."""
    attacks = harness.files("attacks")
    assert set(harness.CLASSES) == {file.kind for file in attacks}
    assert len(attacks) >= 75
    assert len(harness.files("honest")) >= 10


def test_every_attack_says_what_it_tries(harness: ModuleType) -> None:
    """A file begins with a docstring of one sentence, which begins with the attack's class."""
    for file in harness.files("attacks"):
        first = file.text.splitlines()[0]
        assert f'"""{file.kind}: {file.sentence}"""' == first
        assert file.sentence.endswith(".")


def test_every_placeholder_is_known(harness: ModuleType) -> None:
    """The runner fills in every placeholder, so that no attack misses its target."""
    known = "world secrets home drop staged course root site marker grader_pid tcp udp deep nested long essay commands"
    for file in [*harness.files("attacks"), *harness.files("limits")]:
        assert set() == set(harness.PLACEHOLDER.findall(file.text)) - set(known.split())
