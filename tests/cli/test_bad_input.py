"""Bad exercise files and courses give a message and the right exit code, without a traceback.

The other exercises are still graded.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from grader.verdict.report import Report, read_report

Grade = Callable[..., Any]
Solved = Callable[[str], str]
Edit = Callable[[str], str]
Damage = Callable[[Path], Any]


class Bad(NamedTuple):
    """A bad file: how to make it from the solution, and the expected result."""

    edit: Edit
    status: str
    shown: tuple[str, ...]
    checks: str = ""


def first(text: str) -> Edit:
    """Insert text before the solution."""
    return lambda solution: text + solution


def for_rule(text: str) -> Edit:
    """Replace the first line of `_backward`."""
    return lambda solution: solution.replace("self.grad += out.grad", text)


def for_plus(text: str) -> Edit:
    """Insert text at the beginning of `__add__`."""
    head = "def __add__(self, other):\n"
    return lambda solution: solution.replace(head, f"{head}        {text}\n")


DISTRIBUTE = {
    "empty": Bad(lambda _: "", "failed", ("the file has no class `Value`, and",), "failed"),
    "syntax error": Bad(
        lambda solution: solution + "\ndef f(:\n    pass\n",
        "failed",
        ("01_distribute.py could not be loaded", "Python cannot parse the file", "def f(:"),
        "skipped",
    ),
    "an import that does not exist": Bad(
        first("import nothing_of_this_name\nstarted = nothing_of_this_name.start()\n"),
        "failed",
        ("nothing_of_this_name.start is not available while grading", "the standard library and numpy", "line 2"),
        "skipped",
    ),
    "a call of what does not exist": Bad(
        first("import nothing_of_this_name\nnothing_of_this_name.start()\n"), "passed", ("PASS 01",), "passed"
    ),
    "an import that nobody uses": Bad(first("import nothing_of_this_name\n"), "passed", ("PASS 01",), "passed"),
    "an endless loop": Bad(
        for_plus("while True: pass"), "failed", ("TIMEOUT", "ran out of CPU time", "while True: pass"), "timeout"
    ),
    "an endless loop of calls": Bad(
        for_plus("while True: repr(self)"), "failed", ("TIMEOUT", "called its functions too often"), "timeout"
    ),
    "an endless loop at import": Bad(
        first("while True: pass\n"), "failed", ("could not be loaded", "ran out of CPU time"), "skipped"
    ),
    "recursion without end": Bad(
        for_plus("return self + other"), "failed", ("RecursionError", "return self + other"), "error"
    ),
    "10 GB in an operation": Bad(for_plus("x = bytearray(10 << 30)"), "failed", ("memory", "10 << 30"), "error"),
    "10 GB at import": Bad(
        first("x = bytearray(10 << 30)\n"), "failed", ("could not be loaded", "memory", "line 1"), "skipped"
    ),
    "sys.exit() at import": Bad(
        first("import sys\nsys.exit()\n"), "failed", ("could not be loaded", "ends the program"), "skipped"
    ),
    "sys.exit() in a rule": Bad(
        for_rule("import sys; sys.exit(0)"), "failed", ("ERROR", "ends the program"), "error"
    ),
    "os._exit(0) at import": Bad(
        first("import os\nos._exit(0)\n"), "failed", ("could not be loaded", "ended before it answered"), "skipped"
    ),
    "os._exit(0) in a rule": Bad(
        for_rule("import os; os._exit(0)"), "failed", ("CRASHED", "ended before it answered"), "crashed"
    ),
    "output by the megabyte": Bad(
        for_plus("print('x' * 100_000)"), "passed", ("PASS 01 distribute",), "passed"
    ),
    "None as a gradient": Bad(for_rule("self.grad = None"), "failed", ("yours None", "torch"), "failed"),
    "a word as a gradient": Bad(for_rule("self.grad = 'four'"), "failed", ("yours a str",), "failed"),
    "a list as a gradient": Bad(for_rule("self.grad = [out.grad]"), "failed", ("yours a list",), "failed"),
    "a truth value as a gradient": Bad(for_rule("self.grad = True"), "failed", ("yours a bool",), "failed"),
    "not a number": Bad(for_rule("self.grad = float('nan')"), "failed", ("yours nan",), "failed"),
    "an operation that returns None": Bad(for_plus("return None"), "failed", ("yours None",), "failed"),
    "an operation that returns a number": Bad(for_plus("return 1.0"), "failed", ("yours a float",), "failed"),
    "an exception": Bad(
        for_rule("raise ValueError('my own')"), "failed", ("your code raised ValueError: my own", "raise Val"), "error"
    ),
    "an exception beyond text": Bad(
        for_rule("raise ValueError('\\ud800\\x00\\x1b')"), "failed", ("your code raised ValueError: ?",), "error"
    ),
}  # fmt: skip


@pytest.fixture
def graded(grade: Grade, quick_course: Path, work: Path, solved: Solved) -> Callable[..., tuple[Any, Report]]:
    """Grade an exercise's file together with a correct one. Return the run and the report."""

    def run(exercise: str = "distribute") -> tuple[Any, Report]:
        (work / "02_swap.py").write_text(solved("02_swap.py"))
        done = grade(exercise, "swap", "--course", quick_course, "--from", work)
        return done, read_report((work / ".backward" / "report.json").read_bytes())

    return run


