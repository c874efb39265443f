"""Files that attack the search for the line that must change: its time, its memory, and the solution in its runs."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import ours
import pytest
from msgspec.structs import replace
from ours import BOOK, ROOT

from grader import sandbox
from grader.checks.session import CheckSession
from grader.client import Budget, Source
from grader.course import Course
from grader.grading import Grader, examine, repair
from grader.grading.submissions import own_lines
from grader.oracle import Oracle
from grader.report import Repairs
from grader.sandbox import Warm

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
MANY = "".join(f"            a{i} = self.data * other.data + out.grad - {i}\n" for i in range(60))


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    with sandbox.start(allow_imports=COURSE.allow_imports) as started:
        yield started


def searched(warm: Warm, text: str, course: Course = COURSE, budget: Budget | None = None) -> Repairs | None:
    """Return the result of a search in a file, or None if there is none."""
    with Oracle(BOOK, None) as oracle, CheckSession(course, [SWAP]) as checks:
        grader = Grader(course, BOOK, checks, oracle, warm, COURSE.seed)
        source = Source(Path(SWAP.filename), text)
        examined = examine(grader, SWAP, source)
        assert examined.failures or not examined.checked
        own = own_lines(text, BOOK.stubs["swap"])
        events = list(repair.search(grader, SWAP, source, examined, own, budget))
    return events[-1] if events and isinstance(events[-1], Repairs) else None


def test_the_number_of_changes_is_bounded(warm: Warm) -> None:
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
def test_a_file_that_is_slow_to_parse_ends_no_grader(warm: Warm, line: str) -> None:
    """Whatever the parser does, there is a result or none."""
    found = searched(warm, RIGHT.replace(RULE, f"            {line}\n{WRONG}"))
    assert found is None or len(found.places) <= 1


def test_endless_changes_use_up_the_time_of_the_search(warm: Warm) -> None:
    """Each change that does not end is stopped. If they take too long, there is no result."""
    assert searched(warm, RIGHT.replace(RULE, ENDLESS), budget=Budget(1.0, 5.0)) is None


def test_a_file_that_is_right_only_while_it_is_searched_has_no_repair(warm: Warm) -> None:
    """What passes in the process that tries changes is run again as any file is. A right change remains right."""
    found = searched(warm, ONLY_WHILE_SEARCHED)
    given = {line.strip() for line in RIGHT.split("\n")}
    assert found is not None
    lines = ONLY_WHILE_SEARCHED.split("\n")
    assert [] == [lines[line - 1] for place in found.places for line in place if lines[line - 1].strip() in given]


def test_a_file_cannot_tell_the_solution(warm: Warm, tmp_path: Path) -> None:
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
