"""Why learner code gave no answer, or no right one, as data: a code and its fields. Sentences are made elsewhere."""

from typing import Literal, TypeAlias

import msgspec

from ..remarks import Stopped
from . import bounds
from .bounds import cut
from .protocol import Problem

Kind: TypeAlias = Literal[
    "answer_too_large",
    "budget",
    "cpu_limit",
    "exited",
    "killed",
    "not_reloaded",
    "output_too_large",
    "protocol_error",
    "unanswered",
    "wall_limit",
]
Status: TypeAlias = Literal["error", "timeout", "crashed"]

STATUS: dict[Kind, Status] = {
    "answer_too_large": "error",
    "budget": "timeout",
    "cpu_limit": "timeout",
    "exited": "crashed",
    "killed": "crashed",
    "not_reloaded": "crashed",
    "output_too_large": "error",
    "protocol_error": "error",
    "unanswered": "timeout",
    "wall_limit": "timeout",
}


class Died(msgspec.Struct, frozen=True, omit_defaults=True):
    """No usable answer came from an engine process, and why.

    | kind               | fields                                                                     |
    |--------------------|----------------------------------------------------------------------------|
    | `answer_too_large` | `limit_kb`                                                                 |
    | `budget`           | not run: the submission had used up `seconds` of `clock` ("cpu" or "wall") |
    | `cpu_limit`        | `seconds` of CPU time were used up                                         |
    | `exited`           | the process left before it answered                                        |
    | `killed`           | `signal`, its name                                                         |
    | `not_reloaded`     | the file loaded once, but not a second time                                |
    | `output_too_large` | `limit_kb`                                                                 |
    | `protocol_error`   | `detail`                                                                   |
    | `unanswered`       | not run: `count` batches before had no answer in time                      |
    | `wall_limit`       | `seconds` of time passed                                                   |
    """

    kind: Kind
    seconds: float | None = None
    clock: Literal["cpu", "wall"] | None = None
    signal: str | None = None
    limit_kb: int | None = None
    count: int | None = None
    detail: str | None = None

    @property
    def status(self) -> Status:
        """The status of a check that this happens to."""
        return STATUS[self.kind]


class Reason(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Why a check was not passed or a file not loaded, beyond a wrong number: a kind of `Died` or of the protocol's
    `Problem`. `type` is an exception's, `line` the innermost line of the learner's file, `detail` for `not_offered` and
    `wants_argument` the method, for `shape` what is missing; the others are those of `Died`. A file that is not there
    has `near_name` or `several_files`, and in `names` the files that may be meant."""

    kind: str
    seconds: float | None = None
    clock: str | None = None
    signal: str | None = None
    limit_kb: int | None = None
    count: int | None = None
    detail: str | None = None
    type: str | None = None
    line: int | None = None
    names: tuple[str, ...] = ()


def reason_of(cause: Died | Problem) -> Reason:
    """Return the reason that a death, or a problem in the learner's code, is."""
    if isinstance(cause, Died):
        return Reason(**msgspec.structs.asdict(cause))
    raised = cause.type_name if cause.kind == "raised" else None
    detail = cause.type_name if cause.kind == "shape" else cause.method
    return Reason(cause.kind, type=raised, line=cause.lines[-1] if cause.lines else None, detail=detail)


def stopped(problem: Problem, source: str) -> Stopped:
    """Return a problem with the learner's own lines, of which `source` is the file's text."""
    every = source.split("\n")
    known = [number for number in problem.lines if 1 <= number <= len(every)][-bounds.SHOWN_LINES :]
    lines = [(number, cut(every[number - 1].strip(), bounds.SOURCE_LINE)) for number in known]
    return Stopped(
        problem.kind,
        problem.where,
        problem.type_name,
        # a message as long as a message can be is the beginning of a longer one
        cut(problem.message, bounds.MESSAGE - 1),
        names=tuple(problem.names),
        counts=(bounds.STALLED_S,) if problem.kind == "stalled" else tuple(problem.counts),
        lines=tuple(dict.fromkeys(lines)),
        in_file=bool(problem.lines),
        unfilled=problem.unfilled,
        notebook=is_notebook(source),
    )


def is_notebook(source: str) -> bool:
    """Return whether a file's text is a Jupyter notebook's: JSON with cells."""
    return source.lstrip().startswith("{") and '"cells"' in source and '"nbformat"' in source
