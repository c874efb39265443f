"""Test whether diagnoses are true: grade wrong files whose mistake is known.

    python benchmarks/diagnosis.py [--pairs N] [--show KIND] [EXERCISE ...]

The files are

- compounds of two misconceptions of an exercise, up to N for each exercise;
- every mechanical mutant of a solution that fails a check;
- half-done files: the solution with one statement missing, emptied or mistyped in a part to be filled in.

A named misconception is true if the functions that it changes have the same code in the file. One
whose explanation is also true of unfinished code is true if only functions that it changes differ. A
fault fact about an operation is true if a changed function computes the operation. A fact about
`backward()` is true if `backward()` or a function it calls was changed. A fact about a function that
trains is true if that function was changed. One untrue sentence makes a file untrue.

A file also counts as described if

- a check shows a line inside a changed function, or names such a function;
- the program of a check depends on a changed function and on no other function to be filled in, or its text calls
  changed functions alone, as in `L = loss_of(["a"], table)`;
- a check describes a fault of an order.

Exits with 1 if a file is untrue.
"""

import argparse
import ast
import itertools
import random
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

import yaml

from grader.author.build import catalogue
from grader.author.verify import mutants
from grader.course.facts import FaultFact
from grader.course.load import Exercise, load_course
from grader.course.oracle import Oracle
from grader.course.oracle.answer_book import KnownExercise, read_book
from grader.runner import sandbox
from grader.runner.client import Source
from grader.verdict.checks.session import CheckSession
from grader.verdict.diagnosis import check_of, unfinished
from grader.verdict.grading import Examined, Grader, examine, explain
from grader.words.facts import OF_TRAINING, fact_text
from grader.words.learner import finding_text

ROOT = Path(__file__).resolve().parent.parent
COMPOUND, MUTANT, HALF_DONE = KINDS = ("compound of two", "mechanical mutant", "half-done file")
COLUMNS = ("correct", "silent", "untrue")
# the methods that compute an operation, for operations that use more than their own method
METHODS = {
    "add": ("__add__", "__radd__"),
    "mul": ("__mul__", "__rmul__"),
    "neg": ("__neg__", "__mul__"),
    "sub": ("__sub__", "__neg__", "__add__", "__mul__"),
    "div": ("__truediv__", "__pow__", "__mul__"),
    "pow": ("__pow__",),
    "radd": ("__radd__", "__add__"),
    "rsub": ("__rsub__", "__sub__", "__neg__", "__add__", "__mul__"),
    "rmul": ("__rmul__", "__mul__"),
    "rdiv": ("__rtruediv__", "__truediv__", "__pow__", "__mul__"),
    "relu_below_zero": ("relu", "_function"),
}
# patterns of code with another form but the same meaning in its place
ALIKE = (
    (r"list\(build_topo\(self\)\)", "build_topo(self)"),
    (r"\(self\.data > 1\)", "(self.data >= 1)"),
    (r"\((\w+) - 0\)", r"\1"),
    (r"(?<=[ (])\+(\d)", r"\1"),
    (r"1\.0 if self\.data > 0 else 1\.0", "1.0"),
    (r"return visited\b", "return set(order)"),
    (r"\(Value\(other\) if isinstance\(other, Value\) else other\)", "Value(other)"),  # of a Value
    (
        r"self\.grad = other\.grad = 0\.0; self\.grad \+= ([^\n]*)\n( +)other\.grad = ",
        r"self.grad = \1\n\2other.grad = ",
    ),
    (r"\n +for node in [^\n]*:\n +node\._backward(?=\n)", ""),  # without a call, nothing happens
    (r"\b(\d)\.0\b", r"\1"),
    (r", abs_tol=0\)", ")"),  # the default
)
# code equivalent to a misconception: without cycles, a mark that is removed on leaving a node has no effect; a step to
# the other side exchanges f(x + h) and f(x - h); the first index of the first context is 0; to divide by 2 / h is to
# divide by 2 and to multiply by h; the gradients of new logits are 0; 1 times a number is the number; and 1.01**0 is 1
EQUAL = {
    "every_path": "visited.discard(node)",
    "opposite_sign": "x - step if k == i",
    "context_of_one_letter": "context = [context[0], target]",
    "multiplied_by_h": "/ (2 / h)",
    "softmax_not_shifted": "m = max((logit.grad for logit in logits))",
    "loss_not_shifted": "m = max((logit.grad for logit in logits))",
    "square_root_of_n": "return 1 * math.sqrt(n)",
    "one_plus_the_power": "1.01 ** 0)",
}
_NAMED = re.compile(r"^(\w+) returned |`(\w+)(?:\(\))?`")


