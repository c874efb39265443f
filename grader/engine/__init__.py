"""The learner's code as seen from the trusted side: hand it programs, get observations back."""

from .bounds import cut, cut_output
from .protocol import Batch, Broke, Called, Done, Odd, Problem, Read, Reading, Refused, Run, Traced
from .source import Source, decode_source, read_source
from .submission import Died, Loaded, LoadFailed, NotStarted, Ran, Submission

__all__ = [
    "Batch",
    "Broke",
    "Called",
    "Died",
    "Done",
    "LoadFailed",
    "Loaded",
    "NotStarted",
    "Odd",
    "Problem",
    "Ran",
    "Read",
    "Reading",
    "Refused",
    "Run",
    "Source",
    "Submission",
    "Traced",
    "cut",
    "cut_output",
    "decode_source",
    "read_source",
]
