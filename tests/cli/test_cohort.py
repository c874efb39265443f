"""`grade cohort`, installed and run in a clean folder."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from folders import laid_out, taken

from grader.course.load import load_course
from grader.verdict.report import Report

ROOT = Path(__file__).resolve().parents[2]
OWN_SEED = ("--seed", "backward 2026.1")
FULL = next(exercise.max_score for exercise in load_course(ROOT).exercises if exercise.id == "swap")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def solution(name: str) -> str:
    return (ROOT / "solutions" / name).read_text(encoding="utf-8")


@pytest.fixture
def submissions(work: Path) -> Path:
    """Return three submissions: a correct one, one that overwrites gradients, and an empty one."""
    folder = work / "submissions"
    for name in ("ann", "bob", "dot"):
        (folder / name).mkdir(parents=True)
    (folder / "ann" / "02_swap.py").write_text(solution("02_swap.py"))
    (folder / "bob" / "02_swap.py").write_text(solution("02_swap.py").replace(" * out.grad", ""))
    return folder


@pytest.fixture
def cohort(grade: Run, submissions: Path, work: Path) -> Run:
    """Run `grade cohort` in one process with the course's own seed, whose answers are in the answer book."""
    command = ("cohort", submissions, "--out", work / "results", "--jobs", 1, *OWN_SEED)
    return lambda *words, **more: grade(*command, *words, **more)


@pytest.fixture
def results(cohort: Run, work: Path, once: Callable[[str, Callable[[], object]], dict[str, bytes]]) -> Path:
    """Return the results of the three submissions, which are graded once in a test run."""
    folder = work / "results"

    def graded() -> dict[str, bytes]:
        assert 1 == cohort().returncode
        return taken(folder)

    return laid_out(folder, once("a small class", graded))


@pytest.mark.slow
def test_a_class_is_graded_and_summed_up(cohort: Run, work: Path) -> None:
    """A run writes reports and a summary, prints the summary, and exits with 1 because a submission is empty."""
    done = cohort()
    assert 1 == done.returncode, done.stderr
    assert "3 of 3 submissions graded" in done.stdout
    assert "dot: no exercise file was found" in done.stdout
    summary = json.loads((work / "results" / "cohort.json").read_text())
    assert (3, 3, ["dot"]) == (summary["submissions"], summary["graded"], [e["id"] for e in summary["needs_review"]])
    reports = {p.stem: json.loads(p.read_text()) for p in (work / "results" / "reports").iterdir()}
    assert {"ann": FULL, "dot": 0} == {name: reports[name]["score"] for name in ("ann", "dot")}
    assert 0 < reports["bob"]["score"] < FULL
    assert {"namespaces", "landlock", "seccomp"} >= {report["isolation"]["tier"] for report in reports.values()}


