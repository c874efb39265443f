"""Each way in which a learner's process can fail is recognised, and costs only the current batch."""

import os
import select
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from every import every

from grader.course.load import Limits
from grader.runner import sandbox
from grader.runner.client import (
    Broke,
    Called,
    Died,
    Done,
    Loaded,
    LoadFailed,
    NotStarted,
    Numbers,
    Problem,
    Ran,
    Read,
    Values,
    ask,
)

Acting = Callable[..., Any]
Running = Callable[..., Any]
FILE = "07_learner.py"


def outcome(ran: Ran) -> Done | Broke | None:
    """Return the outcome of a batch's only run."""
    assert isinstance(ran.answer, Read), ran
    return ran.answer.seeds[0][0]


def problem(ran: Ran) -> Problem:
    """Return the problem that broke a batch's only run."""
    found = outcome(ran)
    assert isinstance(found, Broke), ran
    return found.problem


def died(ran: Ran) -> Died:
    assert isinstance(ran.answer, Died), ran
    return ran.answer


def runs_well(process: Any, **asked: Any) -> bool:
    """Return whether a batch finishes with the right values."""
    found = outcome(process.ask(**asked))
    return isinstance(found, Done) and found.values[0] == (2.0, 3.0, 6.0)


@pytest.fixture
def once(tmp_path: Path) -> str:
    """Return a condition, as source code, that is true in the first process that asks and false in all later ones."""
    flag = tmp_path / "flag"
    flag.write_text("")
    return f"(os.path.exists({str(flag)!r}) and not os.unlink({str(flag)!r}))"


# -- attempts to reach out ---------------------------------------------------------------------------------

_TRIES = """\
import importlib, os, platform, signal, socket, subprocess, threading, time, uuid
def attempt(act, *arguments):
    try:
        act(*arguments)
    except Exception as error:
        print(type(error).__name__)
"""
_HONEST = """
import concurrent.futures, getpass, random, tempfile, asyncio, math, multiprocessing, logging
attempt(threading.Thread(target=print).start)
attempt(lambda: concurrent.futures.ThreadPoolExecutor(2).submit(print).result(1))
attempt(lambda: asyncio.run(asyncio.sleep(0)))
attempt(time.sleep, 0.01)
attempt(random.random)
attempt(uuid.uuid1)
attempt(platform.platform)
attempt(platform.processor)
attempt(getpass.getuser)
attempt(os.path.expanduser, "~root")
attempt(tempfile.mkdtemp)
attempt(lambda: open(os.devnull, "w"))
attempt(os.makedirs, "out")
attempt(logging.basicConfig, filename="a.log")
attempt(multiprocessing.cpu_count)
attempt(signal.raise_signal, signal.SIGURG)
attempt(lambda: importlib.import_module("num" + "py").linalg.inv([[1.0, 2.0], [3.0, 4.0]]))
"""


# what a file tries, and the calls that are seen
_ATTEMPTS: list[tuple[set[str], str]] = [
    (set(), _HONEST),
    ({"kill"}, "attempt(os.kill, os.getppid(), signal.SIGKILL)"),
    ({"socket"}, "attempt(socket.socket)"),
    ({"pipe2"}, "attempt(subprocess.run, ['ls'])"),
    ({"clone"}, "attempt(os.system, 'ls')"),
    ({"execve"}, "attempt(os.execv, '/bin/ls', ['ls'])"),
    ({"rename", "unlink"}, "attempt(os.rename, '/a', '/b')\nattempt(os.remove, '/a')"),
    ({"clone"}, "for _ in range(1_000): attempt(os.fork)"),
    ({"clone"}, "attempt(os.fork)\nos._exit(0)"),
    ({"clone"}, "attempt(os.fork)\nos.closerange(0, 64)\nattempt(socket.socket)"),
]


@pytest.mark.slow
@pytest.mark.parametrize("tier", sandbox.OFFICIAL)
def test_an_attempt_to_reach_out_is_seen_from_outside(submit: Callable[..., Any], tier: str) -> None:
    """Calls that start processes, use the network, send signals or rename files are seen. Honest code makes none."""
    found = []
    try:
        # a package, and a module that is a single file
        with sandbox.start(tier, allow_imports=["numpy", "typing_extensions"]) as warm:
            for _, source in _ATTEMPTS:
                process = submit(f"{_TRIES}import numpy, typing_extensions\n{source}", warm=warm)
                process.load()
                found.append((set(process.attempts), source))
                process.close()
    except sandbox.IsolationError as error:
        pytest.skip(f"NOT TESTED: {error}")
    assert _ATTEMPTS == found


