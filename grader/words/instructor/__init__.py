"""The sentences for an instructor about a class. There is one module for each part of the class."""

from .changes import cause_text, change_line, changed_text, render_changes, why_text
from .checks import check_note
from .exports import left_out, not_from, other_total
from .people import columns_text, members_text, misplaced_text, no_such_file, problem_text
from .reviews import (
    KEPT,
    decided_text,
    is_ready,
    keep_all_commands,
    keep_command,
    kept_name,
    review_command,
    review_question,
    review_text,
)

__all__ = [
    "KEPT",
    "cause_text",
    "change_line",
    "changed_text",
    "check_note",
    "columns_text",
    "decided_text",
    "is_ready",
    "keep_all_commands",
    "keep_command",
    "kept_name",
    "left_out",
    "members_text",
    "misplaced_text",
    "no_such_file",
    "not_from",
    "other_total",
    "problem_text",
    "render_changes",
    "review_command",
    "review_question",
    "review_text",
    "why_text",
]
