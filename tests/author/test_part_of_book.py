"""An answer book of which one exercise is made anew, and how far making it has come."""

import msgspec
import pytest

from grader.answer_book import AnswerBook, KnownExercise
from grader.author import build_book, new_course, new_exercise
from grader.author.build import steps_of, to_run
from grader.author.steps import Steps
from grader.course import Course, load_course

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course of two exercises."""
    folder = new_course(tmp_path_factory.mktemp("part") / "course").folder
    new_exercise(load_course(folder), "second")
    return load_course(folder)


@pytest.fixture(scope="module")
def book(course: Course) -> AnswerBook:
    """Its whole book."""
    return build_book(course)


def test_an_exercise_made_anew_is_as_in_the_whole_book(course: Course, book: AnswerBook) -> None:
    """Whatever the book before said of it; of the other one it is believed."""
    before = msgspec.structs.replace(book, known={"first": KnownExercise(), "second": KnownExercise()}, answers={})
    made = build_book(course, before, [course.exercises[1]])
    assert {"first": KnownExercise(), "second": book.known["second"]} == made.known
    assert (book.answers, book.stubs) == (made.answers, made.stubs)


def test_what_a_book_lacks_is_made(course: Course, book: AnswerBook) -> None:
    """An exercise that the book before does not know is run although it is not named."""
    before = msgspec.structs.replace(book, known={"second": book.known["second"]})
    first, second = course.exercises
    assert ([first], [first, second]) == (to_run(course, before, ()), to_run(course, before, [second]))
    assert book.known == build_book(course, before).known


def test_each_solution_that_is_run_is_a_step(course: Course) -> None:
    """The number of steps that is told before the first is about the number of steps that are taken."""
    told: list[tuple[str, int, int]] = []
    total = sum(steps_of(course, exercise) for exercise in course.exercises)
    build_book(course, steps=Steps(lambda *step: told.append(step), total))
    assert [(number, total) for number in range(len(told))] == [(done, there) for _, done, there in told]
    assert {"answer book, 01_first", "answer book, 02_second"} == {text for text, _, _ in told}
    assert 0.7 * total <= len(told) <= total
