"""Keep data of earlier runs that no report contains: roster times, and the files that decisions were made for."""

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
        decisions: for decisions that do not name the files they were made for, the digests of the files that the first
            run applied them to. The keys are a digest of the decision, then a check or exercise.
        times: the times of submission that rosters gave for attempts without a time from the platform. The keys are the
            id of the submission, the digest of its files, and the key of the learner.
    """

    schema: Literal["backward/recorded/v1"] = "backward/recorded/v1"
    decisions: dict[str, dict[str, str]] = {}
    times: dict[str, dict[str, dict[str, str]]] = {}


def read_recorded(folder: Path) -> Recorded:
    """Return the recorded data in a folder of results. Raises `UserError` for a damaged file, and `OSError`."""
    path = folder / RECORDED
    try:
        return msgspec.json.decode(read_plain(path), type=Recorded)
    except FileNotFoundError:
        return Recorded()
    except msgspec.MsgspecError as error:
        raise UserError(problem_text("recorded_damaged", path=path, error=error)) from None


def with_times(recorded: Recorded, learners: Iterable[Learner], attempts: Callable[[str], str | None]) -> Recorded:
    """Return the recorded data, extended by the times that the roster gives for the latest attempts.

    Args:
        attempts: returns the digest of a submission's latest files, or None if the platform gave a time for them.
    """
    times = {name: {sha256: dict(at) for sha256, at in of.items()} for name, of in recorded.times.items()}
    for learner in learners:
        for name in learner.submissions if learner.person.submitted_at else ():
            sha256 = attempts(name)
            if sha256 is not None:
                times.setdefault(name, {}).setdefault(sha256, {})[learner.id] = learner.person.submitted_at
    return msgspec.structs.replace(recorded, times=times)
