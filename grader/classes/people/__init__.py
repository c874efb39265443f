"""The people of a class: roster, decisions, rules on time, and the final table, as pure functions of data."""

from .deadlines import DEADLINES, moment, read_rules, see_that_sections_are_known, unknown_learners
from .decisions import (
    ALL,
    OVERRIDES,
    RECORDED,
    WHAT,
    Overrides,
    entry_text,
    files_digest,
    in_force,
    key_of,
    made_for,
    merged,
    names_for_files,
    part_name,
    parts,
    read_overrides,
    read_recorded,
    with_parts,
    with_times,
)
from .owners import HandIn, submitter_of
from .roster import parse_roster, read_roster
from .settle import (
    Class,
    Mark,
    adjusted,
    changed_rows,
    compare,
    digests,
    in_both,
    mark,
    nothing_submitted,
    settle,
    status_after,
)
