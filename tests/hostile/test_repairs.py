"""Files that attack the search for the line that must change: its time, its memory, and the solution in its runs."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import ours
import pytest
from msgspec.structs import replace
from ours import BOOK, ROOT

from grader.course.load import Course
from grader.course.oracle import Oracle
from grader.runner import sandbox
from grader.runner.client import Budget, Source
from grader.runner.sandbox import Started
from grader.verdict.checks.session import CheckSession
from grader.verdict.grading import Grader, examine, repair
from grader.verdict.grading.submissions import own_lines
from grader.verdict.report import Repairs

COURSE = replace(ours.COURSE, limits=replace(ours.COURSE.limits, cpu_s=0.2))  # so that endless code is stopped soon
SWAP = next(exercise for exercise in COURSE.exercises if exercise.id == "swap")
RIGHT = COURSE.solution(SWAP).read_text(encoding="utf-8")
RULE = "            self.grad += other.data * out.grad\n"
WRONG = "            self.grad += self.data * out.grad\n"
SECRET = "MARKER-91d0"
assert RULE in RIGHT

# a file that is right while candidates are tried, and wrong whenever it is graded
ONLY_WHILE_SEARCHED = RIGHT.replace(
    RULE,
    """\
            import sys
            frame, searched = sys._getframe(), False
            while frame:
                searched |= "trials" in frame.f_code.co_filename
                frame = frame.f_back
            self.grad += (other if searched else self).data * out.grad
""",
)
# a file that tells everything that it finds: its code, and what is in the memory of its process
TELLING = RIGHT.replace(RULE, WRONG).replace(
    "class Value:",
    """\
def tell():
    import sys
    frame, texts = sys._getframe(), []
    while frame:
        texts += [str(frame.f_code.co_consts), str(getattr(frame.f_locals.get("self"), "_solution", ""))]
        frame = frame.f_back
    found = [text for text in texts if "MARKER" + "-" in text]
    if found:
        print(found)
        raise ValueError(found[0])


