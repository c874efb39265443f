"""The hidden tests of a course. pytest collects them once, and each one is run on one engine after another.

pytest-json-report makes a report of each test that ran. `_Plugin` adds the outcome of the test's check to it, and
`read_outcome` takes it from there. An error that is not the learner's is recorded while pytest runs, and is raised when
pytest has returned, because pytest would make a failed test of it.
"""

import contextlib
import inspect
import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

# pytest has no public way to keep a session open between runs
from _pytest.config import _prepareconfig
from pytest_jsonreport import plugin as json_report

from ...base.files import UserError
from ...base.text import did_you_mean
from ...course.load import Check, Course, CourseError, Exercise
from ...course.program import Op
from ...runner.client import ask, cut_output
from .hidden_tests import mistake
from .outcome import CheckFailed, CheckOutcome, EngineShape, Finding, GraderFault
from .under_check import EngineUnderCheck

METADATA = "backward"  # the key of the grader's data in pytest-json-report's metadata
_INI = Path(__file__).resolve().parent / "pytest.ini"
_UNUSED = "cacheprovider debugging doctest faulthandler junitxml logging nose pastebin setuponly setupplan"
_UNUSED += " stepwise subtests threadexception tmpdir unittest unraisableexception monkeypatch recwarn"
_UNUSED += " skipping warnings"


class CheckSession:
    """The checks of some exercises, ready to be run. A context manager that owns pytest.

    pytest collects the hidden tests when the context is entered. Each `run` runs one of them. A fork can continue to
    use the session of its parent.

    Args:
        course: The course of the hidden tests.
        exercises: The exercises whose checks are run.
        on_demand: Whether to collect the hidden tests of an exercise only when the first of its checks is run. Then the
            first result comes sooner, but an error in the hidden tests of a later exercise is found later.

    Raises, on entering, or before the first check of an exercise is run:
        CourseError: tests and `course.yaml` do not match.
        GraderFault: pytest itself failed.
    """

    def __init__(self, course: Course, exercises: Sequence[Exercise], *, on_demand: bool = False) -> None:
        self.course = course
        self.exercises = tuple(exercises)
        self._on_demand = on_demand
        self._plugin = _Plugin(course)
        self._stack = ExitStack()

    def __enter__(self) -> "CheckSession":
        files = [self.course.hidden_test(exercise) for exercise in self.exercises]
        for exercise, file in zip(self.exercises, files, strict=True):
            if not file.is_file():
                raise CourseError(self.course.file, exercise.line, f"`{exercise.id}` has no hidden tests in {file}")
        # if collecting fails, everything that was begun is undone
        with ExitStack() as stack:
            stack.enter_context(_own_modules([file.stem for file in files]))
            self._begin(stack)
            for exercise in () if self._on_demand else self.exercises:
                self._collect(exercise)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._plugin.running = None
        self._stack.close()

    def _begin(self, stack: ExitStack) -> None:
        """Start a pytest session, as `pytest.main` does."""
        # only the options given here count, whatever settings there are
        arguments = [
            # without --confcutdir, pytest also lists the folders above
            *("-c", str(_INI), "--rootdir", str(self.course.hidden), "--confcutdir", str(self.course.hidden)),
            *("--noconftest", "--import-mode=importlib", "--assert=plain", "--capture=no", "--tb=no", "-q"),
            "--json-report-file=none",
            *("--json-report-omit", "keywords", "streams", "log", "traceback", "warnings", "collectors"),
            *(word for name in _UNUSED.split() for word in ("-p", f"no:{name}")),
            "--",
            str(self.course.hidden),
        ]
        with _own_settings(), _quiet() as printed, _as_faults(self.course.hidden, printed):
            config = _prepareconfig(arguments, [json_report, self._plugin])
            stack.callback(config._ensure_unconfigure)  # before anything is configured, so that it is always undone
            self._session = pytest.Session.from_config(config)
            self._session.exitstatus = pytest.ExitCode.OK
            config._do_configure()
            self._reporter = _Reporter(config)
            config.pluginmanager.register(self._reporter)
            config.hook.pytest_sessionstart(session=self._session)

    def _collect(self, exercise: Exercise) -> None:
        """Let pytest collect the tests of an exercise, without running them."""
        file = self.course.hidden_test(exercise)
        self._plugin.collected = exercise
        with _own_settings(), _quiet() as printed, _as_faults(file, printed):
            self._session.perform_collect([str(file)])
        # an error of the course comes before those that pytest reports
        self._plugin.raise_error()
        for failed in self._reporter.failed:
            raise GraderFault(f"the hidden tests cannot be collected: {failed.nodeid}\n{failed.longrepr}")

    def run(self, exercise: Exercise, check: Check, engine: EngineUnderCheck) -> CheckOutcome:
        """Run one check on an engine, and return its outcome.

        Raises:
            CourseError: the hidden test is wrong.
            GraderFault: the grader failed in the check.
            UserError: this machine lacks something that the check needs.
        """
        # with `on_demand`, the tests of the exercise are collected now
        if (exercise.id, check.id) not in self._plugin.items:
            self._collect(exercise)
        item = self._plugin.items[exercise.id, check.id]
        self._plugin.running = _Running(exercise, check, engine)
        started = engine.clock()
        with _quiet():
            self._reporter.begin()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            report = self._reporter.finish(self._session)
        self._plugin.raise_error()
        outcome = read_outcome(report, item.nodeid)
        return msgspec.structs.replace(outcome, duration_s=engine.clock() - started)