def contents(folder: Path) -> dict[str, bytes]:
    """Return the contents of a folder's JSON files by path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.json")}


def test_the_same_command_again_grades_nothing(cohort: Run, results: Path, work: Path) -> None:
    """Existing reports are kept, and counted as kept. A roster is copied to the results."""
    before, roster = contents(results / "reports"), work / "people.csv"
    roster.write_text("login,name\nann,Ann A\n")
    assert "3 of them in an earlier run" in cohort("--roster", roster).stdout
    assert before == contents(results / "reports")
    assert roster.read_text() == (results / "roster.csv").read_text()


def test_since_grades_only_what_has_changed(grade: Run, submissions: Path, work: Path, results: Path) -> None:
    """A run into another folder takes the seed and unchanged reports from the earlier folder, which stays unchanged."""
    before = contents(results)
    (submissions / "bob" / "02_swap.py").write_text(solution("02_swap.py"))
    done = grade("cohort", submissions, "--out", work / "second", "--since", results, "--jobs", 1)

    assert "3 of 3 submissions graded, 2 of them in an earlier run" in done.stdout
    assert before == contents(results)
    after = contents(work / "second")
    assert ["code/bob.json", "cohort.json", "reports/bob.json"] == sorted(
        name for name in before if before[name] != after[name]
    )
    assert FULL == json.loads(after["reports/bob.json"])["score"]


def test_since_wants_results(grade: Run, submissions: Path, work: Path) -> None:
    """If the folder after `--since` has no results, nothing is graded."""
    done = grade("cohort", submissions, "--out", work / "second", "--since", work / "nowhere")
    assert (2, "") == (done.returncode, done.stdout)
    assert f"--since {work / 'nowhere'}: the folder has no results of `grade cohort`" in done.stderr


@pytest.mark.slow
def test_a_run_that_is_interrupted_says_how_to_go_on(
    cohort: Run, submissions: Path, work: Path, environment: Mapping[str, str]
) -> None:
    """Ctrl-C ends the run with one clear line and no half-written file. The same command finishes the rest."""
    for number in range(27):
        (submissions / f"p{number}").mkdir()
        text = solution("02_swap.py") + f"# {number}\n"
        (submissions / f"p{number}" / "02_swap.py").write_text(text)
    command: list[str | Path] = [Path(sys.executable).parent / "grade", "cohort", submissions]
    command += ["--out", work / "results", *OWN_SEED]
    running = subprocess.Popen(
        command, cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    reports = work / "results" / "reports"
    while running.poll() is None and len(list(reports.glob("*.json"))) < 3:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=240)
    assert 130 == running.returncode
    assert "Traceback" not in said
    assert "interrupted. The reports so far are in" in said
    assert 3 <= len(list(reports.glob("*.json"))) < 30
    assert "30 of 30 submissions graded" in cohort().stdout


def test_reports_of_submissions_that_are_gone_are_set_aside(cohort: Run, submissions: Path, results: Path) -> None:
    """Such reports do not count, but are kept."""
    (submissions / "bob" / "02_swap.py").unlink()
    (submissions / "bob").rmdir()
    done = cohort()
    assert "2 of 2 submissions graded" in done.stdout
    assert "moved to" in done.stdout
    assert ["ann.json", "dot.json"] == sorted(path.name for path in (results / "reports").iterdir())
    assert ["bob.json"] == [path.name for path in (results / "gone").iterdir()]


@pytest.mark.slow
def test_people_and_decisions(cohort: Run, grade: Run, work: Path) -> None:
    """A roster names people and those who are absent. The next run applies a decision, but not an edited report."""
    (work / "roster.csv").write_text("login,name\nann,Ann A\nbob,Bob B\neve,Eve E\n")
    done = cohort("--roster", work / "roster.csv")
    assert "Submitted nothing (1): Eve E" in done.stdout
    assert "Not in the roster (1): dot" in done.stdout
    done_for_eve = grade("decide", "results", "eve", "--points", "swap.upstream=2", "--why", "shown in class")
    assert (2, True) == (done_for_eve.returncode, "there is no report on `eve`" in done_for_eve.stderr)
    shutil.copytree(work / "results", work / "before")

    points = FULL - json.loads((work / "results" / "reports" / "bob.json").read_text())["score"]
    words = ("results", "bob", "--points", "swap.upstream=1", "--why", "the text misled", "--by", "Ada")
    assert "bob: swap.upstream: 1 point (Ada, " in grade("decide", *words).stdout
    assert (2, "") == ((done := grade("export", "results", "--to", "csv")).returncode, done.stdout)
    assert "overrides.yaml changed after cohort.json; run `grade cohort` again" in done.stderr
    assert f"Bob B (bob): {FULL - points} -> {FULL - points + 1}, because decision on swap" in cohort().stdout
    done = grade("compare", "before", "results")
    assert (1, "1 of 4 learners changed.") == (done.returncode, done.stdout.splitlines()[-1])
    assert 0 == grade("compare", "results", "results").returncode

    report = work / "results" / "reports" / "bob.json"
    report.write_text(report.read_text().replace('"status": "partial"', '"status": "failed"'))
    assert "bob.json was changed after it was written" in grade("export", "results", "--to", "csv").stderr
    done = cohort()
    assert "Reports that were changed by hand were moved to" in done.stdout
    assert "To change points permanently: grade decide " in done.stdout


@pytest.mark.parametrize(
    ("key", "expected"),
    [("hash", "but files of the course have changed"), ("version", "The courses differ: ")],
)
def test_another_course_is_named_before_the_changes(grade: Run, results: Path, key: str, expected: str) -> None:
    """The names of two courses are shown if they are not the same."""
    other = results.with_name("other")
    shutil.copytree(results, other)
    summary = json.loads((other / "cohort.json").read_text())
    summary["course"][key] = "0" * 64
    (other / "cohort.json").write_text(json.dumps(summary))
    assert expected in grade("compare", results.name, other.name).stdout.splitlines()[0]


def test_a_decision_that_cannot_be_is_explained(cohort: Run, grade: Run, results: Path) -> None:
    """The exit code is 2, with one line on standard error, and no file is written."""
    for words, said in {
        "nobody --excused": "there is no learner or submission `nobody`",
        "bob": "say what is decided: --points, --file,",
        "bob --points swap.upstream": "--points swap.upstream: write EXERCISE.CHECK=N",
        "bob --points swap.upstream=99": "`swap.upstream` has 99 points, but the check is worth",
        "bob --submitted-at noon": "--submitted-at noon: write a time such as",
        "bob --submission x": "--submission: there is no submission `x`",
        "bob --submission ann": "`ann` belongs to `ann`, not to `bob`; name one that does, or give both",
        "bob --file swap=02_swp.py": "no file `02_swp.py` that can be chosen for swap; did you mean `02_swap.py`?",
        "dot --file swap=x.py": "no file `x.py` that can be chosen for swap; it has no other such file",
        "bob --keep swap.syntx": "there is no reason `swap.syntx` for a review; did you mean `swap.syntax`?",
        "bob --confirm swap.upstream": "--confirm swap.upstream: there is no decision on that for `bob`",
        "bob --withdraw penalty": "--withdraw penalty: there is no decision on that for `bob`",
        "nobody --ignore": "there is no learner or submission `nobody`",
    }.items():
        done = grade("decide", "results", *words.split(), "--why", "so")
        assert (2, True) == (done.returncode, said in done.stderr), done.stderr
    assert not (results / "overrides.yaml").exists()
    for text, said in {
        "files: {swap: 02_swp.py}": "no file `02_swp.py` that can be chosen for swap; did you mean `02_swap.py`?",
        "submission: ann": "the submission `ann` belongs to `ann`, not to `bob`",
        "submission: x": "there is no submission `x`",
    }.items():
        by_hand = f"# by hand\n- {{learner: bob, {text}, by: Ada, at: 2026-03-05, why: so}}\n"
        (results / "overrides.yaml").write_text(by_hand)
        done = cohort()
        assert (2, True) == (
            done.returncode,
            f"overrides.yaml:2: {said}" in done.stderr.replace("the submission has ", ""),
        )


@pytest.mark.slow
def test_a_decision_is_for_the_files_that_it_was_made_for(
    cohort: Run, grade: Run, submissions: Path, work: Path, results: Path
) -> None:
    """A corrected file gets the points of the checks, and a review asks to confirm or withdraw the decision."""
    grade("decide", "results", "ann", "--points", "swap.upstream=0", "--why", "copied", "--by", "Ada")
    by_hand = "- {learner: bob, points: {swap.upstream: 0}, by: Ada, at: 2026-03-05, why: copied}\n"
    with (results / "overrides.yaml").open("a") as file:
        file.write(by_hand)
    cohort()
    before = totals(work)
    assert FULL - 2 == before["ann"]
    for name in ("ann", "bob"):
        (submissions / name / "02_swap.py").write_text(solution("02_swap.py") + "# corrected\n")
    done = cohort()
    assert {"ann": FULL, "bob": FULL, "dot": 0} == totals(work)
    assert "ann: this decision does not apply to the changed files" in done.stdout
    assert "results ann --confirm swap.upstream --why TEXT" in done.stdout
    assert "ann: 3 -> 5, because the files changed; decision on swap.upstream: 0 -> none" in done.stdout
    assert 0 == grade("decide", "results", "ann", "--confirm", "swap.upstream", "--why", "still").returncode
    assert 0 == grade("decide", "results", "bob", "--withdraw", "swap.upstream", "--why", "was fine").returncode
    assert "does not apply to the changed files" not in cohort().stdout
    assert {"ann": FULL - 2, "bob": FULL, "dot": 0} == totals(work)


def test_a_review_is_closed_without_a_change(
    cohort: Run, grade: Run, submissions: Path, work: Path, results: Path
) -> None:
    """The command is in the summary. A submission with other files needs review again."""
    assert "grade decide " in (shown := cohort().stdout)
    assert "results dot --keep no_files --why TEXT" in shown
    done = grade("decide", "results", "dot", "--keep", "no_files", "--why", "not begun", "--by", "Ada")
    assert (0, True) == (done.returncode, "dot: no_files: the result is kept (Ada, " in done.stdout), done.stderr
    done = cohort()
    assert (0, False) == (done.returncode, "Needs review" in done.stdout)
    assert 0 == totals(work)["dot"]
    (submissions / "dot" / "02-swap.txt").write_text("x")
    assert "results dot --keep no_files --why TEXT" in cohort().stdout


@pytest.mark.slow
def test_reviews_for_one_reason_are_closed_together(cohort: Run, grade: Run, submissions: Path, work: Path) -> None:
    """The summary has the command. It needs `--keep`, and a reason for which a review is open."""
    (submissions / "eve").mkdir()
    assert "results --all --keep no_files --why TEXT" in cohort().stdout
    done = grade("decide", "results", "--all", "--keep", "no_files", "--why", "not begun", "--by", "Ada")
    assert (0, ["dot", "eve"]) == (done.returncode, [line.partition(":")[0] for line in done.stdout.splitlines()][:2])
    assert 0 == cohort().returncode
    for words, said in (
        (["--all", "--keep", "no_files"], "no open review can be closed"),
        (["--all", "--excused"], "no keys besides points and withdraw"),
        (["--all", "--keep", "no_files", "--excused"], "or --keep and no other decision"),
        (["ann", "--all", "--keep", "no_files"], "--all takes the place of LEARNER"),
        (["--all", "--withdraw", "swap.upstream"], "there is no decision on that for `*`"),
        (["--keep", "no_files"], "a learner, or --all with --points, --withdraw or --keep"),
    ):
        done = grade("decide", "results", *words, "--why", "so")
        assert (2, True) == (done.returncode, said in done.stderr), done.stderr


@pytest.mark.slow
def test_a_check_is_decided_for_all_and_withdrawn_for_all(cohort: Run, grade: Run, results: Path, work: Path) -> None:
    """One command each. The summary names the decision once, and its statistics are those after it."""
    before = totals(work)
    why = ("--why", "the text misled", "--by", "Ada")
    done = grade("decide", "results", "--all", "--points", "swap.upstream=2", *why)
    assert "all learners: swap.upstream: 2 points (Ada, " in done.stdout
    assert 1 == (results / "overrides.yaml").read_text().count("learner: '*'")
    shown = cohort().stdout
    assert 1 == shown.count("Decided for all learners: swap.upstream: 2 points (Ada, ")
    assert "With decisions" not in shown
    assert {"ann": FULL, "bob": before["bob"] + 2, "dot": 2} == totals(work)
    summary = json.loads((results / "cohort.json").read_text())
    (check,) = [one for one in summary["exercises"][1]["checks"] if one["id"] == "upstream"]
    assert (3, 1.0, 3) == (check["passed"], check["rate"], summary["scores"]["learners"])
    assert 0 == grade("decide", "results", "--all", "--withdraw", "swap.upstream", *why).returncode
    assert "Decided for all" not in cohort().stdout
    assert before == totals(work)


def totals(work: Path) -> dict[str, int]:
    learners = json.loads((work / "results" / "cohort.json").read_text())["learners"]
    return {one["id"]: one.get("total", 0) for one in learners}


@pytest.mark.slow
def test_a_submission_of_nobody_is_ignored(cohort: Run, grade: Run, work: Path) -> None:
    """The submission is not graded, counted or listed for review, until somebody decides otherwise."""
    (work / "roster.csv").write_text("login,name\nann,Ann A\nbob,Bob B\n")
    cohort("--roster", work / "roster.csv")
    done = grade("decide", "results", "dot", "--excused", "--why", "a test")
    assert (2, True) == (done.returncode, "`grade decide results dot --ignore --why TEXT`" in done.stderr)
    grade("decide", "results", "dot", "--ignore", "--why", "a test")
    done = cohort()
    assert (0, True) == (done.returncode, "2 of 2 submissions graded" in done.stdout)
    assert "Ignored, as overrides.yaml says: dot" in done.stdout
    assert 0 == grade("decide", "results", "dot", "--withdraw", "ignored", "--why", "a guest").returncode
    assert "3 of 3 submissions graded" in cohort().stdout


@pytest.mark.slow
def test_what_is_nobodys_is_said(cohort: Run, submissions: Path) -> None:
    """A loose file beside people's folders is named, and the exit code is 1."""
    (submissions / "dot").rmdir()
    (submissions / "loose.py").write_text("class Value: pass\n")
    done = cohort()
    assert 1 == done.returncode
    assert "Not part of any submission: loose.py" in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: a full disk needs a file system of our own, and root")
