"""Record a replay: the steps of a learner's own code as it runs forward and backward on a program."""

from .model import (
    Change,
    Contribution,
    Expected,
    Fault,
    Forward,
    Grid,
    Input,
    Landscape,
    Node,
    Problem,
    Replay,
    RightVisit,
    Seen,
    SourceText,
    Step,
    Visit,
)

__all__ = [
    "Change",
    "Contribution",
    "Expected",
    "Fault",
    "Forward",
    "Grid",
    "Input",
    "Landscape",
    "Node",
    "Problem",
    "Replay",
    "RightVisit",
    "Seen",
    "SourceText",
    "Step",
    "Visit",
]