@contextlib.contextmanager
def _as_faults(place: Path, printed: io.StringIO) -> Iterator[None]:
    """Replace exceptions that end pytest by an error or a fault.

    Raises:
        CourseError: the hidden tests at this place are wrong.
        GraderFault: pytest could not collect them.
    """
    try:
        yield
    except SystemExit as error:  # pytest does not catch it
        raise mistake(error, place) or GraderFault(f"pytest ended: {error}") from None
    except (pytest.UsageError, pytest.Session.Interrupted, pytest.Session.Failed) as error:
        raise GraderFault(f"pytest cannot collect the hidden tests: {error}\n{printed.getvalue()}") from None


def read_outcome(report: Mapping[str, Any], test: str) -> CheckOutcome:
    """Return the outcome of a check from the JSON report on its test.

    Raises:
        GraderFault: the report has no outcome of this test, or one that contradicts pytest's outcome.
    """
    entry = next((one for one in report.get("tests", ()) if one["nodeid"] == test), None)
    data = entry.get("metadata", {}).get(METADATA) if entry else None
    if entry is None or data is None:
        raise GraderFault(f"{test} says nothing of its check (outcome: {entry and entry['outcome']})")
    try:
        outcome = msgspec.convert(data, CheckOutcome)
    except msgspec.ValidationError as error:
        raise GraderFault(f"{test}: its result is malformed: {error}") from None
    # pytest's own result of the test must be the same
    if (outcome.status == "passed") != (entry["outcome"] == "passed"):
        raise GraderFault(f"{test}: {outcome.status}, but pytest says {entry['outcome']}")
    return outcome


class _Running(msgspec.Struct, frozen=True):
    """The check that is running, and its engine."""

    exercise: Exercise
    check: Check
    engine: EngineUnderCheck


