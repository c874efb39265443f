"""Run programs with one edited file after another, each in a new namespace of the same process.

Only what was changed is compiled again. An edited file may leave something behind that changes the answers of the files
after it. Therefore the answers prove nothing. They choose the files that are worth a process of their own.
"""

import ast
import gc
import sys
from collections.abc import Sequence
from types import CodeType, FrameType
from typing import Any, NamedTuple

from ..confine import limits
from . import errors, load
from .candidates import Function, ParsedFile, candidates, first_line, grafts
from .edits import Candidate, Splice, edited
from .execute import LearnerFile, OpenedFile, execute

_CALLS = 200_000  # calls and steps of loops while a file is executed
_COLLECT = 16  # garbage is collected after this many edited files


class CandidateFile(OpenedFile):
    """A learner's file that is parsed, edited in many ways, and run with these edits.

    Args:
        order: as for `OpenedFile`, and `editable`, the lines whose statements may be edited, and `solution`, a right
            file whose parts take the place of the file's. It is an empty text for edits that need no solution.
    """

    def __init__(self, order: dict[str, Any]) -> None:
        super().__init__(order)
        self._calls = min(self._calls, _CALLS)
        self._editable = frozenset(order["editable"])
        self._solution: str = order["solution"]
        self._found: list[Candidate] = []
        self._compiled: _Compiled | None = None

    @property
    def loaded(self) -> bool:
        """Return whether there are candidates, so that batches can be run."""
        return bool(self._found)

    def load(self) -> list[Any]:
        """Return `["candidates", found]`, without running the file. There are none if the file cannot be parsed."""
        try:
            file = ParsedFile(_without_broken_cells(self._source, self._cells), self._editable)
            found = grafts(file, ParsedFile(self._solution, frozenset())) if self._solution else candidates(file)
            self._compiled = _Compiled(file, self._source, self._filename, self._cells)
            self._builtins = load.builtins_for(self._compiled.parsed, self._allow)
            self._found = found
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self._found = []
        return ["candidates", self._found]

    def reload(self) -> None:
        """Do nothing: each candidate is run in a new namespace."""

    def run(self, batch: dict[str, Any]) -> list[Any]:
        """Execute a batch with candidates, or find the lines that it executes without an edit.

        Args:
            batch: as for `execute`. `candidates` has the places of candidates in the answer of `load`, and `each_s`
                the CPU seconds that each may take. `candidates` is null for the file without an edit.

        Returns:
            `["tried", answers]`; without an edit `["executed", lines]`. The lines are null if a limit was reached.
        """
        if batch["candidates"] is None:
            return ["executed", self._executed(batch)]
        answers = []
        if len(batch["candidates"]) > _COLLECT:  # the collections then skip what is needed to the end
            gc.collect()
            gc.freeze()
        for count, number in enumerate(batch["candidates"], 1):
            limits.restart_clock(batch["each_s"])
            answers.append(self._tried(self._found[number], batch))
            if count % _COLLECT == 0:
                gc.collect()
        return ["tried", answers]

    def is_theirs(self, frame: FrameType | None) -> bool:
        """Return whether a frame may be stopped: while candidates are made, any one."""
        return not self._found or super().is_theirs(frame)

    def _tried(self, candidate: Candidate, batch: dict[str, Any]) -> list[Any]:
        assert self._compiled is not None
        try:
            self._parsed = self._compiled.edited(candidate.splices)
            return self._answer(batch)
        except BaseException as error:  # the edit is no program, or time ran out while it was compiled
            return ["unread", ["load", *errors.describe(error, self._filename)]]
        finally:
            self.forget()

    def _answer(self, batch: dict[str, Any]) -> list[Any]:
        problem = self._execute()
        if problem is not None:
            return ["unread", problem]
        assert self._module is not None
        return execute(self._module, self._filename, batch)

    def _executed(self, batch: dict[str, Any]) -> list[int] | None:
        assert self._compiled is not None
        lines: set[int] = set()

        def of_file(frame: FrameType, event: str, argument: object) -> Any:
            return note if frame.f_code.co_filename == self._filename else None

        def note(frame: FrameType, event: str, argument: object) -> Any:
            if event == "line":
                lines.add(frame.f_lineno)
            return note

        self._parsed = self._compiled.parsed
        # the interpreter calls `of_file` for each new frame, and `note` in the frames of the file
        sys.settrace(of_file)
        try:
            answer = self._answer(batch)
        finally:
            sys.settrace(None)
            self.forget()
        # Lines that were not reached because of a clock say nothing. A limit of calls is reached at the same place each
        # time, so an edit of another line changes nothing.
        broken = [one for seed in answer[2] for one in seed if one[0] == "broke"] if answer[0] == "read" else []
        problems = [answer[1]] if answer[0] == "unread" else [problem for _, _, problem in broken]
        return None if any(problem[1] in ("cpu", "stalled") for problem in problems) else sorted(lines)


