"""Attacks that fail in a sandbox prove nothing unless they work without one."""

from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def tier() -> str:
    return "process"


def test_a_third_of_the_attacks_work_without_a_sandbox(run: Any, harness: ModuleType) -> None:
    """In the process tier, at least a third of the attacks that a sandbox has to contain have their effect."""
    aimed = [outcome for name, outcome in run.attacks.items() if name.partition("_")[0] in harness.CONTAINED]
    working = [outcome for outcome in aimed if outcome.effects]
    assert 3 * len(working) >= len(aimed) > 0


@pytest.mark.parametrize(
    "kind", ["read", "write", "network", "signal", "ptrace", "exec", "namespace", "fork", "thread"]
)
def test_every_class_has_an_attack_that_works(run: Any, kind: str) -> None:
    """Without a sandbox, some attack reads, writes, connects, signals, traces, executes and forks."""
    assert [] != [name for name, outcome in run.attacks.items() if name.startswith(kind) and outcome.effects]


@pytest.mark.parametrize(
    "effect", ["changed files", "reached a socket", "left processes behind", "made a user namespace"]
)
def test_the_harness_sees_effects_outside(run: Any, effect: str) -> None:
    """Each check of the harness for effects finds something if nothing is contained."""
    assert any(effect in outcome.effects for outcome in run.attacks.values())


def test_a_killed_grader_is_noticed(run: Any, harness: ModuleType) -> None:
    """An attack that ends the process of the suite counts as an effect, and the suite continues."""
    if not harness.throw_away():
        pytest.skip("NOT TESTED: there are no namespaces to throw away here, so nothing was allowed to kill the grader")
    assert ("killed the grader",) == run.attacks["signal_kill_grader"].effects


def test_made_up_answers_arrive(run: Any) -> None:
    """An answer that is sent as by the `forge` attacks is accepted if it has the right numbers."""
    assert run.limits["answers_of_its_own"].accepted


def test_what_is_skipped_exists(harness: ModuleType) -> None:
    """Each attack that is not run without a sandbox is named after a file, with a reason."""
    names = {file.name for file in harness.files("attacks")}
    for skipped in (harness.NEVER_UNSANDBOXED, harness.ONLY_IN_A_THROW_AWAY):
        assert set() == set(skipped) - names
        assert all(skipped.values())
