"""How numbers of a report are shown, wherever they are: on a terminal, on a page, in an export."""

from .model import CheckResult


def expected_by(check: CheckResult) -> str:
    """What a report calls the expected numbers of a check: torch's where torch alone computed them."""
    return "torch" if check.expected_by == "torch" else "expected"


def digits(value: float | str) -> str:
    """A number with up to six digits; words as they are."""
    return value if isinstance(value, str) else f"{value + 0.0:.6g}"  # + 0.0: no -0
