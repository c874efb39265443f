"""An exercise begun again keeps what was written."""

from pathlib import Path

from grader.workspace import Reset, reset


def test_the_file_becomes_the_stub_and_a_copy_is_kept(tmp_path: Path) -> None:
    """Each copy has its own number; none is written over."""
    path = tmp_path / "01_one.py"
    for text in ("first\n", "second\n"):
        path.write_text(text, encoding="utf-8")
        copy = reset(path, "stub\n").copy
        assert copy is not None
        assert ("stub\n", text) == (path.read_text(encoding="utf-8"), copy.read_text(encoding="utf-8"))
    assert ["01_one.1.py", "01_one.2.py"] == sorted(copy.name for copy in (tmp_path / ".backward" / "backup").iterdir())


def test_a_missing_file_leaves_no_copy(tmp_path: Path) -> None:
    """What is not there needs none."""
    path = tmp_path / "exercises" / "01_one.py"
    assert Reset(written=True) == reset(path, "stub\n")
    assert ("stub\n", ["01_one.py"]) == (path.read_text(encoding="utf-8"), [p.name for p in path.parent.iterdir()])


def test_an_untouched_file_is_left_alone(tmp_path: Path) -> None:
    """What is the stub already needs no copy."""
    path = tmp_path / "01_one.py"
    path.write_text("stub\n", encoding="utf-8")
    assert Reset(written=False) == reset(path, "stub\n")
    assert ["01_one.py"] == [p.name for p in tmp_path.iterdir()]