# each run grades every second one, and a long run grades the others
@pytest.mark.slow
@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(bad, id=name, marks=pytest.mark.exhaustive if at % 2 and bad.checks != "crashed" else ())
        for at, (name, bad) in enumerate(DISTRIBUTE.items())
    ],
)
def test_a_bad_file_is_told_and_costs_nobody_else(
    graded: Callable[..., tuple[Any, Report]], work: Path, solved: Solved, bad: Bad
) -> None:
    """Each bad file has its status and message. The other exercise has full marks."""
    (work / "01_distribute.py").write_text(bad.edit(solved("01_distribute.py")))
    done, report = graded()
    mine, other = report.exercises
    assert (0 if bad.status == "passed" else 1, "") == (done.returncode, done.stderr)
    assert bad.status == mine.status
    assert {bad.checks} == {check.status for check in mine.checks}
    for fragment in bad.shown:
        assert fragment in flat(done.stdout)
    assert ("passed", other.max_score) == (other.status, other.score)
    assert len(done.stdout) < 4000


def flat(text: str) -> str:
    """Return a text in one line, because messages may be broken anywhere."""
    return " ".join(text.split())


def make_missing(path: Path) -> None:
    path.unlink(missing_ok=True)


FILES: dict[str, tuple[str, str, Callable[[Path], Any]]] = {
    "missing": ("missing", "there is no file 01_distribute.py", make_missing),
    "a folder": ("unreadable", "01_distribute.py is not a regular file", Path.mkdir),
    "a FIFO": ("unreadable", "01_distribute.py is not a regular file", os.mkfifo),
    "a link to /dev/zero": ("unreadable", "symbolic link", lambda path: path.symlink_to("/dev/zero")),
    "not UTF-8": ("unreadable", "is not UTF-8", lambda path: path.write_bytes(b"# \xff\n")),
    "larger than 256 KB": ("unreadable", "larger than 256 KB", lambda path: path.write_text("#" * 300_000)),
}


