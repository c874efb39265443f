"""Hidden tests bound to checks.

A mismatch or a mistake of a test is an error of the course, with its line. A failure in the grader is the grader's
fault.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from answering import all_zeroed, engine_that, honest
from every import every

from grader.checks import EngineUnderCheck
from grader.course.load import Course, CourseError, load_course
from grader.runner.client import Batch
from grader.verdict.checks.outcome import CheckOutcome, GraderFault
from grader.verdict.checks.session import METADATA, CheckSession, read_outcome

Mini = Callable[..., Course]
Outcomes = Mapping[str, CheckOutcome]

PASS = ["passed", "passed"]
HEAD = "from grader.checks import check\n"


def run(course: Course, says: Callable[[Batch], Any] = honest) -> Outcomes:
    """Run the hidden tests of a course's only exercise against an engine, by default a correct one."""
    with CheckSession(course, course.exercises) as session:
        return outcomes(session, lambda: engine_that(says))


def outcomes(session: CheckSession, engine: Callable[[], EngineUnderCheck]) -> Outcomes:
    """Run all checks of the only exercise, each on an engine of its own."""
    (exercise,) = session.exercises
    return {check.id: session.run(exercise, check, engine()) for check in exercise.checks}


def statuses(found: Outcomes) -> list[str]:
    return [outcome.status for outcome in found.values()]


def course_error(course: Course) -> CourseError:
    with pytest.raises(CourseError) as error:
        run(course)
    return error.value


def line_of(course: Course, text: str) -> int:
    """Return the line of course.yaml that contains a text."""
    lines = course.file.read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


# -- what goes right -----------------------------------------------------------------------------------


def test_tests_are_collected_on_demand(mini: Mini) -> None:
    """The tests of an exercise are read when the first of its checks is run, and a mistake in them is found then."""
    course = mini()
    (exercise,) = course.exercises
    test = course.hidden_test(exercise)
    right = test.read_text(encoding="utf-8")
    test.write_text("import nothing_of_this_name\n", encoding="utf-8")
    with CheckSession(course, course.exercises, on_demand=True) as session:
        test.write_text(right, encoding="utf-8")
        assert PASS == statuses(outcomes(session, lambda: engine_that(honest)))
    test.write_text("import nothing_of_this_name\n", encoding="utf-8")
    with CheckSession(course, course.exercises, on_demand=True) as session, pytest.raises(CourseError) as error:
        outcomes(session, lambda: engine_that(honest))
    assert (test, 1) == (error.value.path, error.value.line)


def test_a_right_engine_passes_every_check(mini: Mini) -> None:
    """Each check runs its own test, whatever the order of the tests in their file."""
    tests = f"""{HEAD}
@check("shared")
def test_a(engine): engine.agrees("L = a + a", a=1)
@check("both")
def test_b(engine): engine.agrees("L = a + b", a=1, b=2)
"""
    found = run(mini(tests))
    assert [("plus", "both", "passed"), ("plus", "shared", "passed")] == [
        (outcome.exercise, outcome.check, outcome.status) for outcome in found.values()
    ]


def test_a_wrong_engine_fails_with_a_finding(mini: Mini) -> None:
    """The finding of a comparison reaches the outcome through pytest's report."""
    found = run(mini(), all_zeroed)["both"]
    assert "failed" == found.status
    assert found.finding is not None
    assert {"a": 1.0, "b": 2.0, "L": 3.0} == found.finding.expected
    assert found.shape is not None
    assert ("Value", "data") == (found.shape.cls, found.shape.data)


