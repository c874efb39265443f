"""Grades files in two ways: all batches of one in one process, or each in a process of its own."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader import grading, sandbox
from grader.answer_book import read_book
from grader.client import EngineProcess
from grader.course import load_course
from grader.sandbox import Warm

COURSE = load_course(Path(__file__).resolve().parents[2])
BOOK = read_book(COURSE.book)


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    """A plain process, in which more can be left behind than in a sandbox."""
    with sandbox.start("process", allow_imports=COURSE.allow_imports) as started:
        yield started


@pytest.fixture(scope="session")
def memo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("memo") / "memo.sqlite"


@pytest.fixture
def grade(warm: Warm, memo: Path, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Grade texts, by exercise, as one submission; gives what the report says of each, without durations."""

    def grade_texts(texts: Mapping[str, str], *, apart: bool) -> dict[str, Any]:
        files = {}
        for exercise in COURSE.exercises:
            if exercise.stem in texts:
                files[exercise.id] = tmp_path / exercise.filename
                files[exercise.id].write_text(texts[exercise.stem], encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                grading, "EngineProcess", lambda *given, **named: EngineProcess(*given, **{**named, "apart": apart})
            )
            report = grading.grade(COURSE, BOOK, files, seed=COURSE.seed, memo=memo, warm=warm)
        results = {}
        for result in msgspec.to_builtins(report)["exercises"]:
            for check in result["checks"]:
                del check["duration_s"]
            results[f"{result['number']}_{result['id']}"] = result
        return results

    return grade_texts
