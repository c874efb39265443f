"""A class of right, wrong, hostile, empty and broken submissions: one run accounts for all of them."""

import io
import itertools
import json
import os
import random
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from edited_texts import texts

from grader.course.load import load_course
from grader.verdict.diagnosis import read_misconceptions

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
COUNT = 20
OWN_SEED = ("--seed", "backward 2026.1")  # whose answers are in the answer book
Run = Callable[..., Any]

# hostile files that are over quickly: those that sleep or flood have their own tests
HOSTILE = ("read", "write", "network", "signal", "ptrace", "exec", "namespace", "descriptor", "forge", "type", "tamper")


def wrong() -> Iterator[tuple[str, str]]:
    """Return file name and text of every misconception of the course."""
    course = load_course(ROOT)
    for exercise in course.exercises:
        path = course.solution(exercise)
        known = read_misconceptions(
            path.with_suffix(".mistakes.yaml"), path.read_text(encoding="utf-8"), len(exercise.hints)
        )
        yield from ((exercise.filename, one.source) for one in known)


def hostile() -> Iterator[tuple[str, str]]:
    """Return file name and text of hostile files for exercise 01."""
    for attack in texts(ROOT / "tests" / "hostile" / "attacks"):
        if attack.name.startswith(HOSTILE) and "# exercise:" not in attack.text and '"@' not in attack.text:
            yield "01_distribute.py", attack.text


def right() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "solutions").glob("[0-9]*.py")):
        yield path.name, path.read_text(encoding="utf-8")


def broken(folder: Path, number: int) -> None:
    """Write something that cannot be read as a submission, one kind after another."""
    kind = number % 7
    if kind == 0:
        (folder / "work.zip").write_bytes(b"PK\x03\x04 not really")
    elif kind == 1:
        (folder / "work.tar.gz").write_bytes(b"\x1f\x8b\x08 cut off")
    elif kind == 2:
        with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("01_distribute.py", b"#" * (20 << 20))
    elif kind == 3:
        with tarfile.open(folder / "escape.tar", "w") as tar:
            info = tarfile.TarInfo("../../01_distribute.py")
            info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            tar.addfile(info, io.BytesIO())
    elif kind == 4:
        (folder / "01_distribute.py").symlink_to("/etc/passwd")
    elif kind == 5:
        (folder / "01_distribute.py").write_text("class Value: pass\n", encoding="utf-16")
    else:
        for name in ("a", "b"):
            (folder / name).mkdir()
            (folder / name / "01_distribute.py").write_text(f"class Value: pass  # {name}\n")


@pytest.fixture
def expected(work: Path) -> dict[str, str]:
    """Write the class to work/class. Return the kind of each submission, by id."""
    sorts = {"right": list(right()), "wrong": list(wrong()), "hostile": list(hostile())}
    for listed in sorts.values():
        random.Random(5).shuffle(listed)
    shares = {"right": 5, "wrong": 4, "hostile": 3, "empty": 1, "broken": 7}
    assert COUNT == sum(shares.values())
    kinds: dict[str, str] = {}
    for kind, share in shares.items():
        for number in range(share):
            name = f"{kind}{number:03}"
            kinds[name] = kind
            folder = work / "class" / name
            folder.mkdir(parents=True)
            if kind in sorts:
                filename, text = sorts[kind][number % len(sorts[kind])]
                (folder / filename).write_text(text, encoding="utf-8")
            elif kind == "broken":
                broken(folder, number)
    return kinds


def everything(exercise: dict[str, Any]) -> bool:
    """Return whether every check of an exercise passed, including bonus checks: some mistakes fail only those."""
    return exercise["status"] == "passed" and all(check["status"] == "passed" for check in exercise["checks"])


def test_a_mixed_class_goes_through_in_one_run(grade: Run, work: Path, expected: dict[str, str]) -> None:
    """Right files get their points, wrong and hostile ones do not, and the submissions without a report are named."""
    done = grade("cohort", work / "class", "--out", work / "results", *OWN_SEED)
    assert 1 == done.returncode, done.stderr
    assert f"{COUNT} of {COUNT} submissions graded" in done.stdout
    summary = json.loads((work / "results" / "cohort.json").read_text())
    assert (COUNT, COUNT) == (summary["submissions"], summary["graded"])
    reports = {path.stem: json.loads(path.read_text()) for path in (work / "results" / "reports").iterdir()}
    assert set(expected) == set(reports)
    full = {name for name, report in reports.items() if any(map(everything, report["exercises"]))}
    assert {name for name, kind in expected.items() if kind == "right"} == full
    reviews = {review["id"] for review in summary["needs_review"]}
    assert {name for name, kind in expected.items() if kind in ("empty", "broken")} <= reviews
    assert not {name for name, kind in expected.items() if kind == "right"} & reviews
    assert not list(work.glob("**/01_distribute.py.*"))
    assert COUNT == sum(summary["scores"]["bands"])
    for exercise in summary["exercises"]:
        assert COUNT == sum(exercise["statuses"].values())
    assert os.listdir(work / "class" / "empty000") == []


@pytest.mark.exhaustive  # each run grades a control after each attack: tests/hostile/test_attacks.py
def test_hostile_submissions_change_nothing_for_the_others(grade: Run, work: Path) -> None:
    """With a hostile submission after every two honest ones, the reports of the honest ones stay the same.

    They are the same to the byte, except for the times.
    """
    honest = zip(itertools.cycle(right()), random.Random(7).sample(list(wrong()), 3), strict=False)
    attacks = random.Random(7).sample(list(hostile()), 3)
    names: set[str] = set()
    for number, (pair, attack) in enumerate(zip(honest, attacks, strict=False)):
        for place, (filename, text) in enumerate([*pair, attack]):
            name = f"s{number:02}{place}"
            for class_ in ("honest", "mixed") if place < 2 else ("mixed",):
                (work / class_ / name).mkdir(parents=True)
                (work / class_ / name / filename).write_text(text, encoding="utf-8")
            names.update({name} if place < 2 else ())
    reports = {}
    for class_ in ("honest", "mixed"):
        done = grade("cohort", work / class_, "--out", work / f"{class_}-results", *OWN_SEED)
        assert done.returncode == (1 if class_ == "mixed" else 0), done.stderr
        folder = work / f"{class_}-results" / "reports"
        reports[class_] = {name: without_times((folder / f"{name}.json").read_text()) for name in sorted(names)}
    assert 6 == len(names)
    assert reports["honest"] == reports["mixed"]


def without_times(report: str) -> str:
    """Return a report's text without the lines about time and duration."""
    return re.sub(r'^ *"(graded_at|duration_s)": .*\n', "", report, flags=re.MULTILINE)
