"""Explain a wrong engine: derive fault facts, and find the misconception that behaves exactly like it."""

from .facts import (
    NOTHING_ADDED,
    explains,
    gradient_facts,
    gradient_probes,
    of_results,
    operation_of,
    pass_facts,
    pass_probes,
    rule_facts,
    rule_probes,
    rules_unused,
    shift_facts,
    shift_probes,
)
from .misconceptions import (
    Behaviour,
    Edit,
    Misconception,
    SpansToSearch,
    answer_of,
    anywhere,
    apply_edits,
    arrived,
    behaviour,
    can_be_named,
    can_be_told,
    check_of,
    diagnose,
    edited,
    in_solution,
    read_misconceptions,
    regions,
    unfinished,
    without,
)
from .training import training_facts, training_probes
