"""`grade reset` keeps what the learner wrote."""

import os
from pathlib import Path

import pytest

from grader.practice.workspace import Reset, keep_replay, reset


def test_the_file_becomes_the_stub_and_a_copy_is_kept(tmp_path: Path) -> None:
    """Each copy has its own number, and none is overwritten."""
    path = tmp_path / "01_one.py"
    for text in ("first\n", "second\n"):
        path.write_text(text, encoding="utf-8")
        copy = reset(path, "stub\n").copy
        assert copy is not None
        assert ("stub\n", text) == (path.read_text(encoding="utf-8"), copy.read_text(encoding="utf-8"))
    assert ["01_one.1.py", "01_one.2.py"] == sorted(copy.name for copy in (tmp_path / ".backward" / "backup").iterdir())


def test_a_missing_file_leaves_no_copy(tmp_path: Path) -> None:
    """A missing file needs no copy."""
    path = tmp_path / "exercises" / "01_one.py"
    assert Reset(written=True) == reset(path, "stub\n")
    assert ("stub\n", ["01_one.py"]) == (path.read_text(encoding="utf-8"), [p.name for p in path.parent.iterdir()])


def test_an_untouched_file_is_left_alone(tmp_path: Path) -> None:
    """A file that already is the stub needs no copy."""
    path = tmp_path / "01_one.py"
    path.write_text("stub\n", encoding="utf-8")
    assert Reset(written=False) == reset(path, "stub\n")
    assert ["01_one.py"] == [p.name for p in tmp_path.iterdir()]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_not_written_through(tmp_path: Path, there: bool) -> None:
    """If a symbolic link has the file's name, its target is unchanged."""
    target, path = tmp_path / "elsewhere", tmp_path / "exercises" / "01_one.py"
    path.parent.mkdir()
    path.symlink_to(target)
    if there:
        target.write_text("mine\n", encoding="utf-8")
    with pytest.raises(OSError, match="link"):
        reset(path, "stub\n")
    assert ("mine\n" if there else None) == (target.read_text(encoding="utf-8") if target.exists() else None)
    assert ["01_one.py"] == [p.name for p in path.parent.iterdir()]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="NOT TESTED: there are no pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """A pipe with the file's name is neither read nor replaced."""
    path = tmp_path / "01_one.py"
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a regular file"):
        reset(path, "stub\n")
    assert ["01_one.py"] == [p.name for p in tmp_path.iterdir()]


def test_another_name_of_the_file_keeps_the_old_text(tmp_path: Path) -> None:
    """The file is replaced and not overwritten, so a hard link to it keeps the old text."""
    path, other = tmp_path / "01_one.py", tmp_path / "other"
    other.write_text("mine\n", encoding="utf-8")
    path.hardlink_to(other)
    reset(path, "stub\n")
    assert ("stub\n", "mine\n") == (path.read_text(encoding="utf-8"), other.read_text(encoding="utf-8"))


def test_a_replay_is_kept_beside_the_exercises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If there is no folder of exercises, the page is in the folder for temporary files."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    beside, elsewhere = keep_replay("page", tmp_path), keep_replay("page", tmp_path / "nowhere")
    assert (tmp_path / ".backward" / "replay.html", tmp_path) == (beside, elsewhere.parent)
    assert ["page", "page"] == [path.read_text(encoding="utf-8") for path in (beside, elsewhere)]
