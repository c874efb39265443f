"""The sentences about a search for the line that must change, and about what it found."""

import re
from collections.abc import Sequence
from typing import Protocol

from ..course.remarks import CellStart
from .facts import place
from .sentence import Sentence, enumerated, filled

searching = Sentence("searching for the line that must change: {tried:change} tried")
_one_place = Sentence("A change of the statement in {place} alone makes {checks}.")
_one_edit = Sentence("A change of {both:?both|the} statements in {places} makes {checks}.")
_added_after = Sentence("One statement added after {places: or } makes {checks}.")
_added_in = Sentence("One statement added to `{name}` makes {checks}.")
_many_places = Sentence("Each of {count} statements in {lines} can be changed alone to make {checks}.")
_edit_seen = Sentence("This edit makes {checks}:")
_several_places = Sentence("Each of these statements can be changed alone to make {checks}: {places:; }.")
_one_function = Sentence("With `{name}` alone replaced by a correct one, every required check passes.")
_no_place = Sentence("None of the {tried:change} that were tried makes every required check pass.")
_ended: dict[str, str] = {
    "count": "The search for the line that must change reached its limit. It found none in {tried:change}.",
    "waiting": "The search for the line that must change was ended, because changed code did not stop waiting.",
    "time": "The search for the line that must change was ended, because it took too long.",
}
_MOST_PLACES = 4  # places that are named one by one
_LONGEST_BLOCK = 20  # lines
_ALL = "every required check pass"
_NOT_ALL = "but no change was found that makes every required check pass"
_FIRST = f"the first failing check pass, {_NOT_ALL}"
_LATER = f"another failing check pass ({{title}}), {_NOT_ALL}"
_ONE = f"one failing check pass, {_NOT_ALL}"
SEARCH_ENDED = "The search for the line that must change was ended before all changes were tried."


# The report's classes import this module for their texts, so only their form is known here.
class _Added(Protocol):
    """An edit that adds a statement to a function after a line."""

    @property
    def lines(self) -> Sequence[int]: ...
    @property
    def function(self) -> str: ...


