"""The page that replays a learner's own backward pass: one HTML file that needs no network."""

import itertools
import json
import re
import string
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..base import plain
from ..program import OPERATIONS, Leaf, Operation, Program, program
from ..replay import Played, SourceText
from ..replay.model import Input
from .offline import Parts, write_page

_HERE = Path(__file__).resolve().with_suffix("")
_ASSETS = _HERE / "assets"  # downloaded by assets/fetch.sh
_OWN = (
    *("numbers", "operations", "runs", "words", "graph", "source", "step", "tables", "leaves", "game", "landscape"),
    *("thermometer", "model", "player", "replay"),
)


_SCRIPT = """\
"use strict";

// The reference, which is what a right engine computes. `local` has the local derivatives by operand.
const OPERATIONS = (({{ {functions} }}) => ({{
{rows}
}}))(Math);
"""


def _script() -> str:
    """Return the table of operations as a script."""
    texts = " ".join(text for one in OPERATIONS.values() for text in (one.value, *one.derivatives))
    # the functions that the texts of the table call, which JavaScript has in `Math`
    functions = ", ".join(sorted(set(re.findall(r"(\w+)\(", texts))))
    return _SCRIPT.format(functions=functions, rows="\n".join(map(_row, OPERATIONS.values())))


def _row(one: Operation) -> str:
    """Return a row of the table: the name, the symbol if there is one, the value and the local derivatives."""
    operands = ", ".join(one.operands)
    # where this condition is true, the local derivative is 0, and its text does not hold
    zeros = one.zero_where or ("false",) * len(one.derivatives)
    local = ", ".join(f"{zero} ? 0 : {text}" for text, zero in zip(one.derivatives, zeros, strict=True))
    value, local = f"({operands}) => {one.value}", f"([{operands}], L) => [{local}]"
    return f"  {one.name}: {{ symbol: {json.dumps(one.symbol)}, value: {value}, local: {local} }},"


PARTS = Parts(
    template=_HERE / "template.html",
    about="your backward pass",
    libraries=(_ASSETS / "dagre.min.js",),
    own=tuple(_HERE / f"{name}.js" for name in _OWN),
    style=_HERE / "replay.css",
    licences=_ASSETS / "LICENSES.txt",
    generated=_script(),
)
GAME = program("b = a + 1; c = a * 3; d = b * c", a=2)  # for a page without other programs, as in exercise 04
GAME_TITLE = "The diamond"
ROOT_NAME = "L"  # of a root that the program does not name
_LETTERS = [
    letter for letter in string.ascii_lowercase[4:] if letter not in "lo"
]  # from e on; l and o look like digits


def build_replay_page(played: Played) -> str:
    """Return the page that replays a learner's backward passes, as HTML. It opens with the first replay."""
    first = [part.title for part in (*played.replays[:1], played.landscape, *played.thermometers) if part]
    return write_page(PARTS, first[0] if first else "Replay", document(played))


def build_replay_frame() -> str:
    """Return the same page without replays, as HTML, for a frame. The page around it sends it `document(...)`."""
    return write_page(PARTS, "Replay", None)


def document(played: Played) -> dict[str, Any]:
    """Return the page's data. A file that is the source of several replays is stored once."""
    sources: list[SourceText] = []
    shown = []
    for replay in played.replays:
        if replay.source not in sources:
            sources.append(replay.source)
        document = msgspec.to_builtins(replay)
        names = short_names([node["name"] for node in document["nodes"]], replay.root)
        nodes = [{**node, "name": name} for node, name in zip(document["nodes"], names, strict=True)]
        shown.append({**document, "nodes": nodes, "source": sources.index(replay.source)})
    return {
        "replays": shown,
        "sources": msgspec.to_builtins(sources),
        "landscape": msgspec.to_builtins(played.landscape),
        "thermometers": msgspec.to_builtins(played.thermometers),
        "model": msgspec.to_builtins(played.model),
        "note": played.note,
        "game": {"title": GAME_TITLE, "program": plain(GAME.text), "nodes": _nodes(GAME), "root": GAME.root},
    }


def short_names(names: Sequence[str], root: int) -> list[str]:
    """Return a short name for each node.

    A program names a node by its expression if it gives it no name of its own. The root is then called `L`, and any
    other node by a letter that is still free.
    """
    free = (name for name in _free_names() if name not in names)
    unnamed_root = "" if ROOT_NAME in names else ROOT_NAME
    return [
        name if name.isidentifier() else (unnamed_root if at == root else "") or next(free)
        for at, name in enumerate(names)
    ]


def _free_names() -> Iterator[str]:
    """Yield `e` to `z`, then `e2` to `z2`, and so on."""
    yield from _LETTERS
    for number in itertools.count(2):
        yield from (f"{letter}{number}" for letter in _LETTERS)


def _nodes(game: Program) -> list[dict[str, Any]]:
    """Return a program's nodes in the form of a replay, without the results of an engine."""
    return [
        {
            "name": node.name,
            "op": "leaf" if isinstance(node, Leaf) else node.op,
            "inputs": msgspec.to_builtins(Input.of(node)),
            "leaf_value": node.value if isinstance(node, Leaf) else None,
        }
        for node in game.nodes
    ]
