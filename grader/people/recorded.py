"""Keep what earlier runs knew and no report has: times from rosters, and the files that decisions were made for."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

import msgspec

from ..outside import UserError, read_plain
from ..report.person import Learner
from ..words.instructor import problem_text

RECORDED = "recorded.json"


class Recorded(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `recorded.json`.

    Attributes:
        decisions: for decisions that do not name the files that they were made for, the digests of the files that the
            first run applied them to, by check or exercise; by a digest of the decision.
        times: the time of submission that the roster gave for each attempt to which the platform gave none, by the
            key of the learner; by the id of the submission and the digest of its files.
    """

    schema: Literal["backward/recorded/v1"] = "backward/recorded/v1"
    decisions: dict[str, dict[str, str]] = {}
    times: dict[str, dict[str, dict[str, str]]] = {}


def read_recorded(folder: Path) -> Recorded:
    """Return what is recorded in a folder of results. Raises `UserError` for a damaged file, and `OSError`."""
    path = folder / RECORDED
    try:
        return msgspec.json.decode(read_plain(path), type=Recorded)
    except FileNotFoundError:
        return Recorded()
    except msgspec.MsgspecError as error:
        raise UserError(problem_text("recorded_damaged", path=path, error=error)) from None


def with_times(recorded: Recorded, learners: Iterable[Learner], attempts: Callable[[str], str | None]) -> Recorded:
    """Return what is recorded with the times that the roster gives for the latest attempts.

    Args:
        attempts: returns the digest of the latest files of a submission; None for one with a time of its platform.
    """
    times = {name: {sha256: dict(at) for sha256, at in of.items()} for name, of in recorded.times.items()}
    for learner in learners:
        for name in learner.submissions if learner.person.submitted_at else ():
            sha256 = attempts(name)
            if sha256 is not None:
                times.setdefault(name, {}).setdefault(sha256, {})[learner.id] = learner.person.submitted_at
    return msgspec.structs.replace(recorded, times=times)