# -- loading -----------------------------------------------------------------------------------------------


def test_a_file_is_loaded_and_run(acting: Acting) -> None:
    """An ordinary file loads, and its batch has values."""
    process = acting("return root")
    assert Loaded("") == process.load()
    found = outcome(process.ask())
    assert Done((Values(Numbers((2.0, 3.0, 6.0))), Called(nodes=(2,)))) == found


def test_the_stub_is_not_started(submit: Callable[..., Any]) -> None:
    """A file with the syntax tree of the stub is not started. Comments do not count."""
    stub = "def f():\n    raise NotImplementedError('f: what?')\n"
    assert NotStarted() == submit(stub, stub).load()
    assert NotStarted() == submit("# hm\n\n" + stub, stub).load()


@pytest.mark.parametrize(
    ("kind", "type_name", "line", "source"),
    [
        ("syntax", "SyntaxError", 2, "x = 1\ndef f(:\n"),
        ("raised", "ZeroDivisionError", 2, "x = 1\nx / 0\n"),
        ("module", "NotAvailable", 2, "import torch\nx = torch.tensor(1.0)\n"),
        ("exit", "SystemExit", 2, "import sys\nsys.exit()\n"),
        ("raised", "KeyboardInterrupt", 1, "raise KeyboardInterrupt\n"),
        ("raised", "MemoryError", 1, "x = bytearray(10 << 30)\n"),
        ("raised", "RecursionError", 2, "def f():\n    return f()\nf()\n"),
        ("calls", "OutOfCalls", 4, "def f():\n    pass\nwhile True:\n    f()\n"),
        ("cpu", "OutOfTime", 2, "x = 1\nwhile True: pass\n"),
    ],
)
def test_a_file_that_does_not_load_has_its_problem(
    submit: Callable[..., Any], kind: str, type_name: str, line: int, source: str
) -> None:
    """The problem has the exception or the limit, with the learner's line."""
    failed = submit(source).load()
    assert isinstance(failed, LoadFailed)
    assert isinstance(failed.cause, Problem), failed
    assert ("load", kind, type_name) == (failed.cause.where, failed.cause.kind, failed.cause.type_name)
    assert line in failed.cause.lines


@pytest.mark.parametrize(
    ("expected", "source"),
    [
        (Died("exited"), "import os\nos._exit(0)\n"),
        (Died("killed", signal="SIGKILL"), "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"),
        (Died("killed", signal="SIGSEGV"), "import os, signal\nsignal.raise_signal(signal.SIGSEGV)\n"),
        (Died("killed", signal="SIGABRT"), "import os\nos.abort()\n"),
        (Died("exited"), "import os\nos.closerange(0, 64)\n"),
    ],
)
def test_a_process_that_ends_while_loading_is_told_how(submit: Callable[..., Any], expected: Died, source: str) -> None:
    """A file that exits or kills its process could not be loaded."""
    assert LoadFailed(expected) == submit(source).load()
    assert expected.status == "crashed"


@pytest.mark.slow
def test_a_file_that_waits_is_stopped_with_its_line(submit: Callable[..., Any]) -> None:
    """A file that stops computing while it is loaded could not be loaded, and its line is named."""
    failed = submit("import time\ntime.sleep(1000)\n", limits=Limits(cpu_s=2)).load()
    assert isinstance(failed, LoadFailed)
    assert isinstance(failed.cause, Problem)
    assert ("load", "stalled", [2]) == (failed.cause.where, failed.cause.kind, failed.cause.lines)


@pytest.mark.slow
def test_a_file_that_waits_forever_is_stopped(submit: Callable[..., Any]) -> None:
    """The wall clock is the last resort for a file that uses no CPU time and does not end."""
    failed = submit("import time\ntime.sleep(1000)\n", limits=Limits(cpu_s=0.02)).load()
    assert LoadFailed(Died("wall_limit", seconds=0.2)) == failed


@pytest.mark.parametrize("source", ["", "\n", "# nothing\n", "x = 1\n"])
def test_a_file_without_an_engine_loads_and_is_no_engine(submit: Callable[..., Any], source: str) -> None:
    """An empty file loads, and a batch then says what is missing."""
    process = submit(source)
    assert Loaded() == process.load()
    answer = process.ask().answer
    assert isinstance(answer, Problem)
    assert ("reading", "shape") == (answer.where, answer.kind)


