"""Run `grade` inside the process of the tests, and capture what it prints, byte for byte.

It is for tests that look only at files, output and the exit code: a process of its own takes longer to start than most
commands take to run. Tests of signals, terminals, isolation and start-up need such a process.
"""

import gc
import io
import logging
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from typing import IO, Any

from grader.cli.main import main

GRADE = Path(sys.executable).parent / "grade"


def run_grade(
    *words: object, cwd: Path | None = None, env: Mapping[str, str] | None = None, stdin: bytes = b""
) -> "CompletedProcess[str]":
    """Run `grade` with some words, and return its exit code and output as text. Fail if a traceback was printed.

    Args:
        cwd: the current folder of the command; by default that of the tests.
        env: the whole environment of the command; by default that of the tests.
        stdin: what the command can read.
    """
    done = run_grade_for_bytes(*words, cwd=cwd, env=env, stdin=stdin)
    output, errors = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in output + errors
    return CompletedProcess(done.args, done.returncode, output, errors)


def run_grade_for_bytes(
    *words: object, cwd: Path | None = None, env: Mapping[str, str] | None = None, stdin: bytes = b""
) -> "CompletedProcess[bytes]":
    """Run `grade` like `run_grade`, and return the bytes that the command and its processes printed."""
    argv = [str(GRADE), *map(str, words)]
    with ExitStack() as stack:
        streams = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        streams[0].write(stdin)
        streams[0].seek(0)
        with _state_restored():
            if env is not None:
                os.environ.clear()
                os.environ.update(env)
            os.chdir(cwd or Path.cwd())
            sys.argv = argv
            with _streams_replaced(*streams, encoding=os.environ.get("PYTHONIOENCODING", "utf-8")):
                code = main(argv[1:])
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ResourceWarning)
                    gc.collect()  # closes files as the end of a process does
        for stream in streams[1:]:
            stream.seek(0)
        return CompletedProcess(argv, code, streams[1].read(), streams[2].read())


@contextmanager
def _state_restored() -> Iterator[None]:
    """Restore what a command might change in the process."""
    environment, folder = dict(os.environ), os.getcwd()
    saved: list[tuple[Any, str, Any]] = [(sys, name, getattr(sys, name)) for name in ("argv", "path", "orig_argv")]
    saved += [(tempfile, "tempdir", tempfile.tempdir), (logging.root, "handlers", logging.root.handlers)]
    path, handlers, level = list(sys.path), list(logging.root.handlers), logging.root.level
    signals = {number: signal.getsignal(number) for number in signal.valid_signals()}
    tempfile.tempdir = None  # it depends on the environment
    try:
        with warnings.catch_warnings():
            yield
    finally:
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        for place, name, value in saved:
            setattr(place, name, value)
        sys.path[:], logging.root.handlers[:] = path, handlers
        logging.root.setLevel(level)
        for number, handler in signals.items():
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)


@contextmanager
def _streams_replaced(*files: IO[bytes], encoding: str) -> Iterator[None]:
    """Replace the three standard streams by files, in this process and in those that it starts."""
    names = ("stdin", "stdout", "stderr")
    before = {name: getattr(sys, name) for name in names}
    for name in names[1:]:
        before[name].flush()
    kept = [os.dup(number) for number in range(3)]
    try:
        for number, (name, file) in enumerate(zip(names, files, strict=True)):
            os.dup2(file.fileno(), number)
            raw = open(number, "wb" if number else "rb", closefd=False)  # noqa: SIM115 - it is closed below
            setattr(sys, name, io.TextIOWrapper(raw, encoding=encoding, line_buffering=number == 2))
        yield
    finally:
        for number, name in enumerate(names):
            getattr(sys, name).close()
            setattr(sys, name, before[name])
            os.dup2(kept[number], number)
            os.close(kept[number])
