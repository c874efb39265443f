"""Run the hidden checks of some exercises under pytest; the answer is pytest-json-report's report."""

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from ..course import Check, Course, CourseError, Exercise
from .plugin import INI, ChecksPlugin, Leave, Obtain

_UNUSED = "cacheprovider debugging doctest faulthandler junitxml logging nose pastebin setuponly setupplan"
_UNUSED += " stepwise threadexception tmpdir unittest unraisableexception monkeypatch recwarn"


class GraderFault(RuntimeError):
    """The grader's own fault: no verdict can be given. Never a learner's doing."""


def run_checks(
    course: Course,
    exercises: Sequence[Exercise],
    obtain: Obtain,
    on_check: Callable[[Exercise, Check], None] = lambda exercise, check: None,
    leave: Leave = lambda exercise, judged: None,
) -> dict[str, Any]:
    """Collect the hidden tests of `exercises`, then `obtain` what loads an exercise's engine, or gives None for one
    without; run the tests of those with one; return pytest-json-report's report.

    `leave` is told what became of an exercise's checks before the next one is loaded.

    `obtain` may fork: what comes after the collection then happens in each process.
    Raises `CourseError` where tests and `course.yaml` do not match, `GraderFault` where pytest itself failed.
    """
    files = [course.hidden_test(exercise) for exercise in exercises]
    for exercise, file in zip(exercises, files, strict=True):
        if not file.is_file():
            raise CourseError(course.file, exercise.line, f"`{exercise.id}` has no hidden tests in {file}")
    plugin = ChecksPlugin(course, exercises, obtain, on_check, leave)
    capture = io.StringIO()
    report_plugin = _Reporter()
    arguments = [
        *("-c", str(INI), "--rootdir", str(course.hidden), "--noconftest", "--import-mode=importlib"),
        *("--assert=plain", "--capture=no", "--tb=no", "-q"),
        *("-p", "pytest_jsonreport.plugin", "--json-report", "--json-report-file=none"),
        *("--json-report-omit", "keywords", "streams", "log", "traceback", "warnings"),
        *(word for name in _UNUSED.split() for word in ("-p", f"no:{name}")),
        *map(str, files),
    ]
    with _no_foreign_configuration(), contextlib.redirect_stdout(capture), contextlib.redirect_stderr(capture):
        status = pytest.main(arguments, plugins=[plugin, report_plugin])
    report = report_plugin.report
    broken = next((c for c in (report or {}).get("collectors", ()) if c["outcome"] != "passed"), None)
    if broken is not None:
        raise GraderFault(f"the hidden tests cannot be collected: {broken['nodeid']}\n{broken.get('longrepr', '')}")
    if plugin.course_error is not None:
        raise plugin.course_error
    if plugin.fault is not None:
        raise plugin.fault
    if status == pytest.ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if report is None or status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, 5):
        raise GraderFault(f"pytest stopped with status {int(status)}\n{capture.getvalue()}")
    return report


class _Reporter:
    """Takes pytest-json-report's report as it is finished, instead of a file."""

    report: dict[str, Any] | None = None

    def pytest_json_modifyreport(self, json_report: dict[str, Any]) -> None:
        self.report = json_report


@contextlib.contextmanager
def _no_foreign_configuration() -> Iterator[None]:
    """Keep the caller's pytest settings and plugins out, and our modules from outliving the run."""
    saved = dict(os.environ)
    modules = set(sys.modules)
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(saved)
        for name in set(sys.modules) - modules:
            if name.startswith("test_") or ".test_" in name:
                del sys.modules[name]
