"""Grades many texts with one server process, one oracle and hidden tests collected once, as a cohort does."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from grader.course.load import Course
from grader.course.oracle import Oracle
from grader.course.oracle.answer_book import AnswerBook
from grader.runner import sandbox
from grader.runner.client import EngineProcess, Reason, Source, decode_source
from grader.verdict.checks.session import CheckSession
from grader.verdict.grading import Grader, Submission, grade_submission, stamp_of
from grader.verdict.report.model import Report


@contextmanager
def grader_of(
    course: Course, book: AnswerBook, memo: Path | None, seed: str, isolation: str = "auto"
) -> Iterator[Grader]:
    """Start everything that is needed to grade submissions."""
    with ExitStack() as stack:
        warm = stack.enter_context(sandbox.start(isolation, allow_imports=course.allow_imports))
        oracle = stack.enter_context(Oracle(book, memo))
        checks = stack.enter_context(CheckSession(course, course.exercises))
        yield Grader(course, book, checks, oracle, warm, seed)


def process_per_batch(*arguments: Any, **named: Any) -> EngineProcess:
    """Return a process of a file that runs each batch in a process of its own."""
    return EngineProcess(*arguments, **{**named, "apart": True})


def grade_texts(grader: Grader, texts: Mapping[str, str]) -> Report:
    """Grade texts, by exercise (`01_distribute`), as one submission; a file without a text is missing."""
    sources = {
        e.id: decode_source(Path(e.filename), texts[e.stem].encode("utf-8"))
        if e.stem in texts
        else Source(Path(e.filename), unread=Reason("missing"))
        for e in grader.course.exercises
    }
    return grade_submission(grader, Submission(sources, stamp_of("local", sources)))


def results(grader: Grader, texts: Mapping[str, str]) -> dict[str, Any]:
    """Grade texts as one submission; return what the report says of each, by exercise, without durations."""
    found = {}
    for result in msgspec.to_builtins(grade_texts(grader, texts))["exercises"]:
        for check in result["checks"]:
            del check["duration_s"]
        found[f"{result['number']}_{result['id']}"] = result
    return {stem: found[stem] for stem in texts}
