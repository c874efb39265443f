"""Measure how often `grade --line` finds the line that must change, in files whose wrong lines are known.

    python benchmarks/localisation.py [--each N] [--show] [EXERCISE ...]

The files are the misconceptions of each exercise and the rows of tests/diagnosis/faults.yaml that edit a solution. Of
each exercise and kind, N files are taken. The wrong lines of a file are those that differ from the solution.

A file is

- "named" if all repairs change one place, and a wrong line is in it;
- "wrong" if all repairs change one place, and no wrong line is in it;
- "several" if repairs change several places;
- "silent" if there is no repair.

Prints a table, and the median and the 90th percentile of the time of a search. Exits with 1 if a file is wrong.
"""

import argparse
import difflib
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import yaml

from grader import sandbox
from grader.checks.session import CheckSession
from grader.client import Budget, Source
from grader.course import Course, Exercise, load_course
from grader.diagnosis import Edit, anywhere, apply_edits, read_misconceptions
from grader.grading import Grader, examine
from grader.grading.repair import search
from grader.grading.submissions import own_lines
from grader.oracle import Oracle
from grader.oracle.answer_book import read_book
from grader.report import Repairs

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("misconception", "fault")
COLUMNS = ("named", "wrong", "several", "silent")


def wrong_files(course: Course, exercise: Exercise) -> Iterator[tuple[str, str, str]]:
    """Yield the kind, the name and the text of each wrong file."""
    solution = course.solution(exercise).read_text(encoding="utf-8")
    path = course.solution(exercise).with_suffix(".mistakes.yaml")
    for known in read_misconceptions(path, solution, len(exercise.hints)):
        yield "misconception", known.id, known.source
    for row in yaml.safe_load((ROOT / "tests/diagnosis/faults.yaml").read_text(encoding="utf-8")):
        if row["of"] == exercise.id:
            edits = [Edit(edit["old"], edit["new"]) for edit in row["edits"]]
            yield "fault", row["id"], apply_edits(solution, edits, anywhere)


def wrong_lines(solution: str, text: str) -> set[int]:
    """Return the lines of a text that differ from the solution, and those beside a line that it lacks."""
    lines: set[int] = set()
    matcher = difflib.SequenceMatcher(None, solution.splitlines(), text.splitlines(), autojunk=False)
    for tag, _, _, first, last in matcher.get_opcodes():
        if tag == "delete":
            lines |= {first, first + 1}
        elif tag != "equal":
            lines |= set(range(first + 1, last + 1))
    return lines


def judged(found: Repairs, wrong: set[int]) -> str:
    """Return the column of a result."""
    if len(found.places) != 1:
        return "several" if found.places else "silent"
    return "named" if wrong & set(found.places[0]) else "wrong"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--each", type=int, default=1000, metavar="N")
    parser.add_argument("--show", action="store_true", help="print every file that is not named")
    parser.add_argument("exercises", nargs="*")
    options = parser.parse_args()
    course = load_course(ROOT)
    book = read_book(course.book)
    counts: Counter[tuple[str, str]] = Counter()
    times = []
    with (
        sandbox.start(allow_imports=course.allow_imports) as warm,
        Oracle(book, None) as oracle,
        CheckSession(course, course.exercises) as checks,
    ):
        grader = Grader(course, book, checks, oracle, warm, course.seed)
        for exercise in course.exercises:
            if options.exercises and exercise.id not in options.exercises:
                continue
            solution = course.solution(exercise).read_text(encoding="utf-8")
            files = list(wrong_files(course, exercise))
            random.Random(exercise.id).shuffle(files)
            taken: Counter[str] = Counter()
            for kind, name, text in files:
                # choose the file, and find the first check that fails
                if taken[kind] == options.each:
                    continue
                source = Source(Path(exercise.filename), text)
                stub = book.stubs[exercise.id]
                examined = examine(grader, exercise, source, stub=stub)
                failing = [check for check in exercise.checks if check.id in examined.failures and not check.bonus]
                if not failing:
                    continue
                taken[kind] += 1
                # search
                budget, begun = Budget(), time.process_time()
                events = list(search(grader, exercise, source, examined, own_lines(text, stub), budget))
                found = events[-1] if events else None
                times.append(time.process_time() - begun + budget.cpu_s)
                # judge
                column = judged(found, wrong_lines(solution, text)) if isinstance(found, Repairs) else "silent"
                counts[kind, column] += 1
                if column == "wrong" or (options.show and column != "named"):
                    places = found.places if isinstance(found, Repairs) else "too long"
                    print(f"{exercise.stem}, {kind} {name}: {column}, {places}", flush=True)
    print(f"\n| {'':<14} | {' | '.join(f'{name:>8}' for name in COLUMNS)} |\n|---|--:|--:|--:|--:|")
    for kind in KINDS:
        print(f"| {kind:<14} | {' | '.join(f'{counts[kind, name]:>8}' for name in COLUMNS)} |")
    deciles = statistics.quantiles(times, n=10) if len(times) > 1 else times * 9
    print(f"a search: median {statistics.median(times):.1f} s, 90th percentile {deciles[8]:.1f} s, {len(times)} files")
    return 1 if any(counts[kind, "wrong"] for kind in KINDS) else 0


if __name__ == "__main__":
    sys.exit(main())
