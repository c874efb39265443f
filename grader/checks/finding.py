"""The finding of a check: the only thing that counts as a learner's failure."""

import math
import re
from typing import Literal, NoReturn, TypeAlias

import msgspec

from ..client import Died, Odd, Problem, Reason, bounds, cut, reason_of
from ..client.engine_process import STALLED_S
from ..client.protocol import RAN_OUT, Observed
from ..program import BINARY, METHODS
from .explain import explain

Shown: TypeAlias = float | str
ExpectedBy: TypeAlias = Literal["torch", "check"]
Status: TypeAlias = Literal["failed", "error", "timeout", "crashed", "not_started"]

_STATUS: dict[str, Status] = {
    "shape": "failed",
    "not_offered": "failed",
    "wants_argument": "failed",
    **dict.fromkeys(RAN_OUT, "timeout"),
}


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """A check's failure as data: what was computed, what is expected, what came back, in whose words. `expected_by`
    says who computed what is expected: torch alone, or the check from it; `reason` says why there is no number to
    compare."""

    status: Status
    program: str | None = None
    expected: dict[str, Shown] = {}
    actual: dict[str, Shown] = {}
    message: str | None = None
    reason: Reason | None = None
    expected_by: ExpectedBy = "check"


class CheckFailed(Exception):
    """Raised by the kit's comparisons, and by nothing else. Carries a `Finding`."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding)
        self.finding = finding


def fail(
    message: str | None = None,
    *,
    program: str | None = None,
    expected: dict[str, Shown] | None = None,
    actual: dict[str, Shown] | None = None,
    status: Status = "failed",
    reason: Reason | None = None,
    expected_by: ExpectedBy = "check",
) -> NoReturn:
    raise CheckFailed(Finding(status, program, expected or {}, actual or {}, message, reason, expected_by))


def fail_for(cause: Problem | Died, source: str, program: str | None = None) -> NoReturn:
    """Fail because the learner's code raised, ran on, or died; `source` is their file's text."""
    reason = reason_of(cause)
    if isinstance(cause, Died):
        fail(death_text(cause), program=program, status=cause.status, reason=reason)
    status: Status = "not_started" if cause.unfilled else _STATUS.get(cause.kind, "error")
    fail(problem_text(cause, source), program=program, status=status, reason=reason)


def death_text(died: Died) -> str:
    """Say in a sentence why no usable answer came."""
    match died.kind:
        case "answer_too_large":
            return f"its answer is larger than the {died.limit_kb} KB that this check allows"
        case "budget":
            spent = "CPU time" if died.clock == "cpu" else "time"
            return f"not run: the submission used up the {died.seconds:g} seconds of {spent} that it may use in all"
        case "cpu_limit":
            return f"it used more than {died.seconds:g} seconds of CPU time"
        case "exited":
            return "its process was left before it answered (os._exit, or out of memory?)"
        case "killed":
            return f"its process was ended by {died.signal}"
        case "not_reloaded":
            return "the file loaded once, but not a second time"
        case "output_too_large":
            return f"it printed more than {(died.limit_kb or 0) >> 10} MB"
        case "protocol_error":
            return f"its process gave no proper answer: {died.detail}"
        case "unanswered":
            return f"not run: {died.count} times before there was no answer in time"
        case "wall_limit":
            return f"no answer within {died.seconds:g} seconds"


def problem_text(problem: Problem, source: str) -> str:
    """A problem in a sentence, then the learner's own lines, innermost last, then where it usually comes from."""
    every = source.split("\n")
    known = [number for number in problem.lines if 1 <= number <= len(every)]
    code = [cut(every[n - 1].strip(), bounds.SOURCE_LINE) for n in known[-bounds.SHOWN_LINES :]]
    lines = [f"line {n}: {line}" for n, line in zip(known[-bounds.SHOWN_LINES :], code, strict=True)]
    if is_notebook(source):
        return _NOTEBOOK
    told = problem.kind == "raised" and not problem.unfilled
    usual = explain(problem.type_name, problem.message, code) if told else None
    if problem.kind == "module":
        usual = "each file is run alone: it can import nothing from other files of yours"
    # a message as long as a message can be is the beginning of a longer one
    said = " ".join(_sentence(problem, cut(problem.message, bounds.MESSAGE - 1)).split())
    return "\n".join([said, *dict.fromkeys(lines), *([usual] if usual else [])])


def is_notebook(source: str) -> bool:
    """Whether a file's text is a Jupyter notebook's: JSON with cells."""
    return source.lstrip().startswith("{") and '"cells"' in source and '"nbformat"' in source


_NOTEBOOK = "this file is a Jupyter notebook (JSON); submit its code as a Python file"
# what was done when learner code raised outside of its own file, by step
_DONE: dict[str, str] = {
    "load": "the file was run",
    "reading": "a few nodes were made to look at the engine",
    "build": "this was computed",
    "values": "the values were read",
    "grads": "the gradients were read",
    "backward": "`backward()` was called",
    "preload": "the gradients were set",
    "local_rules": "the backward rules were run one at a time",
    "triple": "a backward rule was replaced",
    "watch": "the backward rules were watched",
    "call": "your function was called",
    "anew": "the graph was built again from the same leaves",
    "train": "`train` was called",
}


def _sentence(problem: Problem, said: str) -> str:
    """A problem in words, of which `said` are the learner's."""
    match problem.kind:
        case "shape":
            return said
        case "not_offered":
            return _absent(said)
        case "wants_argument":
            return wants_argument_text(said)
        case "calls":
            return "stopped: it called its functions too often; does a loop or a recursion never end, or repeat work?"
        case "cpu":
            return "stopped: it ran out of CPU time; does a loop never end?"
        case "stalled":
            return f"stopped: it waited for {STALLED_S} seconds without computing anything; what does it wait for?"
        case "exit":
            return "the code ends the program (sys.exit, exit or quit)"
        case "module":
            return said
        case "syntax":
            return f"Python cannot read the file: {said}"
        case _ if problem.unfilled:
            return "this part is still to be filled in"
        case _ if problem.type_name == "MemoryError":
            return "it asked for more memory than a check may have"
        case _:
            message = re.sub(r"\b0x[0-9a-f]{8,16}\b", "0x…", said)
            text = f"{problem.type_name}: {message}" if message else problem.type_name
            if problem.lines:
                return f"your code raised {text}"
            return f"when {_DONE.get(problem.where, 'your code was run')}, Python said: {text}"


def _absent(method: str) -> str:
    """Say that an engine does not define what an operation calls."""
    for op, name in METHODS.items():
        if method == name:
            return f"your engine has no `{BINARY.get(op, '-')}`{_ALONE.get(op, '')}: define `{method}`"
        if method == name.replace("__", "__r", 1):
            return f"your engine has no `{BINARY[op]}` for a number on the left: define `{method}`"
    return f"your engine has no `{method}` that takes a node and returns one: define a method `{method}`"


def wants_argument_text(method: str) -> str:
    """Say that a method was not run, and why."""
    return f"`{method}` was not run: it takes an argument besides `self`, and checks call it without one"


_ALONE = {"neg": " in front of a value"}


def shown(value: Observed) -> Shown:
    """An observed number as a report has it: JSON knows neither infinity nor None's gradient."""
    if isinstance(value, Odd):
        return "None" if value.type == "NoneType" else f"a {value.type}"
    return value if math.isfinite(value) else str(value)
