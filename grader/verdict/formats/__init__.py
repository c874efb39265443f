"""The formats of other programs: pure functions from reports to text, and a `Format` for each."""

from .registry import (
    ExportedFiles,
    ExportRequest,
    Format,
    Output,
    Texts,
    export_formats,
    outputs,
    register,
    run_formats,
    write_formats,
)
from .rows import decision_on, other_decisions, student_id
