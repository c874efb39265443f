"""In a browser tab, the same grader gives the same verdicts as in a sandbox."""

import io
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from every import every
from reports import comparable
from site_of import course_of_a_site, wheel_of

from grader.author.build import catalogue
from grader.base.text import Style
from grader.classes.intake.files import read_files
from grader.course.load import Exercise, load_course
from grader.practice.replay.page import document
from grader.practice.replay.presets import presets
from grader.practice.screens import exercise_screen
from grader.practice.session import Practice
from grader.practice.site_verdict import for_page
from grader.practice.tab import Tab
from grader.runner.client import decode_source
from grader.verdict.grading import stamp_of
from grader.verdict.report import Report, read_report, to_json
from grader.words.assistant import page

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT)
# Misconceptions with a loop that does not end in useful time. In a tab, only counted steps end it. A browser has a
# Python that counts them, and `tests/author/site/test_engine_browser.py` compares all misconceptions there.
ENDLESS = {"forgets_again"}
# Exercises whose solutions import numpy, which these tabs do not have.
WITH_NUMPY = {one.id for one in COURSE.exercises if "import numpy" in COURSE.solution(one).read_text(encoding="utf-8")}
EACH = 4  # one of this many misconceptions is compared
uncounted = pytest.mark.skipif(
    not hasattr(sys, "monitoring"), reason="NOT TESTED here: Python counts steps from 3.12 on"
)


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with Tab(COURSE, patience=60) as opened:
        yield opened


@pytest.fixture(scope="module")
def practice() -> Iterator[Practice]:
    with Practice(COURSE, ROOT / "exercises") as opened:
        yield opened


def files() -> Iterator[Any]:
    """Yield the solution and some misconceptions of each exercise. A test in a browser compares all of them.

    In each run, every second exercise has its solution, and each other one its first misconception.
    """
    for number, exercise in enumerate(COURSE.exercises):
        if exercise.id in WITH_NUMPY:
            continue
        solution = COURSE.solution(exercise).read_text(encoding="utf-8")
        late = [pytest.mark.exhaustive]
        yield pytest.param(exercise, solution, id=f"{exercise.id}-solution", marks=late if number % 2 else ())
        for at, entry in enumerate(catalogue(COURSE, exercise)[::EACH]):
            sampled = at == 0 and number % 2
            marks = [*([] if sampled else late), *([uncounted] if entry.id in ENDLESS else [])]
            yield pytest.param(exercise, entry.source, id=f"{exercise.id}-{entry.id}", marks=marks)
    first = COURSE.exercises[2]
    solution = COURSE.solution(first).read_text(encoding="utf-8")
    for name, more in {"raises": "1 / 0", "syntax": ")", "prints": "print('<b>')"}.items():
        yield pytest.param(first, f"{solution}\n{more}\n", id=f"{first.id}-{name}")


@pytest.mark.slow
@pytest.mark.parametrize(("exercise", "text"), list(files()))
def test_the_verdict_is_that_of_a_sandbox(tab: Tab, practice: Practice, exercise: Exercise, text: str) -> None:
    """Status, points, facts, misconceptions and every sentence are the same."""
    sandboxed = practice.grade_source(exercise, decode_source(Path("exercises", exercise.filename), text.encode()))
    verdict = json.loads(tab.grade(exercise.id, text, 80))
    assert comparable(json.loads(to_json(sandboxed))) == comparable(json.loads(verdict["report"]))
    screens = [exercise_screen(for_page(sandboxed.exercises[0]), style=Style(width=80)), verdict["lines"]]
    if "maximum recursion depth" in " ".join(" ".join(verdict["lines"]).split()):
        screens = [[line for line in screen if not re.match(r" +line \d+: ", line)] for screen in screens]
    assert screens[0] == screens[1]


def test_marks_and_hints_are_those_of_the_failure(tab: Tab) -> None:
    """The lines of the rule that the fact is about are marked, and the hints are those that fit it."""
    exercise = COURSE.exercises[2]
    wrong = COURSE.solution(exercise).read_text(encoding="utf-8").replace("+=", "=")
    first = wrong[: wrong.index("def _backward")].count("\n") + 1
    verdict = json.loads(tab.grade(exercise.id, wrong, 80))
    assert first in verdict["marked"]
    assert verdict["hints"]


