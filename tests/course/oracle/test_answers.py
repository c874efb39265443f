import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import pytest
from every import every

from grader.base.memo import Memo
from grader.course.oracle import Oracle, OracleError
from grader.course.oracle import answers as answers_module
from grader.course.oracle.answer_book import Answer, AnswerBook
from grader.course.program import Descent
from grader.program import draw, program

pytestmark = pytest.mark.slow

SQUARE = program("L = a * a", a=3)
SQUARED = Answer(values=(3.0, 9.0), grads=(6.0, 1.0))
DIAMOND = program("c = a * b; d = a + b; L = c * d", a=1, b=3)
DIAMOND_ANSWER = Answer(values=(1.0, 3.0, 3.0, 4.0, 12.0), grads=(15.0, 7.0, 4.0, 3.0, 1.0))


class ComputedError(Exception):
    """A computation was about to start."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the memo for this module's oracle."""
    return tmp_path_factory.mktemp("memo") / "oracle.sqlite"


@pytest.fixture(scope="module")
def oracle(path: Path) -> Iterator[Oracle]:
    """Return an oracle without a book, whose process is started once for all tests."""
    with Oracle(None, path) as made:
        yield made


@pytest.fixture(scope="module")
def memo(oracle: Oracle, path: Path) -> Path:
    """Return a memo that contains an oracle's answer to the diamond."""
    before = oracle.computed
    assert [DIAMOND_ANSWER] == oracle.answers([DIAMOND])
    assert before + 1 == oracle.computed
    return path


@pytest.fixture
def nothing_computed(monkeypatch: pytest.MonkeyPatch, memo: Path) -> None:
    """Make the start of an oracle's process raise `ComputedError`, after the memo was filled."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise ComputedError

    monkeypatch.setattr(subprocess, "Popen", refuse)


def book_with(*known: tuple[str, Answer]) -> AnswerBook:
    return AnswerBook(format=2, torch="any", stubs={}, known={}, answers=dict(known))


@pytest.mark.usefixtures("nothing_computed")
def test_what_the_book_knows_is_not_computed() -> None:
    """For programs in the answer book, no process is started, whatever the names of their nodes."""
    with Oracle(book_with((SQUARE.key, SQUARED)), None) as oracle:
        assert [SQUARED, SQUARED] == oracle.answers([SQUARE, program("z = x * x", x=3)])
        assert 0 == oracle.computed


@pytest.mark.usefixtures("nothing_computed")
def test_the_book_comes_before_the_memo(memo: Path) -> None:
    """If both have an answer, the book's answer is returned, and the memo is not opened."""
    other = Answer(values=(0.0,) * 5, grads=(0.0,) * 5)
    with Oracle(book_with((DIAMOND.key, other)), memo) as oracle:
        assert [other] == oracle.answers([DIAMOND])


@pytest.mark.usefixtures("nothing_computed")
def test_what_the_memo_knows_is_not_computed(memo: Path) -> None:
    """A second oracle finds the answer that the first one computed."""
    with Oracle(None, memo) as oracle:
        assert [DIAMOND_ANSWER] == oracle.answers([DIAMOND])
        assert 0 == oracle.computed


@pytest.mark.usefixtures("nothing_computed")
def test_an_oracle_that_may_not_compute_has_known_answers_only(memo: Path) -> None:
    """Any other answer is an error, and no process is started."""
    with Oracle(None, memo) as oracle:
        oracle.computes = False
        assert [DIAMOND_ANSWER] == oracle.answers([DIAMOND])
        with pytest.raises(OracleError, match="not known"):
            oracle.answers([SQUARE])


