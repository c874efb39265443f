"""Determine whether an answer book would be the same if it were made now, or on another machine."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Literal, TypeAlias

from ..answer_book import Answer, AnswerBook
from ..checks.compare import alike
from ..checks.session import CheckSession
from ..course import Course, Exercise
from ..grading import plan
from ..oracle import Oracle
from ..program import Question

Kind: TypeAlias = Literal["stub", "misconceptions", "not_in_book", "answer", "not_asked"]

# Machines differ by about 1e-16 of a number. Grading tolerates 1e-9.
_SHAKEN_BY = 1e-13


@dataclass(frozen=True)
class Drift:
    """A part of an answer book that would be different if the book were made now.

    Attributes:
        exercise: the exercise that the part belongs to; None for entries that no exercise asks for.
        questions: the questions that are not in the book, or whose answers differ by more than grading tolerates.
    """

    kind: Kind
    exercise: Exercise | None = None
    questions: tuple[Question, ...] = ()


def drift(course: Course, book: AnswerBook, made: AnswerBook) -> Iterator[Drift]:
    """Compare a book with `made`, the book made now, and yield each part of each exercise that differs.

    Raises the same errors as `plan`.
    """
    with Oracle(made, None) as oracle:
        asked = questions(course, oracle)
    for exercise in course.exercises:
        if made.stubs[exercise.id] != book.stubs.get(exercise.id):
            yield Drift("stub", exercise)
        if made.known[exercise.id] != book.known.get(exercise.id):
            yield Drift("misconceptions", exercise)
        missing = [q for key, q in asked[exercise.id].items() if key not in book.answers]
        if missing:
            yield Drift("not_in_book", exercise, tuple(missing))
        differing = [
            q
            for key, q in asked[exercise.id].items()
            if key in book.answers and not alike(made.answers[key], book.answers[key])
        ]
        if differing:
            yield Drift("answer", exercise, tuple(differing))
    parts = ((book.stubs, made.stubs), (book.known, made.known), (book.answers, made.answers))
    if any(set(there) - set(now) for there, now in parts):
        yield Drift("not_asked")


def questions(course: Course, oracle: Oracle) -> dict[str, dict[str, Question]]:
    """Return the questions that each exercise asks an oracle under the course's own seed, by exercise id and by key.

    Raises the same errors as `plan`.
    """
    asked: dict[str, dict[str, Question]] = {}
    for exercise in course.exercises:
        listening = _Listening(oracle)
        with CheckSession(course, [exercise]) as checks:
            plan(checks, listening, course.seed)
        asked[exercise.id] = listening.heard
    return asked


def made_from_answers(course: Course, made: AnswerBook) -> dict[str, tuple[Question, ...]]:
    """Return, by exercise id, the questions that would change if the last digits of answers were different.

    Such questions would not be found in the book on another machine. Raises the same errors as `plan`.

    Args:
        made: the book with the answers of this machine.
    """
    with ShakenOracle(made, None) as elsewhere:
        there = questions(course, elsewhere)
    return {
        exercise: changed
        for exercise, asked in there.items()
        if (changed := tuple(q for key, q in asked.items() if key not in made.answers))
    }


class ShakenOracle(Oracle):
    """An oracle whose answers have different last digits, like those of another machine."""

    def answers(self, programs: Sequence[Question]) -> list[Answer]:
        return [shaken(answer) for answer in super().answers(programs)]


def shaken(answer: Answer) -> Answer:
    """Return the answer with every number changed by 1e-13 of its size, alternately up and down."""
    up_and_down = cycle((1 + _SHAKEN_BY, 1 - _SHAKEN_BY))
    values = tuple(number * factor for number, factor in zip(answer.values, up_and_down, strict=False))
    grads = tuple(number * factor for number, factor in zip(answer.grads, up_and_down, strict=False))
    return Answer(values, grads)


class _Listening(Oracle):
    """Forwards questions to another oracle, and keeps them by key."""

    def __init__(self, oracle: Oracle) -> None:
        super().__init__(None, None)
        self._oracle = oracle
        self.heard: dict[str, Question] = {}

    def answers(self, programs: Sequence[Question]) -> list[Answer]:
        self.heard.update((question.key, question) for question in programs)
        return self._oracle.answers(programs)
