"""Make the pictures of the README from real runs: `python docs/pictures/make.py [FOLDER]`.

`terminal-light.svg` and `terminal-dark.svg` show `grade accumulate` on a closure that assigns instead of accumulating.
`class-light.png` and `class-dark.png` show the class page of a synthetic class; they need Chromium, and
`--terminal` leaves them out. `job-summary.png` shows what `grade --format github` writes of three exercises, rendered
with GitHub's extensions of Markdown; it needs Chromium too. `replay-light.png`, `replay-dark.png` and
`replay-phone.png` show what `grade play` writes for the same closure, at the step where the first gradient is lost;
`--replay` makes only these. `site-light.png`, `site-dark.png` and `site-phone.png` show the page of `grade site` with
the same closure; `--site` makes only these.

`made_from.json` has digests of what is in each picture that is not text. A test compares it with the course of today.
"""

import argparse
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from markdown_it import MarkdownIt
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from grader.author.build import shown_solution
from grader.author.site import server
from grader.course.load import load_course

ROOT = Path(__file__).resolve().parents[2]
GRADE = Path(sys.executable).parent / "grade"
COMMAND = ("accumulate",)
EDITS = (("self.grad += other.data", "self.grad = other.data"), ("other.grad += self.data", "other.grad = self.data"))
COLUMNS = 80
FIRST_NAMES = (
    *("ada", "bjorn", "chiara", "dmitri", "emeka", "fatima", "grace", "hiro", "ines", "jamal", "kirsten", "le", "mia"),
    *("noor", "olga", "pedro", "qing", "rosa", "sven", "tariq", "uma", "viktor", "wanda", "xenia", "yusuf", "zoe"),
)
_PALETTE = [(46, 52, 64), (191, 38, 56), (28, 124, 67), (150, 104, 0), (24, 90, 170), (132, 60, 140), (0, 116, 128)]
_BRIGHT = [(59, 66, 82), (255, 110, 120), (120, 210, 140), (240, 200, 110), (120, 180, 255), (215, 150, 225)]
THEMES = {
    "light": TerminalTheme((250, 250, 248), (36, 41, 47), [*_PALETTE, (90, 96, 104)], [*_PALETTE, (36, 41, 47)]),
    "dark": TerminalTheme(
        (22, 27, 34),
        (214, 220, 228),
        [*_BRIGHT, (110, 210, 215), (160, 168, 178)],
        [*_BRIGHT, (110, 210, 215), (214, 220, 228)],
    ),
}
# no font from a network: the reader's own
_SVG = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
  <style>
    .{unique_id}-matrix {{
      font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
      font-size: {char_height}px; line-height: {line_height}px;
    }}
    .{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
    {styles}
  </style>
  <defs><clipPath id="{unique_id}-clip-terminal">
    <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
  </clipPath>{lines}</defs>
  {chrome}
  <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">{matrix}</g>
  </g>
</svg>
"""


# about how GitHub sets Markdown
_GITHUB = """
body { font: 16px/1.5 -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; color: #1f2328; margin: 24px; }
h1, h3 { line-height: 1.25; } h1 { font-size: 26px; border-bottom: 1px solid #d1d9e0; padding-bottom: 8px; }
table { border-collapse: collapse; } td, th { border: 1px solid #d1d9e0; padding: 6px 13px; }
tr:nth-child(2n) td { background: #f6f8fa; }
pre { background: #f6f8fa; border-radius: 6px; padding: 16px; overflow: auto; white-space: pre-wrap; }
code { font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
"""


def _accumulate() -> str:
    course = load_course(ROOT)
    return shown_solution(course, course.by_id["accumulate"])


def run() -> str:
    """Return what the command prints in colour, the command itself before it."""
    solution = _edited(_accumulate())
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "exercises").mkdir()
        (Path(folder) / "exercises" / "03_accumulate.py").write_text(solution, encoding="utf-8")
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "NO_COLOR"))}
        path = f"{GRADE.parent}{os.pathsep}{os.environ['PATH']}"
        environment |= {"FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "PATH": path}
        done = subprocess.run(
            [GRADE, *COMMAND], cwd=folder, env=environment, stdout=subprocess.PIPE, encoding="utf-8", check=False
        )
    return f"$ grade {' '.join(COMMAND)}\n{done.stdout}"


def _edited(solution: str) -> str:
    for old, new in EDITS:
        assert old in solution
        solution = solution.replace(old, new)
    return solution


def terminal(printed: str, theme: TerminalTheme) -> str:
    """Return a picture of a terminal with this text as SVG."""
    console = Console(width=COLUMNS, record=True, file=io.StringIO(), force_terminal=True, color_system="standard")
    console.print(Text.from_ansi(printed), soft_wrap=True)
    picture = console.export_svg(title="", theme=theme, code_format=_SVG, unique_id="terminal")
    return "\n".join(line.rstrip() for line in picture.splitlines()) + "\n"


def class_page(folder: Path) -> Path:
    """Grade a synthetic class with `grade cohort` and return its page."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from peers.synthetic import make_class

    submissions, results = folder / "submissions", folder / "results"
    make_class(submissions, len(FIRST_NAMES))
    for path, name in zip(sorted(submissions.iterdir()), FIRST_NAMES, strict=True):
        path.rename(path.with_name(name))
    cohort = [GRADE, "cohort", submissions, "--out", results, "--course", ROOT, "--seed", "pictures"]
    subprocess.run(cohort, stdout=subprocess.DEVNULL, check=False)
    subprocess.run([GRADE, "page", results], stdout=subprocess.DEVNULL, check=True)
    return results / "page.html"


def job_summary() -> str:
    """Return a page with the job summary of three exercises: one solved, one with a mistake, one that does not load."""
    with tempfile.TemporaryDirectory() as folder:
        exercises = Path(folder) / "exercises"
        exercises.mkdir()
        unreadable = (("return out", "return out)"),)
        for name, edits in (("01_distribute", ()), ("02_swap", unreadable), ("03_accumulate", EDITS)):
            text = (ROOT / "solutions" / f"{name}.py").read_text(encoding="utf-8")
            for old, new in edits:
                assert old in text
                text = text.replace(old, new, 1)
            (exercises / f"{name}.py").write_text(text, encoding="utf-8")
        words = [GRADE, "1", "2", "3", "--format", "github=summary.md"]
        subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, check=False)
        text = (Path(folder) / "summary.md").read_text(encoding="utf-8")
    return f"<!doctype html><meta charset=utf-8><style>{_GITHUB}</style>{MarkdownIt('gfm-like').render(text)}"


def made_from() -> dict[str, str]:
    """Return a digest of what each kind of PNG shows: the exercises, the file, and what `grade` says of it."""
    course = load_course(ROOT)
    exercises = [f"{one.number} {one.id} {one.title} {one.max_score}" for one in course.exercises]
    parts = [f"{part.title} {part.max_score}" for part in course.parts]
    source = _accumulate()
    shown = {
        "class": [*exercises, *parts],
        "job-summary": [job_summary()],
        "replay": [_edited(source)],
        "site": [*exercises, *parts, _edited(source), run()],
    }
    return {kind: hashlib.sha256("\n".join(texts).encode()).hexdigest() for kind, texts in shown.items()}


def _note(folder: Path, *kinds: str) -> None:
    """Write the digests of what pictures of these kinds were made from. Those of other kinds stay as they are."""
    path = folder / "made_from.json"
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    now = made_from()
    path.write_text(json.dumps({**before, **{kind: now[kind] for kind in kinds}}, indent=2) + "\n", encoding="utf-8")


def photograph_summary(html: str, folder: Path) -> None:
    """Write a page as `job-summary.png`, as large as it is."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        sheet = browser.new_page(viewport={"width": 900, "height": 100})
        sheet.set_content(html)
        sheet.screenshot(path=folder / "job-summary.png", full_page=True)
        browser.close()


def photograph(page: Path, folder: Path) -> None:
    """Write the heat map of the class page as PNG, light and dark."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            sheet = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme=scheme)
            sheet.goto(page.as_uri())
            sheet.wait_for_selector("body[data-ready]")
            sheet.evaluate("document.getElementById('learners-heading').scrollIntoView()")
            sheet.screenshot(path=folder / f"class-{scheme}.png")
        browser.close()


def replay_page(folder: Path) -> Path:
    """Replay the same closure as `run` does with `grade play`, and return the page."""
    (folder / "exercises").mkdir(exist_ok=True)
    text = _edited(_accumulate())
    (folder / "exercises" / "03_accumulate.py").write_text(text, encoding="utf-8")
    words = [GRADE, "play", "shared", "--exercise", "accumulate", "--no-open", "--out", "replay.html"]
    subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    return folder / "replay.html"


def photograph_replay(page: Path, folder: Path) -> None:
    """Write the upper part of the replay as PNG: light, dark, and as a phone shows it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, scheme, width, height in (
            ("light", "light", 1280, 960),
            ("dark", "dark", 1280, 960),
            ("phone", "light", 390, 844),
        ):
            size = {"width": width, "height": height}
            sheet = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")
            sheet.goto(page.as_uri())
            sheet.wait_for_selector("body[data-ready]")
            sheet.locator("#first-difference").click()
            sheet.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
            sheet.screenshot(path=folder / f"replay-{name}.png")
        browser.close()


def photograph_site(folder: Path) -> None:
    """Write the page of `grade site` as PNG, with a visitor who has typed the same closure: light, dark, on a phone."""
    from playwright.sync_api import Page, sync_playwright

    def visited(sheet: Page, address: str) -> None:
        sheet.goto(f"{address}#accumulate")
        sheet.wait_for_selector("body[data-ready]", timeout=240_000)
        for key in ("Control+A", "Delete"):
            sheet.locator(".cm-content").press(key)
        sheet.keyboard.insert_text(text)
        sheet.reload()  # the welcome is for those who have not begun
        sheet.wait_for_selector("#verdict[data-status=partial]:not(.old)", timeout=240_000)

    text = _edited(_accumulate())
    with tempfile.TemporaryDirectory() as site, sync_playwright() as driver:
        subprocess.run([GRADE, "site", site], stdout=subprocess.DEVNULL, check=True)
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with server(Path(site)) as serving:
            threading.Thread(target=serving.serve_forever, daemon=True).start()
            for name, scheme, width, height in (
                ("light", "light", 1400, 900),
                ("dark", "dark", 1400, 900),
                ("phone", "light", 390, 844),
            ):
                size = {"width": width, "height": height}
                phone = name == "phone"
                sheet = browser.new_page(
                    viewport=size, color_scheme=scheme, reduced_motion="reduce", is_mobile=phone, has_touch=phone
                )
                visited(sheet, f"http://127.0.0.1:{serving.server_port}/")
                if phone:
                    sheet.locator("#file").evaluate("(heading) => heading.scrollIntoView()")
                else:
                    sheet.wait_for_selector("#verdict:not([data-searching])", timeout=240_000)
                sheet.wait_for_selector("#verdict[data-status=partial]:not(.old)", timeout=240_000)
                sheet.locator("#failure .line").first.evaluate(
                    "(button) => (button.click(), document.activeElement.blur())"
                )
                if not phone:  # the figure shows the learner's numbers
                    sheet.locator(".figure .engines button").last.evaluate("(button) => button.click()")
                    sheet.wait_for_selector(".figure .card.wrong", timeout=240_000)
                sheet.screenshot(path=folder / f"site-{name}.png")
                sheet.close()
            serving.shutdown()
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).resolve().parent)
    parser.add_argument("--terminal", action="store_true", help="only the terminal")
    parser.add_argument("--replay", action="store_true", help="only the replay")
    parser.add_argument("--site", action="store_true", help="only the page of a site")
    options = parser.parse_args()
    if not options.terminal and not options.replay:
        photograph_site(options.folder)
        _note(options.folder, "site")
    if options.site:
        return
    if not options.terminal:
        with tempfile.TemporaryDirectory() as temporary:
            photograph_replay(replay_page(Path(temporary)), options.folder)
        _note(options.folder, "replay")
    if options.replay:
        return
    printed = run()
    for name, theme in THEMES.items():
        (options.folder / f"terminal-{name}.svg").write_text(terminal(printed, theme), encoding="utf-8")
    if not options.terminal:
        with tempfile.TemporaryDirectory() as temporary:
            photograph(class_page(Path(temporary)), options.folder)
        photograph_summary(job_summary(), options.folder)
        _note(options.folder, "class", "job-summary")


if __name__ == "__main__":
    main()
