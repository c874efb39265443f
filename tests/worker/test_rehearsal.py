"""The rehearsal before the first fork."""

import sys
from typing import Any

import pytest

from grader.worker import frames, load, rehearsal


def test_a_rehearsal_goes_through_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step of every run succeeds each time, or forks would be warmed for failing; no module stays behind."""
    answers: list[Any] = []
    monkeypatch.setattr(frames, "encode", answers.append)
    finders = list(sys.meta_path)
    rehearsal.rehearse()
    assert rehearsal._TIMES == len(answers)
    for read, _, seeds in answers:
        assert ("read", 4) == (read, len(seeds))
        assert {"done", "same"} == {outcome[0] for seed in seeds for outcome in seed}
    assert load.MODULE not in sys.modules
    assert finders == sys.meta_path
