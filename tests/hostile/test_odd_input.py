"""Odd files, names and texts in a submission, an export or a folder of results.

Each is reported in a line or a note, with the documented exit code. Nothing is lost, and no link is followed.
"""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from folders import laid_out, taken
from in_process import run_grade_for_bytes
from ours import COURSE, SOLUTIONS

pytestmark = pytest.mark.usefixtures("kept_processes")

COMMAND = Path(sys.executable).parent / "grade"
SWAP = (SOLUTIONS / "02_swap.py").read_text(encoding="utf-8")
WRONG = SWAP.replace(" * out.grad", "")
SEED = ("--seed", "backward 2026.1")  # the course's own: torch's answers are in the answer book
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}

Done = subprocess.CompletedProcess[bytes]
Grade = Callable[..., Done]
Make = Callable[[Path], object]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return a folder with a right exercise file and a secret."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "02_swap.py").write_text(SWAP, encoding="utf-8")
    (folder / "secret").write_text("secret")
    return folder


@pytest.fixture
def grade(work: Path, tmp_path: Path) -> Iterator[Grade]:
    """Run `grade`. Check that it ends without a traceback and does not change the secret.

    It runs in a process of its own if it is `apart`, or if it is given bytes or settings of the environment.
    """
    (tmp_path / "home").mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "LC_ALL": "C.UTF-8"}

    def run(*words: object, cwd: Path = work, apart: bool = False, **more: str) -> Done:
        if apart or more or any(isinstance(word, bytes) for word in words):
            command = [COMMAND, *(word if isinstance(word, bytes) else str(word) for word in words)]
            done = subprocess.run(
                command, cwd=cwd, env={**environment, **more}, capture_output=True, timeout=240, check=False
            )
        else:
            done = run_grade_for_bytes(*words, cwd=cwd, env=environment)
        assert b"Traceback" not in done.stdout + done.stderr
        assert b"the grader itself failed" not in done.stderr
        return done

    yield run
    assert "secret" == (work / "secret").read_text()


@pytest.fixture
def submissions(work: Path) -> Path:
    """Return a right and a wrong submission."""
    for name, text in (("ann", SWAP), ("bob", WRONG)):
        (work / "class" / name).mkdir(parents=True)
        (work / "class" / name / "02_swap.py").write_text(text, encoding="utf-8")
    return work / "class"


@pytest.fixture
def results(grade: Grade, submissions: Path, work: Path, once: Callable[..., dict[str, bytes]]) -> Path:
    """Return the results of `grade cohort` for the two submissions, which are graded once in a test run."""
    folder = work / "results"

    def graded() -> dict[str, bytes]:
        assert 0 == grade("cohort", submissions, "--out", folder, "--jobs", 1, *SEED).returncode
        return taken(folder)

    return laid_out(folder, once("two submissions", graded))


# -- where something is written ------------------------------------------------------------------------------

IN_THE_WAY: dict[str, Make] = {
    "a pipe": os.mkfifo,
    "a link": lambda path: path.symlink_to("secret"),
    "a link to nowhere": lambda path: path.symlink_to("nowhere"),
    "a link to a device": lambda path: path.symlink_to("/dev/full"),
    "a folder": Path.mkdir,
}


REPORTS: dict[str, tuple[tuple[str, ...], str]] = {
    "by default": ((), ".backward/report.json"),
    "its folder": ((), ".backward"),
    "named": (("--report", "report.json"), "report.json"),
}


@pytest.mark.parametrize(
    ("make", "words", "place"),
    [
        # each run has one kind of file in the way at each place in turn, and a long run has all kinds at all places
        pytest.param(make, *where, id=f"{kind}, {name}", marks=() if at % 3 == number else pytest.mark.exhaustive)
        for number, (name, where) in enumerate(REPORTS.items())
        for at, (kind, make) in enumerate(IN_THE_WAY.items())
        if (kind, name) != ("a folder", "its folder")
    ],
)
def test_a_report_is_written_to_a_file_or_not_at_all(
    grade: Grade, work: Path, make: Make, words: tuple[str, ...], place: str
) -> None:
    """The learner still gets the result, and the file in the way stays."""
    (work / place).parent.mkdir(exist_ok=True)
    make(work / place)
    before = (work / place).lstat()
    done = grade("swap", "--from", ".", *words)
    assert 2 == done.returncode
    assert b"Score 5/5" in done.stdout
    assert b"the report could not be written to " in done.stderr
    assert b"report.json: " in done.stderr
    after = (work / place).lstat()
    assert (before.st_ino, before.st_mode, before.st_size) == (after.st_ino, after.st_mode, after.st_size)
    assert not (work / "nowhere").exists()


