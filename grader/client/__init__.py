"""The learner's code as seen from the trusted side: hand it programs, get observations back."""

from .bounds import cut, cut_output
from .budget import Budget
from .engine_process import EngineProcess, Loaded, LoadFailed, NotStarted, Ran
from .notebook import SUFFIX as NOTEBOOK
from .notebook import NotebookError, code_cells, without_magics
from .protocol import (
    Batch,
    Broke,
    Called,
    Done,
    Grads,
    Nothing,
    Odd,
    Problem,
    Read,
    Reading,
    Refused,
    Ruled,
    Run,
    Traced,
    Values,
)
from .reason import Died, Reason, reason_of, stopped
from .source import (
    Source,
    decode_source,
    graded_in,
    joined,
    read_content,
    read_exercise,
    read_source,
)

__all__ = [
    "NOTEBOOK",
    "Batch",
    "Broke",
    "Budget",
    "Called",
    "Died",
    "Done",
    "EngineProcess",
    "Grads",
    "LoadFailed",
    "Loaded",
    "NotStarted",
    "NotebookError",
    "Nothing",
    "Odd",
    "Problem",
    "Ran",
    "Read",
    "Reading",
    "Reason",
    "Refused",
    "Ruled",
    "Run",
    "Source",
    "Traced",
    "Values",
    "code_cells",
    "cut",
    "cut_output",
    "decode_source",
    "graded_in",
    "joined",
    "read_content",
    "read_exercise",
    "read_source",
    "reason_of",
    "stopped",
    "without_magics",
]