@pytest.mark.parametrize(("status", "shown", "make"), FILES.values(), ids=FILES.keys())
def test_what_is_no_file_of_text_is_told_and_costs_nobody_else(
    graded: Callable[..., tuple[Any, Report]], work: Path, status: str, shown: str, make: Callable[[Path], Any]
) -> None:
    """Missing and unreadable files have different statuses and a reason. The other exercise has full marks."""
    make(work / "01_distribute.py")
    done, report = graded()
    mine, other = report.exercises
    assert (1, "") == (done.returncode, done.stderr)
    assert (status, 0) == (mine.status, mine.score)
    assert shown in flat(done.stdout)
    assert ("passed", other.max_score) == (other.status, other.score)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shown", "body"),
    [
        ("build_topo returned None", "return None"),
        ("build_topo returned str", "return 'a, b'"),
        ("something that is not a node of this graph", "return [root, None]"),
    ],
)
def test_build_topo_may_return_anything(
    graded: Callable[..., tuple[Any, Report]], work: Path, solved: Solved, shown: str, body: str
) -> None:
    """The message names anything that is returned instead of a list of nodes."""
    (work / "06_build_topo.py").write_text(f"{solved('06_build_topo.py')}\ndef build_topo(root):\n    {body}\n")
    done, report = graded("build_topo")
    assert (1, "") == (done.returncode, done.stderr)
    assert shown in flat(done.stdout)
    assert [("swap", "passed"), ("build_topo", "failed")] == [(e.id, e.status) for e in report.exercises]


@pytest.mark.slow
def test_output_in_the_report_is_capped(graded: Callable[..., tuple[Any, Report]], work: Path, solved: Solved) -> None:
    """A report keeps as much of megabytes of output as the course allows, and says so."""
    (work / "01_distribute.py").write_text(for_plus("print('x' * 100_000)")(solved("01_distribute.py")))
    _, report = graded()
    for check in report.exercises[0].checks:
        assert len(str(check.output)) < 300_000
        assert str(check.output).endswith("more bytes left out]\n")


# -- courses -------------------------------------------------------------------------------------------------


def without(name: str) -> Damage:
    """Remove a file or a folder of a course."""
    return lambda course: shutil.rmtree(course / name) if (course / name).is_dir() else (course / name).unlink()


def with_content(name: str, content: bytes) -> Damage:
    """Replace a file of a course."""
    return lambda course: (course / name).write_bytes(content)


def with_slip(course: Path) -> None:
    """Misspell a key in course.yaml."""
    text = (course / "course.yaml").read_text(encoding="utf-8")
    (course / "course.yaml").write_text(text.replace("{points: 2,", "{poins: 2,", 1), encoding="utf-8")


BOOK, TESTS = "tests/hidden/answers.json", "tests/hidden"
DAMAGED: list[tuple[Damage, tuple[str, ...]]] = [
    (with_slip, ("course.yaml:", "unknown key `poins`")),
    *(
        (with_content("course.yaml", content), ("course.yaml",))
        for content in (b"", b"\xff\xfe", b"just words", b"a: &a [*a]\n", b"[" * 5000)
    ),
    (with_content("course.yaml", b"name: Biology\nunits: [cells, genes]\n"), ("course.yaml:1",)),
    (without(TESTS), (TESTS,)),
    (without(f"{TESTS}/test_01_distribute.py"), ("course.yaml:", "`distribute` has no hidden tests in")),
    (without(BOOK), ("there is no answer book; `grade build` writes it",)),
    (with_content(BOOK, b"[" * 5000), ("answers.json", "`grade build` writes it anew")),
    (
        with_content(BOOK, b'{"format": 99, "torch": "", "stubs": {}, "answers": {}}'),
        ("answers.json", "`grade build` writes it anew"),
    ),
]


@pytest.mark.parametrize(("damage", "expected"), DAMAGED)
def test_a_damaged_course_is_told(grade: Grade, own_course: Path, damage: Damage, expected: tuple[str, ...]) -> None:
    """The error names the file of the course, and the line or the remedy. Nothing is graded, also in a folder below."""
    damage(own_course)
    below = own_course / "deep" / "down"
    below.mkdir(parents=True)
    done = grade("distribute", cwd=below)
    assert (2, "") == (done.returncode, done.stdout)
    assert [] == [part for part in expected if part not in done.stderr], done.stderr