class _Plugin:
    """Bind the hidden tests of exercises to their checks, give each test its engine, and report its outcome.

    Attributes:
        collected: The exercise whose tests are being collected.
        items: The tests, by the ids of exercise and check.
    """

    def __init__(self, course: Course) -> None:
        self.course = course
        self.collected: Exercise | None = None
        self.running: _Running | None = None
        self.items: dict[tuple[str, str], pytest.Item] = {}
        self._by_file = {course.hidden_test(exercise).name: exercise for exercise in course.exercises}
        self._error: Exception | None = None  # the first error that is not the learner's

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Suppress pytest's output. Its options remain, because pytest-json-report needs them."""
        config.pluginmanager.unregister(name="terminalreporter")

    # -- collection ---------------------------------------------------------------------------

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Ignore the files of other exercises. Without this, pytest takes time for each of them at each collection."""
        wanted = self.course.hidden_test(self.collected).name if self.collected else None
        return True if collection_path.suffix == ".py" and collection_path.name != wanted else None

    def pytest_exception_interact(self, call: pytest.CallInfo[object], report: object) -> None:
        """Record why a file cannot be collected."""
        if isinstance(report, pytest.CollectReport) and call.excinfo is not None:
            error = call.excinfo.value
            cause = error.__cause__ if isinstance(error, pytest.Collector.CollectError) else None
            self._record(mistake(cause or error, self.course.hidden / Path(report.nodeid).name))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record an error if a whole file is to be skipped."""
        if isinstance(report.longrepr, tuple):
            path, line, reason = report.longrepr
            self._record(CourseError(self.course.hidden / Path(path).name, line, reason))

    def _record(self, error: Exception | None) -> None:
        """Record an error, unless there was one before."""
        self._error = self._error or error

    def raise_error(self) -> None:
        """Raise the error that was recorded, if there is one."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Bind the collected tests to the checks of their exercise. Each check must have one."""
        try:
            for item in items:
                self._bind(item)
            if self.collected is not None:
                self._require_all(self.collected)
        except CourseError as error:
            self._record(error)

    def _bind(self, item: pytest.Item) -> None:
        where = self._place(item)
        exercise = self._by_file.get(item.path.name)
        if exercise is None:
            raise CourseError(*where, "this file's name is that of no exercise in course.yaml")
        check_id = getattr(getattr(item, "function", None), "check_id", None)
        if check_id is None:
            raise CourseError(*where, f"{item.name} is bound to no check; put @check(...) above it")
        ids = [check.id for check in exercise.checks]
        if check_id not in ids:
            near = did_you_mean(check_id, ids)
            raise CourseError(*where, f"course.yaml has no check `{check_id}` in `{exercise.id}`{near}")
        # a mark such as `skip` or `xfail` changes what pytest's outcome means
        mark = next(item.iter_markers(), None)
        if mark is not None and mark.name != "parametrize":
            raise CourseError(*where, f"{item.name} has the mark `{mark.name}`; a hidden test takes none")
        if (exercise.id, check_id) in self.items:
            raise CourseError(*where, f"a second test for the check `{check_id}`")
        self.items[exercise.id, check_id] = item

    def _place(self, item: pytest.Item) -> tuple[Path, int | None]:
        """Return the file and line of a test."""
        line = item.location[1]
        return self.course.hidden / item.path.name, None if line is None else line + 1

    def _require_all(self, exercise: Exercise) -> None:
        """Raise `CourseError` if a check of the exercise has no test."""
        for check in exercise.checks:
            if (exercise.id, check.id) not in self.items:
                test = self.course.hidden_test(exercise)
                raise CourseError(self.course.file, check.line, f"no test in {test.name} is bound to `{check.id}`")

    # -- running ------------------------------------------------------------------------------

    @pytest.fixture
    def engine(self) -> EngineUnderCheck:
        """Return the learner's engine."""
        assert self.running is not None
        return self.running.engine

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool:
        """Run a test as one stage. The reports of pytest's three stages took a tenth of the grader's time."""
        hook = item.ihook
        if not item._request:  # type: ignore[attr-defined]  # the test has run before
            item._initrequest()  # type: ignore[attr-defined]

        def stages() -> None:
            hook.pytest_runtest_setup(item=item)
            try:
                hook.pytest_runtest_call(item=item)
            finally:
                hook.pytest_runtest_teardown(item=item, nextitem=None)

        try:
            call = pytest.CallInfo.from_call(stages, "call", (pytest.exit.Exception, KeyboardInterrupt))
            hook.pytest_runtest_logreport(report=hook.pytest_runtest_makereport(item=item, call=call))
        finally:
            item._request = item.funcargs = None  # type: ignore[attr-defined]
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool:
        """Run the check to its end."""
        pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters})
        if self.running is not None and _takes_engine(pyfuncitem):
            self.running.engine.finish()
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """Return pytest's report without the traceback, which is not used and costs more time than the check."""
        outcome: Literal["passed", "failed"] = "failed" if call.excinfo else "passed"
        assert call.when != "collect"
        return pytest.TestReport(
            item.nodeid,
            item.location,
            keywords={},
            outcome=outcome,
            longrepr=call.excinfo.typename if call.excinfo else None,
            when=call.when,
            duration=call.duration,
            start=call.start,
            stop=call.stop,
        )

    def pytest_json_runtest_metadata(self, item: pytest.Item, call: pytest.CallInfo[object]) -> dict[str, object]:
        """Return the grader's part of the JSON report: the outcome of the check.

        An error of the hidden test, of the grader or of this machine is no outcome. It is recorded instead, and never
        counts against the learner.
        """
        assert self.running is not None
        error = call.excinfo.value if call.excinfo else None
        compared = _takes_engine(item) and (error is not None or self.running.engine.comparisons > 0)
        # a test that compares nothing would pass with any file
        if not compared and not isinstance(error, pytest.FixtureLookupError):
            self._record(CourseError(*self._place(item), f"{item.name}: the test compared nothing"))
        elif error is None or isinstance(error, CheckFailed):
            return {METADATA: msgspec.to_builtins(self._outcome(self.running, error.finding if error else None))}
        elif call.excinfo is not None:
            self._record(self._blamed(item, call.excinfo))
        return {}

    def _outcome(self, running: _Running, finding: Finding | None) -> CheckOutcome:
        engine = running.engine
        outcome = CheckOutcome(
            running.exercise.id,
            running.check.id,
            finding.status if finding else "passed",
            # limit the output of all batches of a check together to the limit of one batch
            output=cut_output("".join(engine.output), self.course.limits.output_kb),
            finding=finding,
            shape=msgspec.convert(engine.reading, EngineShape, from_attributes=True) if engine.reading else None,
            left_out=engine.left_out,
            not_run=tuple(engine.not_run),
            replayable=finding is not None and engine.replayable,
        )
        if finding is None or engine.failing is None:
            return outcome
        # what a diagnosis needs to know about the run that failed
        program = engine.failing.program
        operations = [node for node in program.nodes if isinstance(node, Op)]
        return msgspec.structs.replace(
            outcome,
            operations=tuple(sorted(program.operations)),
            single=len(operations) == 1,
            once=len(operations) == 1 and _stores_once(operations[0], engine.failing.steps),
            wrong_value=not {*program.index, *program.names}.isdisjoint(finding.actual),
            passes=any(isinstance(step, ask.Backward | ask.Train) for step in engine.failing.steps),
            calls=engine.failing.calls,
        )

    def _blamed(self, item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException]) -> Exception:
        """Return the error to raise for an exception that is not the learner's failure.

        It is a `UserError` if this machine lacks something, a `CourseError` if the hidden test is wrong, and a
        `GraderFault` for everything else.
        """
        path, line = self._place(item)
        if isinstance(excinfo.value, UserError):
            return excinfo.value
        if isinstance(excinfo.value, pytest.FixtureLookupError):
            wanted = f"{item.name} takes `{excinfo.value.argname}`; a hidden test takes `engine` and nothing else"
            return CourseError(path, line, wanted)
        error = mistake(excinfo.value, path)
        if error is not None:
            return CourseError(error.path, error.line or line, f"{item.name} raised {error.message}")
        entries = [entry for entry in excinfo.traceback if entry.path == item.path]
        where = (entries or excinfo.traceback)[-1]
        return GraderFault(f"{item.nodeid}: {excinfo.exconly()} ({where.path}:{where.lineno + 1})")


