"""A service answers each message once, is started again after it has ended, and its replies are not trusted."""

import io
import os
import signal
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from every import every
from msgspec import Struct

from grader.base.processes import Service, ServiceEnded, ServiceNotStarted, receive, send
from grader.base.search_path import search_path


class Text(Struct, frozen=True, tag="text"):
    text: str


class Ready(Struct, frozen=True, tag="ready"):
    pass


class Located(Struct, frozen=True, tag="located"):
    path: Path


SERVICE = """
import os, signal
from grader.base.processes import own_streams, receive, send
from msgspec import Struct

class Text(Struct, frozen=True, tag="text"):
    text: str

class Ready(Struct, frozen=True, tag="ready"):
    pass

class Odd(Struct, frozen=True, tag="odd"):
    pass

messages, replies = own_streams()
print("a stray print")
while (message := receive(messages, Text)) is not None:
    match message.text:
        case "setup":
            send(replies, Ready())
        case "refuse":
            send(replies, Text("refused"))
        case "exit":
            os._exit(3)
        case "odd":
            send(replies, Odd())
        case "cut":
            replies.write(b"\\0\\0\\1\\0cut off")
            replies.flush()
            os._exit(4)
        case text:
            send(replies, Text(text * 2))
"""


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Service]]:
    """Make a service that doubles texts."""
    (tmp_path / "doubling.py").write_text(SERVICE, encoding="utf-8")
    monkeypatch.setattr("sys.path", [str(tmp_path), *search_path()])
    made: list[Service] = []

    def make(setup: Struct | None = None, module: str = "doubling", **more: Any) -> Service:
        made.append(Service(module, Text | Ready, setup, Ready, **more))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.slow
def test_one_process_answers_many_messages(service: Callable[..., Service]) -> None:
    """A stray print is no reply, and the process starts with the first message."""
    one = service()
    assert one.pid is None
    assert [Text("aa"), Text("bb")] == [one.ask(Text("a")), one.ask(Text("b"))]
    pid = one.pid
    assert Text("cc") == one.ask(Text("c"))
    assert pid == one.pid is not None


@pytest.mark.slow
@pytest.mark.parametrize("text", ["exit", "odd", "cut"])
def test_what_is_no_reply_ends_the_process(service: Callable[..., Service], text: str) -> None:
    """A process that ended, a reply of another type and a truncated reply give no reply. The next message gets one."""
    one = service(Text("setup"))
    assert isinstance(one.ask(Text(text)), ServiceEnded)
    assert one.pid is None
    assert Text("aa") == one.ask(Text("a"))


@pytest.mark.slow
def test_a_reply_has_a_largest_size(service: Callable[..., Service]) -> None:
    """A longer reply is not read."""
    one = service(at_most=100)
    assert Text("a" * 80) == one.ask(Text("a" * 40))
    assert isinstance(one.ask(Text("a" * 80)), ServiceEnded)


@pytest.mark.slow
def test_a_process_that_is_killed_is_replaced(service: Callable[..., Service]) -> None:
    """It gets the setup again, and answers."""
    one = service(Text("setup"))
    one.start()
    first = one.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    while one.pid is not None:
        pass
    assert Text("aa") == one.ask(Text("a"))
    assert one.pid not in (None, first)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expected", "setup", "module"),
    [
        (Text("refused"), "refuse", "doubling"),
        (ServiceEnded(3), "exit", "doubling"),
        (ServiceEnded(1), "setup", "no_such_module"),
    ],
)
def test_a_process_that_does_not_start_says_why(
    service: Callable[..., Service], expected: object, setup: str, module: str
) -> None:
    """The error has the reply to the setup, or the exit status."""
    with pytest.raises(ServiceNotStarted) as caught:
        service(Text(setup), module).start()
    reply = caught.value.reply
    assert expected == reply or (isinstance(reply, ServiceEnded) and reply.status == -signal.SIGKILL)


@pytest.mark.slow
def test_a_closed_service_does_not_start_again(service: Callable[..., Service]) -> None:
    """A thread that still uses a closed service gets an error, and need not be waited for."""
    one = service()
    one.ask(Text("a"))
    one.close()
    assert one.pid is None
    with pytest.raises(ServiceNotStarted):
        one.ask(Text("a"))


# -- messages --------------------------------------------------------------------------------------------------


def sent(message: Struct) -> bytes:
    stream = io.BytesIO()
    send(stream, message)
    return stream.getvalue()


@pytest.mark.parametrize("message", [Text("∇\n"), Located(Path("a/b"))])
def test_a_message_arrives_unchanged(message: Struct) -> None:
    """Texts and paths arrive, and there is no message at the end."""
    stream = io.BytesIO(sent(message))
    assert [message, None] == [receive(stream, type(message)) for _ in range(2)]


@every(
    "data",
    [
        b"\0\0",
        b"\xff\xff\xff\xff",
        sent(Text("x" * (1 << 20))),
        b"\0\0\0\x05abc",
        sent(Located(Path("a"))),
        sent(Text("abc"))[:-3],
        struct.pack(">I", 1) + b"\x90",
        sent(Text(3)),  # type: ignore[arg-type]
    ],
    ids=["half a length", "4 GB", "more than 1 MB", "cut off", "another kind", "cut", "a list", "no text"],
)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    """A message is of its type, complete, and of an expected length."""
    with pytest.raises(ValueError):  # noqa: PT011  (msgspec has several kinds)
        receive(io.BytesIO(data), Text, 1 << 20)


def test_a_path_is_a_text() -> None:
    """Nothing else becomes a path, and no other object becomes a text."""
    with pytest.raises(ValueError, match="expected a string as path"):
        receive(io.BytesIO(sent(Located(3))), Located)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="cannot be sent"):
        sent(Located(object()))  # type: ignore[arg-type]
