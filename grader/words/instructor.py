"""The sentences that an instructor reads about a class."""

from typing import Protocol


class Review(Protocol):
    """Why a person should look at a submission: `NeedsReview` of `grader.report`, which has the kinds."""

    @property
    def kind(self) -> str: ...
    @property
    def exercise(self) -> str | None: ...
    @property
    def checks(self) -> tuple[str, ...]: ...
    @property
    def detail(self) -> str | None: ...


def review_text(reason: Review) -> str:
    """Return a reason in an instructor's words."""
    where = f"{reason.exercise}: " if reason.exercise else ""
    checks = f" ({', '.join(reason.checks)})" if reason.checks else ""
    match reason.kind:
        case "budget":
            return f"{where}not run to the end: the submission used up its time{checks}"
        case "killed":
            return f"{where}the process was killed{checks}"
        case "left_out":
            return f"{where}programs were left out of the answers{checks}"
        case "no_answer":
            return f"{where}no answer in time{checks}"
        case "no_files":
            return "no exercise file was found"
        case "not_graded":
            return f"not graded: {reason.detail}"
        case "protocol_error":
            return f"{where}the answers are malformed{checks}"
        case "note" | "unreadable":
            return reason.detail or f"{where}unreadable"
        case _:
            raise ValueError(reason.kind)
