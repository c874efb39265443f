"""Check the project's prose against the rules of its glossary and style: `python tests/support/prose.py`.

- No term from the column "not" of docs/glossary.md.
- No sentence of more than 35 words.
- No docstring that begins with "What" or "Whether".
- No line of Markdown longer than 100 columns, tables and code aside.

Prints `file:line: what is wrong` and ends with 1 where there is something.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from read_yaml import LOADER

ROOT = Path(__file__).resolve().parents[2]
MOST_WORDS = 35
MOST_COLUMNS = 100
_GENERATED = ("docs/feedback.md", "docs/threat-model.md", "docs/verify.md")  # their sentences come from code
_TEXTS = ("title", "explanation", "hints", "hint")
_INLINE_CODE = re.compile(r"`[^`\n]*(?:\n[^`\n]*)?`")
_LINK = re.compile(r"\]\([^)]*\)")
_SENTENCE_END = re.compile(r"(?<=[.!?:;])[)\"']*\s+|\n\s*\n|\n\s*(?:[-*]|\d+\.)\s+|\|")


@dataclass(frozen=True)
class Passage:
    """A piece of prose: its file, the number of its first line, and its text."""

    path: Path
    line: int
    text: str


@dataclass(frozen=True)
class Remark:
    """A broken rule, with its place."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.text}"


def banned_terms(glossary: str) -> dict[str, str]:
    """Return the term to write for each one that the glossary's tables ban in their column "not"."""
    found = {}
    for row in glossary.splitlines():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if row.startswith("|") and len(cells) == 3 and cells[2] not in ("", "not", "---"):
            found.update(dict.fromkeys(re.findall(r'"([^"]+)"', cells[2]), cells[0]))
    return found


def markdown(path: Path) -> Passage:
    """Return a page without its code blocks; their lines stay, empty."""
    parts = re.split(r"^(```.*?^```[^\S\n]*)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return Passage(path, 1, "".join("\n" * part.count("\n") if i % 2 else part for i, part in enumerate(parts)))


def docstrings(path: Path) -> Iterator[Passage]:
    """Yield the docstrings of a Python file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node)
            if text:
                yield Passage(path, node.body[0].lineno, text)


def texts(path: Path) -> Iterator[Passage]:
    """Yield the titles, explanations and hints of a YAML file."""
    waiting = [(yaml.compose(path.read_text(encoding="utf-8"), Loader=LOADER), False)]
    while waiting:
        node, told = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            waiting += [(value, key.value in _TEXTS) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            waiting += [(item, told) for item in node.value]
        elif told and isinstance(node, yaml.ScalarNode):
            yield Passage(path, node.start_mark.line + 1, node.value)


def passages() -> Iterator[Passage]:
    """Yield all prose of the repository: pages, docstrings of the package and the course, texts of the course."""
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]):
        yield markdown(path)
    for pattern in ("grader/**/*.py", "solutions/*.py", "examples/**/*.py", "tests/hidden/*.py", "benchmarks/**/*.py"):
        for path in sorted(ROOT.glob(pattern)):
            yield from docstrings(path)
    for folder in (ROOT, ROOT / "examples" / "tape"):
        for path in (folder / "course.yaml", *sorted(folder.glob("solutions/*.mistakes.yaml"))):
            yield from texts(path)


def look(passage: Passage, banned: dict[str, str]) -> Iterator[Remark]:
    """Yield every broken rule in a passage."""
    if passage.path.suffix == ".md":
        for number, line in enumerate(passage.text.splitlines(), start=passage.line):
            if len(line) > MOST_COLUMNS and not line.startswith("|"):
                yield Remark(passage.path, number, f"{len(line)} columns; at most {MOST_COLUMNS}")
    elif passage.path.suffix == ".py" and (first := passage.text.split(maxsplit=1)[0]) in ("What", "Whether"):
        yield Remark(passage.path, passage.line, f'begins with "{first}"; begin with a verb, or name the thing')
    if str(passage.path.relative_to(ROOT)) in _GENERATED:
        return
    plain = _INLINE_CODE.sub(lambda code: "code" + "\n" * code[0].count("\n"), passage.text)
    plain = _LINK.sub(lambda link: "]" + "\n" * link[0].count("\n"), plain)

    def at(place: int) -> int:
        return passage.line + plain.count("\n", 0, place)

    if passage.path.name != "glossary.md":
        for term, instead in banned.items():
            for match in re.finditer(rf"\b{re.escape(term)}\b".replace(r"\ ", r"\s+"), plain, re.IGNORECASE):
                yield Remark(passage.path, at(match.start()), f'"{match[0]}": write "{instead}"')
    begin = 0
    for end in [*(match.start() for match in _SENTENCE_END.finditer(plain)), len(plain)]:
        words = re.findall(r"[\w'-]*[A-Za-z][\w'-]*", plain[begin:end])
        if len(words) > MOST_WORDS:
            yield Remark(passage.path, at(begin), f"a sentence of {len(words)} words: {' '.join(words[:6])} …")
        begin = end


def remarks() -> Iterator[Remark]:
    """Yield every broken rule in the repository's prose."""
    banned = banned_terms((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"))
    for passage in passages():
        yield from look(passage, banned)


if __name__ == "__main__":
    found = list(remarks())
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
