"""The bounds on everything that a submission can send, in one place.

A worker's answer beyond its bounds is refused before anything is built from it. Text that people read is cut, and a
mark shows that. docs/threat-model.md gives the sums of these bounds.
"""

from ..worker.confine import limits

SOURCE = 256 << 10  # bytes of a learner's file, or of a notebook's code
NOTEBOOK = 16 << 20  # bytes of a notebook, most of which are pictures in its outputs
CELLS = 2_000  # cells of a notebook
ANSWER = 20 << 20  # bytes of an answer to a batch; most batches allow far less
ANSWER_VALUES = 1_000_000  # JSON values in an answer; each takes up to 200 bytes of memory once it is decoded
LOAD_ANSWER = 64 << 10  # bytes of the answer to the request to load a file
LOAD_VALUES = 1_000
NAME = 40  # characters of a name
MESSAGE = 300  # characters of an exception's message; the worker sends no more
NAMES = 8  # names in one problem; the worker sends no more
TRACEBACK = 4  # line numbers in one problem; the worker sends no more
AXES = 8  # axes of an array in an answer; the worker sends no array with more
VISITS = 400  # runs of local rules in one recording; the worker sends no more
CHANGES = 2_000  # changes of gradients in one recording; the worker sends no more
PARTS = 20_000  # numbers and lengths of axes in all changes of one recording; the worker sends no more
TRACED = 100  # nodes of a graph that a learner's function builds; the worker sends no more
EVENTS = 1_000  # events in one log of a training; the worker sends no more
CANDIDATES = 12_000  # edits of one file; the worker sends no more
CANDIDATES_ANSWER = 4 << 20  # bytes of the answer that holds them
TOGETHER = 12  # statements that one edit changes; the worker changes no more
REPLACEMENT = 1_000  # characters that an edit puts in place of others; the worker sends no more
EXECUTED_ANSWER = 2 << 20  # bytes of the answer that holds the lines of a file that were executed
SHOWN_LINES = 3  # source lines that are shown for one problem
SOURCE_LINE = 200  # characters of a source line that is shown
NOTE = 2_000  # characters of a note, and of the reason why a file was not read
OUTPUT = 16 << 10  # bytes of a check's printed output in a report
STALLED_S = limits.STALLED_S  # seconds without CPU time after which code counts as making no progress

MARK = "…"
_SHORT = '\n\r\t"\\'  # characters that take two bytes in JSON
_LONGEST = 12  # the most bytes that one character takes in JSON, as in \\udb40\\udc41


def cut(text: str, most: int) -> str:
    """Return a text cut to at most `most` characters, with `MARK` at the end if it was cut."""
    return text if len(text) <= most else text[: most - len(MARK)] + MARK


def cut_output(text: str, output_kb: int, lost: int = 0) -> str:
    """Return the beginning of printed text for a report, with a line on the number of missing bytes, if any.

    Args:
        text: the printed text, or its beginning.
        output_kb: the course's limit. The lower of this limit and `OUTPUT` applies.
        lost: the number of bytes that are already missing.
    """
    kept = _beginning(text, kept_bytes(output_kb))
    lost += len(text[len(kept) :].encode())
    return f"{kept}\n[{lost} more bytes left out]\n" if lost else kept


def kept_bytes(output_kb: int) -> int:
    """Return the number of bytes of output that are kept if the course's limit is `output_kb` KB."""
    return min(output_kb << 10, OUTPUT)


def _beginning(text: str, most: int) -> str:
    """Return the longest beginning of a text that takes at most `most` bytes in a report."""
    if len(text) * _LONGEST <= most:
        return text
    before = ""
    for at, character in enumerate(text):
        most -= _spelled(before, character)
        if most < 0:
            return text[:at]
        before = character
    return text


def _spelled(before: str, character: str) -> int:
    """Return the most bytes that a character can take in a report's JSON.

    Args:
        before: the preceding character.
    """
    if character in _SHORT:
        return 2
    steers = character in ":[" and before in (":", "#")  # `::` and `##[` are escaped
    if character.isprintable() and not steers:
        return len(character.encode())
    return 6 if character <= "\uffff" else _LONGEST