def test_a_full_disk_is_said_and_costs_nothing_that_is_written(grade: Run, submissions: Path, work: Path) -> None:
    """The last line names the problem, and the exit code is 2. After space is free, the same command finishes."""
    out = work / "results"
    out.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=28k", "tmpfs", out], check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip("NOT TESTED: no file system can be mounted here")
    try:
        done = grade("cohort", submissions, "--out", out, "--jobs", 1, *OWN_SEED)
        assert 2 == done.returncode, done.stdout + done.stderr
        assert "No space left on device" in done.stderr
        assert "Run the same command again to " in done.stderr
        subprocess.run(["mount", "-o", "remount,size=10m", out], check=True)
        assert "3 of 3 submissions graded" in grade("cohort", submissions, "--out", out, "--jobs", 1, *OWN_SEED).stdout
    finally:
        subprocess.run(["umount", out], check=True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere", "--out", "results"], "there is no folder nowhere"),
        (["submissions/ann/02_swap.py", "--out", "results"], "is a file; unpack it"),
        (["submissions/ann", "--out", "results"], "it contains 02_swap.py; name the folder with all"),
        (["submissions", "--out", "/dev/null/results"], "cannot be written"),
        (["submissions", "--out", "submissions/results"], "is inside submissions; name a folder outside of it"),
        (["submissions", "--out", "results", "--dask", "nonsense"], "no Dask cluster with a worker at nonsense"),
        (["submissions", "--out", "results", "--again", "an"], "there is no submission of `an`; did you mean `ann`?"),
        (["submissions", "--out", "results", "--jobs", "0"], "--jobs must be at least 1"),
        (["submissions", "--out", "results", "--isolation", "process"], "cannot be isolated as requested"),
        (["submissions", "--out", "results", "--layout", "gradescope"], "submission_metadata.yml"),
        (["submissions", "--out", "results", "--course", "nowhere"], "nowhere"),
    ],
)
def test_wrong_use_is_explained(grade: Run, submissions: Path, work: Path, words: list[str], said: str) -> None:
    """The exit code is 2, and one line says what is wrong."""
    done = grade("cohort", *words, *OWN_SEED)
    assert 2 == done.returncode
    assert said in done.stderr


