"""Make the moving pictures of the README: `python docs/pictures/session.py [FOLDER]`.

A scripted learner works in a real terminal (tmux, 80 by 24): `grade start`, then three exercises in `grade watch` with
mistakes on the way. `session-light.svg` and `session-dark.svg` show what the terminal showed, a frame for each step.
Where the reader's system asks for less motion, the last frame stands still.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from html import escape
from pathlib import Path

from make import EDITS, THEMES
from rich.color import ColorType
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from grader.author.build import shown_solution
from grader.course.load import load_course

ROOT = Path(__file__).resolve().parents[2]
GRADE = Path(sys.executable).parent / "grade"
COLUMNS, ROWS = 80, 24
_CHARACTER, _LINE, _MARGIN = 8.4, 18, 14
_PATIENCE_S = 120
FOUND = "required check pass"  # the end of what `grade watch` adds when its search has found the line


@dataclass(frozen=True)
class Frame:
    """A screen: what the learner did, the lines with their colours, and how many seconds it is shown."""

    did: str
    screen: str
    seconds: float


class Terminal:
    """A shell in tmux, on a socket of its own."""

    def __init__(self, folder: Path) -> None:
        self.socket = str(folder / "tmux")
        path = f"{GRADE.parent}{os.pathsep}/usr/bin{os.pathsep}/bin"
        self.environment = {"PATH": path, "HOME": str(folder), "LC_ALL": "C.UTF-8", "PS1": "$ ", "TERM": "xterm"}
        self.environment["BACKWARD_CACHE"] = str(folder / "cache")
        work = folder / "backward"
        work.mkdir()
        shell = f"cd {work} && PS1='$ ' exec bash --noprofile --norc"
        self.call("-f", "/dev/null", "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), shell)
        self.call("set-option", "-g", "status", "off")

    def call(self, *words: str) -> str:
        command = ["tmux", "-S", self.socket, *words]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout

    def type(self, text: str, enter: bool = True) -> None:
        self.call("send-keys", "-l", text)
        if enter:
            self.call("send-keys", "Enter")

    def until(self, *texts: str) -> str:
        """Wait for these texts; return the screen with its colours."""
        end = time.monotonic() + _PATIENCE_S
        while time.monotonic() < end:
            if all(text in self.call("capture-pane", "-p") for text in texts):
                return self.call("capture-pane", "-p", "-e")
            time.sleep(0.05)
        raise RuntimeError(f"no {texts} in\n{self.call('capture-pane', '-p')}")

    def close(self) -> None:
        self.call("kill-server")


def solution(name: str, *edits: tuple[str, str]) -> str:
    """Return a solution as a learner would write it, with mistakes."""
    course = load_course(ROOT)
    text = next(shown_solution(course, one) for one in course.exercises if one.filename == name)
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text


def learn(folder: Path) -> list[Frame]:
    """Let the learner work; return the frames."""
    terminal = Terminal(folder)
    exercises = folder / "backward" / "exercises"
    frames: list[Frame] = []
    end = "q quit"

    def shown(did: str, seconds: float, *texts: str) -> None:
        frames.append(Frame(did, terminal.until(*texts), seconds))

    def save(name: str, *edits: tuple[str, str]) -> None:
        beside = exercises / ".saved"
        beside.write_text(solution(name, *edits), encoding="utf-8")
        beside.replace(exercises / name)

    try:
        terminal.until("$")
        terminal.type("grade start")
        shown("types: grade start", 4, "grades on every save.\n$")
        terminal.type("grade watch")
        shown("types: grade watch", 4, "Save the file", end)
        save("01_distribute.py", ("self.grad += out.grad", "self.grad += 1.0"))
        shown("saves 01_distribute.py, with self.grad += 1.0", 7, "PARTIAL  01", FOUND, end)
        terminal.type("h", enter=False)
        shown("presses h", 5, "Hint 2 of 5", end)
        save("01_distribute.py")
        shown("saves it again, with out.grad", 4, "PASS     01", "Next: open exercises/02_swap.py", end)
        save("02_swap.py", ("self.grad += other.data", "self.grad += self.data"))
        shown("saves 02_swap.py, with self.data * out.grad", 7, "02 swap", FOUND, end)
        save("02_swap.py")
        shown("saves it again, with other.data", 4, "PASS     02", "Next: open exercises/03_accumulate.py", end)
        save("03_accumulate.py", ("def zero_grad(nodes):", "def zero_grad(nodes:"))
        shown("saves 03_accumulate.py without a parenthesis", 5, "could not be loaded", end)
        save("03_accumulate.py", *EDITS)
        shown("saves it again, with = in __mul__", 7, "PARTIAL  03", FOUND, end)
        save("03_accumulate.py")
        shown("saves it again, with +=", 4, "PASS     03", "Next: open exercises/04_by_hand.py", end)
        terminal.type("l", enter=False)
        shown("presses l", 6, "> TODO     04", end)
        terminal.type("q", enter=False)
        terminal.until("\n$")
    finally:
        terminal.close()
    return frames


def picture(frames: list[Frame], theme: TerminalTheme) -> str:
    """Return the frames as an animated SVG: each is visible in its part of the whole time."""
    whole = sum(frame.seconds for frame in frames)
    width, height = COLUMNS * _CHARACTER + 2 * _MARGIN, (ROWS + 2) * _LINE + 2 * _MARGIN
    rules, groups, at = [], [], 0.0
    for number, frame in enumerate(frames):
        begin, at = at / whole * 100, at + frame.seconds
        rules.append(
            f"@keyframes f{number} {{ 0%, 100% {{ visibility: hidden }} "
            f"{begin:.3f}% {{ visibility: visible }} {at / whole * 100 - 0.001:.3f}% {{ visibility: hidden }} }}"
        )
        rules.append(f"#f{number} {{ visibility: hidden; animation: f{number} {whole:g}s step-end infinite }}")
        groups.append(f'<g id="f{number}">\n{_screen(frame, theme)}\n</g>')
    last = len(frames) - 1
    still = f"g[id] {{ animation: none !important }} #f{last} {{ visibility: visible !important }}"
    background, ink = theme.background_color.hex, theme.foreground_color.hex
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" '
        f'aria-label="grade watch, while a learner saves three exercises with mistakes on the way">\n<style>\n'
        f'text {{ font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: {ink}; '
        f"white-space: pre }}\n.did {{ font-weight: bold; opacity: 0.75 }}\n" + "\n".join(rules) + "\n"
        f"@media (prefers-reduced-motion: reduce) {{ {still} }}\n</style>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{background}"/>\n' + "\n".join(groups) + "\n</svg>\n"
    )


def _screen(frame: Frame, theme: TerminalTheme) -> str:
    rows = [f'<text class="did" x="{_MARGIN}" y="{_MARGIN + 12}">The learner {escape(frame.did)}.</text>']
    console = Console(width=COLUMNS, color_system="standard", force_terminal=True)
    for number, line in enumerate(frame.screen.rstrip("\n").split("\n")[:ROWS]):
        y, column, spans = _MARGIN + 12 + (number + 2) * _LINE, 0, []
        for segment in Text.from_ansi(line).render(console):
            text = segment.text.rstrip("\n")
            if text.strip():
                color = segment.style.color if segment.style else None
                plain = color is None or color.type == ColorType.DEFAULT
                fill = "" if color is None or plain else f' fill="{color.get_truecolor(theme).hex}"'
                style = fill.replace(' fill="', ' style="fill:')
                spans.append(f'<tspan x="{_MARGIN + column * _CHARACTER:.1f}"{style}>{escape(text)}</tspan>')
            column += len(text)
        if spans:
            rows.append(f'<text y="{y}">{"".join(spans)}</text>')
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).resolve().parent)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        frames = learn(Path(temporary))
    for name, theme in THEMES.items():
        (options.folder / f"session-{name}.svg").write_text(picture(frames, theme), encoding="utf-8")


if __name__ == "__main__":
    main()