def test_a_file_imports_what_the_tab_provides() -> None:
    """A module that was handed to the tab can be imported, with the one that it needs. Any other gets a sentence."""
    exercise = COURSE.exercises[2]
    text = COURSE.solution(exercise).read_text(encoding="utf-8") + "\nimport tiny\nprint(tiny.two + 0)\n"
    wheels = [wheel_of("tiny", "import smaller\ntwo = smaller.one + 1\n"), wheel_of("smaller", "one = 1\n")]
    with Tab(COURSE, patience=60) as tab:
        before = " ".join(" ".join(json.loads(tab.grade(exercise.id, text, 80))["lines"]).split())
        offered = "there are only the standard library and numpy"
        assert f"tiny.two is not available while grading ({offered})" in before
        tab.provide("tiny", wheels)
        verdict = json.loads(tab.grade(exercise.id, text, 80))
    assert "passed" == verdict["status"]
    assert "2\n" == json.loads(verdict["report"])["exercises"][0]["output"]


def test_the_small_numpy_leaves_nothing_behind() -> None:
    """A file that imports it needs no other interpreter after it, unless the page has numpy itself."""
    with Tab(COURSE, patience=60) as tab:
        assert not tab.leaves_traces("import numpy as np\nnp.array([1.0]).sum()\n")
        tab.provide("numpy", [])
        assert tab.leaves_traces("import numpy as np\n")


def searched(tab: Tab, exercise: Exercise, text: str) -> list[dict[str, Any]]:
    """Return the answers of a search, up to its end."""
    answers = [json.loads(tab.search(exercise.id, text, 80))]
    while not answers[-1]["ended"]:
        answers.append(json.loads(tab.search(exercise.id, text, 80)))
    return answers


@pytest.mark.slow
def test_the_line_is_that_of_a_sandbox(tmp_path: Path) -> None:
    """A search adds the same sentence to the verdict as `grade watch` does. Another text ends it, and it can go on."""
    course = course_of_a_site(tmp_path)
    exercise = course.exercises[2]
    right = COURSE.solution(exercise).read_text(encoding="utf-8")
    wrong = right.replace("self.grad += out.grad", "self.grad -= out.grad")
    source = decode_source(Path("exercises", exercise.filename), wrong.encode())
    with Practice(course, ROOT / "exercises") as practice, Tab(course, patience=60) as tab:
        *_, sandboxed = (one for one in practice.searched_source(exercise, source) if isinstance(one, Report))
        before = json.loads(tab.grade(exercise.id, wrong, 80))
        assert (True, "") == (before["searched"], before["line"])
        tab.search(exercise.id, wrong, 80)
        assert not json.loads(tab.grade(exercise.id, right, 80))["searched"]
        *others, final = searched(tab, exercise, wrong)
    assert {None} >= {answer["verdict"] for answer in others}  # a quick machine answers at once
    line = 1 + wrong[: wrong.index("self.grad -= out.grad")].count("\n")
    assert (
        f"A change of the statement in line {line} alone makes every required check pass." == final["verdict"]["line"]
    )
    assert line in final["verdict"]["marked"]
    assert comparable(json.loads(to_json(sandboxed))) == comparable(json.loads(final["verdict"]["report"]))
    assert exercise_screen(for_page(sandboxed.exercises[0]), style=Style(width=80)) == final["verdict"]["lines"]


def taken(tab: Tab, name: str, data: bytes) -> tuple[dict[str, str], list[str]]:
    answer = json.loads(tab.taken(name, data))
    return answer["texts"], answer["problems"]