def _without_broken_cells(source: str, cells: Sequence[int]) -> str:
    """Return a notebook's code with spaces in place of each cell that cannot be parsed."""
    lines = source.split("\n")
    for first, end in zip(cells, [*cells[1:], len(lines) + 1], strict=True) if len(cells) > 1 else ():
        cell = lines[first - 1 : end - 1]
        try:
            ast.parse("\n".join(cell))
        except (SyntaxError, ValueError, RecursionError):
            lines[first - 1 : end - 1] = [" " * len(line) for line in cell]
    return "\n".join(lines)


class _Place(NamedTuple):
    """A code object among the constants of another: its name and its first line."""

    name: str
    line: int


class _Compiled:
    """A compiled file, in which the code of one function can be replaced by that of its edited text.

    Args:
        file: the parsed source.
        cells: the lines in which a notebook's cells begin.
    """

    def __init__(self, file: ParsedFile, source: str, filename: str, cells: Sequence[int]) -> None:
        self.parsed = load.parse(source, filename, cells, loops=True)
        self._file = file
        self._source = source
        self._filename = filename
        self._cells = cells

    def edited(self, splices: Sequence[Splice]) -> load.Parsed:
        """Return the compiled file with an edit. Raises the same errors as `load.parse`."""
        # compile the edited function alone, if the file has one code object
        function = next((one for one in self._file.functions if _inside(splices, one)), None)
        if function is not None and len(self.parsed.codes) == 1 and not self.parsed.failed:
            code = self._with(function, splices)
            if code is not None:
                return self.parsed._replace(codes=(code,))
        return load.parse(edited(self._source, splices), self._filename, self._cells, loops=True)

    def _with(self, function: Function, splices: Sequence[Splice]) -> CodeType | None:
        """Return the file's code with an edited function, or None if the function's code is not where it is expected.

        The function is compiled inside of empty classes of the same names, at the same lines.
        """
        (whole,) = self.parsed.codes
        start, end = function.start, function.end
        text = edited(self._source[start:end], [Splice(a - start, b - start, new) for a, b, new in splices])
        heads = "".join(f"{' ' * depth}class {owner.name}:\n" for depth, owner in enumerate(function.owners))
        # the heads take as many lines as there are classes, so that the function keeps its lines
        blank = "\n" * (function.node.lineno - 1 - len(function.owners))
        code = load.compile_part(ast.parse(blank + heads + text, self._filename), self._filename, whole, loops=True)
        # find the code of the function in those of its classes
        for name in [*(owner.name for owner in function.owners), function.node.name]:
            inner = [one for one in code.co_consts if isinstance(one, CodeType) and one.co_name == name]
            if len(inner) != 1:
                return None
            (code,) = inner
        path = [_Place(node.name, first_line(node)) for node in (*function.owners, function.node)]
        return _replaced(whole, path, code)


def _inside(splices: Sequence[Splice], function: Function) -> bool:
    """Return whether an edit changes nothing but the body of a function."""
    return splices[0].start >= function.body and splices[-1].end <= function.end


def _replaced(code: CodeType, path: Sequence[_Place], new: CodeType) -> CodeType | None:
    """Return a code with another one at a path of code objects, or None if there is no such path or it does not fit."""
    if not path:
        # an edit may make the function use other variables around it; then the whole file is
        # compiled
        return new if new.co_freevars == code.co_freevars else None
    constants = list(code.co_consts)
    for index, one in enumerate(constants):
        if isinstance(one, CodeType) and (one.co_name, one.co_firstlineno) == path[0]:
            constants[index] = _replaced(one, path[1:], new)
            return constants[index] and code.replace(co_consts=tuple(constants))
    return None


def open_file(order: dict[str, object]) -> LearnerFile | CandidateFile:
    """Return the file of an order: one that is run, or one that is edited if the order has editable lines."""
    return CandidateFile(order) if "editable" in order else LearnerFile(order)
