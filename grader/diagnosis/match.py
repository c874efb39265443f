"""Compare what an engine did with what each misconception does, program by program."""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

from ..answer_book import UNCLEAR, KnownBehaviour, KnownExercise
from .behaviour import RIGHT, Behaviour, check_of
from .facts import Fact

_NOTHING = ("no_rule", "nothing_added")


def diagnose(
    known: KnownExercise, seen: Behaviour, failures: Iterable[str], facts: Iterable[Fact] = ()
) -> dict[str, KnownBehaviour]:
    """Return the misconception that explains each of the checks that failed, by their ids; nothing where it is not
    certain.

    A misconception is named if it behaves like the engine on every program that both have run, at least one of them
    wrong, and nothing else that is known behaves the same: no other misconception, and no solution of which only the
    beginning is written. Where there is none, two that together explain everything are named, then those that do so
    for a function of which programs depend on nothing else that is to be filled. Where no gradient arrived anywhere,
    or by the `facts` none comes out of an operation, many mistakes look alike, and nothing is named.
    """
    if not seen.wrong or not can_be_told(known, seen) or any(fact.kind in _NOTHING for fact in facts):
        return {}
    alike = [one for one in known.misconceptions if _alike(one.behaviour, seen.programs)]
    if alike:
        (one, *others) = _seen_whole(alike, seen)
        return _by_function(known, seen) if others else dict.fromkeys(failures, one)
    return _pair(known, seen) or _by_function(known, seen)


def _seen_whole(alike: list[KnownBehaviour], seen: Behaviour) -> list[KnownBehaviour]:
    """Those of which nothing is hidden by what the engine lacks or has still to fill; all, where there is none."""
    return [one for one in alike if seen.unclear.isdisjoint(one.behaviour)] or alike


def can_be_told(known: KnownExercise, seen: Behaviour) -> bool:
    """Return whether a misconception may be named: an input got a contribution, and no unfinished solution fits."""
    return seen.arrived is not False and not any(_alike(one, seen.programs) for one in known.unfinished)


def _alike(candidate: Mapping[str, str], programs: Mapping[str, str]) -> bool:
    """Return whether a candidate behaves like the engine on all of these programs, and wrongly on one of them."""
    separated = False
    for key, look in programs.items():
        there = candidate.get(key, RIGHT)
        if there == UNCLEAR:
            continue
        if there != look:
            return False
        separated = separated or look != RIGHT
    return separated


class _Candidate(NamedTuple):
    """Something known to be wrong: a misconception, or (`one` is None) an unfinished solution."""

    behaviour: Mapping[str, str]
    one: KnownBehaviour | None = None

    def independent(self, other: "_Candidate") -> bool:
        """Return whether two may stand in one file: they change different functions, as far as that is known."""
        if self.one is None or other.one is None:
            return self.one is not other.one
        return self.one.functions.keys().isdisjoint(other.one.functions)


def _pair(known: KnownExercise, seen: Behaviour) -> dict[str, KnownBehaviour]:
    """The misconceptions without which no two that are known explain the engine together: where one of two is right, it
    behaves like the other.

    Programs on which both are wrong say nothing; each of the two is alone on one program at least.
    """
    possible = [
        candidate
        for candidate in (
            *(_Candidate(one.behaviour, one) for one in known.misconceptions),
            *map(_Candidate, known.unfinished),
        )
        if _explains_some(candidate.behaviour, seen)
    ]
    pairs = [
        found
        for one, other in combinations(possible, 2)
        if one.independent(other) and (found := _together(one, other, seen.programs))
    ]
    return {
        check: candidate.one
        for check, candidate in (pairs[0] if pairs else {}).items()
        if candidate.one is not None and all(pair.get(check) is candidate for pair in pairs)
    }


def _explains_some(candidate: Mapping[str, str], seen: Behaviour) -> bool:
    return any(candidate.get(key) == look for key, look in seen.wrong.items())


def _together(one: _Candidate, other: _Candidate, programs: Mapping[str, str]) -> dict[str, _Candidate] | None:
    """Which of two explains each check, None where they do not explain everything."""
    by_check: dict[str, _Candidate] = {}
    alone: list[_Candidate] = []
    for key, look in programs.items():
        looks = [candidate.behaviour.get(key, RIGHT) for candidate in (one, other)]
        wrong = [candidate for candidate, there in zip((one, other), looks, strict=True) if there != RIGHT]
        if len(wrong) == 2 or UNCLEAR in looks:
            if look == RIGHT:
                return None
            continue
        if look != next((there for there in looks if there != RIGHT), RIGHT):
            return None
        if wrong:
            alone.append(wrong[0])
            by_check.setdefault(check_of(key), wrong[0])
    return by_check if any(c is one for c in alone) and any(c is other for c in alone) else None


def _by_function(known: KnownExercise, seen: Behaviour) -> dict[str, KnownBehaviour]:
    """Return what explains the programs that depend on one function alone, function by function.

    It explains a check if the first program that is wrong there is one of these.
    """
    found: dict[str, KnownBehaviour] = {}
    first: dict[str, str] = {}
    for key in seen.wrong:
        first.setdefault(check_of(key), key)
    for function, keys in known.functions.items():
        programs = {key: seen.programs[key] for key in keys if key in seen.programs}
        alike = [one for one in known.misconceptions if function in one.functions and _alike(one.behaviour, programs)]
        ways = {one.functions[function] for one in alike}  # one that changes more may write this function the same
        alone = [one for one in alike if len(one.functions) == 1]
        if len(ways) == len(alone) == 1 and not any(_alike(one, programs) for one in known.unfinished):
            found.update({check: alone[0] for check, key in first.items() if programs.get(key, RIGHT) != RIGHT})
    return found
