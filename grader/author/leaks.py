"""Find the solutions and hidden checks of a course in a text that learners are given."""

from collections.abc import Iterator

from ..client import read_source
from ..course import Course, Exercise
from ..diagnosis import regions

_SHORT = 6  # words; other code may have a region this short by chance


def squeezed(text: str) -> str:
    """Return a text with a single space between its words, so that it is found however it is laid out."""
    return " ".join(text.split())


def solution_bodies(solution: str) -> list[str]:
    """Return the solution regions of a text that are long enough to be told from other code, squeezed."""
    bodies = [squeezed(solution[start:end]) for _, start, end in regions(solution)]
    return [body for body in bodies if len(body.split()) > _SHORT]


def hidden_calls(course: Course, exercise: Exercise) -> list[str]:
    """Return the lines of an exercise's hidden tests that say what is asked, squeezed."""
    lines = read_source(course.hidden_test(exercise)).text.splitlines()
    return [line for line in map(squeezed, lines) if line.startswith(("program(", "engine."))]


def shown(course: Course, text: str) -> Iterator[str]:
    """Yield what a text for learners shows of a course, exercise by exercise, that it should not."""
    text = squeezed(text)
    for exercise in course.exercises:
        if any(body in text for body in solution_bodies(read_source(course.solution(exercise)).text)):
            yield f"gives away the solution of {exercise.stem}"
        if any(call in text for call in hidden_calls(course, exercise)):
            yield f"shows a hidden check of {exercise.stem}"
