"""The pytest plugin that binds hidden tests to checks, and puts the outcome of each check into the JSON report."""

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from msgspec import Struct

from ..base import UserError, did_you_mean
from ..client import cut_output
from ..course import Check, Course, CourseError, Exercise
from ..program import Op
from .finding import CheckFailed
from .mistake import mistake
from .outcome import METADATA, CheckOutcome
from .under_check import EngineUnderCheck

EngineFor = Callable[[Check], EngineUnderCheck]
OnOutcome = Callable[[CheckOutcome], None]
INI = Path(__file__).resolve().parent / "pytest.ini"


class _Bound(Struct, frozen=True):
    exercise: Exercise
    check: Check

    @property
    def ids(self) -> tuple[str, str]:
        return self.exercise.id, self.check.id


class _Running(Struct):
    """The check that is running: its engine, and the time when it began."""

    engine: EngineUnderCheck
    started: float


class ChecksPlugin:
    """Bind the hidden tests of exercises to their checks, and give each test its engine.

    Attributes:
        course_error: The error in the course, or None. After an error nothing can be run.
        user_error: The reason why this machine cannot run a check, or None.
        engine_for: Makes the engine of a check.
        on_outcome: Called with the outcome of each check as soon as it is known.
    """

    def __init__(self, course: Course, exercises: Sequence[Exercise]) -> None:
        self.course = course
        self.exercises = exercises
        self.course_error: CourseError | None = None
        self.user_error: UserError | None = None
        self.engine_for: EngineFor | None = None
        self.on_outcome: OnOutcome | None = None
        self._by_file = {course.hidden_test(exercise).name: exercise for exercise in course.exercises}
        self._bound: dict[str, _Bound] = {}
        self._items: list[pytest.Item] = []
        self._running: _Running | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Suppress pytest's output. Its options remain, because pytest-json-report needs them."""
        config.pluginmanager.unregister(name="terminalreporter")

    def items(self, exercise: Exercise) -> list[pytest.Item]:
        """Return the tests of an exercise, in the order of its checks."""
        return [item for item in self._items if self._bound[item.nodeid].exercise.id == exercise.id]

    def forget(self) -> None:
        """Drop all references to engines."""
        self.engine_for = self.on_outcome = self._running = None

    # -- collection ---------------------------------------------------------------------------

    def pytest_exception_interact(self, call: pytest.CallInfo[Any], report: object) -> None:
        """Record why a file cannot be collected."""
        if isinstance(report, pytest.CollectReport) and call.excinfo is not None:
            error = call.excinfo.value
            cause = error.__cause__ if isinstance(error, pytest.Collector.CollectError) else None
            self._found(mistake(cause or error, self.course.hidden / Path(report.nodeid).name))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record an error if a whole file is to be skipped."""
        if isinstance(report.longrepr, tuple):
            path, line, reason = report.longrepr
            self._found(CourseError(self.course.hidden / Path(path).name, line, reason))

    def _found(self, error: CourseError | None) -> None:
        """Record an error in the course, unless there was one before."""
        self.course_error = self.course_error or error

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        try:
            for item in items:
                self._bound[item.nodeid] = self._bind(item)
            self._require_all()
        except CourseError as error:
            self._found(error)
        if self.course_error is not None:
            items[:] = []
            return
        order = {(e.id, check.id): i for e in self.course.exercises for i, check in enumerate(e.checks)}
        self._items = sorted(items, key=lambda item: (item.path.name, order[self._bound[item.nodeid].ids]))

    def _bind(self, item: pytest.Item) -> _Bound:
        where = self._place(item)
        exercise = self._by_file.get(item.path.name)
        if exercise is None:
            raise CourseError(*where, "this file's name is that of no exercise in course.yaml")
        check_id = getattr(getattr(item, "function", None), "check_id", None)
        if check_id is None:
            raise CourseError(*where, f"{item.name} is bound to no check; put @check(...) above it")
        check = next((check for check in exercise.checks if check.id == check_id), None)
        if check is None:
            near = did_you_mean(check_id, [check.id for check in exercise.checks])
            raise CourseError(*where, f"course.yaml has no check `{check_id}` in `{exercise.id}`{near}")
        mark = next(item.iter_markers(), None)
        if mark is not None and mark.name != "parametrize":
            raise CourseError(*where, f"{item.name} has the mark `{mark.name}`; a hidden test takes none")
        if any(bound == _Bound(exercise, check) for bound in self._bound.values()):
            raise CourseError(*where, f"a second test for the check `{check_id}`")
        return _Bound(exercise, check)

    def _place(self, item: pytest.Item) -> tuple[Path, int | None]:
        """Return the file and line of a test."""
        line = item.location[1]
        return self.course.hidden / item.path.name, None if line is None else line + 1

    def _require_all(self) -> None:
        tested = {bound.ids for bound in self._bound.values()}
        for exercise in self.exercises:
            test = self.course.hidden_test(exercise)
            for check in exercise.checks:
                if (exercise.id, check.id) not in tested:
                    raise CourseError(self.course.file, check.line, f"no test in {test.name} is bound to `{check.id}`")

    # -- running ------------------------------------------------------------------------------

    @pytest.fixture
    def engine(self, request: pytest.FixtureRequest) -> EngineUnderCheck:
        """Return the learner's engine for the check that is running."""
        assert self.engine_for is not None
        engine = self.engine_for(self._bound[request.node.nodeid].check)
        self._running = _Running(engine, engine.clock())
        return engine

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool:
        """Run the check. If it fails in a process that has run other checks, run it again in a fresh process.

        In that case only the second result counts.
        """
        arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
        try:
            self._run(pyfuncitem.obj, arguments)
        except CheckFailed:
            if self._running is None or not self._running.engine.begin_apart():
                raise
            self._run(pyfuncitem.obj, arguments)
        return True

    def _run(self, test: Callable[..., None], arguments: dict[str, Any]) -> None:
        test(**arguments)
        if self._running is not None:
            self._running.engine.finish()

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

    def pytest_json_runtest_metadata(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> dict[str, Any]:
        """Return the grader's part of the JSON report: the check, and its outcome.

        `mistake` is an error of the hidden test, and `fault` one of the grader. Neither counts against the learner.
        """
        if call.when != "call":
            return {METADATA: self._blamed(item, call.excinfo)} if call.excinfo else {}
        bound, running, self._running = self._bound[item.nodeid], self._running, None
        result: dict[str, Any] = {"exercise": bound.exercise.id, "check": bound.check.id, "status": "passed"}
        if running is None or (call.excinfo is None and not running.engine.comparisons):
            path, line = self._place(item)
            result["mistake"] = {"path": str(path), "line": line, "message": f"{item.name}: the test compared nothing"}
        elif call.excinfo is not None and isinstance(call.excinfo.value, CheckFailed):
            finding = call.excinfo.value.finding
            result |= {"status": finding.status, "finding": msgspec.to_builtins(finding)}
        elif call.excinfo is not None and isinstance(call.excinfo.value, UserError):
            self.user_error = call.excinfo.value
        elif call.excinfo is not None:
            result |= self._blamed(item, call.excinfo)
        if running is not None:
            # limit the output of all batches of a check together to the limit of one batch
            result["output"] = cut_output("".join(running.engine.output), self.course.limits.output_kb)
            result["duration_s"] = running.engine.clock() - running.started
            result["left_out"] = running.engine.left_out
            result["not_run"] = running.engine.not_run
            result["replayable"] = call.excinfo is not None and running.engine.replayable
            if "finding" in result and (failing := running.engine.failing) is not None:
                wrong = result["finding"].get("actual", {})
                result["operations"] = sorted(failing.program.operations)
                result["single"] = sum(isinstance(node, Op) for node in failing.program.nodes) == 1
                result["wrong_value"] = any(name in failing.program.index for name in wrong)
                result["passes"] = any(step[0] in ("backward", "train") for step in failing.steps)
            if running.engine.reading is not None:
                result["shape"] = msgspec.structs.asdict(running.engine.reading)
        if self.on_outcome is not None and not result.keys() & {"mistake", "fault"} and self.user_error is None:
            self.on_outcome(msgspec.convert(result, CheckOutcome))
        return {METADATA: result}

    def _blamed(self, item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException]) -> dict[str, Any]:
        """Return who is to blame for an exception that is not the learner's failure."""
        path, line = self._place(item)
        if isinstance(excinfo.value, pytest.FixtureLookupError):
            wanted = f"{item.name} takes `{excinfo.value.argname}`; a hidden test takes `engine` and nothing else"
            return {"mistake": {"path": str(path), "line": line, "message": wanted}}
        found = mistake(excinfo.value, path)
        if found is None:
            entries = [entry for entry in excinfo.traceback if entry.path == item.path]
            where = (entries or excinfo.traceback)[-1]
            return {"fault": f"{excinfo.exconly()} ({where.path}:{where.lineno + 1})"}
        message = f"{item.name} raised {found.message}"
        return {"mistake": {"path": str(found.path), "line": found.line or line, "message": message}}
