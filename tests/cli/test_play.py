"""`grade play` as a learner runs it: the choice of file and program, and the contents of the page."""

import json
import re
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from offline_page import unpack

from .conftest import ROOT

pytestmark = pytest.mark.slow

Grade = Callable[..., Any]

SOLUTIONS = ROOT / "solutions"
WRONG = {
    "self.grad += other.data * out.grad": "self.grad = other.data * out.grad",
    "other.grad += self.data * out.grad": "other.grad = self.data * out.grad",
}


@pytest.fixture
def exercises(work: Path, handed_out: Path) -> Path:
    """Return the exercise files: the first two solved, and `=` instead of `+=` in the third."""
    folder = work / "exercises"
    folder.mkdir()
    for path in handed_out.iterdir():
        (folder / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    for number in ("01_distribute", "02_swap", "03_accumulate"):
        text = (SOLUTIONS / f"{number}.py").read_text(encoding="utf-8")
        for old, new in WRONG.items() if number.startswith("03") else ():
            assert old in text
            text = text.replace(old, new)
        (folder / f"{number}.py").write_text(text, encoding="utf-8")
    return folder


def data_of(page: Path) -> Any:
    """Return the data in a page."""
    return unpack(page.read_text(encoding="utf-8"))


def node(replay: Any, name: str) -> Any:
    return next(node for node in replay["nodes"] if node["name"] == name)


def test_a_failing_check_names_the_command_that_shows_it(grade: Grade, exercises: Path) -> None:
    """The explanation ends with the command. The page has the same expression, both numbers, and the faulty line."""
    done = grade("accumulate")
    command = re.search(r"see it +grade (play accumulate 2)", done.stdout)
    assert command is not None, done.stdout
    shown = grade(*command[1].split(), "--no-open")
    page = exercises / ".backward" / "replay.html"
    assert (0, "") == (shown.returncode, shown.stderr)
    assert "Replayed exercises/03_accumulate.py: L = a * a\nReplay: exercises/.backward/replay.html\n" == shown.stdout
    replay, *others = data_of(page)["replays"]
    assert ("L = a * a", "accumulate", "lost", 0) == (
        replay["program"],
        replay["exercise"],
        replay["fault"],
        replay["first_difference"],
    )
    assert (3.0, 6.0) == (node(replay, "a")["yours"]["grad"], node(replay, "a")["expected"]["grad"])
    assert "torch" == replay["asked"]
    lines = (exercises / "03_accumulate.py").read_text(encoding="utf-8").splitlines()
    written = [lines[change["line"] - 1].strip() for change in replay["backward"][0]["changes"]]
    assert list(WRONG.values()) == written
    source = replay["source"]
    for _ in range(5):  # on a busy machine, the search for the lines may take longer than the command waits for it
        if source["repair"]:
            break
        grade(*command[1].split(), "--no-open")
        source = data_of(page)["replays"][0]["source"]
    assert list(WRONG.values()) == [lines[line - 1].strip() for line in source["repair"]]
    assert source["about_repair"].startswith("A change of both statements in lines ")
    assert {"product", "square", "shared"} <= {other["preset"] for other in others}
    assert "neuron" not in {other["preset"] for other in others}  # this file has no tanh


def test_a_hidden_folder_of_its_own_holds_the_page(grade: Grade, exercises: Path, work: Path) -> None:
    """By default, the page goes to a folder that git ignores. Nothing else is written. `--out` names another path."""
    before = {path for path in work.rglob("*") if ".backward" not in path.parts}
    grade("play", "square")
    assert before == {path for path in work.rglob("*") if ".backward" not in path.parts}
    assert "*\n" == (exercises / ".backward" / ".gitignore").read_text(encoding="utf-8")
    done = grade("play", "square", "--out", "here.html")
    assert "Replay: here.html\n" in done.stdout
    assert "square" == data_of(work / "here.html")["replays"][0]["preset"]


def test_an_expression_runs_on_the_last_file_begun(grade: Grade, exercises: Path, work: Path) -> None:
    """A file without a backward pass runs its rules in a correct order. `--exercise` and `--file` name another file."""
    words = ("play", "(a + b) * c", "a=2", "b=-3", "c=10", "--out", "page.html")
    solved = SOLUTIONS / "12_engine.py"
    assert "Replayed exercises/03_accumulate.py: (a + b) * c" in grade(*words).stdout
    assert "Replayed exercises/02_swap.py: " in grade(*words, "--exercise", "swap").stdout
    (exercises / "12_engine.py").write_text(solved.read_text(encoding="utf-8"), encoding="utf-8")
    assert "Replayed exercises/12_engine.py: " in grade(*words).stdout
    replay = data_of(work / "page.html")["replays"][0]
    assert ([10.0, 10.0, -1.0], "") == ([node(replay, name)["yours"]["grad"] for name in "abc"], replay["fault"])
    grade(*words, "--file", solved)
    assert "12_engine.py" in data_of(work / "page.html")["replays"][0]["source"]["file"]


def test_without_words_the_exercise_at_hand_is_replayed(grade: Grade, exercises: Path) -> None:
    """This is the exercise whose failure was explained last, or else the last one that was begun."""
    assert "Replayed exercises/03_accumulate.py: L = a * a\n" in grade("play").stdout
    (exercises / "02_swap.py").write_text("class Value:\n    pass\n", encoding="utf-8")
    grade("swap")
    assert "Replayed exercises/02_swap.py" in grade("play").stdout


def test_the_landscape_shows_the_learners_training(grade: Grade, exercises: Path, work: Path) -> None:
    """The page shows the steps of exercise 13 and the loss around them, also for a loss on the command line."""
    solution = (SOLUTIONS / "13_descend.py").read_text(encoding="utf-8")
    (exercises / "13_descend.py").write_text(solution, encoding="utf-8")
    done = grade("play", "--landscape", "--out", "page.html")
    assert "Replayed exercises/13_descend.py: loss = (w * 2 - v) ** 2 + v * v\n" in done.stdout
    landscape = data_of(work / "page.html")["landscape"]
    assert (["w", "v"], [3.0, 2.0], None) == (
        landscape["parameters"],
        landscape["steps"][0]["values"],
        landscape["problem"],
    )
    assert landscape["steps"][-1]["loss"] < landscape["steps"][0]["loss"]
    grade("play", "--landscape", "(w - 1) ** 2", "w=3", "--out", "page.html")
    assert 201 == len(data_of(work / "page.html")["landscape"]["curve"])


def test_a_browser_is_opened_where_there_is_a_display(
    grade: Grade, exercises: Path, work: Path, environment: Mapping[str, str]
) -> None:
    """The browser gets the address of the file. `--no-open` or a missing display prevents this."""
    seen, browser = work / "seen", work / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {seen}\n', encoding="utf-8")
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    shown = {"BROWSER": str(browser), "DISPLAY": ":0"}
    grade("play", "square", "--no-open", **shown)
    grade("play", "square", BROWSER=str(browser))
    assert not seen.exists()
    grade("play", "square", **shown)
    assert (exercises / ".backward" / "replay.html").as_uri() == seen.read_text(encoding="utf-8").strip()


@pytest.mark.usefixtures("exercises")
@pytest.mark.parametrize(("number", "said"), [("14", True), ("5", False)])
def test_other_programs_are_said_to_be_others(grade: Grade, work: Path, number: str, said: bool) -> None:
    """No check of 14 runs a pass on the file's own engine. Exercise 5 has no engine at all, which the page says."""
    done = grade("play", number, "--no-open", "--out", "page.html")
    sentence = "The page shows other programs on the engine in your file."
    assert said == (sentence in " ".join(done.stdout.split()))
    assert said == (sentence in data_of(work / "page.html")["note"])


def test_without_exercise_files_nothing_is_written(grade: Grade, work: Path) -> None:
    """The message says what to do. A named file is still replayed, to a temporary file."""
    done = grade("play", "square")
    assert (2, []) == (done.returncode, list(work.iterdir()))
    assert "`grade start` puts them into ./exercises" in done.stderr
    named = grade("play", "square", "--file", SOLUTIONS / "12_engine.py", "--from", "nowhere", TMPDIR=str(work))
    assert 0 == named.returncode
    (page,) = work.iterdir()
    assert data_of(page)["replays"][0]["fault"] == ""


def test_an_official_report_names_no_replay(grade: Grade, exercises: Path) -> None:
    """An official report names no replay, because the command would show other programs than the secret seed's."""
    done = grade("accumulate", "--seed", "another", "--json")
    checks = json.loads(done.stdout)["exercises"][0]["checks"]
    assert [] == [check for check in checks if "play" in check]
    practice = json.loads(grade("accumulate", "--json").stdout)["exercises"][0]["checks"]
    assert [f"grade play accumulate {number}" for number in (2, 3, 4, 5, 6)] == [
        check["play"] for check in practice if "play" in check
    ]


HOSTILE = """
import builtins, sys
for name, module in list(sys.modules.items()):
    if name.startswith(("grader", "submission")):
        module.__dict__.update(close=lambda *_: True, loss_of=lambda *_: None)
builtins.sum = builtins.max = lambda *_: 0
class Value:
    def __eq__(self, other):
        return True
"""


@pytest.mark.parametrize(
    "factor",
    [pytest.param("", marks=pytest.mark.exhaustive), " * 2"],
    ids=["a right model", "a wrong model"],
)
def test_an_engine_of_ones_own_trains_the_model_and_has_no_part_in_its_points(
    grade: Grade, exercises: Path, monkeypatch: pytest.MonkeyPatch, factor: str
) -> None:
    """The page has the losses of both engines. Whatever file 12 holds, file 17 gets the same points."""
    monkeypatch.setattr("grader.practice.replay.language.STEPS", 3)
    names = (SOLUTIONS / "17_names.py").read_text(encoding="utf-8")
    assert 2 == names.count("sum(losses) / len(losses)")
    names = names.replace("sum(losses) / len(losses)", f"sum(losses) / len(losses){factor}")
    (exercises / "17_names.py").write_text(names, encoding="utf-8")
    checks = []
    for engine in ("", (SOLUTIONS / "12_engine.py").read_text(encoding="utf-8"), HOSTILE):
        (exercises / "12_engine.py").write_text(engine, encoding="utf-8")
        grade("names", "--no-line")
        report = json.loads((exercises / ".backward" / "report.json").read_text(encoding="utf-8"))
        checks.append([(one["id"], one["score"]) for one in report["exercises"][0]["checks"]])
        assert "17_names.py: ela, anna, lea" in grade("play", "names", "--no-open").stdout
        model = data_of(exercises / ".backward" / "replay.html")["model"]
        assert 3 == len(model["trained"]["losses"])
        passes = engine.startswith('"""12')
        assert passes == (model["own"]["losses"] == pytest.approx(model["trained"]["losses"]))
        assert passes or "does not pass" in model["own"]["problem"]
    assert [checks[0]] * 2 == checks[1:]
    assert ({"bigram", "loss", "training"} if factor else set()) == {name for name, score in checks[0] if not score}


def test_a_transformer_learns_from_a_text(
    grade: Grade, exercises: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a text, it learns from the names of the course. The text is read by the grader alone."""
    monkeypatch.setattr("grader.practice.replay.transformer.STEPS", 2)
    (exercises / "27_transformer.py").write_text((SOLUTIONS / "27_transformer.py").read_text(encoding="utf-8"))
    assert "27_transformer.py: 32 words" in grade("play", "transformer", "--no-open").stdout  # 16 for each step
    (work / "text.txt").write_text("The fox runs home, and the dog sleeps.\n")
    done = grade("play", "27", "--text", "text.txt", "--no-open", "--out", "page.html")
    assert (0, "") == (done.returncode, done.stderr)
    assert "27_transformer.py: 7 words" in done.stdout
    model = data_of(work / "page.html")["model"]
    assert ["and", "dog", "fox", "home", "runs", "sleeps", "the"] == sorted(model["names"])
    assert (7, 2) == (model["together"], len(model["trained"]["losses"]))


@pytest.mark.parametrize(
    ("words", "text", "told"),
    [
        (["27", "--text", "none.txt"], None, "--text none.txt cannot be read: No such file or directory"),
        (["27", "--text", "text.txt"], b"\xff", "--text text.txt cannot be read: it is not UTF-8"),
        (["27", "--text", "text.txt"], b"1 2", "--text text.txt has no word of at most 11 letters from a to z"),
        (["3", "--text", "text.txt"], b"a", "--text takes a file with a transformer"),
        (["a * b", "a=1", "b=2", "--text", "text.txt"], b"a", "--text takes a file with a transformer"),
    ],
)
def test_a_text_that_is_of_no_use_is_told(
    grade: Grade, exercises: Path, work: Path, words: list[str], text: bytes | None, told: str
) -> None:
    """Nothing is run, and no page is written."""
    (exercises / "27_transformer.py").write_text((SOLUTIONS / "27_transformer.py").read_text(encoding="utf-8"))
    if text is not None:
        (work / "text.txt").write_bytes(text)
    done = grade("play", *words, "--no-open", "--out", "page.html")
    assert (2, "") == (done.returncode, done.stdout)
    assert told in done.stderr
    assert not (work / "page.html").exists()
