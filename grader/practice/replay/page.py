"""The page that replays a learner's own backward pass: one HTML file that needs no network."""

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ...base.page import Parts, write_page
from ...base.text import plain
from ...course.figures import GameNode, Input
from ...course.program import ELEMENTWISE, Leaf, Operation, Program, program
from .model import Landscape, Model, Played, Replay, Thermometer

_HERE = Path(__file__).resolve().with_suffix("")
_ASSETS = _HERE / "assets"  # downloaded by assets/fetch.sh
# the scripts that draw runs and let them be played, in the order in which they are included
_DRAWING = (
    *("numbers", "operations", "runs", "words", "graph", "step", "tables", "game", "player"),
    *("landscape", "model", "thermometer"),
)
# those of the page alone
_OWN = ("source", "leaves", "replay")
# what another page needs to draw runs, besides `operations_script`
DRAWING_SCRIPTS = (_ASSETS / "dagre.min.js", *(_HERE / f"{name}.js" for name in _DRAWING))
DRAWING_STYLE = _HERE / "graph.css"


_SCRIPT = """\
"use strict";

// The reference, which is what a right engine computes. `local` has the local derivatives by operand.
const OPERATIONS = (({{ {functions} }}) => ({{
{rows}
}}))(Math);
"""


def operations_script() -> str:
    """Return the table of operations as a script."""
    texts = " ".join(text for one in ELEMENTWISE.values() for text in (one.value, *one.derivatives))
    # the functions that the texts of the table call, which JavaScript has in `Math`
    functions = ", ".join(sorted(set(re.findall(r"(\w+)\(", texts))))
    return _SCRIPT.format(functions=functions, rows="\n".join(map(_row, ELEMENTWISE.values())))


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
    own=tuple(_HERE / f"{name}.js" for name in (*_DRAWING, *_OWN)),
    style=_HERE / "replay.css",
    shared_style=DRAWING_STYLE,
    licences=_ASSETS / "LICENSES.txt",
    generated=operations_script(),
)
# a program that the order game offers beside those of the replays
GAME = program("b = a + 1; c = a * 3; d = b * c", a=2)
GAME_TITLE = "The diamond"
ROOT_NAME = "L"  # of a root that the program does not name
_LETTERS = "efghijkmnpqrstuvwxyz"  # a to d are often leaves; l and o look like digits


def build_replay_page(played: Played) -> str:
    """Return the page that replays a learner's backward passes, as HTML. It opens with the first replay."""
    first = [part.title for part in (*played.replays[:1], played.landscape, *played.thermometers) if part]
    return write_page(PARTS, first[0] if first else "Replay", document(played))


def build_replay_frame() -> str:
    """Return the same page without replays, as HTML, for a frame. The page around it sends it `document(...)`."""
    return write_page(PARTS, "Replay", None)


class Game(Struct, frozen=True):
    """The program of the order game."""

    title: str
    program: str
    nodes: tuple[GameNode, ...]
    root: int


class ReplayPage(Struct, frozen=True):
    """The data of the page: what was played, and the program of the order game."""

    replays: tuple[Replay, ...]
    landscape: Landscape | None
    thermometers: tuple[Thermometer, ...]
    model: Model | None
    note: str
    game: Game


def document(played: Played) -> ReplayPage:
    """Return the page's data, in which each node has a short name."""

    def named(replay: Replay) -> Replay:
        names = short_names([node.name for node in replay.nodes], replay.root)
        return replace(replay, nodes=tuple(replace(n, name=name) for n, name in zip(replay.nodes, names, strict=True)))

    shown = tuple(map(named, played.replays))
    game = Game(GAME_TITLE, plain(GAME.text), nodes_of(GAME), GAME.root)
    return ReplayPage(shown, played.landscape, played.thermometers, played.model, played.note, game)


def short_names(names: Sequence[str], root: int) -> list[str]:
    """Return a short name for each node.

    A program names a node by its expression if it gives it no name of its own. The root is then called `L`, and any
    other node by a letter that is still free.
    """
    free = (name for name in _free_names() if name not in names)
    short = []
    for at, name in enumerate(names):
        if name.isidentifier():
            short.append(name)
        elif at == root and ROOT_NAME not in names:
            short.append(ROOT_NAME)
        else:
            short.append(next(free))
    return short


def _free_names() -> Iterator[str]:
    """Yield `e` to `z`, then `e2` to `z2`, and so on."""
    yield from _LETTERS
    for number in itertools.count(2):
        yield from (f"{letter}{number}" for letter in _LETTERS)


def nodes_of(game: Program) -> tuple[GameNode, ...]:
    """Return a program's nodes in the form of a replay, each with a short name."""
    names = short_names([node.name for node in game.nodes], game.root)
    return tuple(
        GameNode(name, "leaf", (), node.value)
        if isinstance(node, Leaf)
        else GameNode(name, node.op, Input.of(node), None)
        for node, name in zip(game.nodes, names, strict=True)
    )
