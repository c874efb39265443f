"""The trusted side's access to learner code: send programs, receive observations."""

from ..remarks import Died, Reason
from .bounds import cut, cut_output
from .engine_process import (
    Candidate,
    CandidateKind,
    CandidateProcess,
    EngineProcess,
    Loaded,
    LoadFailed,
    NotStarted,
    Ran,
)
from .protocol import (
    Batch,
    Broke,
    Called,
    Done,
    GradientChange,
    Logged,
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
