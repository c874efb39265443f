"""The interpreter is restored after learner code, or the process says that it cannot be."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import grader


class Mess(NamedTuple):
    """Code that leaves something behind, and an expression that shows it."""

    probe: str
    code: str


MESSES = {
    "recursion limit": Mess("sys.getrecursionlimit()", "sys.setrecursionlimit(5000)"),
    "switch interval": Mess("sys.getswitchinterval()", "sys.setswitchinterval(1.0)"),
    "trace function": Mess("sys.gettrace()", "sys.settrace(lambda *_: None)"),
    "profile function": Mess("sys.getprofile()", "sys.setprofile(lambda *_: None)"),
    "digits of integers": Mess("sys.get_int_max_str_digits()", "sys.set_int_max_str_digits(0)"),
    "hook for exceptions": Mess("id(sys.excepthook)", "sys.excepthook = print"),
    "standard output": Mess("id(sys.stdout)", "sys.stdout = None"),
    "search path": Mess("list(sys.path)", "sys.path.insert(0, '/nowhere')"),
    "another search path": Mess("id(sys.path)", "sys.path = []"),
    "import hooks": Mess("len(sys.meta_path)", "sys.meta_path.clear()"),
    "collector on": Mess("gc.isenabled()", "gc.enable()"),
    "collector's thresholds": Mess("gc.get_threshold()", "gc.set_threshold(1)"),
    "collector's callbacks": Mess("len(gc.callbacks)", "gc.callbacks.append(lambda *_: None)"),
    "collector's debugging": Mess("gc.get_debug()", "gc.set_debug(gc.DEBUG_SAVEALL)"),
    "a builtin function": Mess("builtins.len(())", "builtins.len = lambda _: 7"),
    "a builtin name more": Mess("hasattr(builtins, 'more')", "builtins.more = 1"),
    "no builtin function": Mess(
        "builtins.len is None", "names = vars(builtins)\nfor name in list(names): names[name] = None"
    ),
    "no builtin name": Mess("builtins.__dict__.__len__() > 9", "vars(builtins).clear()"),
    "a function of math": Mess("math.sin(1.0)", "math.sin = math.cos"),
    "a function that equals all": Mess(
        "type(math.sin).__name__",
        "class All:\n    __eq__ = lambda *_: False\n    __hash__ = object.__hash__\nmath.sin = All()",
    ),
    "a constant of math": Mess("hasattr(math, 'pi')", "del math.pi"),
    "a name in a module": Mess("hasattr(json, 'count')", "json.count = 1"),
    "a dict in a module": Mess("len(json.encoder.ESCAPE_DCT)", "json.encoder.ESCAPE_DCT.clear()"),
    "a module in the place of another": Mess("type(sys.modules['json'])", "sys.modules['json'] = None"),
    "a module removed": Mess("'json' in sys.modules", "del sys.modules['json']"),
    "a module added": Mess("'mine' in sys.modules", "sys.modules['mine'] = types.ModuleType('mine')"),
    "another table of modules": Mess("id(sys.modules)", "sys.modules = {}"),
    "a part of a package": Mess(
        "('xml.dom' in sys.modules, hasattr(xml, 'dom'))", "importlib.import_module('xml.dom')"
    ),
    "a method": Mess("id(json.JSONEncoder.default)", "json.JSONEncoder.default = None"),
    "an operator": Mess("str(Fraction(1, 2) + 1)", "Fraction.__add__ = lambda *_: 7"),
    "a method more": Mess("hasattr(json.JSONEncoder, 'more')", "json.JSONEncoder.more = 1"),
    "a method less": Mess("hasattr(json.JSONEncoder, 'encode')", "del json.JSONEncoder.encode"),
    "an enumeration": Mess("hasattr(enum.Enum, 'more')", "enum.Enum.more = 1"),
    "random's state": Mess("random.getstate()[1][:3]", "random.seed(5)"),
    "random's functions": Mess("id(random.random)", "random.random = lambda: 0.5"),
    "numpy's random state": Mess("numpy.random.get_state()[1][:3].tolist()", "numpy.random.seed(9)"),
    "numpy's errors": Mess("numpy.geterr()", "numpy.seterr(all='raise')"),
    "a function of numpy": Mess("int(numpy.sum([1]))", "numpy.sum = lambda _: 7"),
    "warnings' filters": Mess("len(warnings.filters)", "warnings.simplefilter('error')"),
    "a variable of the environment": Mess("os.environ.get('MORE')", "os.environ['MORE'] = '1'"),
    "no environment": Mess("len(os.environ)", "os.environ.clear()"),
    "handlers of logging": Mess("len(logging.root.handlers)", "logging.basicConfig()"),
    "level of logging": Mess("logging.root.level", "logging.root.setLevel(1)"),
    "logging switched off": Mess("logging.root.manager.disable", "logging.disable(logging.CRITICAL)"),
    "a logger": Mess("'mine' in logging.root.manager.loggerDict", "logging.getLogger('mine')"),
    "a handler of a signal": Mess("signal.getsignal(signal.SIGTERM)", "signal.signal(signal.SIGTERM, lambda *_: None)"),
    "blocked signals": Mess(
        "len(signal.pthread_sigmask(signal.SIG_BLOCK, ()))", "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))"
    ),
    "a signal that waits": Mess(
        "len(signal.sigpending())",
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])\nos.kill(os.getpid(), signal.SIGALRM)",
    ),
    "a timer": Mess("signal.getitimer(signal.ITIMER_REAL)[0] > 0", "signal.setitimer(signal.ITIMER_REAL, 1000)"),
    "open descriptors": Mess("open_descriptors()", "os.dup(0)"),
    "locale": Mess("locale.setlocale(locale.LC_ALL)", "locale.setlocale(locale.LC_ALL, 'C')"),
    "stack size of threads": Mess("threading.stack_size()", "threading.stack_size(1 << 20)"),
    "functions for the exit": Mess("atexit._ncallbacks() > 50", "for _ in range(99): atexit.register(print)"),
}
# what a process cannot go on after
FINAL = {
    "a thread": "threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()",
    "an extension module": "importlib.import_module('_lsprof')",
}

# Each case in a fork of a Python that is started as the worker is. A case's answer: whether the probe saw the mess,
# whether the snapshot said that all was put back, and whether the probe then saw what it had seen at first.
PROGRAM = """
import json, os, sys
sys.path[0] = sys.argv[1]
import atexit, builtins, decimal, enum, fractions, importlib, locale, logging, math, random, signal
import threading, time, types, warnings, xml
from fractions import Fraction
import numpy
from worker.confine import leftovers

