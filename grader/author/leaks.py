"""Find solutions and hidden checks of a course in a text for learners."""

from collections.abc import Iterator

from ..client import read_source
from ..course import Course, Exercise
from ..diagnosis import regions
from ..words import author as said

_SHORT = 6  # words; other code may contain a region of this length by chance


def squeezed(text: str) -> str:
    """Return a text with single spaces between its words, so that comparisons do not depend on its layout."""
    return " ".join(text.split())


def solution_bodies(solution: str) -> list[str]:
    """Return the solution regions of a text, squeezed. Regions too short to be told from other code are left out."""
    bodies = [squeezed(solution[start:end]) for _, start, end in regions(solution)]
    return [body for body in bodies if len(body.split()) > _SHORT]


def hidden_calls(course: Course, exercise: Exercise) -> list[str]:
    """Return the lines of an exercise's hidden tests that build programs or call the engine, squeezed."""
    lines = read_source(course.hidden_test(exercise)).text.splitlines()
    return [line for line in map(squeezed, lines) if line.startswith(("program(", "engine."))]


def shown(course: Course, text: str) -> Iterator[str]:
    """Yield a text for each solution and for each exercise's hidden checks that a text for learners reveals."""
    text = squeezed(text)
    for exercise in course.exercises:
        if any(body in text for body in solution_bodies(read_source(course.solution(exercise)).text)):
            yield said.shows_solution(exercise.stem)
        if any(call in text for call in hidden_calls(course, exercise)):
            yield said.shows_check(exercise.stem)
