"""The provider formats: a package each, with the modules `request`, `rules`, `body` and `response`.

A new format is such a package and a line in `FORMATS`. Beside them stands `text`, which is no protocol: a
transcript there, what a command prints back.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..session.model import Json, Message
    from .base import (
        AnswerReader,
        Failure,
        Imported,
        Options,
        Problem,
        Reply,
        Request,
        StreamReader,
        Transcript,
    )
    from .turns import Texts

FORMATS = {
    "gemini": "gemini",
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic",
}
PLAIN = "text"
TARGETS = (*FORMATS, PLAIN)  # what a session can be sent as, and an answer come as


class Format:
    """How one provider asks and answers; each method imports only the module it needs."""

    def __init__(self, name: str) -> None:
        self.name = name

    def request(
        self, messages: Sequence[Message] | Texts, options: Options, summaries: Sequence[str]
    ) -> Request:
        """The body for these curated, paired messages: a pure function of its arguments."""
        built: Request = self._module("request").build(messages, options, summaries)
        return built

    def problems(self, body: Json) -> list[Problem]:
        """What this provider would refuse about a body, in body order."""
        found: list[Problem] = self._module("rules").problems(body)
        return found

    def imported(self, body: Json) -> Imported:
        """The inverse of `request`."""
        read: Imported = self._module("body").read(body)
        return read

    def response(self, body: Json) -> Reply | Failure:
        """A complete, non-streaming response body."""
        read: Reply | Failure = self._module("response").read(body)
        return read

    def stream(self) -> StreamReader:
        """A reader for one streamed response."""
        reader: StreamReader = self._module("response").Reader()
        return reader

    def _module(self, part: str) -> Any:
        return import_module(f"{__name__}.{FORMATS[self.name]}.{part}")


def load(name: str) -> Format:
    """The format of this name."""
    return Format(name)


def transcript(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Transcript:
    """These curated, paired messages for a command that takes a prompt."""
    from .text import request

    return request.build(messages, options, summaries)


def reader(format: str | None, model: str | None = None) -> AnswerReader:
    """A reader of an answer in this format (None: detected).

    `model`: who was asked; plain text and most errors do not say it.
    """
    if format == PLAIN:
        from .text import response

        return response.Reader(model)
    from . import wire

    found = wire.Reader(format)
    found.model = model
    return found