def test_what_is_printed_while_loading_is_captured(acting: Acting) -> None:
    """Output of the import belongs to the load, in its order, and to no batch."""
    process = acting("print('in act')", "print('out')\nprint('err', file=sys.stderr)")
    loaded = process.load()
    assert isinstance(loaded, Loaded)
    assert ["err", "out"] == sorted(loaded.output.split())
    assert ["in act\n"] * 3 == [process.ask().output for _ in range(3)]


@pytest.mark.parametrize(
    "at_import",
    [
        "sys.stdout.reconfigure(encoding='utf-8')",
        "import io\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')",
        "sys.stdout.buffer.write(b'bytes\\n')",
        "sys.stderr.fileno()",
        "assert sys.stdout.encoding.lower() == 'utf-8'",
    ],
)
def test_streams_are_real_ones_each_time_the_file_is_run(running: Running, at_import: str) -> None:
    """Actions of a file on standard output during import work for every batch as they did the first time."""
    process = running(at_import=at_import)
    assert runs_well(process)


@pytest.mark.parametrize(
    ("at_import", "act"),
    [
        ("import logging\nlogging.basicConfig(format='%(message)s')", "logging.warning('seen')"),
        ("out = sys.stdout", "print('seen', file=out)"),
        ("import functools\nsay = functools.partial(print, file=sys.stderr)", "say('seen')"),
    ],
)
def test_a_stream_taken_at_import_shows_what_is_printed_later(running: Running, at_import: str, act: str) -> None:
    """Output through a logger or a stream from the import belongs to the batch that prints it."""
    process = running(act, at_import)
    assert process.ask().output == "seen\n"


def test_random_numbers_are_the_same_in_each_run_and_each_process(acting: Acting) -> None:
    """Random numbers are the same in every fork, so the verdict does not change on regrading."""
    outputs = []
    for _ in range(2):
        process = acting("print(random.random())", "import random\nfirst = random.random()")
        process.load()
        outputs += [process.ask().output for _ in range(2)]
    assert 1 == len(set(outputs))
    assert 0 <= float(outputs[0]) < 1


# -- one process for all batches --------------------------------------------------------------------------


@pytest.mark.slow
def test_each_batch_has_its_own_cpu_time(running: Running) -> None:
    """The CPU time of one batch does not count for the next."""
    process = running("end = time.process_time() + 0.25\nwhile time.process_time() < end: pass\nreturn root")
    for _ in range(3):
        assert runs_well(process, cpu_s=0.5, calls=None)
    assert "cpu" == problem(process.ask(cpu_s=0.1, calls=None)).kind


def test_memory_of_one_batch_does_not_count_against_the_next(running: Running) -> None:
    """Memory that the file holds after a batch, in cycles or at its top level, is freed before the next run."""
    # mapped and never touched, since pages that are touched cost time
    hold = "Value.held = root\nroot.me = root\nroot.memory = mmap.mmap(-1, 200 << 20)\nreturn root"
    process = running(hold, "import mmap\nmemory = mmap.mmap(-1, 100 << 20)")
    for _ in range(3):
        assert runs_well(process)
    assert not process.fresh


@pytest.mark.slow
def test_one_that_dies_between_batches_costs_none(running: Running, once: str) -> None:
    """If a process dies between batches for any reason, the next batch gets a new process."""
    end = "lambda: (time.sleep(0.2), os.kill(os.getpid(), signal.SIGKILL))"
    process = running("return root", f"if {once}: threading.Thread(target={end}).start()")
    time.sleep(0.5)
    assert runs_well(process)


def test_a_process_is_fresh_until_it_has_run_a_batch(running: Running) -> None:
    """A process is fresh again after `restart`, which replaces only a used process."""
    process = running("print(os.getpid())")
    assert process.fresh
    first = process.ask().output
    assert not process.fresh
    assert first == process.ask().output
    process.restart()
    assert process.fresh
    assert first != process.ask().output


def test_apart_each_batch_has_a_process_to_itself(running: Running) -> None:
    """The first batch runs in the process in which the file was loaded."""
    process = running("print(os.getpid())", apart=True)
    assert 3 == len({process.ask().output for _ in range(3)})


