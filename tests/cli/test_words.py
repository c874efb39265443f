"""The words after `grade`: exercises, files, folders and commands."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from in_process import GRADE

from grader.cli.main import COMMANDS
from grader.cli.options import about
from grader.course.load import load_course
from grader.practice import session
from grader.words import practice as said

from .conftest import ROOT

COURSE = load_course(ROOT)
ALL = [exercise.id for exercise in COURSE.exercises]
COUNT, TOTAL = len(ALL), COURSE.max_score

Grade = Callable[..., Any]
Solved = Callable[[str], str]


@pytest.mark.parametrize(("word", "told"), [("cohrt", True), ("hnt", True), ("distribut", False), ("xyzzy", False)])
def test_a_word_that_is_almost_a_command_is_told_so(grade: Grade, quick_course: Path, word: str, told: bool) -> None:
    """A mistyped command is not an exercise, and the message names the command."""
    for more in (("--course", quick_course), ("class", "--out", "results")):
        assert told == ("There is a command `grade " in grade(word, *more).stderr)


@pytest.fixture
def exercises(quick_course: Path, work: Path) -> Path:
    """Return the exercises as they are handed out."""
    return Path(shutil.copytree(quick_course / "exercises", work / "exercises", ignore=shutil.ignore_patterns(".*")))


def graded(done: Any) -> list[str]:
    """Return the ids of the exercises in a report on standard output."""
    return [exercise["id"] for exercise in json.loads(done.stdout)["exercises"]]


# -- which exercise -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        *((["distribute"], word) for word in ("1", "01", "distribute", "dist", "01_distribute")),
        (["accumulate"], "exercises/03_accumulate.py"),
        (["distribute", "swap", "relu"], "relu 1 swap"),
        (["accumulate", "by_hand", "predict"], "3-5"),
        (["accumulate", "by_hand"], "3,4"),
        (["distribute", "accumulate", "by_hand"], "3-by_hand,1"),
        (ALL, ""),
        (ALL, "all"),
    ],
)
@pytest.mark.usefixtures("exercises")
def test_words_name_exercises(grade: Grade, expected: list[str], words: str) -> None:
    """A word is a number, an id or its beginning, a file, a range or a list. The report has the course's order."""
    assert expected == graded(grade(*words.split(), "--json"))


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ("there is no exercise `distrbute`; did you mean `distribute`?", ["distrbute"]),
        ("there is no exercise `acumulate`; did you mean `accumulate`?", ["acumulate"]),
        ("there is no exercise `xyzzy`; the exercises are 1 to ", ["xyzzy"]),
        ("there is no exercise `99`", ["99"]),
        ("there is no exercise `0`", ["0"]),
        ("`b` could be", ["b"]),
        ("build_topo or backward", ["b"]),
        ("`distribute` is named twice", ["distribute", "1"]),
        ("`distribute` is named twice", ["mine/01_distribute.py", "yours/01_distribute.py"]),
        ("`5-3` goes backward; write `3-5`", ["5-3"]),
        ("there is no exercise `99`", ["3-99"]),
        ("which exercise is mine.py for? write `grade EXERCISE mine.py`", ["mine.py"]),
        ("`grade --help` describes the command", ["--no-such-option"]),
        ("extra argument (4). `grade solution --help` describes", ["solution", "3", "4"]),
        ("'--isolation'", ["--isolatoin", "process"]),
        ("--from nowhere: there is no such folder", ["--from", "nowhere"]),
        ("--from exercises/01_distribute.py: there is no such folder", ["--from", "exercises/01_distribute.py"]),
        ("nowhere/course.yaml: there is no such file", ["--course", "nowhere"]),
        ("'none' is not one of 'auto'", ["--isolation", "none"]),
        ("nowhere.py", ["distribute", "nowhere.py"]),
        ("no exercise files in ..", ["--from", ".."]),
    ],
)
@pytest.mark.usefixtures("exercises")
def test_wrong_words_are_told_with_the_way_out(grade: Grade, work: Path, expected: str, words: list[str]) -> None:
    """Unknown words give a message on standard error and exit code 2, and nothing is graded or written."""
    done = grade(*words)
    assert (2, "") == (done.returncode, done.stdout)
    assert expected in done.stderr
    assert not (work / "exercises" / ".backward").exists()