def _stores_once(operation: Op, steps: Sequence[ask.RunStep]) -> bool:
    """Return whether the steps run the rule of a program's only operation once, and all gradients start at 0."""
    if len({*operation.inputs}) < len(operation.inputs) or ask.ANEW in steps:
        return False
    if any(isinstance(step, ask.CallFunction | ask.Train) for step in steps):
        return False
    rules = sum(isinstance(step, ask.Backward | ask.LocalRules) for step in steps)
    return rules == 1 and not any(grad for step in steps if isinstance(step, ask.Preload) for _, grad in step.grads)


def _takes_engine(item: pytest.Item) -> bool:
    return "engine" in getattr(item, "fixturenames", ())


class _Reporter(json_report.JSONReport):  # type: ignore[misc]
    """pytest-json-report's plugin. It makes a report of each run, instead of a file at the end."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        self.failed: list[pytest.CollectReport] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome != "passed":
            self.failed.append(report)

    def begin(self) -> None:
        """Drop the results of the previous run."""
        super().__init__(self._config)
        self.pytest_sessionstart(None)

    def finish(self, session: pytest.Session) -> dict[str, object]:
        """Return the report of the test that ran since `begin`."""
        self.pytest_sessionfinish(session)
        report: dict[str, object] = self.report
        return report


@contextlib.contextmanager
def _quiet() -> Iterator[io.StringIO]:
    """Capture the output of pytest and hidden tests, so that it does not appear in the grader's output."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        yield printed


@contextlib.contextmanager
def _own_settings() -> Iterator[None]:
    """Ignore the caller's pytest settings and plugins."""
    saved = dict(os.environ)
    for name in [name for name in saved if name.startswith("PYTEST_")]:
        del os.environ[name]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(saved)


@contextlib.contextmanager
def _own_modules(names: Sequence[str]) -> Iterator[None]:
    """Import the named modules of hidden tests anew, and remove the modules of hidden tests when the session ends."""
    # pytest takes a module of this name as it is, even if it belongs to a session of another course
    for name in names:
        sys.modules.pop(name, None)
    modules = set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - modules:
            if name.startswith("test_") or ".test_" in name:
                del sys.modules[name]
