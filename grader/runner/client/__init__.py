"""The trusted side's access to learner code: send programs, receive observations."""

from ...course.remarks import Died, Reason
from ..worker.adapter import ask
from ..worker.adapter.ask import RAN_OUT
from ..worker.adapter.edits import Candidate, CandidateKind
from . import bounds
from .bounds import NOTE, SOURCE_LINE, cut, cut_output
from .engine_process import (
    CandidateProcess,
    EngineProcess,
    Loaded,
    LoadFailed,
    NotStarted,
    Ran,
)
from .protocol import (
    Array,
    Batch,
    Broke,
    Called,
    Done,
    GradientChange,
    Grads,
    Held,
    Inputs,
    Logged,
    Misshapen,
    Nothing,
    Numbers,
    NumbersOfArrays,
    Observed,
    Odd,
    Problem,
    Read,
    Reading,
    Recorded,
    Refused,
    Result,
    Ruled,
    RuleVisit,
    Run,
    Traced,
    Values,
)
from .source import (
    NOTEBOOK,
    NotebookError,
    Source,
    code_cells,
    decode_source,
    graded_in,
    joined,
    notebook_source,
    read_content,
    read_exercise,
    read_source,
    without_magics,
)
from .transport import MAX_CPU_S, Budget, Host
