"""Build the page of a replay."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ...outside import plain
from ...program import Leaf, Program, program
from ...replay import Landscape, Replay, Source
from ..offline import Parts, write_page

_HERE = Path(__file__).resolve().parent
_ASSETS = _HERE / "assets"  # downloaded by assets/fetch.sh
_OWN = (
    *("numbers", "operations", "runs", "words", "graph", "source", "step", "tables", "leaves", "game", "landscape"),
    *("player", "replay"),
)
PARTS = Parts(
    template=_HERE / "template.html",
    about="your backward pass",
    libraries=(_ASSETS / "dagre.min.js",),
    own=tuple(_HERE / f"{name}.js" for name in _OWN),
    style=_HERE / "replay.css",
    licences=_ASSETS / "LICENSES.txt",
)
GAME = program("b = a + 1; c = a * 3; d = b * c", a=2)  # for a page without other programs, as in exercise 04
GAME_TITLE = "The diamond"


def build_replay_page(replays: Sequence[Replay], landscape: Landscape | None = None) -> str:
    """Return the page that replays a learner's backward passes, as HTML.

    Args:
        replays: the replays that can be chosen on the page; the page opens with the first one.
        landscape: a training run, shown below the replay.
    """
    title = replays[0].title if replays else landscape.title if landscape else "Replay"
    return write_page(PARTS, title, document(replays, landscape))


def document(replays: Sequence[Replay], landscape: Landscape | None) -> dict[str, Any]:
    """Return the page's data. A file that is the source of several replays is stored once."""
    sources: list[Source] = []
    shown = []
    for replay in replays:
        if replay.source not in sources:
            sources.append(replay.source)
        shown.append({**msgspec.to_builtins(replay), "source": sources.index(replay.source)})
    return {
        "replays": shown,
        "sources": msgspec.to_builtins(sources),
        "landscape": msgspec.to_builtins(landscape),
        "game": {"title": GAME_TITLE, "program": plain(GAME.text), "nodes": _nodes(GAME), "root": GAME.root},
    }


def _nodes(game: Program) -> list[dict[str, Any]]:
    """Return a program's nodes in the form of a replay, without the results of an engine."""
    return [
        {"name": node.name, "op": "leaf", "inputs": [], "leaf_value": node.value}
        if isinstance(node, Leaf)
        else {
            "name": node.name,
            "op": node.op,
            "inputs": [
                {"node": operand, "number": None}
                if isinstance(operand, int)
                else {"node": None, "number": operand.value}
                for operand in node.operands
            ],
            "leaf_value": None,
        }
        for node in game.nodes
    ]