@pytest.mark.usefixtures("nothing_computed")
def test_an_answer_of_another_torch_does_not_count(memo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The memo's key contains torch's version."""
    monkeypatch.setattr(answers_module, "torch_version", lambda: "0.1")
    with Oracle(None, memo) as oracle, pytest.raises(ComputedError):
        oracle.answers([DIAMOND])


@pytest.mark.usefixtures("nothing_computed")
@pytest.mark.parametrize(
    "text",
    [
        msgspec.json.encode(Answer(values=(3.0,), grads=(6.0, 1.0))).decode(),
        msgspec.json.encode(Answer(values=(3.0, 9.0), grads=(6.0,))).decode(),
        msgspec.json.encode(Answer(values=(3.0, 9.0, 1.0), grads=(6.0, 1.0, 1.0))).decode(),
        msgspec.json.encode(Answer(values=(), grads=())).decode(),
        '{"values": [3.0, null], "grads": [6.0, 1.0]}',
        '{"values": [3.0, 9.0], "grads": [6.0, 1.0], "more": 1}',
        '{"values": [3.0, 9.0]',
        "",
    ],
)
def test_a_remembered_answer_that_cannot_be_right_is_ignored(tmp_path: Path, text: str) -> None:
    """An answer with too few or too many numbers, or of another type, is computed again."""
    damaged = tmp_path / "oracle.sqlite"
    Memo(damaged).put({f"{SQUARE.key} {answers_module.torch_version()}": text})
    with Oracle(None, damaged) as oracle, pytest.raises(ComputedError):
        oracle.answers([SQUARE])


def test_answers_come_in_the_order_of_the_programs(oracle: Oracle) -> None:
    """Each program gets its own answer, known or computed."""
    oracle.answers([SQUARE])
    assert [DIAMOND_ANSWER, SQUARED, DIAMOND_ANSWER] == oracle.answers([DIAMOND, SQUARE, DIAMOND])
    assert [] == oracle.answers([])


def test_a_descent_is_answered_and_remembered(oracle: Oracle, path: Path) -> None:
    """The answer has the losses and the leaf after the steps, and another oracle finds it in the memo."""
    asked = Descent(SQUARE, 0.25, 2)
    assert [Answer(values=(9.0, 2.25, 0.75), grads=())] == oracle.answers([asked])
    with Oracle(None, path) as other:
        assert oracle.answers([asked]) == other.answers([asked])
        assert 0 == other.computed


def test_no_program_is_computed_twice(oracle: Oracle) -> None:
    """A program asked for three times costs one computation."""
    before = oracle.computed
    (fresh,) = draw("test_no_program_is_computed_twice", 1, sizes=(5, 5))
    oracle.answers([fresh, fresh])
    oracle.answers([fresh])
    assert before + 1 == oracle.computed


@every(
    ("text", "leaves"),
    [("L = log(a)", {"a": -1}), ("L = 1 / a", {"a": 0}), ("L = a ** 0.5", {"a": -4}), ("L = exp(a)", {"a": 1e4})],
)
def test_a_program_without_a_finite_answer(oracle: Oracle, text: str, leaves: dict[str, float]) -> None:
    """The error is an `OracleError` with the program, every time, and the oracle still works afterwards."""
    asked = program(text, **leaves)
    for _ in range(2):
        with pytest.raises(OracleError, match="torch has no finite answer") as caught:
            oracle.answers([asked])
        assert asked.shown in str(caught.value)
    assert [SQUARED] == oracle.answers([SQUARE])


@pytest.mark.parametrize("python", ["/bin/false", "no such file"])
def test_a_process_that_cannot_run_is_an_oracle_error(monkeypatch: pytest.MonkeyPatch, python: str) -> None:
    """Without torch or without a Python, the message says what is missing, every time."""
    monkeypatch.setattr(sys, "executable", python)
    with Oracle(None, None) as oracle:
        for _ in range(2):
            with pytest.raises(OracleError, match="the oracle's process"):
                oracle.answers([SQUARE])


def test_a_process_that_was_killed_is_replaced(oracle: Oracle) -> None:
    """The answer that it owed is an error, and the next question starts another process."""
    oracle.answers([program("L = a * a", a=17)])
    first = oracle.pid
    assert first is not None
    os.kill(first, signal.SIGSTOP)
    timer = threading.Timer(0.1, os.kill, (first, signal.SIGKILL))
    timer.start()
    with pytest.raises(OracleError, match="the oracle's process ended"):
        oracle.answers([program("L = a * a", a=18)])
    timer.join()
    assert [324.0] == [answer.values[1] for answer in oracle.answers([program("L = a * a", a=18)])]
    assert first != oracle.pid


def test_the_process_has_ended_when_the_oracle_is_closed() -> None:
    """Leaving the `with` block waits for the oracle's process."""
    with Oracle(None, None) as oracle:
        oracle.answers([SQUARE])
        assert oracle.pid is not None
    assert oracle.pid is None
