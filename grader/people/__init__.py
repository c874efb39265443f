"""The people of a class: roster, decisions, rules on time, and the final table, as pure functions of data."""

from .adjust import adjusted, nothing_submitted
from .compare import Because, Change, changed_rows, compare, in_both
from .deadlines import DEADLINES, Rules, read_rules, see_that_sections_are_known, unknown_learners
from .in_force import in_force, made_for, parts
from .matching import Handed, submitter_of
from .overrides import OVERRIDES, Overrides, entry_text, key_of, merged, read_overrides
from .recorded import RECORDED, Recorded, read_recorded, with_times
from .roster import Roster, RosterError, parse_roster, read_roster
from .settle import Class, Close, Mark, Open, Table, digests, mark, settle
from .times import moment

__all__ = [
    "DEADLINES",
    "OVERRIDES",
    "RECORDED",
    "Because",
    "Change",
    "Class",
    "Close",
    "Handed",
    "Mark",
    "Open",
    "Overrides",
    "Recorded",
    "Roster",
    "RosterError",
    "Rules",
    "Table",
    "adjusted",
    "changed_rows",
    "compare",
    "digests",
    "entry_text",
    "in_both",
    "in_force",
    "key_of",
    "made_for",
    "mark",
    "merged",
    "moment",
    "nothing_submitted",
    "parse_roster",
    "parts",
    "read_overrides",
    "read_recorded",
    "read_roster",
    "read_rules",
    "see_that_sections_are_known",
    "settle",
    "submitter_of",
    "unknown_learners",
    "with_times",
]