PLACES = {
    "page.html": ("page", "."),
    "my.html": ("page", ".", "--out", "my.html"),
    "exports": ("export", ".", "--to", "csv"),
    "exports/grades.csv": ("export", ".", "--to", "csv"),
    "exports/feedback": ("export", ".", "--to", "feedback"),
    "exports/gradescope": ("export", ".", "--to", "gradescope"),
    "my.csv": ("export", ".", "--to", "csv", "--out", "my.csv"),
}


def test_pages_and_exports_lead_nowhere_else(grade: Grade, results: Path, tmp_path: Path) -> None:
    """Nothing is written through a link or deleted behind one, and nothing waits for a pipe."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("kept")
    for name, words in PLACES.items():
        path = results / name
        for make in (os.mkfifo, lambda path: path.symlink_to(elsewhere), lambda path: path.symlink_to("nowhere")):
            path.parent.mkdir(exist_ok=True)
            make(path)
            done = grade(*words, cwd=results)
            assert (name, 2, b"") == (name, done.returncode, done.stdout)
            assert b"grade: " in done.stderr
            assert os.path.lexists(path)
            path.unlink()
        if path.parent != results:
            path.parent.rmdir()
    assert ["kept"] == [left.name for left in elsewhere.iterdir()]


@pytest.mark.parametrize("name", [".lock", "run.json", "cohort.json", "reports", "gone"])
def test_results_that_are_links_are_told(
    grade: Grade, submissions: Path, work: Path, tmp_path: Path, name: str
) -> None:
    """The error comes before grading, and neither the link nor its target is changed."""
    (work / "results").mkdir()
    (work / "results" / name).symlink_to(tmp_path / "elsewhere")
    done = grade("cohort", submissions, "--out", "results")
    assert 2 == done.returncode
    assert f"results/{name} is a symbolic link; expected a".encode() in done.stderr
    assert not (tmp_path / "elsewhere").exists()
    assert [name] == [path.name for path in (work / "results").iterdir()]


# -- names and text ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more", [pytest.param({}, id="UTF-8"), pytest.param(ASCII, id="ASCII", marks=pytest.mark.exhaustive)]
)
def test_names_that_are_not_utf_8_are_names(grade: Grade, work: Path, more: dict[str, str]) -> None:
    """Such names of folders, files and reports work, and are escaped in the output."""
    folder = work / "d\udcff∇"
    (folder / "class" / "b\udcffob").mkdir(parents=True)
    (folder / "class" / "Jörg").mkdir()
    (folder / "class" / "b\udcffob" / "02_swap.py").write_text(SWAP)
    (folder / "a\udcff.py").write_text(SWAP)
    done = grade("swap", b"d\xff\xe2\x88\x87/a\xff.py", "--report", b"d\xff\xe2\x88\x87/r.json", **more)
    assert (0, b"") == (done.returncode, done.stderr)
    assert "d\\xff∇/a\\xff.py" == json.loads((folder / "r.json").read_bytes())["exercises"][0]["file"]
    done = grade("cohort", "class", "--out", "results", *SEED, cwd=folder, **more)
    assert 1 == done.returncode  # Jörg handed in nothing
    reports = [json.loads(path.read_bytes()) for path in (folder / "results" / "reports").iterdir()]
    assert {"b\\xffob": 5, "Jörg": 0} == {one["submission"]["origin"]: one["score"] for one in reports}
    for words in (("page", "results"), ("export", "results", "--to", "gradescope")):
        assert 0 == grade(*words, cwd=folder, **more).returncode


def test_a_terminal_of_ascii_shows_any_text(grade: Grade, work: Path) -> None:
    """Characters that the terminal cannot show are escaped. JSON stays UTF-8."""
    raising = SWAP.replace("self.grad +=", "print('∇'); raise ValueError('∇L'); self.grad +=", 1)
    assert raising != SWAP
    (work / "02_swap.py").write_text(raising, encoding="utf-8")
    done = grade("swap", "--from", ".", **ASCII)
    assert (1, b"") == (done.returncode, done.stderr)
    assert rb"your code raised ValueError: \u2207L" in done.stdout
    done = grade("swap", "--from", ".", "--json", **ASCII)
    assert "∇L" in json.loads(done.stdout)["exercises"][0]["checks"][0]["message"]


UNSEEN = "\ufeff\U000e0041\u200b\u2060\u202e\u2066\u00ad\u061c\u3164"


def test_what_nobody_can_see_is_spelled(grade: Grade, work: Path) -> None:
    """Invisible characters are escaped in the report as in JSON, and on the terminal as in Python."""
    raising = SWAP.replace("self.grad +=", f"print('a{UNSEEN}b'); raise ValueError('a{UNSEEN}b'); self.grad +=", 1)
    (work / "02_swap.py").write_text(raising, encoding="utf-8")
    done = grade("swap", "--from", ".")
    report = (work / ".backward" / "report.json").read_text(encoding="utf-8")
    assert [] == [hex(ord(c)) for c in UNSEEN if c in report + done.stdout.decode()]
    assert rb"\ufeff\U000e0041\u200b" in done.stdout
    assert f"a{UNSEEN}b" in json.loads(report)["exercises"][0]["checks"][0]["message"]


# -- exports and results -------------------------------------------------------------------------------------


def test_yaml_that_is_too_deep_is_told(grade: Grade, submissions: Path, work: Path) -> None:
    """The message comes from the grader, because a segmentation fault would give none."""
    (submissions / "submission_metadata.yml").write_text("[" * 200_000)
    done = grade("cohort", submissions, "--out", "results", apart=True)
    assert 2 == done.returncode
    assert b"nested more than 100 deep; `--layout folders`" in done.stderr
    (work / "course.yaml").write_text("[" * 200_000)
    done = grade("swap", apart=True)
    assert (2, b"") == (done.returncode, done.stdout)
    assert b"course.yaml:1: cannot parse YAML: it is nested more than 100 deep" in done.stderr


def test_a_report_that_does_not_add_up_is_read_by_nobody(
    grade: Grade, submissions: Path, results: Path, work: Path
) -> None:
    """Exports and the page name the report. The next run grades the submission again, and keeps the old file."""
    path = results / "reports" / "bob.json"
    right = json.loads(path.read_bytes())["score"]
    path.write_bytes(path.read_bytes().replace(b'"score": %d' % right, b'"score": 6', 1))
    for words in (("page", results), ("export", results, "--to", "csv"), ("export", results, "--to", "feedback")):
        done = grade(*words)
        assert (2, b"") == (done.returncode, done.stdout)
        assert b"bob.json is damaged (it does not add up: the report has score 6" in done.stderr
    done = grade("cohort", submissions, "--out", results, *SEED)
    assert 0 == done.returncode
    assert b"Reports that were changed by hand were moved to" in done.stdout
    assert (right, 6) == (
        json.loads(path.read_bytes())["score"],
        json.loads((results / "gone" / "bob.json").read_bytes())["score"],
    )


def test_hidden_submissions_are_named(grade: Grade, submissions: Path) -> None:
    """A hidden submission is listed, and the exit code is 1."""
    (submissions / "bob").rename(submissions / ".bob")
    done = grade("cohort", submissions, "--out", "results", *SEED)
    assert 1 == done.returncode
    assert b"Not part of any submission: .bob" in done.stdout


def test_nobody_takes_anothers_place_in_canvas(grade: Grade, work: Path) -> None:
    """A person called `bob_77` gets their own points, and so does bob, whose id is 77."""
    folder = work / "class"
    folder.mkdir()
    (folder / "bob_77_99730_02_swap.py").write_text(SWAP)
    (folder / "bob_77_1042_99731_02_swap.py").write_text("# nothing")
    (folder / "bob_77_1042_99732_work.zip").write_bytes(b"")
    assert 1 == grade("cohort", folder, "--out", "results", "--layout", "canvas", *SEED).returncode
    done = grade("export", "results", "--to", "canvas", "--out", "-")
    rows = [(row["ID"], row["The Backward Pass"]) for row in csv.DictReader(done.stdout.decode().splitlines())]
    most = str(COURSE.max_score)
    assert {("", most), ("77", "5"), ("1042", "0"), ("", "0")} == set(rows)  # the archive may be either's: no id
