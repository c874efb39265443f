"""How much is taken of what a submission says: the sizes that the trusted side holds to, in one place.

A worker's answer is refused beyond its bounds, before anything is built from it. Text that people read is cut, and
says so. docs/threat-model.md tells what these sizes add up to.
"""

SOURCE = 256 << 10  # bytes of a learner's file, or of a notebook's code
NOTEBOOK = 16 << 20  # bytes of a notebook, most of which are pictures in its outputs
CELLS = 2_000  # cells of a notebook
ANSWER = 20 << 20  # bytes of an answer to a batch; most batches allow far less
ANSWER_VALUES = 1_000_000  # JSON values in it, each of which takes up to 200 bytes of memory once it is decoded
LOAD_ANSWER = 64 << 10  # bytes of the answer to the request to load a file
LOAD_VALUES = 1_000
NAME = 40  # characters of a name
MESSAGE = 300  # characters of an exception's message; the worker sends no more
NAMES = 8  # of one problem; the worker sends no more
TRACEBACK = 4  # line numbers of one problem; the worker sends no more
VISITS = 400  # runs of local rules in one recording; the worker sends no more
CHANGES = 2_000  # changes of gradients in one recording; the worker sends no more
SHOWN_LINES = 3  # of which this many source lines are shown
SOURCE_LINE = 200  # characters of a source line that is shown
OUTPUT = 16 << 10  # bytes that a report spends on what one check printed
STALLED_S = 5  # code that uses no CPU time for so many seconds makes no progress

MARK = "…"
_SHORT = '\n\r\t"\\'  # JSON spells these in two bytes
_LONGEST = 12  # bytes in which JSON spells one character, at most: \\udb40\\udc41


def cut(text: str, most: int) -> str:
    """Return a text of at most `most` characters, ending in `MARK` where something is missing."""
    return text if len(text) <= most else text[: most - len(MARK)] + MARK


def cut_output(text: str, output_kb: int, lost: int = 0) -> str:
    """Return what a report keeps of printed text, and a line on how many bytes are missing.

    Args:
        text: what was printed, or its beginning.
        output_kb: the course's limit; `OUTPUT` is one, too.
        lost: how many bytes are missing already.
    """
    kept = _beginning(text, kept_bytes(output_kb))
    lost += len(text[len(kept) :].encode())
    return f"{kept}\n[{lost} more bytes left out]\n" if lost else kept


def kept_bytes(output_kb: int) -> int:
    """Return how many bytes are kept of output of which a course keeps `output_kb` KB."""
    return min(output_kb << 10, OUTPUT)


def _beginning(text: str, most: int) -> str:
    """Return the longest beginning that a report spells in at most `most` bytes."""
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
    """Return how many bytes a report's JSON has for a character, at most; `before` is the one before it."""
    if character in _SHORT:
        return 2
    steers = character in ":[" and before in (":", "#")  # `::` and `##[` are spelled out
    if character.isprintable() and not steers:
        return len(character.encode())
    return 6 if character <= "\uffff" else _LONGEST
