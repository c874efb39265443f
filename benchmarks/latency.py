"""Measure how long a learner waits for `grade watch` after a save, and for each command from its start.

    python benchmarks/latency.py [--rounds N] [--peers NAME,...]

The course is one exercise with eight checks. A right file and a file with `=` for `+=` take turns.

`grade watch` runs in a terminal of 80 by 24. Two times are measured, until the text is on the terminal: that of the
verdict (passed, or the first check that failed, with its numbers), and that of the whole explanation.

The same run measures `grade`, `python -m pytest` on one empty test, and other graders on the same files
(benchmarks/peers). These commands do not watch files. They are started again for each save.

Prints medians of wall time.
"""

import argparse
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from peers.graders import PEERS, Peer
from peers.meter import Meter
from peers.small import FILE, GRADE, make_course, make_submissions
from peers.venvs import NotHereError, default_folder

_CLEAR = b"\x1b[H\x1b[2J"
_PATIENCE_S = 60.0


class Watched:
    """`grade watch` in a separate terminal."""

    def __init__(self, course: Path, folder: Path, environment: dict[str, str]) -> None:
        self.process, self.descriptor = pty.fork()
        if not self.process:
            words = ["grade", "watch", "--course", str(course), "--from", str(folder)]
            os.execve(GRADE, words, {**environment, "TERM": "xterm"})
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.wait(lambda screen: b"q quit" in screen)

    def wait(self, *conditions: Callable[[bytes], bool]) -> list[float]:
        """Return the times at which the screen first met each condition, by the clock of `perf_counter`."""
        drawn, met = b"", [0.0] * len(conditions)
        end = time.perf_counter() + _PATIENCE_S
        while not all(met):
            if not select.select([self.descriptor], [], [], max(0.0, end - time.perf_counter()))[0]:
                raise RuntimeError(f"nothing of what was waited for is on the screen:\n{drawn.decode()}")
            drawn += os.read(self.descriptor, 1 << 16)
            now, screen = time.perf_counter(), drawn.rpartition(_CLEAR)[2]
            met = [at or (now if condition(screen) else 0.0) for at, condition in zip(met, conditions, strict=True)]
        return met

    def close(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.descriptor)


def saved(watched: Watched, path: Path, text: str, right: bool) -> tuple[float, float]:
    """Save a file. Return the seconds until the verdict, and until the whole screen."""
    beside = path.with_name(".saved")
    beside.write_text(text, encoding="utf-8")
    started = time.perf_counter()
    beside.replace(path)
    word = b"PASS" if right else b"FAIL"
    end = b"q quit"
    verdict, whole = watched.wait(
        lambda screen: word in screen and (not right or end in screen), lambda screen: word in screen and end in screen
    )
    return verdict - started, whole - started


def timed(command: Sequence[str | Path], folder: Path, environment: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--peers", default=",".join(PEERS), metavar="NAME,…", help=f"of {', '.join(PEERS)}")
    parser.add_argument("--folder", type=Path, default=default_folder(), metavar="DIR", help="the peers' environments")
    options = parser.parse_args()
    waits: dict[str, list[float]] = {}
    load = os.getloadavg()[0]
    with Meter() as meter, tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
        environment["BACKWARD_CACHE"] = str(folder / "cache")
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed grader has its bytecode
        course = make_course(folder)
        submissions = make_submissions(folder / "class", 2)
        (folder / "bare").mkdir()
        (folder / "bare" / "test_empty.py").write_text("def test_nothing():\n    pass\n")
        mine = folder / "mine"
        mine.mkdir()
        (mine / FILE).write_bytes((course / "exercises" / FILE).read_bytes())
        peers: list[Peer] = []
        for name in filter(None, options.peers.split(",")):
            try:
                peers.append(PEERS[name](meter, folder / name, options.folder.absolute()))
            except NotHereError as error:
                print(f"{name} is left out: {error}")
        watched = Watched(course, mine, environment)
        try:
            for count in range(options.rounds):
                for submission, kind in zip(submissions, ("right", "wrong"), strict=True):
                    text = (submission / FILE).read_text(encoding="utf-8") + f"# {count}\n"
                    verdict, whole = saved(watched, mine / FILE, text, kind == "right")
                    waits.setdefault(f"grade watch, {kind} file, save to verdict", []).append(verdict)
                    if kind == "wrong":
                        waits.setdefault("grade watch, wrong file, save to explanation", []).append(whole)
        finally:
            watched.close()
        bare = {**environment, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_empty.py"]
        grade: list[str | Path] = [GRADE, "--fresh", "--course", course, "--from", mine]
        for _ in range(options.rounds):
            waits.setdefault("pytest, one empty test, from its start", []).append(timed(pytest, folder / "bare", bare))
            for submission, kind in zip(submissions, ("right", "wrong"), strict=True):
                (mine / FILE).write_bytes((submission / FILE).read_bytes())
                waits.setdefault(f"grade, {kind} file, from its start", []).append(timed(grade, mine, environment))
                for peer in peers:
                    spent, _ = peer.grade([submission])
                    waits.setdefault(f"{peer.name}, {kind} file, from its start", []).append(spent.wall_s)
    base = statistics.median(waits["pytest, one empty test, from its start"])
    print(f"\n{'':<48} {'ms':>7} {'to pytest':>10}   (medians of {options.rounds})")
    for name, measured in waits.items():
        median = statistics.median(measured)
        print(f"{name:<48} {median * 1000:>7.0f} {median / base:>9.2f}x")
    cores = os.cpu_count()
    print(f"load (one minute) {load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end, {cores} cores")


if __name__ == "__main__":
    main()
