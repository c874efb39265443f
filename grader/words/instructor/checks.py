"""Advice about a check, based on the results of a class."""

_NOTES = {
    "": "",
    "everybody": "everybody passes it, so it does not distinguish between submissions",
    "missing": "nobody submitted the exercise",
    "negative": "those who pass it have fewer points elsewhere; review the check",
    "nobody": "nobody passes; review the check and the lesson",
    "not_started": "nobody began the exercise",
    "weak": "it hardly separates strong from weak submissions",
}


def check_note(kind: str) -> str:
    """Return the advice for a kind of result, or an empty text."""
    return _NOTES[kind]
