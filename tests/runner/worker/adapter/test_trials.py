"""Edited files that are run one after another in one process."""

from collections.abc import Sequence
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from grader.runner.client import ask
from grader.runner.worker.adapter import candidates as made
from grader.runner.worker.adapter import load
from grader.runner.worker.adapter.candidates import ParsedFile
from grader.runner.worker.adapter.execute import LearnerFile
from grader.runner.worker.adapter.trials import CandidateFile, _Compiled, open_file

SOLUTIONS = sorted((Path(__file__).resolve().parents[4] / "solutions").glob("*.py"))
PARTS = 5  # each run of the tests takes one of so many solutions
ENGINE = """\
import random

PRINTED = []


class Value:
    def __init__(self, data, inputs=()):
        self.data, self.grad, self.inputs = data, 0.0, inputs
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data - other.data, (self, other))
        return out

    def unused(self):
        return self.data + 1
"""
WRONG = 12  # the line with the mistake
BATCH: dict[str, Any] = {
    "runs": [[[["leaf", 2.0], ["leaf", 3.0], ["add", 0, 1]], [ask.VALUES]]],
    "order_seeds": [0, 1],
    "calls": 1_000,
    "engine": True,
    "each_s": 1,
}


def opened(source: str, cells: Sequence[int] = ()) -> CandidateFile:
    order: dict[str, Any] = {"source": source, "filename": "x.py", "stub": None, "cells": list(cells), "allow": {}}
    lines = list(range(1, source.count("\n") + 2))
    file = CandidateFile({**order, "limits": {"calls": 1_000, "cpu_s": 1}, "editable": lines, "solution": ""})
    file.load()
    return file


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::SyntaxWarning")  # Python warns of some edits, such as a number with an index
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.exhaustive) for part in range(1, PARTS))])
def test_the_code_of_an_edited_function_is_that_of_the_edited_file(part: int) -> None:
    """Only one function is compiled again. The code of the file is the same as if all of it was compiled."""
    for path in SOLUTIONS[part::PARTS]:
        source = path.read_text(encoding="utf-8")
        file = ParsedFile(source, frozenset(range(1, source.count("\n") + 2)))
        compiled = _Compiled(file, source, path.name, ())
        for candidate in made.candidates(file)[::40]:
            if candidate.kind != "function":
                whole = load.parse(candidate.edited(source), path.name, loops=True)
                assert plain(whole.codes[0]) == plain(compiled.edited(candidate.splices).codes[0]), path


def plain(code: CodeType) -> tuple[Any, ...]:
    """Return what a code uses. How Python calls a function of a module depends on whether it sees the import."""
    constants = tuple(plain(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return code.co_name, code.co_flags, *names, constants


def test_a_candidate_runs_as_the_edited_file_does() -> None:
    """The values are those of the edited file. Other candidates do not change them."""
    file = opened(ENGINE)
    right = ENGINE.replace("self.data - other.data", "(self.data + other.data)")
    edits = [one.edited(ENGINE) for one in file.load()[1]]
    numbers = [edits.index(right), 1, edits.index(right)]
    tag, answers = file.run({**BATCH, "candidates": numbers})
    assert "tried" == tag
    five = [["done", [["values", [(2.0).hex(), (3.0).hex(), (5.0).hex()]]]], ["same"]]
    assert [[five[0]], [five[1]]] == answers[0][2] == answers[2][2]
    assert answers[1] != answers[0]


def test_a_cell_that_cannot_be_parsed_has_no_candidates() -> None:
    """The other cells of a notebook are edited and run, and a cell that cannot be parsed is skipped as usual."""
    notebook = f"x = (é\n{ENGINE}"
    file = opened(notebook, (1, 2))
    right = notebook.replace("self.data - other.data", "(self.data + other.data)")
    number = [one.edited(notebook) for one in file.load()[1]].index(right)
    ((tag, _, outcomes),) = file.run({**BATCH, "candidates": [number]})[1]
    assert ("read", "done") == (tag, outcomes[0][0][0])


def test_the_lines_that_a_batch_executes_are_found() -> None:
    """A method that is not called is not among them."""
    tag, lines = opened(ENGINE).run({**BATCH, "candidates": None})
    assert ("executed", True, False) == (tag, WRONG in lines, 16 in lines)


def test_lines_before_a_limit_of_calls_are_known() -> None:
    """The limit is reached at the same place each time, so no edit of another line changes anything."""
    endless = ENGINE.replace("return out", "return self + other")
    lines = opened(endless).run({**BATCH, "candidates": None})[1]
    assert WRONG in lines


@pytest.mark.parametrize("loop", ["while True: pass", "[0 for _ in iter(int, 1)]", "for _ in iter(int, 1): pass"])
def test_the_steps_of_a_loop_are_counted(loop: str) -> None:
    """A loop that does not end is stopped after the same number of steps on any machine."""
    file = opened(ENGINE.replace("return out", f"{loop}\n        return out"))
    number = next(number for number, one in enumerate(file.load()[1]) if one.kind == "sign")
    (answer,) = file.run({**BATCH, "candidates": [number]})[1]
    assert ["unread", ["reading", "calls", "OutOfCalls"]] == [answer[0], answer[1][:3]]


def test_an_edit_that_is_no_program_is_answered() -> None:
    """An edit may raise any error, and the next one is run."""
    file = opened(ENGINE.replace("self.data - other.data", "self.data if other.data else exit()"))
    answers = file.run({**BATCH, "candidates": list(range(len(file.load()[1])))})[1]
    assert {"read", "unread"} == {answer[0] for answer in answers}


def test_a_file_that_is_edited_is_not_one_that_is_run() -> None:
    """The two kinds of files answer an order differently, so neither stands for the other."""
    order: dict[str, Any] = {"source": "x = 1", "filename": "x.py", "stub": None, "cells": [], "allow": {}}
    order["limits"] = {"calls": 1_000, "cpu_s": 1}
    run, edited = open_file(order), open_file({**order, "editable": [1], "solution": ""})
    assert (LearnerFile, CandidateFile) == (type(run), type(edited))
    assert not isinstance(edited, LearnerFile)
    assert ["loaded", "candidates"] == [file.load()[0] for file in (run, edited)]
