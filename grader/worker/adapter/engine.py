"""Run a learner's file in an engine process: load it, run it again, execute batches of programs."""

import sys
from types import FrameType, ModuleType
from typing import Any

from . import execute, load

_COMPILE = (load.same_code.__code__, load.parse.__code__)


class LearnerFile:
    """A learner's file. Its answers are tagged lists, which `grader/client/protocol.py` describes.

    Creating it imports the modules that the source names.

    Args:
        order: a dictionary with the keys `source`, `filename`, `stub`, `allow`, `cells` and `limits`. `stub` is the
            file as it was given out, or None. `allow` has the folders of modules beyond the standard library, by
            name. `cells` has the lines in which a notebook's cells begin, and is empty for a file.
    """

    def __init__(self, order: dict[str, Any]) -> None:
        self._source: str = order["source"]
        self._filename: str = order["filename"]
        self._stub: str | None = order["stub"]
        self._cells: list[int] = order["cells"]
        self._allow: dict[str, str] = order["allow"]
        self._calls: int = order["limits"]["calls"]
        self._parsed: load.Parsed | None = None
        self._builtins: dict[str, Any] = {}
        self._module: ModuleType | None = None
        load.preimport(self._source, self._allow)

    @property
    def loaded(self) -> bool:
        """Return whether the file ran to its end."""
        return self._module is not None

    def load(self) -> list[Any]:
        """Compile the file and run it. Return `["loaded"]`, `["not_started"]` or `["failed", problem]`."""
        try:
            if self._stub is not None and load.same_code(self._source, self._stub):
                return ["not_started"]
            self._parsed = load.parse(self._source, self._filename, self._cells)
            self._builtins = load.builtins_for(self._parsed, self._allow)
        except BaseException as error:
            return ["failed", ["load", *load.describe(error, self._filename)]]
        problem = self._execute()
        return ["loaded"] if problem is None else ["failed", problem]

    def forget(self) -> None:
        """Drop all references to the module of the last run and to its objects."""
        self._module = None
        sys.modules.pop(load.MODULE, None)

    def reload(self) -> list[Any] | None:
        """Run the file again in a new namespace. Return None, or `["unread", problem]`."""
        problem = self._execute()
        return None if problem is None else ["unread", problem]

    def run(self, batch: dict[str, Any]) -> list[Any]:
        """Execute a batch with the module of the last run (see `execute.execute`)."""
        assert self._module is not None
        return execute.execute(self._module, self._filename, batch)

    def is_theirs(self, frame: FrameType | None) -> bool:
        """Return whether a frame is learner code, was called by learner code, or compiles it."""
        while frame is not None:
            if frame.f_code.co_filename == self._filename or frame.f_code in _COMPILE:
                return True
            frame = frame.f_back
        return False

    def _execute(self) -> list[Any] | None:
        assert self._parsed is not None
        try:
            self._module = load.execute(self._parsed, self._builtins, self._calls)
        except BaseException as error:
            return ["load", *load.describe(error, self._filename)]
        return None
