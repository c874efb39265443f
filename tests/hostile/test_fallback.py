"""If a tier is unavailable, `auto` silently uses the next one, which isolates and grades as well."""

import os
from functools import partial
from pathlib import Path

import pytest
from ours import BOOK, COURSE, SOLUTIONS

from grader.runner import sandbox
from grader.runner.sandbox import IsolationError, Started, tiers
from grader.runner.sandbox import tiers as launching
from grader.runner.sandbox.tiers import StartRequest
from grader.verdict.grading import grade

AS_ROOT = os.geteuid() == 0 if hasattr(os, "geteuid") else False


def needs(tier: str) -> None:
    """Skip a test, with a reason, if a tier is unavailable on this machine."""
    try:
        with sandbox.start(tier) as warm:
            assert tier == warm.tier
    except IsolationError as error:
        pytest.skip(f"NOT TESTED: {error}")


def scores(warm: Started, folder: Path) -> list[int]:
    """Return the scores of the solution of `distribute` and of a wrong file."""
    right = (SOLUTIONS / "01_distribute.py").read_text(encoding="utf-8")
    found = []
    for text in (right, right.replace("other.grad += out.grad", "other.grad -= out.grad")):
        path = folder / "01_distribute.py"
        path.write_text(text, encoding="utf-8")
        report = grade(COURSE, BOOK, {"distribute": path}, seed=COURSE.seed, memo=folder / "memo", warm=warm)
        found.append(report.score)
    return [found[0] - report.max_score, found[1]]


@pytest.mark.parametrize("script", [None, "#!/bin/sh\nexit 1\n", "#!/bin/sh\nexec sleep 0.1\n"])
def test_without_bubblewrap_landlock_is_taken(
    script: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """If bubblewrap is missing, refused or dies, `auto` silently uses Landlock, and judges right and wrong files."""
    needs("landlock")
    if script is not None:
        (tmp_path / "bwrap").write_text(script)
        (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/nonexistent" if script is None else f"{tmp_path}:/usr/bin:/bin")
    with sandbox.start("auto", official=True) as warm:
        assert "landlock" == warm.tier
        assert [0, 0] == scores(warm, tmp_path)
    assert ("", "") == capfd.readouterr()


def test_with_landlock_refused_root_gets_seccomp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If neither bubblewrap nor Landlock can be started, root can still grade untrusted code with seccomp alone."""
    if not AS_ROOT:
        pytest.skip("NOT TESTED: only root can have the seccomp tier")
    needs("seccomp")

    def refuse(request: StartRequest) -> None:
        raise OSError("this kernel has no Landlock")

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(tiers, "TIERS", {**tiers.TIERS, "landlock": refuse})
    with sandbox.start("auto", official=True) as warm:
        assert "seccomp" == warm.tier
        assert [0, 0] == scores(warm, tmp_path)


def test_a_fence_with_a_gap_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Landlock that allows access to a forbidden file is detected at the start, and is not used."""
    if not AS_ROOT:
        pytest.skip("NOT TESTED: only root has a tier below Landlock")
    needs("landlock")
    needs("seccomp")
    # the user stays root, and the secret is a file of the standard library, which learner code may read
    leaky = partial(launching.here, "landlock", uid=0)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(launching, "SECRET", str(Path(os.__file__).with_name("this.py")))
    monkeypatch.setattr(tiers, "TIERS", {**tiers.TIERS, "landlock": leaky})
    with sandbox.start("auto", official=True) as warm:
        assert "seccomp" == warm.tier