def test_an_empty_folder_says_how_to_start(grade: Grade) -> None:
    """If there are no exercises, the message says how to get them."""
    done = grade()
    assert done.returncode == 2
    assert "`grade start` puts them into ./exercises" in done.stderr


# -- which file -------------------------------------------------------------------------------------------


def test_a_file_belongs_to_the_exercise_before_it(grade: Grade, work: Path, solved: Solved) -> None:
    """`grade distribute mine.py` grades mine.py as that exercise, from any folder."""
    (work / "mine.py").write_text(solved("01_distribute.py"))
    (work / "other.py").write_text(solved("02_swap.py"))
    done = grade("distribute", "mine.py", "swap", "other.py", "--json")
    report = json.loads(done.stdout)
    assert (0, "passed") == (done.returncode, report["status"])
    assert ["mine.py", "other.py"] == [exercise["file"] for exercise in report["exercises"]]


@pytest.mark.parametrize(
    ("words", "path", "solution"),
    [
        ("./01_distribute.py", "01_distribute.py", "01_distribute.py"),
        ("swap 01_distribute.py", "01_distribute.py", "02_swap.py"),
        ("swap --from elsewhere", "elsewhere/02_swap.py", "02_swap.py"),
        ("swap", "02_swap.py", "02_swap.py"),
    ],
    ids=["the file's name", "the exercise before the file", "a folder", "the current folder"],
)
def test_what_is_graded_as_what(grade: Grade, work: Path, solved: Solved, words: str, path: str, solution: str) -> None:
    """A file is for the exercise before it, or else for that of its name. Files are looked for in the folder."""
    (work / path).parent.mkdir(exist_ok=True)
    (work / path).write_text(solved(solution))
    assert 0 == grade(*words.split()).returncode


def test_a_checkout_is_graded_with_from(grade: Grade, work: Path, solved: Solved) -> None:
    """If a folder has no exercise files, those in its folder `exercises` are graded, or else its own."""
    (work / "checkout" / "exercises").mkdir(parents=True)
    (work / "checkout" / "exercises" / "01_distribute.py").write_text(solved("01_distribute.py"))
    assert 0 == grade("1", "--from", "checkout").returncode
    (work / "checkout" / "02_swap.py").write_text(solved("02_swap.py"))
    done = grade("1", "2", "--from", "checkout", "--json")
    assert ["missing", "passed"] == [exercise["status"] for exercise in json.loads(done.stdout)["exercises"]]


def test_the_course_around_one_is_meant(grade: Grade, own_course: Path, solved: Solved) -> None:
    """In a course's folder or below it, that course's exercises are graded."""
    (own_course / "exercises" / "02_swap.py").write_text(solved("02_swap.py"))
    below = own_course / "exercises" / "notes"
    below.mkdir()
    assert grade("swap", cwd=below).returncode == 0


def test_a_course_can_be_named(grade: Grade, own_course: Path, work: Path, solved: Solved) -> None:
    """`--course` takes precedence over the course around."""
    (work / "02_swap.py").write_text(solved("02_swap.py"))
    assert grade("swap", "--course", own_course, "--from", ".").returncode == 0


# -- exit codes -------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("exercises")
def test_the_first_run_greets_and_names_the_file_to_open(grade: Grade) -> None:
    """The first run prints a welcome instead of a line for each exercise. The exit code is 1 below full marks."""
    done = grade()
    assert (1, True) == (done.returncode, "Score 0/" in done.stdout)
    assert f"Welcome. {COUNT} exercises" in done.stdout
    assert "Next: open exercises/01_distribute.py, then `grade 1`" in done.stdout
    assert "not started" not in done.stdout


