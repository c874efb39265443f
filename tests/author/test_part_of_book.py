"""A part of an answer book can be built, and the progress of building is shown."""

import pytest
from msgspec.structs import replace

from grader.author.build import Steps, build_book, steps_of, to_run
from grader.author.release import new_course, new_exercise
from grader.course.load import Course, load_course
from grader.course.oracle.answer_book import AnswerBook, KnownExercise

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a course of two exercises."""
    folder = new_course(tmp_path_factory.mktemp("part") / "course").folder
    new_exercise(load_course(folder), "second")
    return load_course(folder)


@pytest.fixture(scope="module")
def steps() -> list[tuple[str, int, int]]:
    """Return the steps of building `book`."""
    return []


@pytest.fixture(scope="module")
def book(course: Course, steps: list[tuple[str, int, int]]) -> AnswerBook:
    """Return the whole book of the course."""
    total = sum(steps_of(course, exercise) for exercise in course.exercises)
    return build_book(course, steps=Steps(lambda *step: steps.append(step), total))


def test_an_exercise_made_anew_is_as_in_the_whole_book(course: Course, book: AnswerBook) -> None:
    """The exercise is built again, even if the earlier book has other entries for it. The other exercise is kept."""
    before = replace(book, known={"first": KnownExercise(), "second": KnownExercise()}, answers={})
    made = build_book(course, before, [course.exercises[1]])
    assert {"first": KnownExercise(), "second": book.known["second"]} == made.known
    assert (book.answers, book.stubs) == (made.answers, made.stubs)


def test_what_a_book_lacks_is_made(course: Course, book: AnswerBook) -> None:
    """An exercise that is missing in the earlier book is run even if it is not named."""
    before = replace(book, known={"second": book.known["second"]})
    first, second = course.exercises
    assert ([first], [first, second]) == (to_run(course, before, ()), to_run(course, before, [second]))
    assert book.known == build_book(course, before).known


def test_each_solution_that_is_run_is_a_step(
    course: Course, book: AnswerBook, steps: list[tuple[str, int, int]]
) -> None:
    """The announced number of steps is close to the number of steps that are taken."""
    total = sum(steps_of(course, exercise) for exercise in course.exercises)
    assert [(number, total) for number in range(len(steps))] == [(done, there) for _, done, there in steps]
    assert {"answer book, 01_first", "answer book, 02_second"} == {text for text, _, _ in steps}
    assert 0.7 * total <= len(steps) <= total