def test_work_goes_through_a_zip(tab: Tab, tmp_path: Path) -> None:
    """Files come back as they were, and are one person's submission for `grade cohort`. The report is theirs.

    The zip also has the page for assistants.
    """
    one, other = COURSE.exercises[:2]
    texts = {one: "a = 1\n", other: COURSE.solution(other).read_text(encoding="utf-8")}
    reports = [json.loads(tab.grade(exercise.id, text, 80))["report"] for exercise, text in texts.items()]
    data = tab.packed(json.dumps({exercise.filename: text for exercise, text in texts.items()}), json.dumps(reports))
    assert ({exercise.id: text for exercise, text in texts.items()}, []) == taken(tab, "work.zip", data)
    (tmp_path / "ada.zip").write_bytes(data)
    names = {exercise.id: exercise.filename for exercise in COURSE.exercises}
    sources = read_files([(tmp_path / "ada.zip", "ada.zip")], names).sources
    assert [*texts.values(), ""] == [sources[exercise.id].text for exercise in COURSE.exercises[:3]]

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert page(COURSE) == archive.read("AGENTS.md").decode()
        report = read_report(archive.read("exercises/.backward/report.json"))
    assert [0, other.max_score] == [result.score for result in report.exercises]
    assert (other.max_score, one.max_score + other.max_score) == (report.score, report.max_score)
    sources = {exercise.id: decode_source(Path("x"), text.encode()) for exercise, text in texts.items()}
    assert stamp_of("local", sources) == report.submission


