"""Train the transformer of exercise 27 on the course's names, beside the same training by torch.

    python benchmarks/training.py [FILE]

Prints the losses of both in each step, and the time of both: that of the learner's file in its sandbox, and that of
torch. FILE is a file of exercise 27; by default, it is the solution. Exits with 1 if a loss differs by more than 1e-9
of it.
"""

import argparse
import itertools
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from torch_transformer import torchs_losses  # noqa: E402

from grader.course.load import load_course  # noqa: E402
from grader.practice.replay import transformer  # noqa: E402
from grader.practice.replay.record import FileToReplay  # noqa: E402
from grader.runner import sandbox  # noqa: E402
from grader.runner.client import Source  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / "solutions" / "27_transformer.py")
    path = parser.parse_args().file
    course = load_course(ROOT)
    file = FileToReplay("transformer", path.name, Source(path, path.read_text(encoding="utf-8")))
    names = transformer.own_names()
    with sandbox.start("auto", allow_imports=course.allow_imports) as warm:
        (model,) = transformer.trained_transformers(warm, course.limits, file, names)
    losses = [loss for loss in model.trained.losses if loss is not None]
    if model.trained.problem or len(losses) < len(model.trained.losses):
        print(f"{path}: {model.trained.problem or 'a loss is not a finite number'}")
        return 1
    turns = itertools.cycle(names)
    steps = [list(itertools.islice(turns, transformer.TOGETHER)) for _ in losses]
    torchs_losses(steps[:1])  # torch is loaded
    began = time.perf_counter()
    right = torchs_losses(steps)
    seconds = time.perf_counter() - began
    print(f"{'step':>4} {'the file':>12} {'torch':>12}")
    for step, (own, torchs) in enumerate(zip(losses, right, strict=True)):
        print(f"{step:>4} {own:>12.6f} {torchs:>12.6f}")
    off = max(abs(own / torchs - 1) for own, torchs in zip(losses, right, strict=True))
    print(f"largest difference: {off:.1e} of the loss")
    print(f"time: {model.trained.seconds:.2f} s, torch {seconds:.2f} s, ratio {model.trained.seconds / seconds:.1f}")
    print(f"guessing: {model.guessing:.3f}; the best bigram model: {model.pairs:.3f}")
    return 0 if off <= 1e-9 else 1


if __name__ == "__main__":
    sys.exit(main())