@pytest.mark.slow
def test_every_printed_command_can_be_run_where_it_is_printed(
    environment: dict[str, str], work: Path, solved: Solved
) -> None:
    """In an environment that is not active, the commands of `start`, a failure and a pass have the path of `grade`."""
    (work / "bin").symlink_to(GRADE.parent)
    environment = environment | {"PATH": "/usr/bin:/bin"}

    def shell(line: str, folder: Path = work) -> str:
        done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True)
        assert ("", True) == (done.stderr, done.returncode in (0, 1)), line
        return done.stdout

    def commands(printed: str) -> list[str]:
        quoted = re.findall("`([^`\n]*grade [^`\n]*)`", printed) + re.findall(
            r"(?:hint|see it) +(\S*grade .*)", printed
        )
        return [one for one in quoted if " watch" not in one]

    started = shell("bin/grade start mine")
    assert "Next: cd mine, open exercises/01_distribute.py, then `../bin/grade 1`" in started
    path = work / "mine" / "exercises" / "01_distribute.py"
    path.write_text(solved(path.name).replace("+= out.grad", "= 2"))
    failed = shell("../bin/grade 1", path.parent.parent)
    path.write_text(solved(path.name))
    passed = shell(commands(started)[0], path.parent.parent)
    assert ["../bin/grade 1"] == commands(started)
    assert {"hint", "play", "--all", "1"} == {one.removeprefix("../bin/grade ").split()[0] for one in commands(failed)}
    for command in commands(failed) + commands(passed):
        shell(f"{command} --no-open" if " play" in command else command, path.parent.parent)


@pytest.mark.slow
def test_each_run_says_what_comes_next(grade: Grade, exercises: Path, solved: Solved) -> None:
    """A run names the file to change, then the next exercise that is not passed, and at the end the lessons.

    Once every exercise is passed, the exit code is 0, the score is the course's total, and an exercise must be named
    for a hint.
    """
    for path in exercises.iterdir():
        path.write_text(solved(path.name))
    wrong = exercises / "03_accumulate.py"
    wrong.write_text(solved(wrong.name).replace("+= out.grad", "= out.grad"))
    done = grade()
    assert "Next: change exercises/03_accumulate.py, then `grade 3`" in done.stdout
    assert "FAIL     03 accumulate: " in done.stdout
    bottom = done.stdout.splitlines()[-22:]
    assert any("FAIL     03 accumulate: " in line for line in bottom)
    wrong.write_text(solved(wrong.name))
    assert "Next: `grade` grades all exercises together" in grade("3").stdout
    done = grade()
    assert (0, True) == (done.returncode, f"Score {TOTAL}/{TOTAL}" in done.stdout)
    assert f"You have passed all {COUNT} exercises." in done.stdout
    assert "Where to go next:" in done.stdout
    done = grade("hint")
    assert (2, "") == (done.returncode, done.stdout)
    assert "you have passed every exercise; name one for a hint: `grade hint distribute`" in done.stderr


@pytest.mark.slow
def test_a_rule_that_assigns_is_no_fact_in_an_exercise_that_accepts_it(
    grade: Grade, exercises: Path, solved: Solved
) -> None:
    """In 02, `=` and `+=` give the same gradients. In 03, they do not."""
    for number, name, expected in (("2", "02_swap.py", False), ("3", "03_accumulate.py", True)):
        right, wrong = "self.grad += other.data * out.grad", "self.grad = self.data * out.grad"
        assert right in solved(name)
        (exercises / name).write_text(solved(name).replace(right, wrong))
        shown = " ".join(grade(number, "--all").stdout.split())
        assert "a receives a * L.grad." in shown
        assert expected == ("instead of adding" in shown)


@pytest.mark.slow
def test_a_hint_without_a_name_is_for_the_last_failure(grade: Grade, exercises: Path, solved: Solved) -> None:
    """`grade hint` continues with the next hint until another check fails. The last is a question about the line."""
    path = exercises / "03_accumulate.py"
    path.write_text(solved(path.name).replace("self.grad += other.data", "self.grad = other.data"))
    line = 1 + path.read_text().splitlines().index("            self.grad = other.data * out.grad")
    grade("3", "--line")
    first, *others = [" ".join(grade("hint").stdout.split()) for _ in range(3)]
    assert first.startswith("Hint 3 of 6 for 03_accumulate")
    assert first.endswith("More: `grade hint`")
    question = f"What happens to the gradient that is already in `self.grad` when line {line} runs?"
    assert 2 * [f"Last hint for 03_accumulate {question}"] == [other.partition(" `grade hint")[0] for other in others]
    path.write_text(solved(path.name).replace("+= out.grad", "= out.grad"))
    grade("3")
    assert "for 03_accumulate" in grade("hint").stdout


