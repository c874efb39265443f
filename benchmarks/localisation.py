"""Measure how often the line that must change is found, in files whose wrong lines are known.

    python benchmarks/localisation.py [--each N] [--show] [--without-solutions] [--engines FOLDER] [--written]
                                      [EXERCISE ...]

The files are

- the misconceptions of each exercise;
- the rows of tests/verdict/diagnosis/faults.yaml that edit a solution;
- mechanical mutants of the solutions, which are written anew, without comments;
- solutions with two misconceptions;
- mechanical mutants of engines that other people wrote: the `.py` files of FOLDER, graded as the last step of part 1
  (`12_engine.py`). Files that do not get full marks there are left out, and named.

With `--written`, they are the files of wrong_files.yaml instead, which were written for this: those of `tuned`, and
those of `fresh`, for which the search was not tuned.

Of each exercise and kind, N files are taken. The wrong lines of a file are those that differ from the solution, and
those beside a line that it lacks. The columns are

- "facts": the lines of a fault fact contain a wrong line;
- "line": the sentence about repairs names a place that has a wrong line;
- "either": one of the two is true;
- "block": one of the two is true, or the sentence names the function with a wrong line, or several places of which
  one has a wrong line;
- "wrong": the sentence names one place or one function, and no wrong line is in it;
- "several": the sentence names several places;
- "silent": there is no such sentence.

Prints the percentages by exercise and by kind of file, and the median and the 90th percentile of the CPU time of a
search. Exits with 1 if more than two in a hundred lines that are named are wrong.
"""

import argparse
import ast
import difflib
import itertools
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml
from diagnosis import changed, merged
from msgspec.structs import replace

from grader.author.verify import mutants
from grader.course.facts import FaultFact
from grader.course.load import Course, Exercise, load_course
from grader.course.oracle import Oracle
from grader.course.oracle.answer_book import read_book
from grader.runner import sandbox
from grader.runner.client import Source
from grader.verdict.checks.session import CheckSession
from grader.verdict.diagnosis import Edit, anywhere, apply_edits, read_misconceptions
from grader.verdict.grading import Grader, examine
from grader.verdict.grading.repair import search, search_budget
from grader.verdict.grading.submissions import own_lines
from grader.verdict.report import Repairs
from grader.words.repairs import repairs_text

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests/support"))
from edited_texts import of_solution, texts  # noqa: E402

MISCONCEPTION, FAULT, MUTANT, TWO, OTHERS = "misconception", "fault", "mutant", "two mistakes", "others' engine"
COLUMNS = ("facts", "line", "either", "block", "wrong", "several", "silent")
_MOST_WRONG = 0.02


class Made(NamedTuple):
    """A wrong file: its kind, its name, its text, and the right file of which it is an edit."""

    kind: str
    name: str
    text: str
    right: str
    lines: frozenset[int] = frozenset()  # those that must change, if they are known


def wrong_files(course: Course, exercise: Exercise) -> Iterator[Made]:
    """Yield each wrong file."""
    solution = course.solution(exercise).read_text(encoding="utf-8")
    path = course.solution(exercise).with_suffix(".mistakes.yaml")
    known = {one.id: one.source for one in read_misconceptions(path, solution, len(exercise.hints))}
    for name, text in known.items():
        yield Made(MISCONCEPTION, name, text, solution)
    for row in yaml.safe_load((ROOT / "tests/verdict/diagnosis/faults.yaml").read_text(encoding="utf-8")):
        if row["of"] == exercise.id:
            edits = [Edit(edit["old"], edit["new"]) for edit in row["edits"]]
            yield Made(FAULT, row["id"], apply_edits(solution, edits, anywhere), solution)
    for number, mutant in enumerate(mutants(solution), 1):
        yield Made(MUTANT, f"mutant {number}", mutant.source, ast.unparse(ast.parse(solution)))
    for one, other in itertools.combinations(known, 2):
        both = merged(solution, known[one], known[other])
        if both is not None and both not in known.values():
            yield Made(TWO, f"{one} and {other}", both, solution)


def written(course: Course, exercise: Exercise) -> Iterator[Made]:
    """Yield the wrong files of wrong_files.yaml."""
    folder = ROOT / "tests/fixtures/right" / exercise.stem
    right = {one.name: one.text for one in texts(folder)} if folder.exists() else {}
    right["solution"] = of_solution(course.solution(exercise).read_text(encoding="utf-8"))["solution"]
    for kind, by_exercise in yaml.safe_load((ROOT / "benchmarks/wrong_files.yaml").read_text(encoding="utf-8")).items():
        for number, (base, *edits) in enumerate(by_exercise.get(exercise.id, ()), 1):
            text, lines = right[base], set[int]()
            for old, new in zip(edits[::2], edits[1::2], strict=True):
                assert text.count(old) == 1, (exercise.id, base, old)
                first = 1 + text.count("\n", 0, text.index(old))
                text = text.replace(old, new)
                # of a deletion, the lines beside it; lines that begin and end the edit unchanged do not count
                lines |= {first - 1, first} if not new else set(range(first, first + len(new.rstrip().split("\n"))))
            differ = wrong_lines(right[base], text)
            yield Made(kind, f"{number}, {base}", text, right[base], frozenset(lines | differ))


def of_others(grader: Grader, exercise: Exercise, folder: Path) -> Iterator[Made]:
    """Yield the mutants of each right engine in a folder."""
    for path in sorted(folder.glob("*.py")):
        right = ast.unparse(ast.parse(path.read_text(encoding="utf-8")))
        if failed := examine(grader, exercise, Source(path, right)).failures:
            print(f"{path}: left out, because it fails {', '.join(failed)}")
            continue
        for number, mutant in enumerate(mutants(right), 1):
            yield Made(OTHERS, f"{path.stem}, mutant {number}", mutant.source, right)


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


