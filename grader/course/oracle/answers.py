"""Look up the answers to programs. Missing ones are computed by a separate process and stored."""

import contextlib
import importlib.util
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ...base.files import UserError
from ...base.processes import Service, ServiceEnded
from ..program import Descent, Program, Question
from .answer_book import Answer, AnswerBook
from .redraw import Redraw


class OracleError(RuntimeError):
    """The oracle could not answer: a fault of the grader, or a program without finite gradients."""


class NoAnswer(OracleError):
    """The program does not have finite values and gradients."""


class NoTorch(OracleError, UserError):
    """torch is not installed, and an answer has to be computed."""


def require_torch(what: str) -> None:
    """Raise `NoTorch` if torch is not installed. The message says that `what` needs it, and how to install it."""
    if importlib.util.find_spec("torch") is None:
        size = "docs/dependencies.md lists the builds and their sizes"
        raise NoTorch(f"{what} needs PyTorch, which is not installed: run `pip install torch` ({size})")


class OracleQuestion(msgspec.Struct, frozen=True):
    """A question to the oracle's process: `Program.question` or `Descent.question`."""

    question: list[Any]


class OracleReply(msgspec.Struct, frozen=True):
    """The answer, or the reason why there is none."""

    answer: Answer | None = None
    error: str = ""


class Oracle:
    """The answers to programs. A context manager.

    Args:
        book: the course's answer book, or None.
        memo: the file in which computed answers are stored, or None.

    Attributes:
        computes: whether answers that are neither in the book nor in the memo are computed.
        computed: how many were computed.
    """

    def __init__(self, book: AnswerBook | None, memo: Path | None) -> None:
        self.known = dict(book.answers) if book else {}
        self._memo = memo
        self._service = Service("grader.course.oracle.compute", OracleReply, errors=True)
        self._redraws: dict[str, Redraw] = {}
        self.computed, self.computes = 0, True
        self._waited_s = 0.0

    @property
    def pid(self) -> int | None:
        """Return the number of the process that computes answers, or None if it does not run."""
        return self._service.pid

    def start(self) -> None:
        """Start the process that computes answers, if it is not running. Raises `NoTorch` or `OracleError`."""
        if self.pid is not None:
            return
        require_torch("an answer that is not in the answer book")
        try:
            self._service.start()
        except OSError as error:
            raise OracleError(f"the oracle's process cannot be started: {error}") from error

    def with_answers(self, book: AnswerBook) -> "Oracle":
        """Return an oracle that knows only the answers in a book, and uses the process of this one."""
        other = Oracle(book, None)
        other._service = self._service
        return other

    def clock(self) -> float:
        """Return a time in seconds that stands still while the process computes answers."""
        return time.perf_counter() - self._waited_s

    def redraw(self, seed: str) -> Redraw:
        """Return the `Redraw` of a seed. There is one for each seed."""
        if seed not in self._redraws:
            self._redraws[seed] = Redraw(seed, self.answers, self._tried, self.known)
        return self._redraws[seed]

    def answers(self, programs: Sequence[Question]) -> list[Answer]:
        """Return an answer for each program. Raises `OracleError`.

        The answer to a descent has only values, as `Descent` says.
        """
        # the book first, then the memo, then torch
        missing = {p.key: p for p in programs if p.key not in self.known}
        if missing:
            self.known.update(self._recall(missing))
            self.known.update(self._compute({k: p for k, p in missing.items() if k not in self.known}))
        return [self.known[program.key] for program in programs]

    def _tried(self, programs: Sequence[Question]) -> list[Answer | None]:
        """Return an answer for each program, or None if it has none. New answers are not stored."""
        answers: list[Answer | None] = []
        for program in programs:
            try:
                answers.append(self.known.get(program.key) or self._ask(program))
            except NoAnswer:
                answers.append(None)
        return answers

    def _recall(self, programs: dict[str, Question]) -> dict[str, Answer]:
        if self._memo is None:
            return {}
        from ...base.memo import Memo  # here, not above: most runs need no database

        version = torch_version()
        # another version of torch may give other last digits
        texts = Memo(self._memo).get([f"{key} {version}" for key in programs])
        answers = {}
        for key, program in programs.items():
            with contextlib.suppress(KeyError, msgspec.MsgspecError):
                answer = msgspec.json.decode(texts[f"{key} {version}"], type=Answer)
                if (len(answer.values), len(answer.grads)) == program.sizes:  # otherwise it is computed again
                    answers[key] = answer
        return answers

    def _compute(self, programs: dict[str, Question]) -> dict[str, Answer]:
        computed = {key: self._ask(program) for key, program in programs.items()}
        self.computed += len(computed)
        if computed and self._memo is not None:
            from ...base.memo import Memo

            version = torch_version()
            Memo(self._memo).put({f"{k} {version}": msgspec.json.encode(a).decode() for k, a in computed.items()})
        return computed

    def _ask(self, program: Question) -> Answer:
        # `clock` stands still meanwhile: computing answers does not count as time of a check
        began = time.perf_counter()
        try:
            return self._computed(program)
        finally:
            self._waited_s += time.perf_counter() - began

    def _computed(self, program: Question) -> Answer:
        if not self.computes:
            raise OracleError(f"the answer to {program.shown} is not known")
        if self.pid is None:
            require_torch(f"the answer to {program.shown}")
            self.start()
        reply = self._service.ask(OracleQuestion(program.question))
        if isinstance(reply, ServiceEnded):
            raise OracleError("the oracle's process ended; can this Python `import torch`?")
        if reply.answer is None:
            raise NoAnswer(f"torch has no finite answer to {program.shown}: {reply.error}")
        answer: Answer = reply.answer
        return answer

    def close(self) -> None:
        """End the oracle's process, if it was started."""
        self._service.end()

    def __enter__(self) -> "Oracle":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def torch_version() -> str:
    """Return the version of the installed torch, without importing it; `none` if it is not installed."""
    import importlib.metadata  # here, not above: only fresh programs need it

    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return "none"


