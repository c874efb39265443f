"""An answer book has drifted if an answer is beyond the tolerance of grading. No program is made from an answer."""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from grader.author.verify import Drift, drift, drift_text, made_from_answers, questions, shaken
from grader.course.load import Course, load_course
from grader.course.oracle import Oracle
from grader.course.oracle.answer_book import UNCLEAR, Answer, AnswerBook, KnownExercise, read_book
from grader.course.program.draw import _one
from grader.course.program.operations import value as here
from grader.program import Program, program

ROOT = Path(__file__).resolve().parents[2]
COURSES = {folder.name: load_course(folder) for folder in (ROOT, ROOT / "examples" / "tape")}
TAPE = COURSES["tape"]
REPLAY = TAPE.exercises[1]
SHARED = program("L = a * b + a", a=2, b=-3)  # exercise 02 alone asks for it

each_course = pytest.mark.parametrize("course", COURSES.values(), ids=lambda course: course.id)


@pytest.fixture(scope="module")
def book() -> AnswerBook:
    """Return the answer book of the small course."""
    return read_book(TAPE.book)


def changed(book: AnswerBook, **parts: dict[str, Any]) -> AnswerBook:
    """Return the book with other entries in some of its parts. An entry that is None is removed."""
    made = {
        name: {key: value for key, value in {**getattr(book, name), **entries}.items() if value is not None}
        for name, entries in parts.items()
    }
    return replace(book, **made)


def off(answer: Answer, by: float) -> Answer:
    """Return an answer in which the last gradient but one has changed."""
    *before, last, root = answer.grads
    return Answer(answer.values, (*before, last + by, root))


def test_a_book_in_step_has_not_drifted(book: AnswerBook) -> None:
    """A book made now has not drifted, even if the last digits of all its answers differ."""
    elsewhere = changed(book, answers={key: shaken(answer) for key, answer in book.answers.items()})
    assert elsewhere.answers != book.answers
    assert [] == [*drift(TAPE, book, book), *drift(TAPE, book, elsewhere), *drift(TAPE, elsewhere, book)]


@pytest.mark.parametrize(("by", "drifted"), [(1e-12, False), (1e-10, False), (1e-7, True), (-1.0, True)])
def test_drift_is_what_grading_does_not_tolerate(book: AnswerBook, by: float, drifted: bool) -> None:
    """An answer may differ by as much as a verdict tolerates. Beyond that, the exercise and the program are named."""
    other = changed(book, answers={SHARED.key: off(book.answers[SHARED.key], by)})
    assert [Drift("answer", REPLAY, (SHARED,))] * drifted == list(drift(TAPE, other, book))


def test_an_answer_that_is_missing_is_named(book: AnswerBook) -> None:
    """A program that is not in the book is named with the exercise that asks for it."""
    other = changed(book, answers={SHARED.key: None})
    assert [Drift("not_in_book", REPLAY, (SHARED,))] == list(drift(TAPE, other, book))


def test_an_answer_of_another_length_has_drifted(book: AnswerBook) -> None:
    """An answer with too few numbers has drifted."""
    other = changed(book, answers={SHARED.key: Answer((1.0,), (1.0,))})
    assert [Drift("answer", REPLAY, (SHARED,))] == list(drift(TAPE, other, book))


@pytest.mark.parametrize(
    ("part", "name", "value", "expected"),
    [
        ("stubs", "replay", "another", Drift("stub", REPLAY)),
        ("stubs", "replay", None, Drift("stub", REPLAY)),
        ("known", "replay", KnownExercise(), Drift("misconceptions", REPLAY)),
        ("known", "replay", None, Drift("misconceptions", REPLAY)),
        ("stubs", "gone", "its stub", Drift("not_asked")),
        ("known", "gone", KnownExercise(), Drift("not_asked")),
        ("answers", "0" * 64, Answer((1.0,), (1.0,)), Drift("not_asked")),
    ],
)
def test_other_parts_are_named(book: AnswerBook, part: str, name: str, value: Any, expected: Drift) -> None:
    """Drifted stubs and misconceptions are named with their exercise. Entries that no exercise asks for have none."""
    assert [expected] == list(drift(TAPE, changed(book, **{part: {name: value}}), book))