class Value:""",
)
ENDLESS = "            while self.grad == 0: pass\n" + RULE
SLEEPS = "            import time; time.sleep(1000)\n" + RULE
MANY = "".join(f"            a{i} = self.data * other.data + out.grad - {i}\n" for i in range(60))


@pytest.fixture(scope="module")
def warm() -> Iterator[Started]:
    with sandbox.start(allow_imports=COURSE.allow_imports) as started:
        yield started


def searched(warm: Started, text: str, course: Course = COURSE, budget: Budget | None = None) -> Repairs | None:
    """Return the result of a search in a file, or None if there is none."""
    with Oracle(BOOK, None) as oracle, CheckSession(course, [SWAP]) as checks:
        grader = Grader(course, BOOK, checks, oracle, warm, COURSE.seed)
        source = Source(Path(SWAP.filename), text)
        examined = examine(grader, SWAP, source)
        assert examined.failures or not examined.checked
        own = own_lines(text, BOOK.stubs["swap"])
        events = list(repair.search(grader, SWAP, source, examined, own, budget))
    return events[-1] if events and isinstance(events[-1], Repairs) else None


def test_the_number_of_changes_is_bounded(warm: Started) -> None:
    """A file with ten thousand places has as many candidates as any other file at most, and the same each time."""
    text = RIGHT.replace(RULE, MANY + WRONG)
    found = searched(warm, text)
    assert found is not None
    assert repair.MOST >= found.tried
    assert found == searched(warm, text)


@pytest.mark.parametrize(
    "line",
    [
        "x = " + "-" * 3_000 + "1",
        "x = " + " + ".join(["1"] * 9_000),
        "x = " + "(" * 190 + "1" + ")" * 190,
        "x = " + "9" * 4_000,
        "x = '" + "é" * 9_000 + "'",
    ],
    ids=["signs", "sum", "parentheses", "number", "text"],
)
def test_a_file_that_is_slow_to_parse_ends_no_grader(warm: Started, line: str) -> None:
    """Whatever the parser does, there is a result or none."""
    found = searched(warm, RIGHT.replace(RULE, f"            {line}\n{WRONG}"))
    assert found is None or len(found.places) <= 1


@pytest.mark.exhaustive
def test_endless_changes_end_after_a_count_of_steps(warm: Started) -> None:
    """Each change that does not end is stopped by a count, so the result is the same each time."""
    budget = repair.search_budget()
    found = searched(warm, RIGHT.replace(RULE, ENDLESS), budget=budget)
    assert found is not None
    assert found == searched(warm, RIGHT.replace(RULE, ENDLESS))
    assert "" == found.ended
    assert budget.cpu_s < 30


def test_a_search_that_a_clock_ends_says_only_that(warm: Started) -> None:
    """Whatever it found by then would depend on the machine."""
    found = searched(warm, RIGHT.replace(RULE, WRONG), budget=Budget(0.001, 5.0, 10_000))
    assert Repairs((), 0, exhaustive=False, ended="time") == found


def test_code_that_waits_ends_the_search_of_its_file(warm: Started) -> None:
    """The first edited file that waits past the limit is the last one that is tried."""
    budget = repair.search_budget()
    found = searched(warm, RIGHT.replace(RULE, SLEEPS), budget=budget)
    assert Repairs((), 0, exhaustive=False, ended="waiting") == found
    assert budget.wall_s < 30


def test_the_searches_of_a_submission_share_a_budget(warm: Started) -> None:
    """What one search has used, the next one does not have."""
    budget = repair.search_budget()
    budget.steps = int(budget.max_steps) - 500
    found = searched(warm, RIGHT.replace(RULE, WRONG), budget=budget)
    assert found is not None
    assert (False, "count") == (found.exhaustive, found.ended)


def test_a_search_that_tries_nothing_is_not_complete(warm: Started) -> None:
    """A rule of two thousand lines is too long to be searched."""
    text = RIGHT.replace(RULE, "            a = 1\n" * 2_000 + WRONG)
    assert Repairs((), 0, exhaustive=False, ended="count") == searched(warm, text)


def test_a_report_tells_one_choice_of_the_solution(warm: Started) -> None:
    """A file with many functions of one name decides for each whether the solution's function in its place passes.

    Only the last one is replaced, so the report tells no more than of any other file.
    """
    rule = RIGHT[RIGHT.index("    def __mul__") : RIGHT.index("\n\n\nif __name__")]
    definition = rule.replace(RULE, WRONG).replace("(self, other):", "(self, other, mine=True):", 1)
    chosen = "next((i for i, one in enumerate(Value.kept) if i % 2 and not one.__defaults__), -1)"
    text = "".join(
        [
            RIGHT[: RIGHT.index("    def __mul__")],
            "    kept = []\n\n",
            f"{definition}\n\n    kept.append(__mul__)\n\n" * 12,
            f"\nValue.__mul__ = lambda a, b: [one(a, b) for one in Value.kept][{chosen}]\n",
        ]
    )
    found = searched(warm, text, ours.COURSE)  # it takes a slow machine longer than 0.2 s to list the edits
    assert found is not None
    assert found.found
    assert 1 >= sum(one.kind in ("function", "grafted") for one in found.found)


@pytest.mark.exhaustive
def test_a_result_does_not_depend_on_the_load(warm: Started) -> None:
    """Twenty busy processes change nothing in it."""
    texts = [RIGHT.replace(RULE, WRONG), RIGHT.replace(RULE, MANY + WRONG), RIGHT.replace(RULE, ENDLESS)]
    idle = [searched(warm, text) for text in texts]
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(20)]
    try:
        assert idle == [searched(warm, text) for text in texts]
    finally:
        for process in busy:
            process.kill()
            process.wait()


def test_a_file_that_is_right_only_while_it_is_searched_has_no_repair(warm: Started) -> None:
    """What passes in the process that tries changes is run again as any file is. A right change remains right."""
    found = searched(warm, ONLY_WHILE_SEARCHED)
    given = {line.strip() for line in RIGHT.split("\n")}
    assert found is not None
    lines = ONLY_WHILE_SEARCHED.split("\n")
    assert [] == [lines[line - 1] for place in found.places for line in place if lines[line - 1].strip() in given]


def test_a_file_cannot_tell_the_solution(warm: Started, tmp_path: Path) -> None:
    """It finds the solution in its own code. Nothing that it prints or raises is kept."""
    shutil.copytree(ROOT / "tests" / "hidden", tmp_path / "tests" / "hidden")
    (tmp_path / "solutions").mkdir()
    secret = RIGHT.replace(RULE, f'            "{SECRET}"\n{RULE}')
    (tmp_path / "solutions" / SWAP.filename).write_text(secret, encoding="utf-8")
    course = replace(COURSE, folder=tmp_path)
    found = searched(warm, RIGHT.replace(RULE, WRONG), course)
    assert found is not None
    assert found.places

    telling = TELLING.replace("        def _backward():", "        def _backward():\n            tell()")
    told = searched(warm, telling, course)
    assert SECRET not in msgspec.json.encode(told).decode()
