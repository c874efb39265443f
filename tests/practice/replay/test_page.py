"""The data of a replay's page."""

import re

import pytest
from every import every
from msgspec.structs import replace
from offline_page import unpack
from replays import CODE, LANDSCAPE, SOURCE, replay

from grader.practice.replay import Landscape, Played, SourceText
from grader.practice.replay.page import build_replay_page, short_names

pytestmark = pytest.mark.usefixtures("kept_processes")

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"


def test_a_replay_has_the_file_that_ran() -> None:
    """Each replay has its file."""
    other = replay("L = a * a", a=3, source=SourceText("other.py", ("pass",)))
    shown = (replay("L = a + b", a=1, b=2), other, replay("L = a * b", a=1, b=2))
    data = unpack(build_replay_page(Played(shown)))

    assert [SOURCE.file, "other.py", SOURCE.file] == [shown["source"]["file"] for shown in data["replays"]]
    assert CODE.split("\n") == data["replays"][0]["source"]["lines"]


def test_visits_and_numbers_are_in_it() -> None:
    """The data has the recorded visits, and the contributions of a correct rule."""
    data = unpack(build_replay_page(Played((replay("L = a * a", "assigns", a=3),))))
    (shown,) = data["replays"]

    assert [3.0, 6.0] == [shown["nodes"][0]["yours"]["grad"], shown["nodes"][0]["expected"]["grad"]]
    assert [0, "lost"] == [shown["first_difference"], shown["fault"]]
    assert [3.0, 3.0] == [row["amount"] for row in shown["backward"][0]["expected"]]


def test_what_learners_write_is_packed() -> None:
    """Titles, names and code are only in the packed data. The title is also in the page, escaped."""
    hostile = replay("L = a * a", a=3, title=EVIL, source=SourceText(EVIL, (EVIL,)))
    hostile = replace(hostile, nodes=tuple(replace(node, name=f"{EVIL}{i}") for i, node in enumerate(hostile.nodes)))
    page = build_replay_page(Played((hostile,), replace(LANDSCAPE, title=EVIL, parameters=(EVIL,))))

    assert EVIL not in page
    assert [EVIL] == unpack(page)["replays"][0]["source"]["lines"]
    assert re.search("<title>&lt;/script&gt;.*: your backward pass</title>", page)


@pytest.mark.parametrize("landscape", [None, LANDSCAPE])
def test_a_page_without_replays(landscape: Landscape | None) -> None:
    """A page may have only a landscape, or only the order game."""
    data = unpack(build_replay_page(Played((), landscape)))

    assert ([], "b = a + 1; c = a * 3; d = b * c", landscape is not None) == (
        data["replays"],
        data["game"]["program"],
        data["landscape"] is not None,
    )


@every(
    ("names", "short"),
    [
        (["a", "b", "a * b", "c", "a * b + c"], ["a", "b", "e", "c", "L"]),
        (["e", "L", "tanh(e)", "tanh(e) * L"], ["e", "L", "f", "g"]),
        (["a", *(f"a + {k}" for k in range(21)), "L"], ["a", *"efghijkmnpqrstuvwxyz", "e2", "L"]),
    ],
)
def test_an_expression_gets_a_short_name(names: list[str], short: list[str]) -> None:
    """A node without a name of its own gets a letter that is free. The root is called L if it can be."""
    assert short == short_names(names, len(names) - 1)
