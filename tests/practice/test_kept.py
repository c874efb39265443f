"""The kept results of a learner's files."""

from pathlib import Path

import pytest
from every import every
from msgspec import UNSET
from msgspec.structs import replace

from grader.course.load import load_course
from grader.practice.kept import KeptResults
from grader.verdict.report import CheckResult, ExerciseResult, Repairs, Report
from grader.verdict.submission import Submission, read_submission, report_on

COURSE = load_course(Path(__file__).resolve().parents[2])
ONE = COURSE.exercises[0]
CHECKS = tuple(CheckResult(one.id, one.title, "visible", "failed", 0, one.points, False, 0.1) for one in ONE.checks)
RESULT = ExerciseResult(ONE.id, ONE.number, ONE.title, "failed", 0, ONE.max_score, 0, CHECKS, file=ONE.filename)
FOUND = Repairs((), 9, exhaustive=True)


class Run:
    """A run of `grade` on one file, whose results are kept in a folder."""

    def __init__(self, folder: Path, *settings: str, fresh: bool = False) -> None:
        files = {ONE.id: folder / ONE.filename}
        self.submission: Submission = read_submission(COURSE, files)
        self.kept = KeptResults(folder / "memo", COURSE, self.submission, files, settings, fresh=fresh)

    def ends(self, result: ExerciseResult = RESULT, tier: str = "process") -> None:
        """Grade the file with this result, and keep it."""
        self.kept.only_of(tier)
        self.kept.results.setdefault(ONE.id, result)
        self.kept.save(self.report(result))

    def report(self, result: ExerciseResult) -> Report:
        """Return a report with this result."""
        return report_on(COURSE, self.submission, [result], tier="process", seed=COURSE.seed)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a file whose result is kept."""
    (tmp_path / ONE.filename).write_text("a = 1\n", encoding="utf-8")
    Run(tmp_path).ends()
    return tmp_path


def test_a_result_counts_for_the_same_text_settings_and_tier(folder: Path) -> None:
    """Another text, another setting, another tier and a fresh run have no result."""
    path = folder / ONE.filename
    kept = Run(folder).kept
    assert ("process", {ONE.id: replace(RESULT, file=str(path))}) == (kept.tier, kept.results)
    assert kept.answers(())
    assert {} == Run(folder, "a seed").kept.results
    assert {} == Run(folder, fresh=True).kept.results
    kept.only_of("another tier")
    assert {} == kept.results
    path.write_text("a = 2\n", encoding="utf-8")
    assert not Run(folder).kept.answers(())


@every("ended, is_kept", [("", True), ("count", True), ("time", False), ("waiting", False)])
def test_a_search_that_a_clock_ended_is_not_kept(folder: Path, ended: str, is_kept: bool) -> None:
    """The result stays without it, so the next run that wants a search makes one."""
    run = Run(folder, ended)
    run.ends(replace(RESULT, repairs=replace(FOUND, ended=ended)))
    after = Run(folder, ended).kept
    assert (True, is_kept) == (after.answers(()), after.answers([ONE.id]))


def test_a_search_is_kept_by_runs_without_one(folder: Path) -> None:
    """A search adds its result to a kept one, and a run without a search does not remove it."""
    assert not Run(folder).kept.answers([ONE.id])
    Run(folder).ends(replace(RESULT, repairs=FOUND))
    Run(folder).ends(replace(RESULT, repairs=UNSET))
    assert FOUND == Run(folder).kept.results[ONE.id].repairs


def test_a_result_that_is_not_added_is_not_kept(folder: Path) -> None:
    """Grading adds no result that came from a limit."""
    run = Run(folder, fresh=True)
    (folder / "memo").unlink()
    run.kept.save(run.report(RESULT))
    assert {} == Run(folder).kept.results
