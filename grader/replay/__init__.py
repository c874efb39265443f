"""Record a replay: how a learner's own code runs forward and backward on a program, step by step."""

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
    Source,
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
    "Source",
    "Step",
    "Visit",
]
