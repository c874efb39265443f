"""Find out whose a file of Canvas' download is, as far as its name tells.

As Canvas' content_zipper.rb makes the names: doejane_LATE_1042_99731_01_distribute-1.py is name, LATE, the user's id,
the file's id and its name, with a number if it was submitted again; a text or a link has no file; anonymous grading
gives anon_h3XyZ instead of name and user. The name is in lower case, and whoever has it chose it: it may have digits
and underscores. So somebody called `bob_77` hands in bob_77_1042_99731_work.zip, which is also how file 1042 of bob
would be called, whose id is 77. What may be somebody else's must not be counted as theirs.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median_low

_USER = re.compile(r"_(?P<late>LATE_)?(?P<user>[1-9][0-9]*)(?=_)")
_ANONYMOUS = re.compile(r"(?P<late>LATE_)?(?P<who>anon_[^_]+)(?=_)")
_REST = re.compile(r"_(?:(?P<number>[1-9][0-9]*)_(?P<file>.+)|(?:text|link)\.html)", re.DOTALL)
_AGAIN = re.compile(r"-(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=\.[^.]+$)")
_EXERCISE = re.compile(r"[0-9]{2}_(?!.*_[0-9]+_)[a-z][a-z0-9_]*\.py")
_SMALL = 100  # an id that is so many times smaller than the usual one is a part of a name
_LEAST = 10  # where the usual one is not known


@dataclass(frozen=True)
class Reading:
    """One way to read a file's name; `file` is the name that it had, None for a text or a link."""

    name: str
    user: str
    late: bool
    number: int | None
    file: str | None

    @property
    def who(self) -> str:
        """Return what stands for the person in Canvas' names."""
        return f"{self.name}_{self.user}" if self.user else self.name


def readings(name: str) -> tuple[Reading, ...]:
    """Return a reading of a name for each person whose file it may be, the shortest person first.

    Where the rest is the name of an exercise's file in some readings, those alone are given.
    """
    found: dict[str, Reading] = {}
    for reading in _readings(name):
        found.setdefault(reading.who, reading)
    exercises = [reading for reading in found.values() if reading.file and _EXERCISE.fullmatch(reading.file)]
    return tuple(exercises or found.values())


def likely_readings(names: Iterable[str]) -> dict[str, tuple[Reading, ...]]:
    """Return the readings of each name that has any: a file's id as no other file of the download has is left out.

    Canvas counts its files, so that ids of one assignment are of one size; nobody can choose their own.
    """
    found = {name: read for name in names if (read := readings(name))}
    numbers = [read[0].number for read in found.values() if len(read) == 1 and read[0].number is not None]
    least = median_low(numbers) // _SMALL if numbers else _LEAST
    likely = {
        name: tuple(reading for reading in read if reading.number is None or reading.number >= least)
        for name, read in found.items()
    }
    return {name: likely[name] or found[name] for name in found}


def _readings(name: str) -> Iterator[Reading]:
    anonymous = _ANONYMOUS.match(name)
    people = [(anonymous, anonymous["who"], "")] if anonymous else []
    people += [(user, name[: user.start()], user["user"]) for user in _USER.finditer(name)]
    for found, who, user in people:
        rest = _REST.fullmatch(name, found.end())
        if rest is not None:
            number, file = rest["number"], rest["file"]
            own = file and _AGAIN.sub("", file)
            yield Reading(who, user, found["late"] is not None, int(number) if number else None, own)
