"""Count the functions and modules of `grader` that a command runs, and how deep its calls are nested.

    python tests/tools/journey.py          # `grade 3` on a file that assigns gradients instead of accumulating them
    python tests/tools/journey.py --list   # the functions as well, by module

Only this process is recorded: not the learner's process, and not the imports.
"""

import contextlib
import inspect
import io
import os
import sys
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
_GRADER = str(ROOT / "grader") + "/"


class Journey:
    """The functions that ran, by module. A profile function."""

    def __init__(self) -> None:
        self.functions: defaultdict[str, set[str]] = defaultdict(set)
        self.calls = 0
        self.depth = 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        is_function = bool(code.co_flags & inspect.CO_OPTIMIZED)  # not the body of a module or class
        if event != "call" or not is_function or not code.co_filename.startswith(_GRADER):
            return
        self.calls += 1
        self.functions[code.co_filename.removeprefix(_GRADER)].add(f"{code.co_firstlineno}: {code.co_name}")
        depth = 0
        above: FrameType | None = frame
        while above is not None:
            depth += above.f_code.co_filename.startswith(_GRADER)
            above = above.f_back
        self.depth = max(self.depth, depth)


def main() -> None:
    from grader.cli import main as grade

    text = (ROOT / "solutions" / "03_accumulate.py").read_text(encoding="utf-8")
    journey = Journey()
    with tempfile.TemporaryDirectory(prefix="journey-") as folder:
        (Path(folder) / "03_accumulate.py").write_text(text.replace("+=", "="), encoding="utf-8")
        os.chdir(folder)
        with contextlib.redirect_stdout(io.StringIO()):
            threading.setprofile(journey)
            sys.setprofile(journey)
            try:
                grade(["3"])
            except SystemExit:
                pass
            finally:
                sys.setprofile(None)
                os.chdir(ROOT)
    if "--list" in sys.argv:
        for module, functions in sorted(journey.functions.items()):
            print(module, *sorted(functions, key=lambda name: int(name.partition(":")[0])), sep="\n    ")
    count = sum(map(len, journey.functions.values()))
    print(f"{count} functions in {len(journey.functions)} modules, {journey.calls} calls, {journey.depth} nested")


if __name__ == "__main__":
    main()