def test_what_is_unclear_has_not_drifted(book: AnswerBook) -> None:
    """A fingerprint that is unclear in one of two books is no drift, and another fingerprint is."""
    known = book.known["replay"]
    first, *rest = known.misconceptions
    program = next(iter(first.behaviour))
    for look, expected in ((UNCLEAR, []), ("another", [Drift("misconceptions", REPLAY)])):
        behaviour = {**first.behaviour, program: look}
        other = replace(known, misconceptions=(replace(first, behaviour=behaviour), *rest))
        slow = changed(book, known={"replay": other})
        assert [expected] * 2 == [list(drift(TAPE, *books)) for books in ((slow, book), (book, slow))]


def test_the_words_name_exercise_and_program() -> None:
    """A finding names the exercise and the program, and says how many more programs there are."""
    one, other = Drift("answer", REPLAY, (SHARED,)), Drift("not_in_book", REPLAY, (SHARED, SHARED, SHARED))
    shown = "`L = a * b + a with a = 2, b = -3`"
    assert f"its answer to {shown}, which 02_replay asks for, has drifted" == drift_text(one)
    assert f"it has no answer to {shown} (and 2 more), which 02_replay asks for" == drift_text(other)
    assert "its stub of 02_replay has drifted" == drift_text(Drift("stub", REPLAY))


# -- keys do not depend on the machine ---------------------------------------------------------------------


@pytest.mark.slow
@each_course
def test_no_program_is_made_from_an_answer(course: Course) -> None:
    """If every answer differs slightly, the checks of a course ask for the same programs."""
    assert {} == made_from_answers(course, read_book(course.book))


@pytest.mark.slow
@each_course
def test_a_book_made_elsewhere_is_the_shipped_one(
    course: Course, made_elsewhere: Callable[[Course], AnswerBook]
) -> None:
    """A book of answers that are off by 1e-13 has the keys of the shipped book, and has not drifted."""
    shipped, made = read_book(course.book), made_elsewhere(course)
    assert shipped.answers != made.answers
    assert shipped.answers.keys() == made.answers.keys()
    assert [] == [drift_text(one) for one in drift(course, shipped, made)]


@pytest.mark.slow
@each_course
@pytest.mark.parametrize(
    "factor", [1 + 1e-13, pytest.param(1 - 1e-13, marks=pytest.mark.exhaustive)], ids=["above", "below"]
)
def test_the_same_programs_are_drawn_elsewhere(course: Course, factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random programs are chosen by values in plain floats. Other last digits of these do not change the choice."""
    book = read_book(course.book)

    def value(op: str, x: Sequence[float]) -> float | None:
        found = here(op, x)
        return None if found is None else found * factor

    monkeypatch.setattr(
        import_module("grader.course.program.draw"), "value", value
    )  # the package has a function `draw`
    _one.cache_clear()
    with Oracle(book, None) as oracle:
        asked = {key for part in questions(course, oracle).values() for key in part}
    _one.cache_clear()
    assert book.answers.keys() == asked


FROM_AN_ANSWER = """\
from grader.checks import EngineUnderCheck, check, program

@check("one")
def test_one(engine: EngineUnderCheck) -> None:
    found = engine.truth("L = a * a", a=3)
    engine.computes(program("L = b * b", b=found.values[1]))
"""


@pytest.mark.slow
def test_a_program_made_from_an_answer_is_named(with_solution: Callable[..., Course]) -> None:
    """A check that puts a result into another program is reported, because it asks for another program elsewhere."""
    course = with_solution()
    course.hidden.mkdir(parents=True)
    course.hidden_test(course.exercises[0]).write_text(FROM_AN_ANSWER, encoding="utf-8")
    first, second = program("L = a * a", a=3), program("L = b * b", b=9)
    answers = {first.key: Answer((3.0, 9.0), (6.0, 1.0)), second.key: Answer((9.0, 81.0), (18.0, 1.0))}
    made = AnswerBook(1, "none", {}, {}, answers)
    with Oracle(made, None) as oracle:
        assert {"first": {first.key: first, second.key: second}} == questions(course, oracle)
    (found,) = made_from_answers(course, made)["first"]
    assert isinstance(found, Program)
    assert ("L = b * b", True) == (found.text, 9.0 != found.leaves[0].value)
