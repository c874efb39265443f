"""Explain a wrong engine: derive fault facts, and find the misconception that behaves exactly like it."""

from .behaviour import Behaviour, arrived, behaviour, can_be_named, can_be_told, check_of, diagnose, fingerprint
from .facts import gradient_facts, gradient_probes, operation_of, pass_facts, pass_probes, rule_facts, rule_probes
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
from .reasons import explains

__all__ = [
    "Behaviour",
    "Edit",
    "Misconception",
    "Where",
    "anywhere",
    "apply_edits",
    "arrived",
    "behaviour",
    "can_be_named",
    "can_be_told",
    "check_of",
    "diagnose",
    "edited",
    "explains",
    "fingerprint",
    "gradient_facts",
    "gradient_probes",
    "in_solution",
    "operation_of",
    "pass_facts",
    "pass_probes",
    "read_misconceptions",
    "regions",
    "rule_facts",
    "rule_probes",
    "unfinished",
    "without",
]