FIRST_FREE = 20


def open_descriptors():
    found = []
    for number in range(FIRST_FREE, 64):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            pass
    return found


def run(probe, code):
    import gc
    gc.disable()
    for number in range(3, FIRST_FREE):  # in use, so that what is opened comes behind it
        if number not in (reader, writer):
            os.dup2(0, number)
    names = {**globals(), "gc": gc}
    look, act, mess = eval, exec, compile(code, "07_learner.py", "exec")
    expression = compile(probe, "probe", "eval")
    snapshot = leftovers.Snapshot()
    before = look(expression, names)
    act(mess, names)
    seen = look(expression, names) != before
    restored = snapshot.restore(FIRST_FREE)
    return [seen, restored, look(expression, names) == before]


answers = {}
for name, (probe, code) in json.load(sys.stdin).items():
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            answer = json.dumps(run(probe, code))
        except BaseException as error:
            answer = json.dumps(repr(error))
        os.write(writer, answer.encode())
        os._exit(0)
    os.close(writer)
    answers[name] = json.loads(os.read(reader, 1000) or b'"died"')
    os.close(reader)
    os.wait()
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers() -> dict[str, object]:
    """Return the result of each mess."""
    cases = {**MESSES, **{name: ("None", code) for name, code in FINAL.items()}}
    folder, packages = Path(grader.__file__).parent, Path(str(__import__("numpy").__file__)).parent.parent
    done = subprocess.run(
        [sys.executable, "-s", "-c", PROGRAM, str(folder)],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=True,
        env={"LC_ALL": "C.UTF-8", "PYTHONPATH": str(packages), "PYTHONHASHSEED": "0"},
        cwd="/",
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", MESSES)
def test_what_was_left_is_put_back(answers: dict[str, object], name: str) -> None:
    """The mess is visible before `restore`, and not after it."""
    if name == "digits of integers" and not hasattr(sys, "set_int_max_str_digits"):
        pytest.skip("this Python has no such limit")
    assert [True, True, True] == answers[name]


@pytest.mark.parametrize("name", FINAL)
def test_what_cannot_be_put_back_is_said(answers: dict[str, object], name: str) -> None:
    """After a thread that still runs, or a module that cannot be imported twice, the process ends."""
    assert [False, False, True] == answers[name]


def test_nothing_is_left_in_this_process() -> None:
    """The cases ran in other processes."""
    assert "MORE" not in os.environ
