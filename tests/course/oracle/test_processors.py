"""The oracle's answers do not depend on the CPU, and verdicts do not depend on their last digits."""

import io
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from ours import BOOK, COURSE, ROOT

from grader.author.verify import questions
from grader.base.processes import receive, send
from grader.course.oracle import Oracle
from grader.course.oracle.answer_book import Answer
from grader.course.oracle.answers import OracleQuestion, OracleReply
from grader.course.program import Question
from grader.verdict.checks.outcome import alike

pytestmark = pytest.mark.exhaustive


# What makes MKL and torch take the code of another CPU; this one runs what it can of it.
OWN: dict[str, str] = {}
GENERAL = {"MKL_CBWR": "COMPATIBLE", "ATEN_CPU_CAPABILITY": "default"}
OTHERS = [{"MKL_CBWR": name} for name in ("COMPATIBLE", "AUTO", "SSE4_2", "AVX2", "AVX512")]
OTHERS += [{"ATEN_CPU_CAPABILITY": "default"}, {"OMP_NUM_THREADS": "3", "MKL_NUM_THREADS": "3"}]

# A torch that has computed before the oracle chooses its code goes by the settings alone, as one without MKL does.
# The process answers all questions, and then runs tests.
FREE = """
import sys, torch
torch.ones(1, dtype=torch.float64).exp()
from grader.course.oracle.compute import main
main()
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""
OURS = Path(__file__).with_name("test_compute.py")


def each_of(*settings: dict[str, str]) -> pytest.MarkDecorator:
    """Run a test with each of these settings."""
    return pytest.mark.parametrize("settings", settings, ids=lambda it: "-".join(it.values()) or "none")


def run(settings: Mapping[str, str], *words: object, given: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """Run Python in a new process with some settings."""
    ours = ("MKL_", "ATEN_", "OMP_", "PYTEST_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    command = [sys.executable, *map(str, words)]
    return subprocess.run(
        command, cwd=ROOT, env={**environment, **settings}, input=given, capture_output=True, check=False
    )


@pytest.fixture(scope="module")
def asked() -> dict[str, Question]:
    """Return everything that the course asks the oracle."""
    with Oracle(BOOK, None) as oracle:
        return {key: question for part in questions(COURSE, oracle).values() for key, question in part.items()}


@pytest.fixture(scope="module")
def requests(asked: Mapping[str, Question]) -> bytes:
    """Return all questions as they are sent to the oracle's process."""
    stream = io.BytesIO()
    for question in asked.values():
        send(stream, OracleQuestion(question.question))
    return stream.getvalue()


def replies(data: bytes) -> list[Answer]:
    """Return the answers that the oracle's process sent."""
    stream = io.BytesIO(data)
    found = list(iter(lambda: receive(stream, OracleReply), None))
    assert None not in [reply.answer for reply in found]
    return [reply.answer for reply in found]


@pytest.fixture(scope="module")
def compatible(requests: bytes) -> list[Answer]:
    """Return the answers of the oracle's process under its own settings."""
    return replies(run(GENERAL, "-m", "grader.course.oracle.compute", given=requests).stdout)


@each_of(OWN, *OTHERS)
def test_the_process_gives_the_same_digits(
    settings: Mapping[str, str], asked: Mapping[str, Question], requests: bytes, compatible: Sequence[Answer]
) -> None:
    """With any CPU-specific code requested from torch and MKL, the answers are the same to the last digit."""
    done = run(settings, "-m", "grader.course.oracle.compute", given=requests)
    assert (0, b"") == (done.returncode, done.stderr)
    found = zip(asked.values(), compatible, replies(done.stdout), strict=True)
    assert [] == [question.shown for question, before, now in found if before != now]


@each_of(GENERAL, OWN, *OTHERS)
def test_no_answer_depends_on_the_last_digits(
    settings: Mapping[str, str], asked: Mapping[str, Question], requests: bytes
) -> None:
    """If the oracle cannot choose the code, its answers match the shipped book within the tolerance of verdicts.

    The oracle's own tests pass in the same process.
    """
    done = run(settings, "-c", FREE, "-q", "-p", "no:cacheprovider", "-p", "no:xdist", OURS, given=requests)
    *_, last = done.stderr.decode().splitlines()  # the process writes nothing but replies to its standard output
    assert (0, True) == (done.returncode, " passed in " in last), done.stderr.decode()
    found = zip(asked.items(), replies(done.stdout), strict=True)
    assert [] == [question.shown for (key, question), reply in found if not alike(BOOK.answers[key], reply)]
