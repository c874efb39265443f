"""The trusted side's access to learner code: send programs, receive observations."""

from ..remarks import Died, Reason
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
    GradientChange,
    Grads,
    Nothing,
    Numbers,
    Odd,
    Problem,
    Read,
    Reading,
    Recorded,
    Refused,
    Ruled,
    RuleVisit,
    Run,
    Traced,
    Values,
)
from .reason import reason_of, stopped
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
    "GradientChange",
    "Grads",
    "LoadFailed",
    "Loaded",
    "NotStarted",
    "NotebookError",
    "Nothing",
    "Numbers",
    "Odd",
    "Problem",
    "Ran",
    "Read",
    "Reading",
    "Reason",
    "Recorded",
    "Refused",
    "RuleVisit",
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
