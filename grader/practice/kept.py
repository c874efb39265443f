"""Keep the results of exercises between two runs of `grade`, so that an unchanged file is not run again."""

import sys
from collections.abc import Collection, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from ..base.memo import Memo, grader_digest
from ..base.text import json_text, text_digest
from ..course.load import Course
from ..verdict.report import ExerciseResult, Report
from ..verdict.submission import Submission, digest_of, is_searched

# the limits of a search that depend on the machine
_CLOCKS = ("waiting", "time")


class _Row(Struct, frozen=True, forbid_unknown_fields=True):
    """The last result of one file. `digest` is that of all that decides it, but for the tier of isolation."""

    digest: str
    tier: str
    result: ExerciseResult


class KeptResults:
    """The results of unchanged files, for the learner who runs `grade` in their own folder.

    There is a row for each file in the memo, which replaces the row before. A row that was damaged, or that is of
    another text, course, grader, Python, module, setting or seed, counts as none.

    Args:
        memo: The memo with the rows.
        course: The course.
        submission: The files as they were read.
        files: The path of each file, by exercise.
        settings: The seed, and the isolation that was asked for.
        fresh: Whether no row is used. The results are kept all the same.

    Attributes:
        results: The results, by exercise. Grading adds those of the files that it runs, unless they came from a limit.
        tier: The tier of isolation in which the files ran; empty if there is no result.
    """

    def __init__(
        self,
        memo: Path,
        course: Course,
        submission: Submission,
        files: Mapping[str, Path],
        settings: tuple[str, ...],
        *,
        fresh: bool,
    ) -> None:
        self._memo = Memo(memo)
        # the place of a file decides its row, and everything else is in the digest
        self._keys = {name: text_digest(f"{name}:{path.absolute()}") for name, path in files.items()}
        around = json_text([course.hash, grader_digest(), sys.version, _modules(course.allow_imports), settings])
        self._digests = {
            name: text_digest(json_text([around, source.path.name, digest_of({name: source})]))
            for name, source in submission.sources.items()
        }
        rows = {} if fresh else dict(self._read(submission))
        self.tier = next((row.tier for row in rows.values()), "")
        self.results = {name: row.result for name, row in rows.items() if row.tier == self.tier}
        self._before = dict(self.results)

    def _read(self, submission: Submission) -> Iterator[tuple[str, _Row]]:
        texts = self._memo.get(self._keys.values())
        for name, key in self._keys.items():
            try:
                row = msgspec.json.decode(texts.get(key, ""), type=_Row)
            except msgspec.MsgspecError:  # there is none, or it is of another version
                continue
            if row.digest == self._digests[name] and row.result.id == name:
                # the path in a report is relative to the folder of the command
                path = str(submission.sources[name].path)
                yield name, replace(row, result=replace(row.result, file=row.result.file and path))

    def only_of(self, tier: str) -> None:
        """Drop the results of another tier of isolation."""
        if tier != self.tier:
            self.results.clear()
            self._before.clear()
        self.tier = tier

    def answers(self, searched: Collection[str]) -> bool:
        """Return whether no file has to be run: all have results, and those to be searched have been searched.

        Args:
            searched: the exercises that are searched for the line that must change.
        """
        return self.results.keys() >= self._keys.keys() and all(
            result.repairs or not is_searched(result) for result in map(self.results.__getitem__, searched)
        )

    def save(self, report: Report) -> None:
        """Keep the results of a report that are in `results`. The report is what the learner may see."""
        rows = {}
        for result in report.exercises:
            # a result from before has a new part only if it was searched in this run
            if result.id not in self.results or (result.id in self._before and not result.repairs):
                continue
            timed = result.repairs and result.repairs.ended in _CLOCKS
            row = _Row(self._digests[result.id], self.tier, replace(result, repairs=UNSET) if timed else result)
            rows[self._keys[result.id]] = msgspec.json.encode(row).decode()
        if rows:
            self._memo.put(rows)


def _modules(names: Collection[str]) -> list[tuple[str, list[str], int]]:
    """Return what tells the versions of the modules apart that files may import: installed names, and a time."""
    found = []
    for name in names:
        spec = find_spec(name)
        origin = Path(spec.origin) if spec and spec.origin else None
        if origin is not None and origin.is_file():
            # importing the module, or `importlib.metadata`, would take much longer
            folder = origin.parent.parent if spec and spec.submodule_search_locations is not None else origin.parent
            installed = sorted(path.name for path in folder.glob(f"{name}-*.dist-info"))
            found.append((name, [str(origin), *installed], origin.stat().st_mtime_ns))
    return found
