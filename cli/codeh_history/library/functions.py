"""The caller's functions in the place of commands: what asks a model, answers a call, writes a summary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from ..append.tool_parts import response_of
from ..commands.calls import line_of
from ..receive.tool_call import Run, failed
from ..session.model import Json
from ..session.pairing import Call
from ..summaries.command import Done
from .env import Theirs
from .feed import pieces


def called(function: Callable[..., Any], *args: object) -> Any:
    """What the function returns; what it raises is known for its own."""
    try:
        made = function(*args)
    except Exception as error:
        raise Theirs(error) from error
    if hasattr(made, "__await__"):
        raise TypeError(f"{function!r} made something to be awaited: give an `async def` itself")
    return made


def tool(function: Callable[..., Any]) -> Run:
    """Calls answered by a function of the call; what it raises is a failed result, as of a command."""

    def run(call: Call) -> tuple[Json, str]:
        try:
            made = called(function, line_of(call))
        except Theirs as raised:
            reason = str(raised.error) or type(raised.error).__name__
            return failed(call, reason, type(raised.error).__name__)
        if isinstance(made, dict):
            return made, ""
        return response_of(made if isinstance(made, str) else orjson.dumps(made).decode()), ""

    return run


def remover(function: Callable[..., Any]) -> Callable[[str], str]:
    """What cleans a text by a function of it, as `--remove-cmd` does by a command."""

    def clean(text: str) -> str:
        made = called(function, text)
        if not isinstance(made, str):
            raise TypeError(f"remove_cmd: {function!r} returned {type(made).__name__}: a text expected")
        return made

    return clean


class Writer:
    """Summaries by a function: of a prompt, or with `body` of a provider's request body."""

    def __init__(self, function: Callable[..., Any], *, body: bool) -> None:
        self.function = function
        self.body = body

    def run(self, data: bytes) -> Done:
        chunks = pieces(called(self.function, data if self.body else data.decode()))
        return Done(
            0, b"".join(one.encode() if isinstance(one, str) else bytes(one) for one in chunks), b""
        )

    def stop(self) -> None:
        """Nothing of ours runs."""