@every("kept", ["[]", "[[] for _ in range(100_000)]"])
def test_who_leaves_very_many_objects_is_replaced(running: Running, kept: str) -> None:
    """To free them takes longer than to start a process for the next batch."""
    process = running(f"Value.kept = {kept}\nprint(os.getpid())")
    outputs = {process.ask().output for _ in range(3)}
    assert (1 if kept == "[]" else 3) == len(outputs)


@pytest.mark.parametrize("end", ["os._exit(0)", "while True: pass", "def step(): pass\nwhile True: step()"])
def test_who_ends_in_a_used_process_has_fresh_ones_from_then_on(running: Running, end: str) -> None:
    """After a batch ended in a used process, later batches get fresh processes."""
    body = "\n    ".join(end.splitlines())
    process = running(f"import json\nif hasattr(json.dumps, 'used'):\n    {body}\njson.dumps.used = True\nreturn root")
    ended = [
        not (isinstance(ran.answer, Read) and isinstance(outcome(ran), Done))
        for ran in (process.ask() for _ in range(4))
    ]
    assert [False, True, False, False] == ended


def test_who_runs_out_of_time_is_not_asked_twice(running: Running) -> None:
    """After a timeout, each batch has a fresh process, so that no timeout must be confirmed in another process."""
    process = running("print(os.getpid())\nwhile True: pass")
    outputs = set()
    for _ in range(2):
        assert process.fresh
        outputs.add(process.ask().output)
    assert 2 == len(outputs)
    assert process.fresh


@pytest.mark.parametrize(
    "act", ["threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()", "os.close(0)"]
)
def test_one_that_cannot_be_put_back_is_replaced(running: Running, act: str) -> None:
    """If a thread still runs, or output cannot be discarded, a new process answers the next batch."""
    process = running(f"{act}\nprint(os.getpid())")
    outputs = []
    for _ in range(2):
        ran = process.ask()
        assert isinstance(outcome(ran), Done)
        outputs.append(ran.output)
    assert outputs[0] != outputs[1]


# -- running on ----------------------------------------------------------------------------------------------


def slow(*row: Any) -> Any:
    """Return a row whose test takes long."""
    return pytest.param(*row, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("kind", "type_name", "act"),
    [
        slow("cpu", "OutOfTime", "while True: pass"),
        slow("cpu", "OutOfTime", "while True:\n    try:\n        while True: pass\n    except Exception: pass"),
        slow("calls", "OutOfCalls", "while True: len(Value(1.0)._prev)"),
        slow("calls", "OutOfCalls", "def step(): pass\nwhile True: step()"),
        slow("calls", "OutOfCalls", "def walk(n): return n and walk(n - 1) + walk(n - 1)\nwalk(100)"),
        slow(
            "calls", "OutOfCalls", "def walk(n): yield from [*walk(n - 1), *walk(n - 1)] if n else ()\nlist(walk(99))"
        ),
        ("calls", "OutOfCalls", "sys.setrecursionlimit(10**6)\nreturn act(root)"),
        ("raised", "RecursionError", "return act(root)"),
        ("raised", "MemoryError", "bytearray(10 << 30)"),
        ("raised", "MemoryError", "list(range(10**9))"),
    ],
)
def test_what_never_ends_is_stopped_soon(running: Running, kind: str, type_name: str, act: str) -> None:
    """A loop uses up its CPU time, recursion its calls or Python's stack, and ten gigabytes the memory.

    Each is stopped soon, with its line.
    """
    ran = running(act).ask()
    found = problem(ran)
    assert ("call", kind, type_name) == (found.where, found.kind, found.type_name)
    assert found.lines
    assert ran.seconds < 5


@pytest.mark.slow
def test_memory_that_is_taken_in_steps_is_refused(running: Running) -> None:
    """Ten gigabytes in steps are a MemoryError in the learner's code."""
    found = problem(running("x = []\nwhile True: x.append(bytearray(1 << 20))").ask(cpu_s=3))
    assert ("raised", "MemoryError") == (found.kind, found.type_name)
    assert found.lines


@pytest.mark.slow
def test_an_endless_loop_in_an_operation_is_stopped(submit: Callable[..., Any]) -> None:
    """Building a program is under the same limits as everything else."""
    source = "class Value:\n    def __init__(self, x): self.data, self.grad = x, 0.0\n    def __mul__(self, other):\n"
    process = submit(source + "        while self.data != 3.25: pass\n        return Value(1.0)\n")
    assert Loaded() == process.load()
    found = problem(process.ask())
    assert ("build", "cpu", [4]) == (found.where, found.kind, found.lines)


