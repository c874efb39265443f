"""The graded code is kept beside the report."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from reports import make_report

from grader.classes.cohort.results import keep_code, read_code, read_found
from grader.runner.client import Reason, Source
from grader.verdict.report.model import SubmissionStamp

STAMP = SubmissionStamp("ada", "first")
REPORT = make_report(submission=STAMP)
SOURCES = {
    "swap": Source(Path("02_swap.py"), "def swap():\n    '\u202e'\n"),
    "add": Source(Path("01_add.py"), unread=Reason("missing")),
}
FOUND = {"swap": {"02_swap.py": "digest"}, "": {"mine.py": ""}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "code").mkdir()
    keep_code(tmp_path, STAMP, SOURCES, FOUND)
    return tmp_path


def test_the_files_that_could_be_read_are_kept(folder: Path) -> None:
    """Their text is read back unchanged, and a missing file is left out."""
    assert {"swap": SOURCES["swap"].text} == read_code(folder, REPORT)


def test_code_of_other_files_is_not_shown_beside_a_report(folder: Path) -> None:
    """If a submission changed after it was graded, it has no code until it is graded again."""
    changed = replace(STAMP, sha256="second")

    assert {} == read_code(folder, replace(REPORT, submission=changed))
    keep_code(folder, changed, {}, {})
    assert {} == read_code(folder, REPORT)


def test_the_files_that_may_be_chosen_are_kept(folder: Path) -> None:
    """They are kept even if only they changed, and not the graded files."""
    assert FOUND == read_found(folder, "ada")
    keep_code(folder, STAMP, SOURCES, {})
    assert {} == read_found(folder, "ada")
    assert {} == read_found(folder, "bob")


def test_code_that_is_there_is_not_written_again(folder: Path) -> None:
    """A resumed run writes only code that has changed."""
    (path,) = (folder / "code").iterdir()
    before = path.stat().st_ino
    keep_code(folder, STAMP, SOURCES, FOUND)

    assert before == path.stat().st_ino


@pytest.mark.parametrize("text", ["", "{", "[]", '{"sha256": "first"}'])
def test_a_damaged_file_counts_as_none(folder: Path, text: str) -> None:
    """A damaged file counts as missing, and the next run writes it again."""
    (path,) = (folder / "code").iterdir()
    path.write_text(text)

    assert {} == read_code(folder, REPORT)
