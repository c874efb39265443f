"""The graders to compare. Each one grades batches of submissions, and returns their cost and scores."""

import csv
import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from .meter import Meter, Spent
from .small import CHECKS, FILE, FORMS, GRADE
from .venvs import NotHereError, interpreter

Scores = dict[str, float]
_EXPRESSIONS = (FORMS / "expressions.py").read_text(encoding="utf-8")


@dataclass
class Grader:
    """A grader with a working folder. `grade` raises `NotHereError` if the grader does not run."""

    meter: Meter
    folder: Path
    name: ClassVar[str]

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self.counted = 0

    def batches(self, submissions: Sequence[Path]) -> list[Sequence[Path]]:
        """Split the submissions into batches, each graded by one command. By default each batch has one submission."""
        return [[one] for one in submissions]

    def grade(self, batch: Sequence[Path]) -> tuple[Spent, Scores]:
        raise NotImplementedError

    def fresh(self) -> Path:
        """Make and return a new folder for one command."""
        self.counted += 1
        made = self.folder / f"run{self.counted}"
        made.mkdir()
        return made


@dataclass
class Ours(Grader):
    """`grade cohort` in its sandbox, with one command for all submissions. A secret seed makes torch run each time."""

    course: Path
    name = "ours, --jobs 1"
    jobs: ClassVar[int] = 1
    runs: ClassVar[int] = 3

    def batches(self, submissions: Sequence[Path]) -> list[Sequence[Path]]:
        return [submissions] * self.runs

    def grade(self, batch: Sequence[Path]) -> tuple[Spent, Scores]:
        folder = self.fresh()
        (folder / "class").mkdir()
        for one in batch:
            shutil.copytree(one, folder / "class" / one.name)
        spent = run_cohort(self.meter, self.course, folder, self.jobs)
        reports = (json.loads(path.read_bytes()) for path in (folder / "results" / "reports").iterdir())
        return spent, {report["submission"]["id"]: report["score"] for report in reports}


class OursTwice(Ours):
    """`grade cohort` with two processes."""

    jobs = 2
    name = "ours, --jobs 2"


def run_cohort(meter: Meter, course: Path, folder: Path, jobs: int) -> Spent:
    """Grade the submissions in `folder`/class into `folder`/results, without the cache of an earlier run."""
    words = ("--layout", "folders", "--isolation", meter.isolation, "--jobs", str(jobs))
    environment = {**os.environ, "BACKWARD_CACHE": str(folder / "cache")}
    spent = meter.run(
        [GRADE, "cohort", folder / "class", "--course", course, "--out", folder / "results", *words],
        folder,
        environment,
    )
    if spent.status not in (0, 1):  # 1: a submission needs review
        raise NotHereError(f"grade cohort ended with {spent.status}: {spent.output[-500:]}")
    return spent


@dataclass
class Peer(Grader):
    """A grader from a virtual environment below `venvs`."""

    venvs: Path
    packages: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.python = interpreter(self.venvs, self.name.split(maxsplit=1)[0], self.packages)
        home = self.folder / "home"
        home.mkdir()
        path = f"{self.python.parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = {"PATH": path, "HOME": str(home), "LC_ALL": "C.UTF-8"}
        self.prepare()

    def prepare(self) -> None:
        """Do the set-up that is needed once and is not measured."""

    def call(self, folder: Path, *words: str | Path, ends: tuple[int, ...] = (0,)) -> Spent:
        spent = self.meter.run(words, folder, self.environment)
        if spent.status not in ends:
            tail = " ".join(spent.output.split())[-300:]
            raise NotHereError(f"`{Path(words[0]).name} {words[1]}` ended with {spent.status}: {tail}")
        return spent


class Pytest(Peer):
    name = "pytest --json-report"
    packages = ("pytest", "pytest-json-report")

    def grade(self, batch: Sequence[Path]) -> tuple[Spent, Scores]:
        folder, (one,) = self.fresh(), batch
        shutil.copy(one / FILE, folder / "value.py")
        shutil.copy(FORMS / "pytest" / "test_hidden.py", folder)
        shutil.copy(FORMS / "expressions.py", folder)
        words = ("-q", "-p", "no:cacheprovider", "--json-report", "--json-report-file=report.json", "test_hidden.py")
        spent = self.call(folder, self.python, "-m", "pytest", *words, ends=(0, 1))
        return spent, {one.name: json.loads((folder / "report.json").read_bytes())["summary"].get("passed", 0)}


class Gradescope(Peer):
    name = "gradescope-utils"
    packages = ("gradescope-utils",)

    def grade(self, batch: Sequence[Path]) -> tuple[Spent, Scores]:
        folder, (one,) = self.fresh(), batch
        (folder / "tests").mkdir()
        shutil.copy(one / FILE, folder / "value.py")
        shutil.copy(FORMS / "gradescope" / "run_tests.py", folder)
        shutil.copy(FORMS / "expressions.py", folder)
        shutil.copy(FORMS / "gradescope" / "test_value.py", folder / "tests")
        spent = self.call(folder, self.python, "run_tests.py")
        return spent, {one.name: json.loads((folder / "results.json").read_bytes())["score"]}