def test_no_folder_above_the_hidden_tests_is_listed(mini: Mini, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders above the hidden tests are not listed, because a home folder may have ten thousand files."""
    course = mini()
    listed: list[str] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: listed.append(str(path)) or scandir(path))
    with CheckSession(course, course.exercises):
        assert {str(course.hidden)} == set(listed)


def test_a_session_runs_its_checks_again(mini: Mini) -> None:
    """The tests are collected once. Every run of them is like the first, whatever happened before."""

    def dead(batch: Any) -> Any:
        raise AssertionError("asked")

    course = mini()
    with CheckSession(course, course.exercises) as session:
        for _ in range(3):
            with pytest.raises(GraderFault, match="asked"):
                outcomes(session, lambda: engine_that(dead))
            assert PASS == statuses(outcomes(session, engine_that))


def test_a_session_within_another_has_its_own_tests(mini: Mini) -> None:
    """A session reads its hidden tests, even if another session has loaded a file of the same name."""
    course = mini()
    file = course.hidden / "test_01_plus.py"
    with CheckSession(course, course.exercises) as outer:
        file.write_text(file.read_text() + "\n\n@check('unknown')\ndef test_more(engine): ...\n")
        with pytest.raises(CourseError, match="unknown"):
            run(course)
        assert PASS == statuses(outcomes(outer, lambda: engine_that(honest)))


# -- the JSON report ---------------------------------------------------------------------------------------

PASSED = {"exercise": "plus", "check": "both", "status": "passed"}
FAILED = PASSED | {"status": "failed", "finding": {"status": "failed"}}


@every(
    "reported",
    [
        None,
        {"nodeid": "another", "outcome": "passed", "metadata": {METADATA: PASSED}},
        {"outcome": "failed", "metadata": {METADATA: PASSED}},
        {"outcome": "error", "metadata": {METADATA: PASSED}},
        {"outcome": "skipped", "metadata": {METADATA: PASSED}},
        {"outcome": "passed", "metadata": {METADATA: FAILED}},
        {"outcome": "failed", "metadata": {METADATA: FAILED | {"status": "odd"}}},
        {"outcome": "failed", "metadata": {METADATA: FAILED | {"status": "skipped"}}},
        {"outcome": "passed", "metadata": {METADATA: {"exercise": "plus", "check": "both"}}},
        {"outcome": "passed", "metadata": {}},
        {"outcome": "passed"},
    ],
)
def test_a_report_that_does_not_add_up_is_the_graders_fault(reported: dict[str, Any] | None) -> None:
    """A check without an outcome, or with one that contradicts pytest's, has no result."""
    tests = [] if reported is None else [{"nodeid": "test", **reported}]
    with pytest.raises(GraderFault):
        read_outcome({"tests": tests}, "test")


# -- what is wrong with a course -------------------------------------------------------------------------


A = '@check("both")\ndef test_a(engine): pass\n'
B = "def test_b(engine): pass\n"
TWICE = f'import pytest\n{HEAD}@check("both")\n@pytest.mark.parametrize("x", "12")\ndef test_a(engine, x): pass\n'


@pytest.mark.parametrize(
    ("expected", "line", "tests"),
    [
        ("test_b is bound to no check", 5, f"{HEAD}{A}\n{B}"),
        ("course.yaml has no check `boht` in `plus`", 2, HEAD + A.replace("both", "boht")),
        ("a second test for the check `both`", 4, f'{HEAD}{A}@check("both")\n{B}'),
        ("a second test for the check `both`", 3, TWICE),
        ("no test in test_01_plus.py is bound to `shared`", "shared:", HEAD + A),
        ("no test in test_01_plus.py is bound to `both`", "both:", "# soon\n"),
        ("`plus` has no hidden tests in", "id: plus", None),
    ],
    ids=["no check", "unknown check", "two tests", "parametrised", "no test", "an empty file", "no file"],
)
def test_tests_that_do_not_match_are_an_error_at_its_line(
    mini: Mini, expected: str, line: int | str, tests: str | None
) -> None:
    """Each test belongs to exactly one check of its file's exercise. Otherwise nothing runs, and a line is named."""
    course = mini(tests or "")
    test = course.hidden_test(course.exercises[0])
    if tests is None:
        test.unlink()
    with pytest.raises(CourseError) as error, CheckSession(course, course.exercises):
        pass
    assert expected in error.value.message
    if isinstance(line, str):
        assert (course.file, line_of(course, line)) == (error.value.path, error.value.line)
    else:
        assert test == error.value.path
        assert line == error.value.line


# -- what a hidden test does wrong -------------------------------------------------------------------------

BOTH = '@check("both")\ndef test_a(engine): engine.agrees("L = a + b", a=1, b=2)\n'
GOOD = '@check("shared")\ndef test_z(engine): engine.agrees("L = a + a", a=1)\n'


@pytest.mark.parametrize(
    ("line", "expected", "test"),
    [
        (2, "test_a: the test compared nothing", "def test_a(engine): pass"),
        (2, "test_a: the test compared nothing", "def test_a(): pass"),
        (3, "ZeroDivisionError", "def test_a(engine): engine.agrees('L = a + a', a=1); 1 / 0"),
        (4, "ZeroDivisionError", "def test_a(engine):\n    1 / 0"),
        (3, "AssertionError", "def test_a(engine): engine.agrees('L = a + a', a=1); assert False"),
        (3, "ProgramError: 'L = a +': not an expression", "def test_a(engine): engine.agrees('L = a +', a=1)"),
        (
            4,
            "`a.tahn()` is not supported in programs; did you mean `tanh`?; use -x, +, -, *, /, ** with two operands",
            "def test_a(engine):\n    engine.agrees('L = a.tahn()', a=1)",
        ),
        (
            3,
            "unknown operation: mull; did you mean `mul`?; the operations are add, sub, mul, div, pow, neg, relu",
            "def test_a(engine): engine.agrees(*engine.fresh(3, ops=('mull',)))",
        ),
        (3, "sizes must be between 1 and 22", "def test_a(engine): engine.agrees(*engine.fresh(3, sizes=(0, 4)))"),
        (3, "no attribute 'agress'; did you mean `agrees`?", "def test_a(engine): engine.agress('L = a + a', a=1)"),
        (
            3,
            "ProgramError: 'L = a + a': inr has a value but is not used",
            "def test_a(engine): engine.agrees('L = a + a', a=1, inr=True)",
        ),
        (5, "Skipped", "def test_a(engine):\n    import pytest\n    pytest.skip('no')"),
        (5, "Failed", "def test_a(engine):\n    import pytest\n    pytest.fail('no')"),
        (3, "SystemExit", "def test_a(engine): raise SystemExit(0)"),
        (2, "test_a takes `tmp_path`; a hidden test takes `engine`", "def test_a(engine, tmp_path): pass"),
        (2, "test_a takes `engin`; a hidden test takes `engine` and nothing else", "def test_a(engin): pass"),
    ],
)
def test_whatever_else_a_test_raises_is_its_own_mistake(mini: Mini, line: int, expected: str, test: str) -> None:
    """Only CheckFailed is a learner's failure. With any other exception there is no score, and the test is named."""
    course = mini(f'{HEAD}@check("both")\n{test}\n{GOOD}')
    error = course_error(course)
    assert (course.hidden_test(course.exercises[0]), line) == (error.path, error.line)
    assert expected in error.message
    assert "test_a" in error.message


def test_what_the_kit_itself_raises_is_the_graders_fault(mini: Mini) -> None:
    """If the grader fails inside a check, the test is not blamed, but its line is named."""

    def broken(batch: Batch) -> Any:
        raise ZeroDivisionError("in the grader")

    course = mini(HEAD + BOTH + GOOD)
    test = course.hidden_test(course.exercises[0])
    with pytest.raises(GraderFault, match="ZeroDivisionError: in the grader") as caught:
        run(course, broken)
    assert f"({test}:3)" in str(caught.value)


@pytest.mark.parametrize("mark", ["xfail", "skip", "skipif(True, reason='no')", "xfail(run=False)"])
@pytest.mark.parametrize("place", ["@pytest.mark.{}\n", "pytestmark = pytest.mark.{}\n"])
def test_no_mark_can_make_a_result_disappear(mini: Mini, mark: str, place: str) -> None:
    """A test that is marked to be skipped or to fail gives no score for a passing engine."""
    error = course_error(mini(f"import pytest\n{HEAD}{place.format(mark)}{BOTH}{GOOD}"))
    assert f"test_a has the mark `{mark.partition('(')[0]}`; a hidden test takes none" == error.message


@pytest.mark.parametrize(
    ("line", "expected", "tests"),
    [
        (1, "ModuleNotFoundError: No module named 'nothing_of_this_name'", "import nothing_of_this_name\n"),
        (
            2,
            "; it offers CheckFailed, EngineUnderCheck, GivenPass, check, program",
            "\nfrom grader.checks import chekc\n",
        ),
        (2, "SyntaxError: invalid syntax", "\ndef test_a(:\n"),
        (3, "IndentationError: unindent does not match", "if 1:\n   a = 1\n  b = 2\n"),
        (1, "ZeroDivisionError: division by zero", "1 / 0\n"),
        (2, "NameError: name 'check' is not defined", "\n@check('both')\ndef test_a(engine): pass\n"),
        (1, "SystemExit: 0", "raise SystemExit(0)\n"),
        (2, "Skipped: all of it", "import pytest\npytest.skip('all of it', allow_module_level=True)\n"),
        (2, "'slwo' not found in `markers`", "import pytest\n@pytest.mark.slwo\ndef test_a(engine): pass\n"),
    ],
)
def test_a_file_that_cannot_be_imported_is_told_by_its_line(mini: Mini, line: int, expected: str, tests: str) -> None:
    """A hidden test file that cannot be imported gives no score. The error names the file, the line and the reason."""
    course = mini(tests + GOOD.replace("@check", "# ").replace("test_z", "tset_z"))
    error = course_error(course)
    assert (course.hidden_test(course.exercises[0]), line) == (error.path, error.line)
    assert expected in error.message


def test_an_interrupt_is_no_fault(mini: Mini) -> None:
    """Ctrl-C during a check is raised as KeyboardInterrupt."""

    def interrupt(batch: Batch) -> Any:
        raise KeyboardInterrupt

    course = mini()
    with pytest.raises(KeyboardInterrupt):
        run(course, interrupt)


# -- what must not matter ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PYTEST_ADDOPTS", "--collect-only"),
        ("PYTEST_ADDOPTS", "-k nothing"),
        ("PYTEST_ADDOPTS", "--no-such-option"),
        ("PYTEST_PLUGINS", "no_such_plugin"),
        ("PYTEST_PLUGINS", "conftest_of_somebody"),
        ("PYTEST_THEME", "no_such_theme"),
        ("PYTEST_DEBUG", "1"),
    ],
)
def test_the_callers_pytest_settings_do_not_matter(
    mini: Mini, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """Environment variables for pytest change no verdict, and are restored afterwards."""
    monkeypatch.setenv(name, value)
    assert PASS == statuses(run(mini()))
    assert value == os.environ[name]
    assert "PYTEST_DISABLE_PLUGIN_AUTOLOAD" not in os.environ


@pytest.mark.parametrize("place", ["", "tests", "tests/hidden"])
def test_files_around_the_hidden_tests_do_not_matter(mini: Mini, place: str) -> None:
    """No conftest, settings of pytest or other test files in the course's folders are read."""
    course = mini()
    for name, content in {
        "conftest.py": "raise RuntimeError('conftest')\n",
        "pytest.ini": "[pytest]\naddopts = --no-such-option\n",
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--collect-only'\n",
        "tox.ini": "[pytest]\npython_functions = nothing\n",
        "setup.cfg": "[tool:pytest]\naddopts = -k nothing\n",
        "test_99_other.py": "raise RuntimeError('not mine')\n",
    }.items():
        file = course.folder / place / name
        file.write_text(content)
        assert PASS == statuses(run(course)), name
        file.unlink()


def test_the_current_folder_does_not_matter(mini: Mini, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tests in the current folder do not change the result."""
    course = mini()
    for name in ("conftest.py", "test_01_plus.py", "pytest.ini", "grader.py"):
        (tmp_path / "exercises" / name).write_text("raise RuntimeError\n")  # no valid settings either
    monkeypatch.chdir(tmp_path / "exercises")
    assert PASS == statuses(run(course))


def test_two_runs_in_one_process_do_not_meet(mini: Mini) -> None:
    """The modules of the hidden tests are removed after a run, so a changed test changes the verdict."""
    course = mini()
    assert PASS == statuses(run(course))
    course.hidden_test(course.exercises[0]).write_text(f"{HEAD}@check('both')\ndef test_a(engine): 1 / 0\n{GOOD}")
    assert "ZeroDivisionError" in course_error(load_course(course.folder)).message


def test_nothing_is_printed_and_nothing_written(mini: Mini, capfd: pytest.CaptureFixture[str]) -> None:
    """pytest's own output is not shown, and no cache or report file is left in the course."""
    course = mini()
    run(course)
    assert tuple(capfd.readouterr()) == ("", "")
    left = {str(path.relative_to(course.folder)) for path in course.folder.rglob("*") if path.is_file()}
    caches = {name for name in left if "__pycache__" in name}
    assert {"course.yaml", "exercises/01_plus.py", "tests/hidden/test_01_plus.py"} == left - caches