def test_code_that_catches_the_exception_of_the_clock_runs_out_of_time(running: Running) -> None:
    """`except BaseException` around an endless loop still ends as a timeout."""
    process = running("while True:\n    try:\n        while True: pass\n    except BaseException: pass")
    ran = process.ask(cpu_s=0.1)
    assert died(ran).status == "timeout" if isinstance(ran.answer, Died) else problem(ran).kind == "cpu"


@pytest.mark.slow
def test_a_loop_that_no_exception_can_reach_is_a_timeout(running: Running) -> None:
    """The kernel ends one long call into C, which counts as CPU time used up."""
    process = running("sum(range(10**12))")
    death = died(process.ask(cpu_s=1.2))
    assert Died("cpu_limit", seconds=1.5) == death
    assert death.status == "timeout"


@pytest.mark.slow
def test_code_that_waits_is_stopped_with_its_line(running: Running) -> None:
    """Code that waits for itself is stopped with its line, long before the limit in wall time."""
    process = running("lock = threading.Lock()\nwith lock, lock: pass", limits=Limits(cpu_s=2))
    ran = process.ask(cpu_s=2)
    found = problem(ran)
    assert ("call", "stalled") == (found.where, found.kind)
    assert found.lines
    assert ran.seconds < 20


@pytest.mark.slow
@pytest.mark.parametrize("act", ["time.sleep(1000)", "threading.Event().wait()", "sys.stdin.read() or time.sleep(99)"])
def test_waiting_forever_ends_with_the_wall_clock(running: Running, act: str) -> None:
    """Code that uses no CPU time is a timeout after ten times the limit in CPU time."""
    process = running(act, limits=Limits(cpu_s=0.02))
    ran = process.ask(cpu_s=0.02)
    assert died(ran).status == "timeout"
    assert ran.seconds < 5


@pytest.mark.slow
def test_after_two_unanswered_batches_no_batch_is_sent(running: Running) -> None:
    """After two unanswered batches, a file is not run again."""
    process = running("while True: time.sleep(0.01)", limits=Limits(cpu_s=0.02))
    for _ in range(2):
        assert Died("wall_limit", seconds=0.4) == died(process.ask(cpu_s=0.02))
    third = died(process.ask(cpu_s=0.02))
    assert Died("unanswered", count=2) == third
    assert third.status == "timeout"