@pytest.mark.slow
def test_the_folder_of_one_learner_is_refused(cohort: Run, submissions: Path) -> None:
    """The folder `exercises` is not taken for a learner. `--layout` reads the folder anyway."""
    shutil.copytree(submissions / "ann", submissions / "exercises")
    done = cohort()
    assert (2, "") == (done.returncode, done.stdout)
    assert "looks like the folder of one learner, because it contains exercises/02_swap.py" in done.stderr
    assert "4 of 4 submissions graded" in cohort("--layout", "folders").stdout


@pytest.mark.slow
def test_without_a_sandbox_only_when_told(cohort: Run, work: Path) -> None:
    """Without a sandbox, code runs only with `--allow-process`, which says that the instructor trusts it."""
    done = cohort("--isolation", "process", "--allow-process")
    assert "3 of 3 submissions graded" in done.stdout
    report = json.loads((work / "results" / "reports" / "ann.json").read_text())
    assert "process" == report["isolation"]["tier"]


def test_the_course_is_never_taken_from_a_submission(cohort: Run, submissions: Path) -> None:
    """A course.yaml beside the submissions is not used."""
    (submissions / "course.yaml").write_text("broken: [")
    (submissions / "ann" / "course.yaml").write_text("broken: [")
    done = cohort(cwd=submissions)
    assert "3 of 3 submissions graded" in done.stdout, done.stderr


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (io.StringIO(), ["1 of 4 graded, ", "2 of 4 graded, ", "3 of 4 graded, ", "4 of 4 graded, "]),
        (Terminal(), ["4 of 4 graded, "]),
    ],
    ids=["plain lines", "a bar"],
)
def test_progress_says_how_far_how_fast_and_how_long(
    monkeypatch: pytest.MonkeyPatch, solved: Report, stream: io.StringIO, expected: list[str]
) -> None:
    """Progress shows counts, rate, remaining time and faults. Without a terminal, it is a line each time."""
    from grader.classes.cohort import RunProgress
    from grader.cli import cohort

    def states() -> Iterator[RunProgress]:
        for done in range(1, 5):
            time.sleep(0.03)
            yield RunProgress(4, graded=done - 1, kept=0, faults={"bob": "it broke"}, report=solved)

    monkeypatch.setattr(cohort, "_PLAIN_EVERY_S", 0.0)
    monkeypatch.setattr(sys, "stderr", stream)
    assert [solved] * 4 == list(cohort._reports_with_progress(states(), 4))
    text = stream.getvalue()
    assert all(part in text for part in expected)
    assert "1 could not be graded" in text
    assert "/s" in text
    assert " left" in text
    assert (text.count("\n") == 4) is not stream.isatty()