@pytest.mark.slow
def test_a_hint_is_for_the_exercise_that_was_graded_alone(grade: Grade, exercises: Path, solved: Solved) -> None:
    """Whoever has gone on to an exercise that is not started gets its hint, until an earlier one fails again."""
    (exercises / "03_accumulate.py").write_text(solved("03_accumulate.py").replace("+=", "="))
    for word, at in (("3", "03_accumulate"), ("18", "18_vanish"), ("4-6", "18_vanish"), ("3", "03_accumulate")):
        grade(word)
        assert f"for {at}" in grade("hint").stdout


@pytest.mark.slow
def test_a_hint_waits_for_the_search(
    grade: Grade, exercises: Path, solved: Solved, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If no search was done, the file is searched for a while. The result is kept until the file changes."""
    path, last = exercises / "02_swap.py", "Last hint for 02_swap"
    path.write_text(solved(path.name).replace("self.data * out.grad", "self.data * out.gard"))
    grade("2")
    monkeypatch.setattr(session, "PATIENCE_S", 0)
    shown = [grade("hint").stdout for _ in range(2)]
    assert 2 * ["Hint 5 of 5 for"] == [one[:15] for one in shown]
    assert "That is the only written hint for this failure." in shown[0]
    monkeypatch.setattr(session, "PATIENCE_S", 60)
    assert grade("hint").stdout.startswith(last)
    monkeypatch.setattr(session, "PATIENCE_S", 0)
    assert grade("hint").stdout.startswith(last)
    path.write_text(path.read_text() + "\n")
    assert grade("hint").stdout.startswith("Hint 5 of 5 for")
    path.write_text(path.read_text()[:-1])
    assert grade("hint").stdout.startswith(last)


@pytest.mark.slow
def test_hints_go_on_to_those_that_belong_to_no_check(
    grade: Grade, exercises: Path, solved: Solved, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the hints of a check come those of no check, but not those of other checks. The last one is repeated."""
    monkeypatch.setattr(session, "PATIENCE_S", 0)
    path = exercises / "01_distribute.py"
    path.write_text(solved(path.name).replace("other.grad += out.grad", "pass"))
    grade("1")
    assert [1, 4, 4] == [int(grade("hint").stdout.split()[1]) for _ in range(3)]


def test_a_course_may_reveal_the_edit(grade: Grade, own_course: Path, solved: Solved) -> None:
    """With `reveal: repair`, the last hint is the edit. The report has it too."""
    settings, path = own_course / "course.yaml", own_course / "exercises" / "01_distribute.py"
    settings.write_text(settings.read_text() + "reveal: repair\n")
    path.write_text(solved(path.name).replace("self.grad += out.grad", "self.grad -= out.grad"))
    grade("1", "--line", cwd=own_course)
    shown = [grade("hint", cwd=own_course).stdout for _ in range(3)][-1]
    assert "This edit makes every required check pass:" in shown
    edit = ["-            self.grad -= out.grad", "+            self.grad += out.grad"]
    assert edit == [line.strip() for line in shown.splitlines() if ".grad" in line]


@pytest.mark.slow
def test_an_error_has_a_hint(grade: Grade, exercises: Path, solved: Solved) -> None:
    """The hint for an error that no other hint is about is the last one of the exercise."""
    path = exercises / "01_distribute.py"
    path.write_text(solved(path.name).replace("self.grad += out.grad", "self.grad += out"))
    assert "grade hint distribute 5" in grade("1").stdout
    assert grade("hint").stdout.startswith("Hint 5 of 5 for 01_distribute")


@pytest.mark.slow
def test_no_hint_is_offered_where_none_fits(grade: Grade, own_course: Path, solved: Solved) -> None:
    """If a course has no hint for a failure, `grade hint` says so, and names the exercise's hints."""
    settings, path = own_course / "course.yaml", own_course / "exercises" / "01_distribute.py"
    settings.write_text(settings.read_text().replace("error: 5}", "error: 0}", 1))
    path.write_text(solved(path.name).replace("self.grad += out.grad", "raise KeyError"))
    assert "grade hint" not in grade("1", cwd=own_course).stdout
    told = " ".join(grade("hint", cwd=own_course).stdout.split())
    other = "`grade hint distribute N` shows hint N of the exercise; N goes from 1 to 5."
    assert f"There is no hint for this failure. {other}" == told


@pytest.mark.slow
def test_a_hint_stays_at_a_file_that_could_not_be_loaded(grade: Grade, exercises: Path, solved: Solved) -> None:
    """The message names that file and the command for its error, not a later exercise. After a pass it is forgotten."""
    path = exercises / "02_swap.py"
    path.write_text(solved(path.name).replace("def _backward():", "def _backward()"))
    assert "Next: change exercises/02_swap.py, then `grade 2`" in grade().stdout
    for _ in range(2):
        assert "02_swap.py could not be loaded when it was last graded. `grade 2` shows why." in grade("hint").stdout
    path.write_text(solved(path.name))
    assert "Next: open exercises/03_accumulate.py" in grade("2").stdout
    assert grade("hint").stdout.startswith("Hint 1 of 6 for 03_accumulate")


@pytest.mark.usefixtures("exercises")
def test_without_a_failure_the_hint_is_that_of_the_next_exercise(grade: Grade) -> None:
    """Nothing has to be graded first."""
    done = grade("hint")
    assert done.stdout.startswith("Hint 1 of 5 for 01_distribute")
    assert "More: `grade hint distribute 2`" in done.stdout


@pytest.mark.slow
def test_without_a_failure_the_hint_is_for_the_exercise_that_was_begun(
    grade: Grade, exercises: Path, solved: Solved
) -> None:
    """A learner who works on 14 alone gets its hints, and those of 15 once it passes."""
    path = exercises / "14_gradcheck.py"
    path.write_text(path.read_text() + "\n# begun\n")
    assert grade("hint").stdout.startswith("Hint 1 of 7 for 14_gradcheck")
    path.write_text(solved(path.name))
    grade("14")
    assert grade("hint").stdout.startswith("Hint 1 of 7 for 15_softmax")


@pytest.mark.parametrize("words", [(), ("3",), ("list",), ("next",), ("hint", "3")])
def test_the_exercises_are_found_from_a_folder_below(grade: Grade, exercises: Path, words: tuple[str, ...]) -> None:
    """In `docs`, the same exercises are found as in the folder above."""
    docs = exercises.parent / "docs" / "more"
    docs.mkdir(parents=True)
    done = grade(*words, cwd=docs)
    assert ("", False) == (done.stderr, "MISSING" in done.stdout)


@pytest.mark.parametrize("words", [(), ("3",), ("list",), ("next",), ("reset", "1"), ("watch",)])
def test_a_folder_without_exercises_above_says_where_was_looked(
    grade: Grade, work: Path, words: tuple[str, ...]
) -> None:
    """The message says that the folders above were searched, and nothing is written."""
    done = grade(*words)
    assert (2, "") == (done.returncode, done.stdout)
    assert f"no exercise files in {work} or in a folder above it; `grade start`" in done.stderr
    assert [] == list(work.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(("words", "count"), [(["exercises"], COUNT), (["exercises/", "3-4"], 2), (["."], COUNT)])
@pytest.mark.usefixtures("exercises")
def test_a_folder_is_graded(grade: Grade, words: list[str], count: int) -> None:
    """A folder works as after `--from`. The next step does not repeat the learner's own folder."""
    assert count == len(graded(grade(*words, "--json")))
    assert re.search(r"then `grade \d`$", grade(*words).stdout, re.MULTILINE)


def test_another_folder_is_graded_by_its_name(grade: Grade, exercises: Path, work: Path) -> None:
    """The next command repeats the folder. A second folder is an error."""
    other = exercises.rename(work / "other")
    assert "then `grade 1 --from other`" in grade("other").stdout
    refused = grade("other", other)
    assert (2, True) == (refused.returncode, "is a second folder; name only one folder" in refused.stderr)


def test_a_solution_is_shown_when_it_is_passed(grade: Grade, own_course: Path, solved: Solved) -> None:
    """A solution is shown only after a pass, or earlier if the course allows it, or never if it says so."""
    path = own_course / "exercises" / "01_distribute.py"
    stub = path.read_text()
    (own_course / "solutions").mkdir()
    (own_course / "solutions" / path.name).write_text((ROOT / "solutions" / path.name).read_text())
    assert "once you have passed the exercise" in grade("solution", "1", cwd=own_course).stderr
    path.write_text(solved(path.name))
    shown = grade("solution", "1", cwd=own_course)
    assert (0, True, False) == (shown.returncode, "self.grad += out.grad" in shown.stdout, "SOLUTION" in shown.stdout)
    path.write_text(stub)
    settings = own_course / "course.yaml"
    for word, code in (("always", 0), ("never", 2)):
        settings.write_text(re.sub(r"solutions: \w+", f"solutions: {word}", settings.read_text()))
        assert code == grade("solution", "1", cwd=own_course).returncode


def test_a_course_without_its_solutions_says_where_they_are(grade: Grade, own_course: Path, solved: Solved) -> None:
    """`solutions_at` is shown after a pass. Without that key, the message says that it is missing."""
    path, settings = own_course / "exercises" / "01_distribute.py", own_course / "course.yaml"
    assert "once you have passed the exercise" in grade("solution", "1", cwd=own_course).stderr
    path.write_text(solved(path.name))
    settings.write_text(re.sub("solutions_at: .*", "solutions_at: https://example.org/solutions", settings.read_text()))
    shown = grade("solution", "1", cwd=own_course)
    expected = f"{said.solution_elsewhere(path.name)}\nhttps://example.org/solutions\n"
    assert (0, expected) == (shown.returncode, shown.stdout)
    settings.write_text(re.sub("solutions_at: .*", "", settings.read_text()))
    refused = grade("solution", "1", cwd=own_course)
    assert (2, f"grade: {said.SOLUTIONS_MISSING}\n") == (refused.returncode, refused.stderr)


@pytest.mark.slow
def test_paths_name_exercises_from_any_folder(grade: Grade, exercises: Path) -> None:
    """Paths work in folders below that of the exercises, and for every command that takes an exercise."""
    assert ["accumulate"] == graded(grade("03_accumulate.py", "--json", cwd=exercises))
    assert "for 03_accumulate" in grade("hint", "exercises/03_accumulate.py").stdout
    assert "there is nothing to reset" in grade("reset", "03_accumulate.py", cwd=exercises).stdout
    assert not (exercises / ".backward" / "backup").exists()


def test_the_graders_own_fault_is_exit_code_3(grade: Grade, own_course: Path, solved: Solved) -> None:
    """An exception in the grader gives no score and no report. The message says that the learner is not at fault."""
    test = own_course / "tests" / "hidden" / "test_02_swap.py"
    test.write_text(test.read_text().replace("    engine.", "    engine._questions = None\n    engine.", 1))
    (own_course / "exercises" / "02_swap.py").write_text(solved("02_swap.py"))
    done = grade("swap", cwd=own_course)
    assert (3, "") == (done.returncode, done.stdout)
    assert "the grader itself failed, so there is no score" in done.stderr
    assert "AttributeError" in done.stderr
    assert "not your code's fault" in done.stderr
    assert not (own_course / "exercises" / ".backward").exists()


@pytest.mark.parametrize("words", [["--help"], ["start", "--help"], ["hint", "--help"], ["--version"]])
def test_help_is_exit_code_0(grade: Grade, words: list[str]) -> None:
    """Help and version are printed on standard output."""
    done = grade(*words)
    assert (0, "") == (done.returncode, done.stderr)
    assert done.stdout.strip()


def test_help_lists_every_command(grade: Grade) -> None:
    """The help of `grade` has each command with the sentence that its own help begins with."""
    listed = " ".join(grade("--help").stdout.split())
    assert [] == [name for name, run in COMMANDS.items() if f" {name} {about(run)} " not in listed]


# -- other commands ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_start_hands_the_exercises_out(grade: Grade, work: Path, quick_course: Path) -> None:
    """The named folder gets every exercise untouched, and `grade` shows them as not started."""
    done = grade("start", "mine")
    there = sorted(path.name for path in (work / "mine" / "exercises").iterdir())
    assert (0, "") == (done.returncode, done.stderr)
    assert f"{len(there)} exercises written to mine/exercises" in done.stdout
    assert "Next: cd mine, open exercises/01_distribute.py, then `grade 1`" in done.stdout
    assert sorted(path.name for path in (quick_course / "exercises").glob("*.py")) == there
    report = json.loads(grade("--from", "mine", "--json").stdout)
    assert {"not_started"} == {exercise["status"] for exercise in report["exercises"]}


def test_start_leaves_alone_what_is_there(grade: Grade, exercises: Path) -> None:
    """A second start writes what is missing and keeps the learner's work."""
    (exercises / "01_distribute.py").write_text("mine = 1\n")
    (exercises / "02_swap.py").unlink()
    done = grade("start")
    assert done.returncode == 0
    assert "1 exercise written to exercises" in done.stdout
    assert "already there, and not changed: exercises/01_distribute.py" in done.stdout
    assert (exercises / "01_distribute.py").read_text() == "mine = 1\n"
    assert (exercises / "02_swap.py").is_file()


@pytest.mark.slow
def test_a_second_start_goes_on_where_the_learner_is(grade: Grade, exercises: Path, solved: Solved) -> None:
    """The next file is that of the first exercise that is not known to be passed."""
    (exercises / "01_distribute.py").write_text(solved("01_distribute.py"))
    grade("1")
    done = grade("start")
    assert "Next: open exercises/02_swap.py, then `grade 2`" in done.stdout
    assert "0 exercises" not in done.stdout


def test_start_into_a_file_is_refused(grade: Grade, work: Path) -> None:
    """If the folder cannot be made, the message says so."""
    (work / "exercises").write_text("")
    done = grade("start")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr


@pytest.mark.parametrize(
    ("code", "expected", "words"),
    [
        (0, "Hint 1 of 5 for 01_distribute", ["distribute"]),
        (0, "More: `grade hint distribute 3`", ["1", "2"]),
        (0, "Hint 3 of 5", ["dist", "3"]),
        (2, "`distribute` has hints 1 to 5", ["distribute", "7"]),
        (2, "`distribute` has hints 1 to 5", ["distribute", "0"]),
        (2, "'one' is not a valid integer", ["distribute", "one"]),
        (2, "did you mean `distribute`?", ["distribte"]),
    ],
)
def test_hints_come_one_at_a_time(grade: Grade, code: int, expected: str, words: list[str]) -> None:
    """`grade hint EXERCISE N` shows one hint, and the command for the next one."""
    done = grade("hint", *words)
    assert code == done.returncode
    assert expected in (done.stderr if code else done.stdout)


def test_stubs_say_what_they_leave_alone(grade: Grade, own_course: Path, solved: Solved) -> None:
    """Untouched files are replaced, and files with work in them are named."""
    (own_course / "solutions").mkdir()
    for path in (own_course / "exercises").iterdir():
        (own_course / "solutions" / path.name).write_text(solved(path.name))
    (own_course / "exercises" / "01_distribute.py").write_text(solved("01_distribute.py"))
    (own_course / "exercises" / "02_swap.py").write_text("")
    done = grade("stubs", "--course", own_course)
    kept = "left 01_distribute.py alone: it has been worked on; `grade stubs --force` would overwrite it"
    assert (0, f"wrote 02_swap.py\n{kept}\n", "") == (done.returncode, done.stdout, done.stderr)
    assert solved("01_distribute.py") == (own_course / "exercises" / "01_distribute.py").read_text()
    forced = grade("stubs", "--force", "--course", own_course)
    copy = own_course / "exercises" / ".backward" / "backup" / "01_distribute.1.py"
    assert f"kept a copy of 01_distribute.py: {copy}\nwrote 01_distribute.py\n" == forced.stdout
    assert solved("01_distribute.py") == copy.read_text()