@pytest.mark.slow
def test_time_in_which_the_grader_was_suspended_is_not_counted(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the grader was suspended, an answer that arrived meanwhile counts. A long suspension counts as a short one."""
    process = running("time.sleep(0.3)", limits=Limits(cpu_s=0.02))
    real = select.select

    def late(*arguments: Any) -> Any:
        time.sleep(1.2)
        return real(*arguments)

    monkeypatch.setattr(select, "select", late)
    assert runs_well(process, cpu_s=0.02)


def test_a_budget_of_none_leaves_calls_uncounted(running: Running) -> None:
    """Without a budget of calls, only CPU time is limited."""
    process = running("for _ in range(30_000): Value(1.0)")
    assert problem(process.ask()).kind == "calls"
    assert runs_well(process, calls=None, cpu_s=5)


# -- memory, exits, signals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("act", ["sys.exit()", "sys.exit(0)", "exit()", "quit()", "raise SystemExit('done')"])
def test_leaving_politely_is_told_as_an_exit(running: Running, act: str) -> None:
    """sys.exit() during a run breaks the run."""
    process = running(act, "import builtins")
    found = problem(process.ask())
    assert found.kind == "exit" or (found.type_name == "NameError" and act in ("exit()", "quit()"))


@pytest.mark.parametrize(
    ("expected", "act"),
    [
        (Died("exited"), "os._exit(0)"),
        (Died("exited"), "os._exit(3)"),
        (Died("exited"), "os.closerange(0, 64)"),
        (Died("killed", signal="SIGKILL"), "os.kill(os.getpid(), signal.SIGKILL)"),
        (Died("killed", signal="SIGTERM"), "os.kill(os.getpid(), signal.SIGTERM)"),
        (Died("killed", signal="SIGXCPU"), "os.kill(os.getpid(), signal.SIGXCPU)"),
        (Died("killed", signal="SIGSEGV"), "signal.raise_signal(signal.SIGSEGV)"),
        (Died("killed", signal="SIGSEGV"), "import ctypes\nctypes.string_at(0)"),
    ],
)
def test_a_process_that_ends_without_an_answer_is_told_how(running: Running, expected: Died, act: str) -> None:
    """Exits and signals are distinguished, in fresh and in used processes, and the next batch works."""
    process = running(f"if root.grad == 0.0:\n    {act.replace(chr(10), chr(10) + '    ')}")
    assert expected.status == "crashed"
    assert expected == died(process.ask())
    assert runs_well(process, steps=(ask.VALUES,))
    assert not process.fresh
    assert expected == died(process.ask())


BAD = [
    "os._exit(0)",
    "os.kill(os.getpid(), signal.SIGKILL)",
    "while True: pass",
    pytest.param("time.sleep(1000)", marks=pytest.mark.slow),
    "bytearray(10 << 30)",
    "os.closerange(0, 64)",
    "while True: os.write(1, b'x' * 65536)",
    "for fd in range(3, 21):\n    try: os.write(fd, b'garbage')\n    except OSError: pass",
]


def test_the_server_process_outlives_all_of_them(acting: Acting, once: str) -> None:
    """A process that kills its process group does not affect other processes."""
    bad, good = acting(f"if {once}:\n    os.killpg(0, signal.SIGKILL)"), acting()
    assert isinstance(bad.load(), Loaded)
    assert isinstance(good.load(), Loaded)
    assert died(bad.ask()).status == "crashed"
    assert runs_well(good)
    assert runs_well(bad)


# -- output ------------------------------------------------------------------------------------------------------


def test_output_is_captured_batch_by_batch(running: Running) -> None:
    """Standard output, standard error and their descriptors form one stream, which is separate for each batch."""
    process = running("print('out')\nprint('err', file=sys.stderr)\nsys.stdout.flush()\nos.write(2, b'raw\\n')")
    for _ in range(2):
        assert ["err", "out", "raw"] == sorted(process.ask().output.split())


def test_what_reading_prints_belongs_to_no_batch(running: Running) -> None:
    """The two values that the grader makes to read the engine add nothing to a learner's output."""
    process = running(
        at_import="Value.__init__ = (lambda init: lambda *a: (print('made'), init(*a))[1])(Value.__init__)"
    )
    assert process.ask().output == "made\n" * 3


def test_output_by_the_megabyte_is_cut_and_the_verdict_stays(running: Running) -> None:
    """Of 200 KB of output, the first four are kept, with a note about the rest. The answer arrives."""
    process = running("print('x' * 200_000)\nprint('the end')")
    ran = process.ask()
    assert isinstance(outcome(ran), Done)
    assert ran.output.startswith("x" * 4096 + "\n[")
    assert ran.output.endswith("more bytes left out]\n")
    assert len(ran.output) < 4200


def test_a_flood_is_stopped(running: Running) -> None:
    """A process that prints endlessly is ended."""
    process = running("while True: os.write(1, b'x' * 65536)")
    death = died(process.ask(cpu_s=5))
    assert Died("output_too_large", limit_kb=256) == death
    assert death.status == "error"


@pytest.mark.parametrize(
    ("expected", "written"), [("\ufffd\ufffd\n", "b'\\xff\\xfe\\n'"), ("\x1b[31m\n", "b'\\x1b[31m\\n'"), ("", "b''")]
)
def test_output_need_not_be_text(running: Running, expected: str, written: str) -> None:
    """Bytes that are not UTF-8 are replaced. Control characters stay, because the view escapes them."""
    process = running(f"os.write(1, {written})")
    assert expected == process.ask().output


@pytest.mark.parametrize(
    "act",
    [
        "sys.stdout = None",
        "sys.stdout = sys.stderr = 3",
        "sys.stdout.close()",
        "os.close(1); os.close(2)",
        "class Bad:\n    def flush(self): raise SystemExit\nsys.stdout = sys.stderr = Bad()",
    ],
)
def test_broken_streams_are_no_ones_loss(running: Running, act: str) -> None:
    """The answer arrives, whatever code does to its own output, and the next batch in its process prints again."""
    process = running(f"print(os.getpid(), flush=True)\n{act}")
    answers = [process.ask() for _ in range(2)]
    assert all(isinstance(outcome(ran), Done) for ran in answers)
    assert 1 == len({int(ran.output) for ran in answers})


# -- lies ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        "b'garbage'",
        "b'\\0\\0\\0\\x02[]'",
        "b'\\0\\0\\0\\0'",
        "b'\\xff\\xff\\xff\\xff'",
        "b'\\0\\0\\0\\x08[\"done\"]' * 3",
        "b'x' * 200_000",
    ],
)
def test_garbage_on_every_descriptor_is_refused(running: Running, written: str) -> None:
    """Data written to any descriptor that a run can reach is not an answer to this batch or to another."""
    act = f"for fd in range(3, 21):\n    try: os.write(fd, {written})\n    except OSError: pass"
    process = running(f"if root.grad == 0.0:\n{chr(10).join('    ' + line for line in act.splitlines())}")
    assert died(process.ask()).status == "error"
    assert runs_well(process, steps=(ask.VALUES,))


