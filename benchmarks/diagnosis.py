"""Is a diagnosis ever untrue? Mistakes that are not in the catalogue, graded and looked at.

    python benchmarks/diagnosis.py [--pairs N]

Takes compounds of two misconceptions of an exercise (up to N an exercise) and every mechanical mutant of its solution
that some check fails. A diagnosis is right if it names an ingredient, or a misconception that behaves the same on
programs which the diagnosis did not see (random ones, from three other seeds). Anything else is named wrongly: exit 1.
Each submission is also graded twice over, and the words must be the same.
"""

import argparse
import itertools
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader import sandbox
from grader.answer_book import read_book
from grader.author.build import catalogue
from grader.author.mutants import mutants
from grader.client import Ran, Source, Submission
from grader.course import Course, Exercise, load_course
from grader.diagnosis import diagnose, fingerprint
from grader.grading import examine
from grader.oracle import Oracle

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("compound of two", "mechanical mutant")


def submissions(course: Course, exercise: Exercise, pairs: int) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Kind, text and ingredients of each wrong submission."""
    solution = course.solution(exercise).read_text(encoding="utf-8")
    known = catalogue(course, exercise)
    combined = [(a, b) for a, b in itertools.permutations(known, 2)]
    random.Random(exercise.id).shuffle(combined)
    made = 0
    for a, b in combined:
        text = merged(solution, a.source, b.source)
        if text is not None and text not in (a.source, b.source):
            yield KINDS[0], text, frozenset({a.id, b.id})
            made += 1
        if made == pairs:
            break
    for mutant in mutants(solution):
        yield KINDS[1], mutant.source, frozenset()


def merged(solution: str, a: str, b: str) -> str | None:
    """Both edits of the solution in one, if they touch different lines."""
    one, two, base = a.splitlines(), b.splitlines(), solution.splitlines()
    if not len(one) == len(two) == len(base):
        return None
    lines = []
    for x, y, z in zip(one, two, base, strict=True):
        if x != z and y != z and x != y:
            return None
        lines.append(x if x != z else y)
    return "\n".join(lines) + "\n"


class Recorder:
    """Notes what every batch showed, fresh programs too."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self._run = Submission.run

    def __enter__(self) -> "Recorder":
        def run(submission: Submission, batch: Any) -> Ran:
            ran = self._run(submission, batch)
            self.shown.append(fingerprint(ran.answer))
            return ran

        Submission.run = run  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        Submission.run = self._run  # type: ignore[method-assign]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=40)
    pairs = parser.parse_args().pairs
    course = load_course(ROOT)
    book = read_book(course.book)
    counts: Counter[tuple[str, str]] = Counter()
    changed = 0
    with sandbox.start(allow_imports=course.allow_imports) as warm, Oracle(book, None) as oracle:

        def behave(exercise: Exercise, text: str, seed: str) -> Any:
            source = Source(course.exercise_file(exercise), text)
            return examine(course, [exercise], lambda: {exercise.id: source}, {}, warm=warm, oracle=oracle, seed=seed)

        def unseen(exercise: Exercise, text: str) -> list[str]:
            with Recorder() as recorder:
                for seed in ("one", "two", "three"):
                    behave(exercise, text, seed)
            return recorder.shown

        for exercise in course.exercises:
            known = {one.id: one for one in catalogue(course, exercise)}
            for kind, text, ingredients in submissions(course, exercise, pairs):
                examined = behave(exercise, text, course.seed)
                if not examined.failed(exercise):
                    continue
                named = diagnose(book.misconceptions[exercise.id], examined.behaviour(exercise))
                again = behave(exercise, text, course.seed).behaviour(exercise)
                changed += diagnose(book.misconceptions[exercise.id], again) != named
                if named is None:
                    counts[kind, "silent"] += 1
                elif named.id in ingredients or unseen(exercise, text) == unseen(exercise, known[named.id].source):
                    counts[kind, "right"] += 1
                else:
                    counts[kind, "wrong"] += 1
                    print(f"{exercise.stem}: {sorted(ingredients) or kind} is called {named.id}")
    print(f"{'':<20}{'named rightly':>15}{'silent':>10}{'named wrongly':>15}")
    for kind in KINDS:
        print(f"{kind:<20}{counts[kind, 'right']:>15}{counts[kind, 'silent']:>10}{counts[kind, 'wrong']:>15}")
    print(f"words that changed on regrading: {changed}")
    return 1 if changed or any(counts[kind, "wrong"] for kind in KINDS) else 0


if __name__ == "__main__":
    sys.exit(main())
