"""The hidden checks, which pytest collects once, and which are run on one engine after another."""

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

# pytest has no public way to keep a session open between runs
from _pytest.config import _prepareconfig
from pytest_jsonreport import plugin as json_report

from ..course import Course, CourseError, Exercise
from .mistake import mistake
from .outcome import CheckOutcome, GraderFault, outcomes
from .plugin import INI, ChecksPlugin, EngineFor, OnOutcome

_UNUSED = "cacheprovider debugging doctest faulthandler junitxml logging nose pastebin setuponly setupplan"
_UNUSED += " stepwise subtests threadexception tmpdir unittest unraisableexception monkeypatch recwarn"


class CheckSession:
    """The checks of some exercises, ready to be run. A context manager.

    pytest collects the hidden tests when the context is entered. Each `run` runs those of one exercise. A fork can
    continue to use the session of its parent.

    Raises, on entering:
        CourseError: tests and `course.yaml` do not match.
        GraderFault: pytest itself failed.
    """

    def __init__(self, course: Course, exercises: Sequence[Exercise]) -> None:
        self.course = course
        self.exercises = tuple(exercises)
        self._plugin = ChecksPlugin(course, exercises)
        self._stack = ExitStack()

    def __enter__(self) -> "CheckSession":
        files = [self.course.hidden_test(exercise) for exercise in self.exercises]
        for exercise, file in zip(self.exercises, files, strict=True):
            if not file.is_file():
                raise CourseError(self.course.file, exercise.line, f"`{exercise.id}` has no hidden tests in {file}")
        with ExitStack() as stack:
            stack.enter_context(_no_modules_left())
            self._collect([str(file) for file in files], stack)
            self._stack = stack.pop_all()
        return self

    def _collect(self, files: list[str], stack: ExitStack) -> None:
        """Start a pytest session and collect the tests, as `pytest.main` does, without running them."""
        arguments = [
            # without --confcutdir, pytest also lists the folders above
            *("-c", str(INI), "--rootdir", str(self.course.hidden), "--confcutdir", str(self.course.hidden)),
            *("--noconftest", "--import-mode=importlib", "--assert=plain", "--capture=no", "--tb=no", "-q"),
            "--json-report-file=none",
            *("--json-report-omit", "keywords", "streams", "log", "traceback", "warnings", "collectors"),
            *(word for name in _UNUSED.split() for word in ("-p", f"no:{name}")),
            "--",
            *files,
        ]
        with _own_settings(), _quiet() as printed:
            try:
                config = _prepareconfig(arguments, [json_report, self._plugin])
                stack.callback(config._ensure_unconfigure)
                self._session = pytest.Session.from_config(config)
                self._session.exitstatus = pytest.ExitCode.OK
                config._do_configure()
                self._reporter = _Reporter(config)
                config.pluginmanager.register(self._reporter)
                config.hook.pytest_sessionstart(session=self._session)
                self._session.perform_collect()
            except SystemExit as error:  # pytest does not catch it
                raise mistake(error, Path(files[0])) or GraderFault(f"pytest ended: {error}") from None
            except (pytest.UsageError, pytest.Session.Interrupted, pytest.Session.Failed) as error:
                raise GraderFault(f"pytest cannot collect the hidden tests: {error}\n{printed.getvalue()}") from None
        if self._plugin.course_error is not None:
            raise self._plugin.course_error
        for collected in self._reporter.failed:
            raise GraderFault(f"the hidden tests cannot be collected: {collected.nodeid}\n{collected.longrepr}")

    def run(
        self, exercise: Exercise, engine_for: EngineFor, on_outcome: OnOutcome | None = None
    ) -> dict[str, CheckOutcome]:
        """Run the checks of an exercise, in the order of `course.yaml`. Return the outcomes by check id.

        Args:
            engine_for: Makes the engine of a check; called when the check begins.
            on_outcome: Called with the outcome of each check as soon as it is known.

        Raises:
            CourseError: a hidden test is wrong.
            GraderFault: the grader failed in a check.
            UserError: this machine lacks something that a check needs.
        """
        items = self._plugin.items(exercise)
        self._plugin.engine_for, self._plugin.on_outcome = engine_for, on_outcome
        self._reporter.begin()
        with _quiet():
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            report = self._reporter.finish(self._session)
        if self._plugin.user_error is not None:
            raise self._plugin.user_error
        return outcomes(report, exercise)

    def __exit__(self, *_: Any) -> None:
        self._plugin.forget()
        self._stack.close()


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

    def finish(self, session: pytest.Session) -> dict[str, Any]:
        """Return the report of the tests that ran since `begin`."""
        self.pytest_sessionfinish(session)
        report: dict[str, Any] = self.report
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
def _no_modules_left() -> Iterator[None]:
    """Remove the modules of hidden tests when the session ends."""
    modules = set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - modules:
            if name.startswith("test_") or ".test_" in name:
                del sys.modules[name]
