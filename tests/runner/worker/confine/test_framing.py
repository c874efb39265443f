"""A frame contains one whole message, in both directions."""

import json
import os
import socket
from typing import Any

import pytest
from every import every

from grader.runner.worker.confine import framing


@every("message", [[], ["done", [["values", ["0x1.0p+0"]]]], "ü \ud800 \0", {"a": 1.5}])
def test_a_frame_holds_one_whole_message(message: Any) -> None:
    """read_frame reads exactly what write_frame wrote."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        framing.write_frame(theirs.fileno(), message)
        framing.write_frame(theirs.fileno(), "next")
        assert message == framing.read_frame(ours.fileno())
        assert framing.read_frame(ours.fileno()) == "next"


def test_a_large_frame_comes_in_pieces() -> None:
    """A message larger than the socket's buffer is put together again."""
    ours, theirs = socket.socketpair()
    message = ["x" * 1000] * 5000
    child = os.fork()
    if child == 0:
        try:
            framing.write_frame(theirs.fileno(), message)
        finally:
            os._exit(0)
    with ours, theirs:
        assert message == framing.read_frame(ours.fileno())
    assert os.waitpid(child, 0)[1] == 0


@every("sent", [b"", b"\0\0", b"\0\0\0\0"])
def test_an_end_that_has_gone_sends_no_frame(sent: bytes) -> None:
    """If the other end closes before a message, there is no frame."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            theirs.sendall(sent)
        assert framing.read_frame(ours.fileno()) is None


def test_what_is_put_in_the_place_of_json_frames_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learner code that replaces the functions of json changes no frame."""
    for name in ("loads", "dumps"):
        monkeypatch.setattr(json, name, lambda *_: "nothing")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        framing.write_frame(theirs.fileno(), [1])
        assert [1] == framing.read_frame(ours.fileno())
