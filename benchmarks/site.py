"""Measure how long a visitor of the site waits, in Chromium, with files from a server on this machine.

    python benchmarks/site.py [--rounds N] [--cache DIR]

Prints medians by the clock of the page: from opening it to the first verdict, with an empty cache and with a full one;
from the end of the pause in typing to the verdict, for changes of exercise 03 and for the solution of each exercise;
from a verdict to the end of the search for the line that must change; and the bytes of the site, compressed as a server
would do it.
"""

import argparse
import gzip
import shutil
import statistics
import tempfile
import threading
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from grader.author.site import build_site, server
from grader.course.load import load_course

ROOT = Path(__file__).resolve().parent.parent
WAIT_MS = 300_000
SETTLED_MS = 5_000  # in which a page starts its second interpreter, and the browser keeps the site's files
# note when the old verdict becomes pale, which happens at each change, and when the verdict on the text is shown
WATCHED = """(length) => new MutationObserver((changes, observer) => {
    const { classList, dataset } = byId("verdict");
    if (classList.contains("old")) window.changed = performance.now();
    else if (dataset.text === String(length)) window.shown = performance.now(), observer.disconnect();
}).observe(byId("verdict"), { attributes: true })"""


# note when the first verdict is shown
FIRST = """addEventListener("DOMContentLoaded", () => new MutationObserver((changes, observer) => {
    if ("text" in byId("verdict").dataset) window.first = performance.now(), observer.disconnect();
}).observe(byId("verdict"), { attributes: true }))"""


def first_verdict_s(page: Page, address: str) -> float:
    """Open the page at an exercise. Return the seconds until its verdict, by the page's own clock."""
    page.add_init_script(FIRST)
    page.goto(f"{address}#accumulate")
    page.wait_for_selector("#verdict[data-text]", timeout=WAIT_MS)
    return float(page.evaluate("window.first")) / 1000


def pause_to_verdict_s(page: Page, text: str) -> float:
    """Put a text into the editor. Return the seconds from the end of the pause in typing to its verdict."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.evaluate(WATCHED, len(text))
    page.keyboard.insert_text(text)
    page.wait_for_selector(f"#verdict[data-text='{len(text)}']", timeout=WAIT_MS)
    return float(page.evaluate("window.shown - window.changed - PAUSE_MS")) / 1000


def search_s(page: Page) -> float:
    """Return the seconds until the search for the line that must change ends."""
    begun = time.perf_counter()
    page.wait_for_selector("#verdict:not([data-searching])", timeout=WAIT_MS)
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "site")
    options = parser.parse_args()
    course = load_course(ROOT)
    right = (ROOT / "solutions" / "03_accumulate.py").read_text(encoding="utf-8")
    texts = [f"{right}# {'x' * at}\n" for at in range(options.rounds)]
    wrong = [text.replace("+=", "=") for text in texts]
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, server(Path(folder)) as serving, sync_playwright() as driver:
        names = build_site(course, Path(folder), options.cache)
        sent = sum(len(gzip.compress((Path(folder) / name).read_bytes(), 6)) for name in names)
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{serving.server_port}/"
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for _ in range(options.rounds):
            context = browser.new_context()
            for case in ("first verdict, empty cache", "first verdict, full cache"):
                for earlier in context.pages:
                    earlier.wait_for_timeout(SETTLED_MS)
                    earlier.close()
                page = context.new_page()
                times.setdefault(case, []).append(first_verdict_s(page, address))
            for case, edits in {"pause to verdict, right": texts, "pause to verdict, wrong": wrong}.items():
                for text in edits:
                    times.setdefault(case, []).append(pause_to_verdict_s(page, text))
                    if edits is wrong:
                        times.setdefault("verdict to the line that must change", []).append(search_s(page))
            for exercise in course.exercises:
                if exercise.id == "accumulate":
                    continue  # as above
                solution = course.solution(exercise).read_text(encoding="utf-8")
                page.goto(f"{address}#{exercise.id}")
                page.wait_for_selector("#verdict[data-status]", timeout=WAIT_MS)
                search_s(page)
                case = f"pause to verdict, solution of {exercise.number}"
                times.setdefault(case, []).append(pause_to_verdict_s(page, solution))
            context.close()
        browser.close()
        serving.shutdown()
    print(f"{sent / 1e6:5.1f} MB compressed, {len(names)} files")
    for case, seconds in times.items():
        print(f"{statistics.median(seconds):6.2f} s  {case}")


if __name__ == "__main__":
    main()
