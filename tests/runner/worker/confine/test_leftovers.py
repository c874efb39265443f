"""The interpreter is restored after learner code, or the process says that it cannot be."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from every import every
from read_yaml import read_yaml

import grader

HERE = Path(__file__).resolve().parent
MESSES = {one["what"]: (one["shown by"], one["code"]) for one in read_yaml(HERE / "leftovers.yaml")}
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
    folder, packages = Path(grader.__file__).parent / "runner", Path(str(__import__("numpy").__file__)).parent.parent
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


@every("name", MESSES)
def test_what_was_left_is_put_back(answers: dict[str, object], name: str) -> None:
    """The mess is visible before `restore`, and not after it."""
    missing = name == "digits of integers" and not hasattr(sys, "set_int_max_str_digits")
    assert missing or [True, True, True] == answers[name]


@every("name", FINAL)
def test_what_cannot_be_put_back_is_said(answers: dict[str, object], name: str) -> None:
    """After a thread that still runs, or a module that cannot be imported twice, the process ends."""
    assert [False, False, True] == answers[name]


def test_nothing_is_left_in_this_process() -> None:
    """The cases ran in other processes."""
    assert "MORE" not in os.environ
