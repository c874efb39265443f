"""People of a class: roster, decisions, rules on time, and the final table, as pure functions over data."""

from .adjust import adjusted, nothing_submitted
from .compare import Because, Change, compare
from .deadlines import DEADLINES, Rules, read_rules, see_that_they_are_known
from .matching import Handed
from .overrides import OVERRIDES, Overrides, entry_text, merged, read_overrides
from .roster import Roster, RosterError, parse_roster, read_roster
from .settle import Class, Close, Mark, Open, Table, mark, settle
from .times import moment

__all__ = [
    "DEADLINES",
    "OVERRIDES",
    "Because",
    "Change",
    "Class",
    "Close",
    "Handed",
    "Mark",
    "Open",
    "Overrides",
    "Roster",
    "RosterError",
    "Rules",
    "Table",
    "adjusted",
    "compare",
    "entry_text",
    "mark",
    "merged",
    "moment",
    "nothing_submitted",
    "parse_roster",
    "read_overrides",
    "read_roster",
    "read_rules",
    "see_that_they_are_known",
    "settle",
]
