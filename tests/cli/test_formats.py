"""`grade --format` writes one graded run in the formats of platforms."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from junitparser import JUnitXml

from grader.course.load import load_course

from .conftest import ROOT, Run

Grade = Callable[..., Run]
FIRST, SECOND, THIRD = (exercise.max_score for exercise in load_course(ROOT).exercises[:3])
ALL = FIRST + SECOND + THIRD
CLASSROOM50 = {
    "CLASSROOM": "cs",
    "ASSIGNMENT": "backward",
    "OWNER": "jane",
    "SUBMISSION_TAG": "submit/1",
    "COMMIT_URL": "https://github.com/o/r/commit/1",
    "RELEASE_URL": "https://github.com/o/r/releases/tag/1",
}
HOSTILE = 'raise ValueError("```\\n::error::forged\\n</code><img src=x> [x](http://evil.example) @everyone | a |")\n'


@pytest.fixture
def checkout(work: Path, solved: Callable[[str], str]) -> Path:
    """Return a checkout of a repository: exercise 01 solved, 02 hostile, 03 with `=` instead of `+=`."""
    folder = work / "exercises"
    folder.mkdir()
    (folder / "01_distribute.py").write_text(solved("01_distribute.py"))
    (folder / "02_swap.py").write_text(HOSTILE)
    overwriting = solved("03_accumulate.py").replace("self.grad += other.data", "self.grad = other.data")
    (folder / "03_accumulate.py").write_text(overwriting)
    return work


@pytest.mark.slow
def test_all_of_them_at_once(grade: Grade, checkout: Path, tmp_path: Path) -> None:
    """An official run writes a job summary, annotations, and three files; the report has relative paths and lines."""
    summary = tmp_path / "summary.md"
    summary.write_text("of an earlier step\n")
    formats = ("github", "gradescope=gs.json", "classroom50", "junit")
    words = [word for name in formats for word in ("--format", name)]
    done = grade("1", "2", "3", "--official", *words, GITHUB_STEP_SUMMARY=str(summary), **CLASSROOM50)

    assert (1, "") == (done.returncode, done.stderr)
    reported = json.loads((checkout / "report.json").read_text())
    assert ["exercises/01_distribute.py", "exercises/02_swap.py", "exercises/03_accumulate.py"] == [
        exercise["file"] for exercise in reported["exercises"]
    ]
    assert [] == [check["line"] for check in reported["exercises"][2]["checks"] if "line" in check]
    score = reported["score"]
    assert FIRST < score < ALL
    text = summary.read_text()
    assert text.startswith("of an earlier step\n# The Backward Pass")
    assert f": {score}/{ALL}\n" in text
    said = [line for line in done.stdout.splitlines() if line.startswith("::")]
    assert 2 == len(said)
    assert said[0].startswith("::error file=exercises/02_swap.py,line=1,title=02 ")
    assert said[1].startswith("::error file=exercises/03_accumulate.py,line=64,title=03 ")
    assert score == json.loads((checkout / "gs.json").read_text())["score"]
    assert (score, ALL) == tuple(
        json.loads((checkout / "result.json").read_text())[name] for name in ("score", "max-score")
    )
    (suite,) = JUnitXml.fromfile(str(checkout / "junit.xml"))
    assert sum(len(exercise["checks"]) for exercise in reported["exercises"]) == suite.tests


@pytest.mark.slow
def test_paths_lead_from_the_root_of_the_repository(grade: Grade, checkout: Path, tmp_path: Path) -> None:
    """Paths start at the root of the repository, even if the run is in a folder below it."""
    done = grade("2", "--format", f"github={tmp_path / 's.md'}", GITHUB_WORKSPACE=str(checkout.parent))
    assert f"::error file={checkout.name}/exercises/02_swap.py,line=1," in done.stdout


@pytest.mark.slow
def test_a_format_says_no_more_than_a_learner_may_know(grade: Grade, checkout: Path, own_course: Path) -> None:
    """With `--instructor`, only the report has hidden details. Platforms show their files to learners."""
    path = own_course / "course.yaml"
    told, kept = "visibility: visible, detail: full", "visibility: hidden, detail: score"
    text = path.read_text()
    assert 1 == text.count(told)
    path.write_text(text.replace(told, kept))
    formats = [word for name in ("junit=j", "github=g", "gradescope=s") for word in ("--format", name)]
    done = grade("3", "--course", own_course, "--from", "exercises", "--instructor", *formats)

    assert 1 == done.returncode
    assert '"actual"' in (checkout / "report.json").read_text()
    said = [line for line in done.stdout.splitlines() if line.startswith("::")]
    for text in (*((checkout / name).read_text() for name in "jgs"), *said):
        assert "yours" not in text
        assert "L = " not in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--min-score", str(FIRST)), 0),
        (("--min-score", str(FIRST + 1)), 1),
        (("--exit-zero",), 0),
        (("--exit-zero", "--min-score", str(FIRST + SECOND)), 0),
        ((), 1),
    ],
)
def test_exit_codes(grade: Grade, checkout: Path, words: tuple[str, ...], code: int) -> None:
    """The exit code is 0 from a given score on, or whenever grading worked, or else only for full marks."""
    assert code == grade("1", "2", *words).returncode


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--format", "xml", "--course", "nowhere"), "choose from classroom50, github, gradescope, junit"),
        (("--format", "junit="), "names no file"),
        (("--format", "junit", "--format", "junit=other.xml"), "names each format once"),
        (("--format", "github"), "--format github=FILE"),
        (("--format", "gradescope"), "there is no folder /autograder/results; name a file: gradescope=FILE"),
        (("--format", "classroom50"), "needs the variables CLASSROOM, ASSIGNMENT, OWNER"),
        (("--format", "github=s.md", "--json"), "both write to standard output"),
        (("1", "--min-score", str(FIRST + 1)), f"--min-score must be from 0 to {FIRST}"),
        (("1", "--min-score", "-1"), f"--min-score must be from 0 to {FIRST}"),
        (("no_such_exercise", "--exit-zero"), "there is no exercise `no_such_exercise`"),
    ],
)
def test_bad_requests_are_refused_before_grading(
    grade: Grade, checkout: Path, words: tuple[str, ...], named: str
) -> None:
    """The message says what to write instead, and nothing is written."""
    if "gradescope" in words and Path("/autograder/results").is_dir():
        pytest.skip("this is Gradescope")
    done = grade(*words)
    assert (2, "") == (done.returncode, done.stdout)
    assert named in done.stderr
    assert ["exercises"] == [path.name for path in checkout.iterdir()]
