"""Verify a course, and show the table and the findings, for `grade verify`."""

from pathlib import Path

from ..author.verify import Verified, verify
from ..base import write_named
from ..course import Course, Exercise
from ..words import author as said
from .streams import Countdown, StatusLine


def run_verify(
    course: Course, exercises: tuple[Exercise, ...], table: Path | None, seed: str | None, seeds: int = 0
) -> int:
    """Verify exercises and print the results. Return 0 if there are no findings, or else 2."""
    line = StatusLine()
    results = []
    for result in verify(course, exercises, Countdown(line).show, seed, seeds):
        line.clear()
        results.append(result)
        print(
            f"{result.exercise.stem:<16}"
            + "  ".join(f"{n}: {v}" for n, v in zip(said.HEAD[1:], _cells(result), strict=True))
        )
        for program in result.kept:
            print(f"  {said.numbers_kept(program)}")
        for finding in result.findings:
            print(f"  {finding}")
        if result.worked_on:
            print(f"  {said.stub_verified(str(course.exercise_file(result.exercise)))}")
    if table is not None:
        write_named(table, markdown(course, results).encode())
    found = sum(len(result.findings) for result in results)
    print(said.findings(found))
    return 2 if found else 0


def _cells(result: Verified) -> list[str]:
    everything = sum(check.points for check in result.exercise.checks)
    return [
        f"{result.score}/{everything}",
        f"{result.diagnosed}/{result.misconceptions}",
        f"{result.killed}/{result.mutants - result.equivalent}",
        str(result.equivalent),
        str(len(result.findings)),
    ]


def markdown(course: Course, results: list[Verified]) -> str:
    """Return the table as a Markdown page."""
    rows = [[result.exercise.stem, *_cells(result)] for result in results]
    lines = ["| " + " | ".join(cells) + " |" for cells in (said.HEAD, ["---"] * len(said.HEAD), *rows)]
    return f"# `grade verify`: {course.title} {course.version}\n\n" + "\n".join(lines) + f"\n\n{said.NOT_NAMED}\n"
