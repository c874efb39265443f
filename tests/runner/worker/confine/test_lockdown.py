"""The self-test that tries out a sandbox before learner code runs in it."""

import os
import sys
from pathlib import Path

import pytest

from grader.runner.sandbox.tiers import SECRET
from grader.runner.worker.confine import lockdown, server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="NOT TESTED: the sandboxes are Linux's")


def test_a_plan_that_gives_up_nothing_is_found_out() -> None:
    """If the process can execute another program, the self-test becomes that program and reports nothing."""
    assert lockdown.self_test(lockdown.Plan(), SECRET, may_open=True) == "the test process died"
    Path("/dev/shm/backward").unlink(missing_ok=True)  # written by it, where that is possible


def test_a_filter_alone_leaves_files_open(tmp_path: Path) -> None:
    """If system calls are refused, but the secret file can be read, the self-test says so."""
    secret = tmp_path / "secret"
    secret.write_text("")
    plan = lockdown.Plan(filter=lockdown.seccomp_filter(os.uname().machine, may_open=True))
    assert lockdown.self_test(plan, str(secret), may_open=True) == "a file outside can be read"


@pytest.mark.parametrize("tier", ["landlock", "seccomp", "namespaces"])
def test_the_self_test_is_part_of_preparing(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the self-test fails, the tier is unavailable."""
    monkeypatch.setattr(lockdown, "self_test", lambda plan, secret, may_open: "a door is open")
    if tier == "landlock" and not lockdown.landlock_version():
        pytest.skip("NOT TESTED: this kernel has no Landlock")
    with pytest.raises(lockdown.Unavailable, match="the self-test of the sandbox failed: a door is open"):
        server.prepare({"tier": tier, "readable": [], "uid": 0, "secret": SECRET})
