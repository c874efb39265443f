"""The pytest plugin that binds hidden tests to checks and says in the JSON report what became of each."""

import contextlib
import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from ..course import Check, Course, CourseError, Exercise
from .finding import CheckFailed
from .under_check import EngineUnderCheck

METADATA = "backward"  # the key of our part in pytest-json-report's metadata

EngineFor = Callable[[Exercise, Check], EngineUnderCheck]
Load = Callable[[Exercise], EngineFor | None]
Obtain = Callable[[], Load]


@dataclass(frozen=True)
class _Bound:
    exercise: Exercise
    check: Check

    @property
    def ids(self) -> tuple[str, str]:
        return self.exercise.id, self.check.id


class ChecksPlugin:
    """Collects the hidden tests of a course, then runs them, exercise by exercise: before the first one of each it
    loads the engine, and passes over those without one.

    `course_error` holds what was wrong with the course, if anything, `fault` what `obtain` or loading raised; nothing
    more is run then.
    """

    def __init__(
        self,
        course: Course,
        exercises: Sequence[Exercise],
        obtain: Obtain,
        on_check: Callable[[Exercise, Check], None],
    ) -> None:
        self.course = course
        self.exercises = exercises
        self.obtain = obtain
        self.load: Load = lambda exercise: None
        self.on_check = on_check
        self.course_error: CourseError | None = None
        self.fault: Exception | None = None
        self._by_file = {course.hidden_test(exercise).name: exercise for exercise in course.exercises}
        self._bound: dict[str, _Bound] = {}
        self._loaded: tuple[str | None, EngineFor | None] = (None, None)  # the exercise at hand, and its engine
        self._engines: dict[str, EngineUnderCheck] = {}
        self._started: dict[str, float] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Nobody reads what pytest would print; its options stay, for pytest-json-report asks for them."""
        config.pluginmanager.unregister(name="terminalreporter")

    # -- collection ---------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        try:
            for item in items:
                self._bound[item.nodeid] = self._bind(item)
            self._require_all()
        except CourseError as error:
            self.course_error = error
            items[:] = []
            return
        order = {(e.id, check.id): i for e in self.course.exercises for i, check in enumerate(e.checks)}
        items.sort(key=lambda item: (item.path.name, order[self._bound[item.nodeid].ids]))

    def _bind(self, item: pytest.Item) -> _Bound:
        line = item.location[1]
        where = (item.path, None if line is None else line + 1)
        exercise = self._by_file.get(item.path.name)
        if exercise is None:
            raise CourseError(*where, "this file's name is that of no exercise in course.yaml")
        check_id = getattr(getattr(item, "function", None), "check_id", None)
        if check_id is None:
            raise CourseError(*where, f"{item.name} is bound to no check; put @check(...) above it")
        check = next((check for check in exercise.checks if check.id == check_id), None)
        if check is None:
            raise CourseError(*where, f"course.yaml has no check `{check_id}` in `{exercise.id}`")
        if any(bound == _Bound(exercise, check) for bound in self._bound.values()):
            raise CourseError(*where, f"a second test for the check `{check_id}`")
        return _Bound(exercise, check)

    def _require_all(self) -> None:
        tested = {bound.ids for bound in self._bound.values()}
        for exercise in self.exercises:
            test = self.course.hidden_test(exercise)
            for check in exercise.checks:
                if (exercise.id, check.id) not in tested:
                    raise CourseError(self.course.file, check.line, f"no test in {test.name} is bound to `{check.id}`")

    # -- running ------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        if session.testsfailed or self.course_error is not None:
            return
        with self._faults_kept(session):
            self.load = self.obtain()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """True, which leaves the test out, where its exercise has no engine."""
        exercise = self._bound[item.nodeid].exercise
        if exercise.id != self._loaded[0]:
            with self._faults_kept(item.session):
                self._loaded = exercise.id, self.load(exercise)
        return None if self._loaded[1] and self.fault is None else True

    @contextlib.contextmanager
    def _faults_kept(self, session: pytest.Session) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # pytest would print it and go on to report
            self.fault = error
            session.items[:] = []

    @pytest.fixture
    def engine(self, request: pytest.FixtureRequest) -> EngineUnderCheck:
        """The learner's engine, as the check at hand may ask it."""
        nodeid = request.node.nodeid
        bound = self._bound[nodeid]
        self.on_check(bound.exercise, bound.check)
        self._started[nodeid] = time.perf_counter()
        engine_for = self._loaded[1]
        assert engine_for is not None
        self._engines[nodeid] = engine_for(bound.exercise, bound.check)
        return self._engines[nodeid]

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool:
        """Run the check; where it does not pass in a process that has run other checks, run it again in a fresh one.

        Only the second result counts then.
        """
        arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
        try:
            pyfuncitem.obj(**arguments)
        except CheckFailed:
            if not self._engines[pyfuncitem.nodeid].begin_alone():
                raise
            pyfuncitem.obj(**arguments)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """pytest's own without the traceback, which nobody reads and which costs more than the check."""
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
        """Our part of the JSON report: which check, and what became of it. `fault` means: not the learner's doing."""
        if call.when != "call":
            return {METADATA: {"fault": f"{call.when}: {call.excinfo.exconly()}"}} if call.excinfo else {}
        bound, engine = self._bound[item.nodeid], self._engines.get(item.nodeid)
        result: dict[str, Any] = {"exercise": bound.exercise.id, "check": bound.check.id}
        if engine is None or (call.excinfo is None and not engine.comparisons):
            result["fault"] = "the test compared nothing"
        elif call.excinfo is None:
            result["status"] = "passed"
        elif isinstance(call.excinfo.value, CheckFailed):
            result |= msgspec.to_builtins(call.excinfo.value.finding)
        else:
            entries = [entry for entry in call.excinfo.traceback if entry.path == item.path]
            where = (entries or call.excinfo.traceback)[-1]
            result["fault"] = f"{call.excinfo.exconly()} ({where.path}:{where.lineno + 1})"
        if engine is not None:
            result["output"] = self._capped("".join(engine.output))
            result["duration_s"] = time.perf_counter() - self._started[item.nodeid]
            if engine.reading is not None:
                result["reading"] = msgspec.structs.asdict(engine.reading)
        return {METADATA: result}

    def _capped(self, output: str) -> str:
        """What a check's batches printed together, no more than one of them may."""
        cap = self.course.limits.output_kb << 10
        return output if len(output) <= cap else f"{output[:cap]}\n[{len(output) - cap} more bytes left out]\n"


INI = Path(__file__).resolve().parent / "pytest.ini"