def zip_of(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def test_other_files_of_a_zip_are_left_out(tab: Tab) -> None:
    """Files with an exercise's name are read, in whatever folder they are. A sentence names each that cannot be."""
    files = {"work/deep/01_distribute.py": b"x = 1", "notes.txt": b"no", "exercises/02_swap.py": b"\0"}
    files |= {"a/03_accumulate.py": b"a", "b/03_accumulate.py": b"b"}
    texts, problems = taken(tab, "work.zip", zip_of(files))
    assert {"distribute": "x = 1"} == texts
    assert ["exercises/02_swap.py is not text: it has NUL bytes (UTF-16?)"] == problems[:1]
    assert problems[1:] == [
        "2 different files 03_accumulate.py were found: a/03_accumulate.py, b/03_accumulate.py; none was graded. "
        "Keep one of them."
    ]


@every(
    ("name", "data", "problem"),
    [
        ("work.zip", b"PK no zip", "work.zip is damaged: File is not a zip file"),
        ("work.zip", zip_of({"a.py": b""}), "work.zip is not the file of an exercise, and contains none"),
        ("mine.py", b"x = 1", "mine.py is not the file of an exercise, and contains none"),
        ("01_distribute.py", b"\xff", "01_distribute.py is not UTF-8 (byte 0)"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tab: Tab, name: str, data: bytes, problem: str) -> None:
    """The page changes nothing, and says why."""
    assert ({}, [problem]) == taken(tab, name, data)


def test_a_file_is_known_by_its_name(tab: Tab) -> None:
    """A browser's number for a second download does not count, and a notebook is read as a terminal does."""
    notebook = {"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code", "source": "x = 2"}]}
    assert {"distribute": "x = 1"} == taken(tab, "01_distribute (2).py", b"x = 1")[0]
    assert {"distribute": "x = 2"} == taken(tab, "01_distribute.ipynb", json.dumps(notebook).encode())[0]


def test_a_replay_shows_the_failure(tab: Tab, practice: Practice) -> None:
    """The replays of a wrong file are those that a sandbox records: of the failure, and of presets."""
    others = [preset.subject for preset in presets()]
    exercise = COURSE.exercises[2]
    wrong = COURSE.solution(exercise).read_text(encoding="utf-8").replace("+=", "=")
    source = decode_source(Path("exercises", exercise.filename), wrong.encode())
    shown = json.loads(tab.replay(exercise.id, wrong))
    assert json.loads(msgspec.json.encode(document(practice.replays(exercise, source, others)))) == shown
    first, *more = [replay["title"] for replay in shown["replays"]]
    assert ("a + a counts both uses of a", True) == (first, "A value times itself" in more)


def test_a_replay_shows_the_graph_that_a_function_builds(tab: Tab) -> None:
    """That is every node of the learner's softmax, without the presets, which would show the given engine."""
    (exercise,) = [one for one in COURSE.exercises if one.id == "softmax"]
    wrong = COURSE.solution(exercise).read_text(encoding="utf-8").replace("[e / total for", "[e * total for")
    (shown,) = json.loads(tab.replay(exercise.id, wrong))["replays"]
    assert (True, "forward", "") == (shown["own_graph"], shown["fault"], shown["preset"])
    assert {"leaf", "add", "exp", "mul"} == {node["op"] for node in shown["nodes"]}


def test_a_file_that_cannot_be_loaded_has_no_replay(tab: Tab) -> None:
    """Without a program on which the code ran, there is nothing to show."""
    assert [] == json.loads(tab.replay("accumulate", ")"))["replays"]


def test_a_training_is_shown_beside_the_replay(tab: Tab) -> None:
    """The failing training of exercise 13 is shown with its steps, and the replay is that of its loss."""
    (exercise,) = [one for one in COURSE.exercises if one.id == "descend"]
    wrong = COURSE.solution(exercise).read_text(encoding="utf-8").replace("  zero_grad(parameters)", "  pass")
    shown = json.loads(tab.replay(exercise.id, wrong))
    landscape = shown["landscape"]
    assert (["w"], 3) == (landscape["parameters"], len(landscape["steps"]))
    assert (shown["replays"][0]["title"], landscape["program"]) == (landscape["title"], shown["replays"][0]["program"])


def test_a_figure_shows_the_learners_numbers(tab: Tab) -> None:
    """The file runs on the figure's program at any values of its leaves, from its own gradient of the root."""
    wrong = COURSE.solution(COURSE.exercises[2]).read_text(encoding="utf-8").replace("+=", "=")
    (square,) = json.loads(tab.figure("accumulate", wrong, "square", '{"a": -2}'))["replays"]
    a = square["nodes"][0]
    assert ("lost", -2, -4, "expected") == (square["fault"], a["yours"]["grad"], a["expected"]["grad"], square["asked"])
    plus = COURSE.solution(COURSE.exercises[0]).read_text(encoding="utf-8")
    (sum_of_two,) = json.loads(tab.figure("distribute", plus, "plus", "{}"))["replays"]
    assert [4, 4, 4] == [node["yours"]["grad"] for node in sum_of_two["nodes"]]
    # without an engine, there is nothing to show, and neither is for a value that has no logarithm
    for exercise, figure, leaves in (("predict", "example", "{}"), ("softmax", "loss", '{"a": 1e9}')):
        (one,) = [one for one in COURSE.exercises if one.id == exercise]
        text = COURSE.solution(one).read_text(encoding="utf-8")
        assert [] == json.loads(tab.figure(exercise, text, figure, leaves))["replays"]


def test_a_training_reports_its_progress() -> None:
    """The page gets what there is to show after each part, and the answer is the last of them."""
    (exercise,) = [one for one in COURSE.exercises if one.id == "vanish"]
    half = COURSE.solution(exercise).read_text(encoding="utf-8").replace("def residual", "def later")
    told: list[str] = []
    with Tab(COURSE, patience=60, progress=told.append) as tab:
        last = tab.train("vanish", half, "weights-1", 0.01)
    assert (60, last) == (len(told), told[-1])
    losses = [len(json.loads(one)["thermometers"][0]["losses"]) for one in told]
    assert list(range(1, 61)) == losses
    assert "residual" in json.loads(last)["note"]


def test_layers_have_a_thermometer(tab: Tab) -> None:
    """The sizes of all gradients of twenty layers are shown beside torch's, and no preset."""
    (exercise,) = [one for one in COURSE.exercises if one.id == "vanish"]
    wrong = COURSE.solution(exercise).read_text(encoding="utf-8").replace("h = h + (w", "h = x + (w")
    shown = json.loads(tab.replay(exercise.id, wrong))
    first, *others = shown["thermometers"]
    assert ("residual", 21, 2) == (first["function"], len(first["yours"]), len(others))
    assert ("torch", True) == (first["asked"], first["expected"][0] > first["yours"][0])
    assert all(one["yours"] == pytest.approx(one["expected"]) for one in others)
    assert [] == shown["replays"]
