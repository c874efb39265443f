"""Changes that a file makes to its interpreter do not affect its later checks."""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ours import SOLUTIONS
from read_yaml import read_yaml

from grader.runner.sandbox import Warm

pytestmark = pytest.mark.slow

Grade = Callable[..., dict[str, Any]]
MESSES = {one["id"]: one for one in read_yaml(Path(__file__).with_name("messes.yaml"))}

# exercise -> an edit that makes its solution wrong, or None; whether the mess is made when the file is imported
# A wrong file fails in one check alone, so that its other checks share a process.
FILES = {
    "09_activations": (None, True),
    "10_operators": (None, False),
    "03_accumulate": (("node.grad = 0.0", "pass"), True),
    "07_backward": (("self.grad = 1.0", "self.grad = 1.0 if self._prev else self.grad"), False),
}
_KEEPS_ITS_OPERATION = "        self._op = _op\n"

# Places where nothing is put back. A file that is right only where it finds itself there fails its first check. After
# a failed check, the next one begins in a fresh process, where the file fails again.
MEMORIES = {
    "a function's attribute": "json.dumps.__dict__.setdefault('seen', [])",
    "an object in a module": "vars(random._inst).setdefault('seen', [])",
    "a default of a function": "json.dumps.__kwdefaults__.setdefault('seen', [])",
}


@pytest.fixture(scope="module")
def cpu_s() -> float:
    """Return a quarter of the course's limit, because some changes run until they are stopped."""
    return 0.5


def messy(stem: str, code: str) -> str:
    """Return the edited solution of an exercise that changes its interpreter once in each run."""
    edit, at_import = FILES[stem]
    text = (SOLUTIONS / f"{stem}.py").read_text(encoding="utf-8")
    if edit is not None:
        assert edit[0] in text
        text = text.replace(*edit)
    made = textwrap.indent(code.strip(), "        ")
    text += f"\n\ndef leave(left=[]):\n    if not left:\n        left.append(True)\n{made}\n"
    if at_import:
        return f"{text}\n\nleave()\n"
    assert text.count(_KEEPS_ITS_OPERATION) == 1
    return text.replace(_KEEPS_ITS_OPERATION, f"{_KEEPS_ITS_OPERATION}        leave()\n")


# the files for the sample of each run: those that take least
QUICK = ("10_operators", "09_activations", "10_operators", "03_accumulate")


def cases() -> list[Any]:
    """Return each mess with each file. In each run every sixth mess is tried, with one file; in a long one, all."""
    sample = {(name, QUICK[place % len(QUICK)]) for place, name in enumerate([*MESSES][::6])}
    return [
        pytest.param(name, stem, id=f"{name}-{stem}", marks=() if (name, stem) in sample else pytest.mark.exhaustive)
        for name in MESSES
        for stem in FILES
    ]


@pytest.mark.parametrize(("name", "stem"), cases())
def test_results_are_those_of_one_process_per_batch(grade: Grade, name: str, stem: str) -> None:
    """Scores, statuses, messages, numbers and output are the same, for right and for wrong files."""
    texts = {stem: messy(stem, MESSES[name]["code"])}
    shared = grade(texts, apart=False)
    assert shared == grade(texts, apart=True)
    if not MESSES[name].get("breaks") and FILES[stem][0] is None:
        assert shared[stem]["score"] >= shared[stem]["max_score"]


def test_files_without_a_mess_share_a_process(grade: Grade, monkeypatch: pytest.MonkeyPatch) -> None:
    """All checks of a right file run in one process, so the tests above are not vacuous."""
    started = []
    start = Warm.start
    monkeypatch.setattr(Warm, "start", lambda warm, *given: started.append(given) or start(warm, *given))
    texts = {stem: messy(stem, "pass") for stem, (edit, _) in FILES.items() if edit is None}
    grade(texts, apart=False)
    assert len(texts) == len(started)
    grade(texts, apart=True)
    assert len(started) > 6 * len(texts)


@pytest.mark.parametrize("memory", MEMORIES)
def test_what_remembers_where_nothing_is_put_back_gains_nothing(grade: Grade, memory: str) -> None:
    """A file that is right only in a used process gets no point by it: after a failed check comes a fresh process."""
    code = f"""\
import json
import random
seen = {MEMORIES[memory]}
if not seen:
    Value.__add__, Value.__mul__ = Value.__mul__, Value.__add__
seen.append(1)
"""
    texts = {"10_operators": messy("10_operators", code)}
    shared, apart = (grade(texts, apart=apart)["10_operators"] for apart in (False, True))
    assert apart["score"] == shared["score"] < shared["max_score"]