class Judged(NamedTuple):
    """The columns in which a file counts, and the CPU time of its search in seconds."""

    exercise: str
    kind: str
    columns: frozenset[str]
    cpu_s: float


def judged(
    found: Repairs | None, facts: Sequence[FaultFact], solution: str, text: str, lines: frozenset[int] = frozenset()
) -> frozenset[str]:
    """Return the columns in which a file counts."""
    wrong = lines or wrong_lines(solution, text)
    columns = (
        {"facts"}
        if any(wrong & set(range(fact.lines[0], fact.lines[1] + 1)) for fact in facts if fact.lines)
        else set()
    )
    if found is None or not repairs_text(found):
        columns.add("silent")
    elif len(found.places) == 1:
        columns.add("line" if wrong & set(found.places[0]) else "wrong")
    elif len({one.lines for one in found.added}) == 1:
        after = found.added[0].lines[0]
        columns.add("line" if wrong & {after, after + 1} else "wrong")
    elif found.added:
        name = found.added[0].function.rpartition(".")[2]
        columns.add("function" if name in changed(solution, text) else "wrong")
    elif len(found.functions) == 1:
        name = found.functions[0].rpartition(".")[2]
        columns.add("function" if name in changed(solution, text) else "wrong")
    else:
        columns |= {"several"} | ({"function"} if wrong & {line for place in found.places for line in place} else set())
    columns |= {"either"} if columns & {"facts", "line"} else set()
    columns |= {"block"} if columns & {"either", "function"} else set()
    return frozenset(columns)


def row(name: str, files: Sequence[Judged]) -> str:
    """Return a row of the table."""
    shares = [sum(column in one.columns for one in files) / len(files) for column in COLUMNS]
    times = sorted(one.cpu_s for one in files)
    cells = [f"{len(files):>5}", *(f"{share:>7.0%}" for share in shares), f"{statistics.median(times):>6.2f}"]
    return f"| {name:<14} | {' | '.join([*cells, f'{times[int(0.9 * len(times))]:>6.2f}'])} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--each", type=int, default=1000, metavar="N")
    parser.add_argument("--show", action="store_true", help="print every file whose wrong line is not named")
    parser.add_argument("--without-solutions", action="store_true", help="search as on a learner's machine")
    parser.add_argument("--engines", type=Path, metavar="FOLDER", help="engines that other people wrote")
    parser.add_argument("--written", action="store_true", help="only the files of wrong_files.yaml")
    parser.add_argument("exercises", nargs="*")
    options = parser.parse_args()
    course = load_course(ROOT)
    book = read_book(course.book)
    # where a course has come without solutions, its folder has none
    searched = replace(course, folder=ROOT / "tests") if options.without_solutions else course
    files: list[Judged] = []
    with (
        sandbox.start(allow_imports=course.allow_imports) as warm,
        Oracle(book, None) as oracle,
        CheckSession(course, course.exercises) as checks,
    ):
        grader = Grader(course, book, checks, oracle, warm, course.seed)
        for exercise in course.exercises:
            if options.exercises and exercise.id not in options.exercises:
                continue
            made = list((written if options.written else wrong_files)(course, exercise))
            if options.engines and exercise.id == "engine":
                made += of_others(grader, exercise, options.engines)
            random.Random(exercise.id).shuffle(made)
            taken: Counter[str] = Counter()
            for kind, name, text, right, lines in made:
                # choose the file, and grade it
                if taken[kind] == options.each:
                    continue
                source = Source(Path(exercise.filename), text)
                stub = book.stubs[exercise.id]
                examined = examine(grader, exercise, source, stub=stub, facts=True)
                if not any(check.id in examined.failures and not check.bonus for check in exercise.checks):
                    if options.written:
                        print(f"{exercise.stem}, {kind} {name}: passes", flush=True)
                    continue
                taken[kind] += 1
                # search
                budget, begun = search_budget(), time.process_time()
                own = own_lines(text, stub)
                events = list(search(replace(grader, course=searched), exercise, source, examined, own, budget))
                cpu_s = time.process_time() - begun + budget.cpu_s
                # judge
                found = next((event for event in reversed(events) if isinstance(event, Repairs)), None)
                columns = judged(found, examined.facts, right, text, lines)
                files.append(Judged(exercise.stem, kind, columns, cpu_s))
                if "wrong" in columns or (options.show and "line" not in columns):
                    said = repairs_text(found) if found else "no result"
                    print(
                        f"{exercise.stem}, {kind} {name}: {said or 'silent'} {sorted(wrong_lines(right, text))}",
                        flush=True,
                    )
    print(f"\n| files          | count | {' | '.join(f'{name:>7}' for name in COLUMNS)} | median |    p90 |")
    print(f"|---|{'--:|' * (len(COLUMNS) + 3)}")
    for name in dict.fromkeys(one.kind for one in files):
        print(row(name, [one for one in files if one.kind == name]))
    for name in dict.fromkeys(one.exercise for one in files):
        print(row(name, [one for one in files if one.exercise == name and one.kind != TWO]))
    print(row("one mistake", [one for one in files if one.kind != TWO]))
    wrong = sum("wrong" in one.columns for one in files)
    return 1 if wrong > _MOST_WRONG * max(1, sum("line" in one.columns for one in files)) else 0


if __name__ == "__main__":
    sys.exit(main())
