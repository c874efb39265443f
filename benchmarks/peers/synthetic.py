"""Make a large class for the whole course: right files, misconceptions and stubs. It is the same everywhere."""

import random
from pathlib import Path

from grader.course.load import load_course
from grader.verdict.diagnosis import read_misconceptions

ROOT = Path(__file__).resolve().parents[2]
RIGHT, WRONG = 0.4, 0.4  # the rest are stubs


def make_class(folder: Path, learners: int) -> None:
    """Make a folder for each learner, with a file for every exercise. Comments make all files but stubs unique."""
    course = load_course(ROOT)
    files: list[tuple[str, str, list[str], str]] = []
    for exercise in course.exercises:
        path = course.solution(exercise)
        right = path.read_text(encoding="utf-8")
        known = read_misconceptions(path.with_suffix(".mistakes.yaml"), right, len(exercise.hints))
        stub = course.exercise_file(exercise).read_text(encoding="utf-8")
        files.append((exercise.filename, right, [one.source for one in known], stub))
    for learner in range(learners):
        rng = random.Random(f"learner {learner}")
        person = folder / f"learner{learner:05}"
        person.mkdir(parents=True)
        for name, right, wrong, stub in files:
            kind = rng.random()
            text = right if kind < RIGHT else rng.choice(wrong) if kind < RIGHT + WRONG else stub
            mark = f"\n# submitted by learner {learner}\n" if text is not stub else ""
            (person / name).write_text(text + mark, encoding="utf-8")
