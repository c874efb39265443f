"""How words and numbers of a report are shown, wherever they are: on a terminal, on a page, in an export."""

import re
import unicodedata

_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # categories of Unicode


def spelled(text: str, kept: str = "") -> str:
    """Text in which every character is seen: control and format characters but those `kept` are spelled out, as
    `\\x1b`, and the marks by which a line of a CI job's log becomes a command are pulled apart."""
    shown = "".join(c if unicodedata.category(c) not in _UNSEEN or c in kept else f"\\x{ord(c):02x}" for c in text)
    return re.sub(":(?=:)", ": ", shown).replace("##[", "## [")


def digits(value: float | str) -> str:
    """A number with up to six digits; words as they are."""
    return value if isinstance(value, str) else f"{value + 0.0:.6g}"  # + 0.0: no -0
