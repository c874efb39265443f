"""Messages about the limits of an export."""

from ...base import counted


def left_out(lacking: int, of: int, names: str) -> str:
    """Return a message that some submissions have no report."""
    has = "has no report and is" if lacking == 1 else "have no report and are"
    return f"{lacking} of {counted(of, 'submission')} {has} left out: {names}"


def not_from(platform: str, lacking: int, of: int) -> str:
    """Return a message that a platform cannot accept feedback for submissions that are not from its download."""
    are = "is" if lacking == 1 else "are"
    return f"{lacking} of {of} did not come from a download of {platform} and {are} left out"


def other_total(to: str, submission: str, shown: tuple[str, int], other: tuple[str, int]) -> str:
    """Return a message that two learners share a submission but have different totals.

    Args:
        to: the format, which has only one total for a submission.
        shown: the name and the total of the learner whose total is written.
        other: the name and the total of the other learner.
    """
    return (
        f"{submission} belongs to {shown[0]} ({shown[1]}) and {other[0]} ({other[1]}); "
        f"--to {to} has one total for a submission, and {shown[1]} was written"
    )