class Otter(Peer):
    name = "otter run"
    packages = ("otter-grader", "ipykernel")

    def prepare(self) -> None:
        tests = self.folder / "tests"
        tests.mkdir()
        text = (FORMS / "otter" / "value.py").read_text(encoding="utf-8")
        (tests / "value.py").write_text(f"{text}\n\n{_EXPRESSIONS}", encoding="utf-8")
        shutil.copy(FORMS / "otter" / "otter_config.json", self.folder)
        words = ("-t", "tests", "-o", "autograder.zip", "-c", "otter_config.json", "--no-environment")
        self.call(self.folder, self.python.with_name("otter"), "generate", *words)

    def grade(self, batch: Sequence[Path]) -> tuple[Spent, Scores]:
        folder, (one,) = self.fresh(), batch
        shutil.copy(one / FILE, folder / "value.py")
        words = ("-a", self.folder / "autograder.zip", "-o", folder, "--no-logo", "value.py")
        spent = self.call(folder, self.python.with_name("otter"), "run", *words)
        tests = json.loads((folder / "results.json").read_bytes())["tests"]
        return spent, {one.name: sum(test.get("score", 0) for test in tests)}


class Check50(Peer):
    """check50 without network and without its own installation of dependencies.

    The check of the file's presence gives no point.
    """

    name = "check50 --dev"
    packages = ("check50",)

    def prepare(self) -> None:
        shutil.copytree(FORMS / "check50", self.folder / "checks")
        shutil.copy(FORMS / "expressions.py", self.folder / "checks")

    def grade(self, batch: Sequence[Path]) -> tuple[Spent, Scores]:
        folder, (one,) = self.fresh(), batch
        shutil.copy(one / FILE, folder / "value.py")
        words = ("--dev", self.folder / "checks", "-o", "json", "--output-file", "report.json")
        spent = self.call(folder, self.python.with_name("check50"), *words, ends=(0, 1))
        results = json.loads((folder / "report.json").read_bytes())["results"]
        return spent, {one.name: sum(result["passed"] is True for result in results if result["name"] != "exists")}


class Nbgrader(Peer):
    """nbgrader with one command for all submissions, as it is meant to be used."""

    name = "nbgrader autograde"
    packages = ("nbgrader", "ipykernel")

    def batches(self, submissions: Sequence[Path]) -> list[Sequence[Path]]:
        return [submissions]

    def grade(self, batch: Sequence[Path]) -> tuple[Spent, Scores]:
        folder = self.fresh()
        (folder / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'peers'\n")
        notebook = folder / "source" / "ps1" / "ps1.ipynb"
        notebook.parent.mkdir(parents=True)
        notebook.write_text(json.dumps(_notebook()))
        nbgrader = self.python.with_name("nbgrader")
        self.call(folder, nbgrader, "generate_assignment", "ps1")
        released = json.loads((folder / "release" / "ps1" / "ps1.ipynb").read_bytes())
        for one in batch:
            released["cells"][0]["source"] = (one / FILE).read_text(encoding="utf-8")
            submitted = folder / "submitted" / one.name / "ps1" / "ps1.ipynb"
            submitted.parent.mkdir(parents=True)
            submitted.write_text(json.dumps(released))
        spent = self.call(folder, nbgrader, "autograde", "ps1")
        self.call(folder, nbgrader, "export")
        with (folder / "grades.csv").open(newline="") as file:
            return spent, {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


def _notebook() -> dict[str, object]:
    """Return a notebook with the learner's cell, then a cell of hidden tests for each check."""
    text = (FORMS / "nbgrader" / "cells.py").read_text(encoding="utf-8")
    cells = [_cell("value", "### BEGIN SOLUTION\n### END SOLUTION", None)]
    for name, _, code in (part.partition("\n") for part in text.split("# %% ")[1:]):
        needed = f"{_EXPRESSIONS}\n" if "agree(" in code else ""
        cells.append(_cell(name, f"### BEGIN HIDDEN TESTS\n{needed}{code}### END HIDDEN TESTS", 1))
    assert len(cells) == CHECKS + 1
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}


def _cell(name: str, source: str, points: int | None) -> dict[str, object]:
    graded = points is not None
    about = {"grade": graded, "grade_id": name, "locked": graded, "schema_version": 3, "solution": not graded}
    return {
        "cell_type": "code",
        "id": name,
        "execution_count": None,
        "metadata": {"nbgrader": {**about, "task": False, **({"points": points} if graded else {})}},
        "outputs": [],
        "source": source,
    }


PEERS: dict[str, type[Peer]] = {
    "pytest": Pytest,
    "gradescope": Gradescope,
    "otter": Otter,
    "check50": Check50,
    "nbgrader": Nbgrader,
}
