"""The formats of other programs: pure functions from reports to text, and a `Format` for each."""

from .registry import (
    Files,
    Format,
    Output,
    Request,
    Texts,
    export_formats,
    outputs,
    register,
    run_formats,
    write_formats,
)
from .rows import decision_on, other_decisions, student_id
