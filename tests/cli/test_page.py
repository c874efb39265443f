import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from offline_page import unpack

from grader.classes.cohort import summarise
from grader.course.load import load_course
from grader.verdict.report import read_report

ROOT = Path(__file__).resolve().parent.parent.parent
Run = subprocess.CompletedProcess[str]
Grade = Callable[..., Run]


@pytest.fixture
def results(grade: Grade, work: Path) -> Path:
    """Return a folder of results with one report."""
    report = work / "results" / "reports" / "local.json"
    report.parent.mkdir(parents=True)
    done = grade("--course", ROOT, "distribute", "--from", ROOT / "solutions", "--instructor", "--report", report)
    assert 0 == done.returncode, done.stderr
    summary = summarise(load_course(ROOT), [read_report(report.read_bytes())], {})
    (work / "results" / "cohort.json").write_bytes(msgspec.json.encode(summary))
    return work / "results"


def test_it_writes_one_page(grade: Grade, results: Path) -> None:
    """The page goes beside the results, or to the path after `--out`, and is the same each time."""
    usual = grade("page", results)
    other = grade("page", results, "--out", results / "new" / "class.html")

    assert (0, 0, "") == (usual.returncode, other.returncode, usual.stderr + other.stderr)
    assert f"wrote {results / 'page.html'}" in usual.stdout
    page = (results / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert page == (results / "new" / "class.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda results: (results / "cohort.json").unlink(), "contains no cohort.json; `grade cohort SUBMISSIONS"),
        (lambda results: (results / "reports" / "local.json").write_text("{"), "local.json is damaged"),
    ],
)
def test_results_that_cannot_be_read(grade: Grade, results: Path, damage: Callable[[Path], Any], said: str) -> None:
    """The message names the file and what to do, as for `grade export`, and no page is written."""
    damage(results)
    done = grade("page", results)

    assert (2, "") == (done.returncode, done.stdout)
    assert said in done.stderr
    assert not (results / "page.html").exists()


def test_a_page_that_cannot_be_written(grade: Grade, results: Path) -> None:
    """A folder cannot be written as a file, nor a file as a folder."""
    folder = grade("page", results, "--out", results)
    below = grade("page", results, "--out", results / "cohort.json" / "page.html")

    assert (2, 2) == (folder.returncode, below.returncode)
    assert "is a folder; name a file" in folder.stderr
    assert "cannot be written" in below.stderr


def test_it_compares_with_earlier_results(grade: Grade, results: Path) -> None:
    """The page names the earlier results. A folder without results is an error."""
    done = grade("page", results, "--against", results, "--out", results / "other.html")
    empty = grade("page", results, "--against", results.parent)

    assert (0, "") == (done.returncode, done.stderr)
    data = unpack((results / "other.html").read_text(encoding="utf-8"))
    assert {"since": str(results), "learners": []} == data["changes"]
    assert 2 == empty.returncode
    assert f"{results.parent} contains no cohort.json" in empty.stderr