# -- Answers from the table of operations, where torch's are not at hand


class TableOracle(Oracle):
    """An oracle that computes every answer with the values and the local derivatives in the table of operations.

    Only what serves an explanation may depend on it. Points depend on torch.
    """

    def __init__(self) -> None:
        super().__init__(None, None)

    def _computed(self, program: Question) -> Answer:
        if isinstance(program, Program):
            answer = Answer(program.values, program.gradients())
        else:
            answer = _descended(program)
        if not all(map(math.isfinite, (*answer.values, *answer.grads))):
            raise NoAnswer(f"{program.shown} has no finite answer")
        return answer


def _descended(descent: Descent) -> Answer:
    """Return the answer to a descent."""
    loss = descent.start
    before: list[float] = []
    moving = [leaf.name not in descent.fixed for leaf in loss.leaves for _ in loss.numbers_of(leaf.name, loss.names)]
    means, squares = [0.0] * len(moving), [0.0] * len(moving)
    for step in range(1, descent.steps + 1):
        before.extend(loss.numbers_of(loss.root_name, loss.values))
        grads = loss.gradients()
        changes = [grad for leaf in loss.leaves for grad in loss.numbers_of(leaf.name, grads)]
        if descent.adam:  # Kingma and Ba, arXiv:1412.6980, algorithm 1
            means = [0.9 * m + 0.1 * grad for m, grad in zip(means, changes, strict=True)]
            squares = [0.99 * v + 0.01 * grad * grad for v, grad in zip(squares, changes, strict=True)]
            changes = [
                m / (1 - 0.9**step) / (math.sqrt(v / (1 - 0.99**step)) + 1e-8)
                for m, v in zip(means, squares, strict=True)
            ]
        moved = zip(loss.leaf_numbers, changes, moving, strict=True)
        loss = loss.with_leaves([x - descent.rate * change * moves for x, change, moves in moved])
    return Answer((*before, *loss.leaf_numbers), ())