class _TitledCheck(Protocol):
    """A check of an exercise."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...


class _Repairs(Protocol):
    """The result of a search for the line that must change."""

    @property
    def places(self) -> Sequence[Sequence[int]]: ...
    @property
    def functions(self) -> Sequence[str]: ...
    @property
    def added(self) -> "Sequence[_Added]": ...
    @property
    def check(self) -> str: ...


def repairs_text(found: _Repairs, cells: Sequence[CellStart] = (), failed: Sequence[_TitledCheck] = ()) -> str:
    """Say which lines were changed so that checks passed, or nothing if none was found.

    Args:
        cells: as in a report.
        failed: the checks that failed, the one that is shown first.
    """
    # which checks pass with the edits
    checks = _ONE if found.check else _ALL
    for number, check in enumerate(failed):
        if check.id == found.check:
            checks = filled(_LATER, {"title": check.title}) if number else _FIRST
    # an edit of one place
    if len(found.places) == 1:
        (lines,) = found.places
        if len(lines) == 1:
            return _one_place(place(cells, *lines), checks)
        return _one_edit(len(lines) == 2, _listed(lines, cells), checks)
    # a statement that is missing
    after = list(dict.fromkeys(place(cells, one.lines[0]) for one in found.added))
    if len(after) == 1:
        return _added_after(after, checks)
    if after and not found.functions:
        functions = {one.function for one in found.added}
        return _added_in(min(functions).rpartition(".")[2], checks) if len(functions) == 1 else ""
    # several places, of which each may be the one: by name if they are few, or as one short block
    if 1 < len(found.places) <= _MOST_PLACES:
        return _several_places(checks, [_listed(lines, cells) for lines in found.places])
    every = sorted(line for lines in found.places for line in lines)
    near = every and every[-1] - every[0] < _LONGEST_BLOCK and not cells
    if near and all(len(lines) == 1 for lines in found.places):
        return _many_places(len(every), place(cells, every[0], every[-1]), checks)
    # a function is named if no lines can be
    if len(found.functions) == 1 and not found.check:
        return _one_function(found.functions[0].rpartition(".")[2])
    return ""


def _listed(lines: Sequence[int], cells: Sequence[CellStart]) -> str:
    """Return the names of lines: `lines 5, 6 and 9`, `lines 5 to 9`, or `cell 1, line 5, and cell 2, line 4`."""
    if len(lines) == 1 or cells:
        return ", and ".join(place(cells, line) for line in lines)
    if len(lines) > 2 and lines[-1] - lines[0] == len(lines) - 1:
        return f"lines {lines[0]} to {lines[-1]}"
    return f"lines {enumerated([str(line) for line in lines])}"


def edit_seen(check: str) -> str:
    """Return the sentence before the lines of an edit: it makes checks pass.

    Args:
        check: the failed check that passes with the edit. If it is empty, every required check passes.
    """
    return _edit_seen(_ONE if check else _ALL)


def no_repairs_text(tried: int, ended: str) -> str:
    """Say that no change was found, and why if the search ended before all changes were tried.

    Args:
        ended: the limit at which the search ended, as in a report, or empty.
    """
    return filled(_ended[ended], {"tried": tried}) if ended else _no_place(tried)


# for each kind of edit, a question about the statements that an edit of this kind changes; `where` names them
_QUESTIONS: dict[str, str] = {
    "accumulate": "What happens to the {stored} when {where} {places:runs|run}?",
    "assigned": "Which variable or attribute has another value after {where} {places:has|have} run?",
    "sign": "Which numbers {places:does|do} {where} negate or subtract, and for which ones is that right?",
    "operator": "Which operations {places:does|do} {where} carry out, and which ones are needed there?",
    "operands": "Which value belongs in which position in {where}?",
    "factor_dropped": "Is every part of the expression in {where} needed? Which one is not?",
    "constant": "Which constant is in {where}, and which value is needed there?",
    "comparison": "For which values is the comparison in {where} true, and for which should it be true?",
    "step": "What is computed in {where} for a negative number and for a positive one? What is needed there?",
    "reversed": "Which item comes first in {where}, and which one should come first?",
    "name": "Which name or number in {where} is not the one that is needed there?",
    "factor_added": "Which factor is missing in {where}?",
    "condition": "When is the condition in {where} true, and when should it be true?",
    "called": "Which functions {places:does|do} {where} call?",
    "added": "Which step is missing in `{name}`{places:?, after {where}|}?",
    "deleted": "What would be different without the {places:statement|statements} in {where}?",
    "moved": "When {places:does the statement|do the statements} in {where} run, and how often? When should "
    "{places:it|they} run?",
    "expression": "What is the value of each part of the expression in {where}, and which value is needed?",
    "grafted": "What {places:does|do} {where} do, part by part, and what should be done there?",
    "function": "Follow `{name}` step by step on the program of the failing check. Which step is wrong?",
}
_STORED = "value that was stored before"
# an assignment to a name or an attribute, also an augmented one such as `+=`
_TARGET = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(?:[-+*/]|\*\*)?=(?!=)")


def repair_question(
    kind: str, lines: Sequence[int], function: str, source: Sequence[str], cells: Sequence[CellStart] = ()
) -> str:
    """Return a question about the place where an edit of a kind made checks pass. The question does not tell the edit.

    Args:
        kind: the kind of the edit.
        lines: the first line of each statement that it changes.
        function: the name of the function that it replaces, or empty.
        source: the lines of the file.
        cells: as in a report.
    """
    # the assigned names, if every statement is an assignment; otherwise the question names none
    found = [_TARGET.match(source[line - 1]) for line in lines if line <= len(source)]
    targets = dict.fromkeys(one[1] for one in found if one) if all(found) else {}
    noun = "gradient" if all(one.endswith(".grad") for one in targets) else "value"
    already = f"{noun} that is" if len(targets) == 1 else f"{noun}s that are"
    fields = {
        "places": [*lines],
        "where": _listed(lines, cells) if lines else "",
        "stored": f"{already} already in {enumerated([f'`{one}`' for one in targets])}" if targets else _STORED,
        "name": function.rpartition(".")[2],
    }
    return filled(_QUESTIONS[kind], fields)