Made = tuple[str, str, frozenset[str]]


def submissions(exercise: Exercise, solution: str, sources: dict[str, str], pairs: int) -> Iterator[Made]:
    """Yield the kind, text and ingredients of each wrong file."""
    combined = list(itertools.combinations(sources, 2))
    random.Random(exercise.id).shuffle(combined)
    texts = ((merged(solution, sources[a], sources[b]), frozenset({a, b})) for a, b in combined)
    made = ((text, both) for text, both in texts if text is not None and text not in sources.values())
    for text, both in itertools.islice(made, pairs):
        yield COMPOUND, text, both
    for mutant in mutants(solution):
        yield MUTANT, mutant.source, frozenset()
    for text in dict.fromkeys(unfinished(solution)):
        yield HALF_DONE, text, frozenset()


def merged(solution: str, a: str, b: str) -> str | None:
    """Return the solution with both edits; None if they change the same lines."""
    one, two, base = a.splitlines(), b.splitlines(), solution.splitlines()
    if not len(one) == len(two) == len(base):
        return None
    lines = []
    for x, y, z in zip(one, two, base, strict=True):
        if x != z and y != z and x != y:
            return None
        lines.append(x if x != z else y)
    return "\n".join(lines) + "\n"


def functions(text: str) -> dict[str, tuple[str, range]]:
    """Return the code and the lines of a file's top-level functions and methods, by name."""
    found = {}
    tree = ast.parse(text)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for node in [*tree.body, *(member for cls in classes for member in cls.body)]:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = (ast.unparse(node), range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def changed(solution: str, text: str) -> set[str]:
    """Return the names of the functions whose code differs."""
    one, other = functions(solution), functions(text)
    return {name for name in one.keys() | other.keys() if one.get(name, "?")[0] != other.get(name, "!")[0]}


def alike(text: str) -> str:
    """Return a text with equivalent spellings unified."""
    for one, other in ALIKE:
        text = re.sub(one, other, text)
    return text


class Judge:
    """Judge statements about a file by its code, which has known mistakes."""

    def __init__(
        self,
        solution: str,
        sources: dict[str, str],
        text: str,
        on: dict[str, str] | None = None,
        of_unfinished: Collection[str] = (),
    ) -> None:
        solution, text = alike(solution), alike(text)
        self._on = on or {}
        self._of_unfinished = of_unfinished
        sources = {name: alike(source) for name, source in sources.items()}
        self.changed = changed(solution, text)
        self.text = text
        self._written = functions(text)
        self._solution, self._sources = solution, sources

    def is_ingredient(self, misconception: str) -> bool:
        """Return whether every function that a misconception changes has the same code in the file.

        If the explanation is also true of unfinished code, return whether the file changes only these functions.
        """
        if EQUAL.get(misconception, "\n") in self.text.replace("\n", " "):
            return True
        source = self._sources[misconception]
        theirs = functions(source)
        names = changed(self._solution, source)
        if misconception in self._of_unfinished and self.changed <= names:
            return True
        if all(self._written.get(name, "!")[0] == theirs.get(name, "?")[0] for name in names):
            return True
        # the file may edit the same function twice, so it must contain all changed lines
        start = self._sources[self._on[misconception]] if misconception in self._on else self._solution
        lines = set(source.splitlines()) - set(start.splitlines())
        return bool(lines) and lines <= set(self.text.splitlines())

    def is_true(self, fact: FaultFact) -> bool:
        """Return whether a fact is about changed code."""
        if fact.kind in OF_TRAINING:
            return fact.node in self.changed
        if not fact.operation:
            return bool(self.changed)
        named = METHODS.get(fact.operation, (fact.operation, "_function"))
        of_pass = ("__init__", "backward", "build_topo") if fact.kind == "wrong_gradient" else ()
        return not self.changed.isdisjoint((*named, *of_pass))

    def is_described(self, exercise: Exercise, known: KnownExercise, examined: Examined) -> bool:
        """Return whether a check describes the mistake.

        It shows a line of a changed function, tests a changed function and no other function to be filled in, calls
        changed functions alone, or describes a fault of an order.
        """
        wrong: dict[str, str] = {}
        for key in examined.behaviour.wrong:
            wrong.setdefault(check_of(key), key)
        alone = {key for name in self.changed for key in known.functions.get(name, ())}
        if not alone.isdisjoint(wrong.values()):
            return True
        for outcome in examined.outcomes.values():
            finding = outcome.finding
            if finding is None:
                continue
            called = set(re.findall(r"(\w+)\(", finding.program or "")) & self._written.keys()
            if called and called <= self.changed:
                return True
            said = finding_text(finding) or ""
            if not self.changed.isdisjoint(name for names in _NAMED.findall(said) for name in names):
                return True
            lines = [line for line, _ in finding.stopped.lines] if finding.stopped else []
            if any(line in self._written[name][1] for line in lines for name in self.changed & self._written.keys()):
                return True
            if exercise.id in ("by_hand", "build_topo") and said and finding.status == "failed":
                return True
        return False


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--show", choices=COLUMNS, action="append", default=["untrue"])
    parser.add_argument("exercises", nargs="*")
    options = parser.parse_args()
    course = load_course(ROOT)
    book = read_book(course.book)
    counts: Counter[tuple[str, str]] = Counter()
    exercises = [e for e in course.exercises if not options.exercises or e.id in options.exercises]
    with (
        sandbox.start(allow_imports=course.allow_imports) as warm,
        Oracle(book, None) as oracle,
        CheckSession(course, exercises) as checks,
    ):
        grader = Grader(course, book, checks, oracle, warm, course.seed)
        for exercise in exercises:
            solution = course.solution(exercise).read_text(encoding="utf-8")
            path = course.solution(exercise).with_suffix(".mistakes.yaml")
            # keep the keys as text, because YAML otherwise reads `on` as true
            listed = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader) if path.exists() else []
            on = {one["id"]: one["on"] for one in listed if "on" in one}
            sources = {one.id: one.source for one in catalogue(course, exercise)}
            of_unfinished = {one["id"] for one in listed if one.get("unfinished") == "true"}
            for kind, text, ingredients in submissions(exercise, solution, sources, options.pairs):
                source = Source(course.exercise_file(exercise), text)
                examined = examine(grader, exercise, source, facts=True)
                if not examined.failures:
                    continue
                known = book.known.get(exercise.id, KnownExercise())
                named = {one.id for one in explain(known, examined).values()}
                judge = Judge(solution, sources, text, on, of_unfinished)
                untrue = [name for name in named - ingredients if not judge.is_ingredient(name)]
                untrue += [fact_text(fact) for fact in examined.facts if not judge.is_true(fact)]
                told = named or examined.facts or judge.is_described(exercise, known, examined)
                result = "untrue" if untrue else "correct" if told else "silent"
                counts[kind, result] += 1
                if result in options.show:
                    said = untrue or [*sorted(named), *map(fact_text, examined.facts)]
                    print(f"{exercise.stem}, {kind}, {result}: {said}")
                    print("".join(f"    {line}\n" for line in difference(solution, text)), end="")
    print(f"\n| {'':<20} | {' | '.join(f'{name:>8}' for name in COLUMNS)} |\n|---|--:|--:|--:|")
    for kind in KINDS:
        print(f"| {kind:<20} | {' | '.join(f'{counts[kind, name]:>8}' for name in COLUMNS)} |")
    all_of = {name: sum(counts[kind, name] for kind in KINDS) for name in COLUMNS}
    print(f"named or described correctly: {all_of['correct'] / max(1, sum(all_of.values())):.1%}")
    return 1 if all_of["untrue"] else 0


def difference(solution: str, text: str) -> Iterator[str]:
    """Yield the lines of a file that the solution does not have, without comments."""
    base = set(ast.unparse(ast.parse(solution)).splitlines())
    for line in ast.unparse(ast.parse(text)).splitlines():
        if line not in base:
            yield line.strip()


if __name__ == "__main__":
    sys.exit(main())
