"""Compare the behaviour of an engine with that of each misconception, program by program."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from ..oracle.answer_book import UNCLEAR, KnownBehaviour, KnownExercise
from ..words.facts import FaultFact
from .behaviour import RIGHT, Behaviour, check_of

_NOTHING = ("no_rule", "nothing_added")


def diagnose(
    known: KnownExercise,
    seen: Behaviour,
    failures: Iterable[str],
    facts: Iterable[FaultFact] = (),
    other: Collection[str] = (),
) -> dict[str, KnownBehaviour]:
    """Return the misconceptions that explain the failed checks, by check. A check has none if that is not certain.

    A misconception is named if it behaves like the engine on every program that both have run, and at least one of
    these programs is wrong. No other misconception and no unfinished solution may behave the same. It explains the
    checks in which it gets a program wrong.

    If no misconception is named, two that together explain everything are named. Otherwise, the programs that depend
    on one function alone are compared, function by function.

    Many mistakes look alike if no gradient was propagated anywhere, or if by `facts` an operation propagates none.
    Nothing is named then.

    Args:
        failures: The checks that failed.
        other: The checks among them that failed because of an error, or of a wrong value before any gradient. A
            misconception explains such a check only if the engine behaves like it on a wrong program of the check.
    """
    if not seen.wrong or not can_be_named(known, facts) or not can_be_told(known, seen):
        return {}
    alike = [one for one in known.misconceptions if _alike(one.behaviour, seen.programs)]
    if alike:
        (one, *others) = _seen_whole(alike, seen)
        return _by_function(known, seen) if others else dict.fromkeys(_explained(one, seen, failures, other), one)
    return _pair(known, seen) or _by_function(known, seen)


def _explained(one: KnownBehaviour, seen: Behaviour, failures: Iterable[str], other: Collection[str]) -> Iterator[str]:
    """Yield the failed checks that a misconception explains, if the engine behaves like it on all programs."""
    compared = {check_of(key) for key in seen.wrong}
    fails = {check_of(key) for key in one.behaviour}
    for check in failures:
        # if only programs that were not compared are wrong, the failure may have another reason
        if check in compared or (check in fails and check not in other):
            yield check


def _seen_whole(alike: list[KnownBehaviour], seen: Behaviour) -> list[KnownBehaviour]:
    """Return the misconceptions for which every program that they get wrong is clear in the engine's behaviour.

    If there is no such misconception, return all.
    """
    return [one for one in alike if seen.unclear.isdisjoint(one.behaviour)] or alike


def can_be_named(known: KnownExercise, facts: Iterable[FaultFact]) -> bool:
    """Return whether an exercise has misconceptions, and by `facts` no operation propagates nothing."""
    return bool(known.misconceptions) and not any(fact.kind in _NOTHING for fact in facts)


def can_be_told(known: KnownExercise, seen: Behaviour) -> bool:
    """Return whether a misconception may be named: an input got a contribution, and no unfinished solution fits."""
    return seen.arrived is not False and not any(_alike(one, seen.programs) for one in known.unfinished)


def _alike(candidate: Mapping[str, str], programs: Mapping[str, str]) -> bool:
    """Return whether a candidate behaves like the engine on all of these programs. At least one must be wrong."""
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
    """A known wrong solution: a misconception, or an unfinished solution if `one` is None."""

    behaviour: Mapping[str, str]
    one: KnownBehaviour | None = None

    def independent(self, other: "_Candidate") -> bool:
        """Return whether both may be in one file: they change different functions, as far as that is known."""
        if self.one is None or other.one is None:
            return self.one is not other.one
        return self.one.functions.keys().isdisjoint(other.one.functions)


def _pair(known: KnownExercise, seen: Behaviour) -> dict[str, KnownBehaviour]:
    """Return the misconceptions that occur in every pair that explains the engine, by check.

    In such a pair, wherever only one of the two is wrong, the engine behaves like it. Programs on which both are
    wrong decide nothing. Each of the two must be the only wrong one on at least one program.
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
    """Return which one of two candidates explains each check; None if they do not explain everything."""
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
    """Return the misconceptions that explain the programs which depend on one function alone, function by function.

    A misconception explains a check if the check's first wrong program is one of these.
    """
    found: dict[str, KnownBehaviour] = {}
    first: dict[str, str] = {}
    for key in seen.wrong:
        first.setdefault(check_of(key), key)
    for function, keys in known.functions.items():
        programs = {key: seen.programs[key] for key in keys if key in seen.programs}
        alike = [one for one in known.misconceptions if function in one.functions and _alike(one.behaviour, programs)]
        ways = {one.functions[function] for one in alike}  # several may write this function the same way
        alone = [one for one in alike if len(one.functions) == 1]
        if len(ways) == len(alone) == 1 and not any(_alike(one, programs) for one in known.unfinished):
            found.update({check: alone[0] for check, key in first.items() if programs.get(key, RIGHT) != RIGHT})
    return found