def test_saying_that_it_was_loaded_gains_a_file_nothing(acting: Acting) -> None:
    """The real answer follows the forged one: at once, before a batch is sent, or in place of its answer."""
    forged = "for fd in range(3, 21):\n    try: os.write(fd, b'\\0\\0\\0\\x0a[\"loaded\"]')\n    except OSError: pass"
    process = acting(at_import=forged)
    loaded = process.load()
    death = loaded.cause if isinstance(loaded, LoadFailed) else process.ask().answer
    assert isinstance(death, Died)
    assert (death.kind, death.status) in (("protocol_error", "error"), ("not_reloaded", "crashed"))


def test_an_answer_written_before_leaving_is_the_answer_and_judged_as_one(running: Running) -> None:
    """A forged frame of the right form is read, and its numbers are judged as any others."""
    forged = '["read", ["Value", "data", "grad", "", "", "", false], [[["done", [["values", ["nan", "nan", "nan"]]]]]]]'
    act = f"import struct\nbody = {forged!r}.encode()\nframe = struct.pack('!I', len(body)) + body\n"
    act += "for fd in range(3, 21):\n    try: os.write(fd, frame)\n    except OSError: pass\nos._exit(0)"
    process = running(act)
    ran = process.ask()
    assert died(ran).status == "error"  # one result too few for what was asked
    assert runs_well(process, steps=(ask.VALUES,))


def test_an_answer_without_end_is_stopped(running: Running) -> None:
    """An answer that is larger than any honest one is not read completely."""
    write = "    for fd in range(3, 21):\n        try: os.write(fd, b'x' * 65536)\n        except OSError: pass"
    process = running(f"while True:\n{write}")
    death = died(process.ask(cpu_s=5))
    assert ("answer_too_large", "error") == (death.kind, death.status)


# -- traces ----------------------------------------------------------------------------------------------------


def test_one_batch_leaves_no_trace_for_the_next(running: Running) -> None:
    """A counter, a patched class and a changed context do not reach the next batch, which the same process runs."""
    process = running(
        "global count\ncount += 1\nValue.extra = getattr(Value, 'extra', 0) + 1\n"
        "print(os.getpid(), decimal.getcontext().prec)\ndecimal.getcontext().prec = 3\nreturn count + Value.extra",
        "import decimal",
    )
    answers = [process.ask() for _ in range(3)]
    assert [Called(Numbers((2.0,)))] * 3 == [outcome(ran).results[1] for ran in answers]  # type: ignore[union-attr]
    assert 1 == len({ran.output for ran in answers})


def test_a_file_is_run_once_for_each_batch(running: Running) -> None:
    """The first batch uses the run that loaded the file. A function of the library remembers how often it ran."""
    process = running("return json.dumps.runs", "import json\njson.dumps.runs = getattr(json.dumps, 'runs', 0) + 1")
    answers = [outcome(process.ask()) for _ in range(3)]
    assert [(1.0,), (2.0,), (3.0,)] == [done.results[1].numbers for done in answers]  # type: ignore[union-attr]


def test_a_reloaded_file_starts_anew(running: Running) -> None:
    """Loading again replaces the process."""
    process = running("return count", "count += 1")
    for _ in range(2):
        assert Called(Numbers((1.0,))) == outcome(process.ask()).results[1]  # type: ignore[union-attr]


def test_a_closed_process_loads_by_itself(running: Running) -> None:
    """After the process was ended, the next batch gets a new process."""
    process = running()
    process.close()
    process.close()
    assert runs_well(process)


