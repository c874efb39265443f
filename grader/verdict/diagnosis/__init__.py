"""Explain a wrong engine: derive fault facts, and find the misconception that behaves exactly like it."""

from .facts import NOTHING_ADDED, explains, operation_of
from .gradients import gradient_facts, gradient_probes, rules_unused, shift_facts, shift_probes
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
from .passes import pass_facts, pass_probes
from .rules import of_results, rule_facts, rule_probes
from .training import training_facts, training_probes
