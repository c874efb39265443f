"""Known limits of the isolation. A change here must be described in SECURITY.md and docs/threat-model.md."""

from typing import Any

import pytest

from grader.runner.sandbox import TIERS

# limit -> the tiers in which it is accepted, and those in which it has an effect
KNOWN = {
    "answers_of_its_own": (set(TIERS), set()),
    "solution_from_disk": ({"process"}, set()),
    "stat_of_a_secret": (set(), {"landlock", "process"}),
}


@pytest.mark.parametrize("tier", TIERS)
def test_limits_are_where_they_were(run: Any, tier: str) -> None:
    """Each known limit has an effect in exactly the tiers that are listed for it."""
    accepted = {name for name, (tiers, _) in KNOWN.items() if tier in tiers}
    effective = {name for name, (_, tiers) in KNOWN.items() if tier in tiers}
    assert accepted == {name for name, outcome in run.limits.items() if outcome.accepted}
    assert effective == {name for name, outcome in run.limits.items() if outcome.effects}
    assert set(KNOWN) == set(run.limits)
