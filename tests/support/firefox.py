"""Drives Firefox without a driver program, over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/)."""

import asyncio
import json
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tornado.websocket import WebSocketClientConnection, websocket_connect

_LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
_ANSWER_S = 60.0  # for any command
# the code points that the protocol gives to keys without a character
KEYS = {"Shift": "\ue008", "Control": "\ue009", "Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004"}
KEYS |= {"ArrowDown": "\ue015", "ArrowLeft": "\ue012", "End": "\ue010", "Home": "\ue011"}


class Firefox:
    """A headless Firefox with one page. A context manager.

    Args:
        program: The path of Firefox.
    """

    def __init__(self, program: str) -> None:
        self._program = program
        self._loop = asyncio.new_event_loop()
        self._number = 0

    def __enter__(self) -> "Firefox":
        self._folder = tempfile.TemporaryDirectory(prefix="firefox")
        words = ["--headless", "--no-remote", "--profile", self._folder.name, "--remote-debugging-port", "0"]
        self._log = Path(self._folder.name, "log")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen([self._program, *words], stdout=log, stderr=log)
        try:
            self._socket = self._run(self._connected())
            self._send("session.new", {"capabilities": {}})
            (tree,) = self._send("browsingContext.getTree", {})["contexts"]
            self._page = {"context": tree["context"]}
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._loop.close()
        self._folder.cleanup()

    def open(self, address: str) -> None:
        """Open a page, and wait until it is loaded."""
        self._send("browsingContext.navigate", {**self._page, "url": address, "wait": "complete"})

    def value(self, expression: str) -> Any:
        """Return the value of an expression of JavaScript: a string, a number, a boolean or None."""
        words = {"expression": expression, "target": self._page, "awaitPromise": True}
        answer = self._send("script.evaluate", words)
        assert answer["type"] == "success", answer
        return answer["result"].get("value")

    def until(self, condition: str, seconds: float) -> None:
        """Wait until an expression is true. Raise `TimeoutError` if it is not in time."""
        end = time.monotonic() + seconds
        while not self.value(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(
                    f"not within {seconds} s: {condition}. The page: {self.value('document.body.innerText')}"
                )
            time.sleep(0.1)

    def press(self, *keys: str) -> None:
        """Press keys one after another. In a chord, such as `Shift+End`, the first key stays down."""
        for key in keys:
            first, plus, last = key.partition("+")
            chord = [first, last] if plus and first in KEYS else [key]
            codes = [KEYS.get(one, one) for one in chord]
            self._keys([("keyDown", code) for code in codes] + [("keyUp", code) for code in reversed(codes)])

    def type(self, text: str) -> None:
        """Type a text."""
        self._keys([(action, character) for character in text for action in ("keyDown", "keyUp")])

    def _keys(self, actions: Sequence[tuple[str, str]]) -> None:
        keys = {"type": "key", "id": "keyboard", "actions": [{"type": action, "value": key} for action, key in actions]}
        self._send("input.performActions", {**self._page, "actions": [keys]})

    def _send(self, method: str, words: dict[str, Any]) -> Any:
        """Send a command, and return the result. Raise `RuntimeError` if Firefox refuses it."""
        return self._run(self._answer(method, words))

    async def _answer(self, method: str, words: dict[str, Any]) -> Any:
        self._number += 1
        await self._socket.write_message(json.dumps({"id": self._number, "method": method, "params": words}))
        while (message := await self._socket.read_message()) is not None:
            answer = json.loads(message)
            if answer.get("id") == self._number:
                if answer["type"] == "error":
                    raise RuntimeError(f"{method}: {answer['error']}: {answer['message']}")
                return answer["result"]
        raise RuntimeError(f"{method}: Firefox has ended")

    async def _connected(self) -> WebSocketClientConnection:
        while (said := _LISTENING.search(self._log.read_text("utf-8", "replace"))) is None:
            if self._process.poll() is not None:
                raise RuntimeError(f"Firefox has ended: {self._log.read_text('utf-8', 'replace')}")
            await asyncio.sleep(0.05)
        return await websocket_connect(f"{said[1]}/session", max_message_size=1 << 24)

    def _run(self, work: Any) -> Any:
        return self._loop.run_until_complete(asyncio.wait_for(work, _ANSWER_S))
