"""Grade with an installed `grade` what a learner may write, on a system where the tests themselves do not run.

    python tests/tools/other_system.py [COMMAND ...]

COMMAND runs `grade`; the default is `python -I -m grader` of this interpreter. The solutions must have full marks. A
wrong rule, a loop without end and a sleep without end must cost their own points, and no others. The exit code is 0 if
they do.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions"
RULE = "self.grad += other.data * out.grad"
WRONG = {"0.0": 2, "(time.sleep(1000), 0.0)[1]": 2, "all(x == 0 for x in iter(int, 1))": 2}


def run(command: list[str], folder: Path, *words: str) -> str:
    """Run `grade` with words in a folder, and return what it prints. Exit if it fails."""
    done = subprocess.run([*command, *words], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode not in (0, 1) or done.stderr:
        sys.exit(f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def scores(command: list[str], folder: Path, *words: str) -> dict[str, tuple[int, int]]:
    """Return the points, and the most points, of each exercise."""
    report = json.loads(run(command, folder, *words, "--json"))
    print(" ".join(words), report["isolation"]["tier"], report["score"], "of", report["max_score"])
    return {one["id"]: (one["score"], one["max_score"]) for one in report["exercises"]}


def main(command: list[str]) -> int:
    """Return 0 if the points are right."""
    with tempfile.TemporaryDirectory(prefix="my work ") as name:
        folder = Path(name)
        run(command, folder, "start")
        for path in SOLUTIONS.glob("*.py"):
            (folder / "exercises" / path.name).write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        wrong = [exercise for exercise, (got, most) in scores(command, folder).items() if got != most]
        for line, points in WRONG.items():
            text = (SOLUTIONS / "03_accumulate.py").read_text(encoding="utf-8")
            assert RULE in text
            text = f"import time\n{text.replace(RULE, RULE.replace('other.data * out.grad', line))}"
            (folder / "exercises" / "03_accumulate.py").write_text(text, encoding="utf-8")
            if scores(command, folder, "3") != {"accumulate": (points, 10)}:
                wrong.append(line)
        for words in (("hint",), ("next",), ("play", "3", "--no-open"), ("reset", "3")):
            run(command, folder, *words)
    print("wrong points:", wrong)
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [sys.executable, "-I", "-m", "grader"]))