@pytest.mark.parametrize("daemon", [True, False])
@pytest.mark.parametrize("work", ["time.sleep(1000)", "while True: pass"])
def test_threads_left_running_hold_nobody_up(running: Running, work: str, daemon: bool) -> None:
    """A thread that a run leaves running ends with its process."""
    loop = f"def work():\n    {work}\nthreading.Thread(target=work, daemon={daemon}).start()"
    process = running(loop)
    for _ in range(2):
        ran = process.ask(cpu_s=1.0)
        assert isinstance(outcome(ran), Done)
        assert ran.seconds < 5


def test_a_thread_left_running_at_import_holds_nobody_up(running: Running) -> None:
    """A file that starts a thread loads, and its batches run."""
    start = "threading.Thread(target=time.sleep, args=(1000,)).start()"
    process = running(at_import=start)
    assert runs_well(process)


def test_a_child_process_left_behind_ends_with_its_process(running: Running) -> None:
    """Closing a process ends all processes that it has forked."""
    stay = "    os.closerange(0, 64)\n    time.sleep(1000)\n    os._exit(0)"
    process = running(f"child = os.fork()\nif child == 0:\n{stay}\nreturn child")
    called: Any = outcome(process.ask()).results[1]  # type: ignore[union-attr]
    child = int(called.numbers[0])
    process.close()
    deadline = time.monotonic() + 60
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(child)


def alive(pid: int) -> bool:
    """Return whether a process runs. A process that has ended but was not reaped does not run."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
def test_no_descriptors_are_lost(acting: Acting) -> None:
    """A hundred good and bad batches leave no descriptor open on the trusted side."""
    process = acting("if root.data == 6.0: os._exit(0)")
    process.load()
    process.close()
    before = len(os.listdir("/proc/self/fd"))
    process.load()
    for i in range(40):
        process.ask(steps=(ask.VALUES,) if i % 2 else None)
    process.close()
    assert before == len(os.listdir("/proc/self/fd"))


# -- in the strongest sandbox that works here ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def strong() -> Any:
    with sandbox.start("auto", allow_imports=["numpy"]) as started:
        yield started


def test_an_honest_engine_works_in_the_sandbox(running: Running, strong: Any) -> None:
    """Giving up rights changes nothing for code that only computes."""
    process = running("print('out')\nreturn root", warm=strong)
    ran = process.ask()
    assert Done((Values(Numbers((2.0, 3.0, 6.0))), Called(nodes=(2,)))) == outcome(ran)
    assert ran.output == "out\n"


@pytest.mark.parametrize(
    ("source", "call"),
    [
        ("import numpy as np\nimport numpy.linalg", "np.linalg.norm(np.array([3.0, 4.0]))"),
        ("import importlib", "__import__('numpy').hypot(3.0, 4.0)"),
        ("import importlib", 'importlib.import_module("numpy").hypot(3.0, 4.0)'),
        ("import importlib", 'importlib.import_module( "numpy.linalg" ).norm([3.0, 4.0])'),
    ],
)
def test_allowed_modules_work_in_the_sandbox(running: Running, strong: Any, source: str, call: str) -> None:
    """They can be imported by a statement, or by a call with their name."""
    process = running(f"return float({call})", source, warm=strong)
    assert Called(Numbers((5.0,))) == outcome(process.ask()).results[1]  # type: ignore[union-attr]


def test_a_module_whose_name_is_computed_is_not_found_in_the_sandbox(running: Running, strong: Any) -> None:
    """Python's own exception says so. The course's modules are not called unavailable."""
    process = running("return __import__('num' + 'py')", warm=strong)
    problem = outcome(process.ask()).problem  # type: ignore[union-attr]
    assert ("raised", "ModuleNotFoundError", "No module named 'numpy'") == (
        problem.kind,
        problem.type_name,
        problem.message,
    )


@pytest.mark.parametrize(
    "act",
    [
        *BAD,
        "os.kill(os.getppid(), signal.SIGKILL)",
        "sys.exit()",
        "os.fork()",
        "threading.Thread(target=time.sleep, args=(1000,)).start()\nos._exit(1)",
    ],
)
def test_bad_batches_cost_themselves_alone_in_the_sandbox_too(running: Running, strong: Any, act: str) -> None:
    """Each kind of bad batch gives no result, and the next batch of the same file finishes."""
    body = "\n    ".join(act.splitlines())
    process = running(f"if root.grad == 0.0:\n    {body}", warm=strong, limits=Limits(cpu_s=0.3, output_kb=4))
    bad = process.ask(cpu_s=0.05)
    assert isinstance(bad.answer, Died) or isinstance(outcome(bad), Broke)
    assert runs_well(process, steps=(ask.VALUES,))
