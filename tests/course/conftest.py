from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

MINI = """\
# a course of two exercises
format_version: 1
course:
  id: mini
  version: 2026.10
  title: A miniature
  total: 5
allow_imports:
  - numpy
limits:
  calls: 1000
  cpu_s: 1.5
  memory_mb: 256
  output_kb: 16
defaults:
  visibility: hidden
  detail: hint

exercises:
  - id: first
    title: The first one
    checks:
      one:
        points: 2
        title: one is right
        hint: 2
      two: {points: 1, title: two is right, visibility: visible, detail: full}
      more: {points: 4, title: more than asked for, bonus: true}
    hints:
      - look again
      - look closer
  - id: second
    title: The second one
    checks:
      only: {points: 2, title: the only one}
    hints: [there is one]
"""
FILES = ("exercises/03_first.py", "exercises/04_second.py")

WriteCourse = Callable[..., Path]


@pytest.fixture
def mini() -> str:
    """Return the text of a correct course."""
    return MINI


@pytest.fixture
def write_course(tmp_path: Path) -> WriteCourse:
    """Write a course folder with the miniature course or another text, and with empty files."""

    def write(text: str | bytes = MINI, files: Sequence[str] = FILES) -> Path:
        folder = tmp_path / "course"
        for name in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).touch()
        folder.mkdir(exist_ok=True)
        (folder / "course.yaml").write_bytes(text.encode() if isinstance(text, str) else text)
        return folder

    return write


@pytest.fixture
def line_with() -> Callable[[str, str], int]:
    """Return the line of a text that contains something. Exactly one line must contain it."""

    def number(text: str, part: str) -> int:
        (found,) = [i for i, line in enumerate(text.splitlines(), 1) if part in line]
        return found

    return number
