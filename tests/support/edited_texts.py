"""Programs that tests grade, most of them written as a few edits of another one.

    python tests/support/edited_texts.py tests/hostile/attacks forge_zeros

prints a whole program. In a folder of programs, `NAME.py` is a whole one, and `*.yaml` lists edited ones:

    - id: network_udp_send
      what: "network: sends a datagram to the loopback."
      on: effect
      edits:
        - {old: import os, new: "import os\nimport socket"}
      fill:
        ATTACK: |
          try:
              ...

`on` names a base, or an edited program above in the same list; it is left out where the first base is meant. Bases are
programs in `bases/`, in this folder or the one above, whole or edited themselves. Each `old` stands exactly once in
what the edits before it have left. A line of capitals is a gap: what fills it, after all edits, takes its indentation.
Where a base says WHAT in its first line, `what` takes its place.

In a folder that is called like an exercise, the first base is `given`: the solution, in which each region is a gap with
the name of its function, in capitals. Methods of several classes that have one name stay as they are. The second one
is `solution`.
"""

import argparse
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Protocol

import msgspec
from msgspec import Meta

from grader.course.load import Document, child
from grader.verdict.diagnosis import SpansToSearch, anywhere, edited, regions

_DOCSTRING = '"""WHAT"""\n'
_GAP = re.compile(r"^[ ]*([A-Z][A-Z_]+)$", re.MULTILINE)
_SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions"
_OPENING = re.compile(r'\A""".*?"""\n', re.DOTALL)
_REGION = re.compile(r"^([ ]*)# BEGIN SOLUTION.*?# END SOLUTION[ ]*$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Text:
    """A program, the name that tables know it by, what it is, and the base that it is made of (if any)."""

    name: str
    text: str
    what: str = ""
    base: str = ""


class _Raw(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Annotated[str, Meta(min_length=1)]
    what: Annotated[str, Meta(min_length=1)]
    edits: list[Any] = []
    fill: dict[str, str] = {}
    on: str | None = None


def texts(folder: Path) -> list[Text]:
    """Every program of a folder, by name. Raises `CourseError` for an edit that does not fit, `ValueError` for a
    name that is given twice."""
    bases = bases_of(folder)
    found = whole_texts(folder)
    for path in sorted(folder.glob("*.yaml")):
        found += edited_texts(path, bases)
    times = Counter(one.name for one in found)
    if twice := [name for name in times if times[name] > 1]:
        raise ValueError(f"{folder}: there is more than one program called {', '.join(twice)}")
    return sorted(found, key=lambda one: one.name)


def bases_of(folder: Path) -> dict[str, str]:
    """The bases of a folder's programs, by name."""
    solution = _SOLUTIONS / f"{folder.name}.py"
    bases = of_solution(solution.read_text(encoding="utf-8")) if solution.exists() else {}
    for place in (folder.parent / "bases", folder / "bases"):
        bases |= {one.name: one.text for one in whole_texts(place)}
        for path in sorted(place.glob("*.yaml")):
            bases |= {one.name: one.text for one in edited_texts(path, bases, gaps=True)}
    return bases


def of_solution(solution: str) -> dict[str, str]:
    """The bases that an exercise has by itself."""
    functions = [name.strip("_").upper() for name, _, _ in regions(solution)]
    rest = iter(functions)
    whole = _OPENING.sub(_DOCSTRING, solution)

    def gap(region: re.Match[str]) -> str:
        function = next(rest)
        return region[0] if functions.count(function) > 1 else region[1] + function

    return {"given": _REGION.sub(gap, whole), "solution": whole}


def whole_texts(folder: Path) -> list[Text]:
    """The programs of a folder that are files of their own, by name."""
    return [Text(path.stem, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.py"))]


def edited_texts(
    path: Path, bases: Mapping[str, str], *, where: SpansToSearch = anywhere, gaps: bool = False
) -> list[Text]:
    """The programs of a list, in its order. Only where `gaps` may be left are they bases themselves.

    Raises `CourseError`, with the line, for an unknown base, an edit that does not fit and a gap that is left.
    """
    document = Document(path)
    document.convert(document.root, list[Any])
    made = dict(bases)
    found: list[Text] = []
    for node in document.root.value:
        raw = document.convert(node, _Raw)
        base = raw.on or next(iter(bases), "")
        if base not in made:
            raise document.error(child(node, "on"), f"neither a base nor a program above is called `{base}`")
        if any((raw.id, base) == (other.name, other.base) for other in found):
            raise document.error(child(node, "id"), f"there are two programs `{raw.id}`")
        text = edited(document, node, made[base], where) if raw.edits else made[base]
        for gap, filling in raw.fill.items():
            text, times = re.subn(rf"^([ ]*){gap}$", partial(_fill, filling), text, flags=re.MULTILINE)
            if times != 1:
                raise document.error(child(node, "fill"), f"there are {times} gaps called {gap}, not one")
        made[raw.id] = text
        if not gaps:
            text = _with_docstring(text, raw.what)
            if left := _GAP.search(text):
                raise document.error(node, f"`{raw.id}` leaves {left[1]} as it stands in its base")
        found.append(Text(raw.id, text, raw.what, base))
    return found


def _fill(filling: str, gap: re.Match[str]) -> str:
    return textwrap.indent(filling.removesuffix("\n"), gap[1])


def _with_docstring(text: str, what: str) -> str:
    return f'"""{what}"""\n' + text[len(_DOCSTRING) :] if text.startswith(_DOCSTRING) else text


class Named(Protocol):
    """Whatever has a name and a text."""

    @property
    def name(self) -> str: ...

    @property
    def text(self) -> str: ...


def listing(shown: Iterable[Named]) -> str:
    """Whole programs with the numbers of their lines, as messages and reports count them."""
    parts = []
    for one in shown:
        lines = [f"{number:4}  {line}" for number, line in enumerate(one.text.splitlines(), 1)]
        parts.append("\n".join([f"--- {one.name}", *lines, ""]))
    return "\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description="Print programs as they are graded.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("name", nargs="+")
    options = parser.parse_args()
    known = {one.name: one for one in texts(options.folder)}
    if unknown := [name for name in options.name if name not in known]:
        parser.error(f"{options.folder} has no {', '.join(unknown)}")
    print(listing(known[name] for name in options.name), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
