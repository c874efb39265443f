"""Explain a wrong engine: derive fault facts, and find the misconception that behaves exactly like it."""

from .behaviour import Behaviour, arrived, behaviour, can_be_named, can_be_told, check_of, diagnose
from .facts import (
    explains,
    gradient_facts,
    gradient_probes,
    operation_of,
    pass_facts,
    pass_probes,
    rule_facts,
    rule_probes,
)
from .misconceptions import (
    Edit,
    Misconception,
    Where,
    anywhere,
    apply_edits,
    edited,
    in_solution,
    read_misconceptions,
    regions,
    unfinished,
    without,
)
from .training import training_facts, training_probes
