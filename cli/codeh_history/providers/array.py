"""The messages of a request, added turn by turn, for all formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..session.model import Any, Json, Message, Part
from .parts import list_of, object_of
from .request import Options, Request, Tool
from .tools import declared
from .turns import Turn, media_stub, turns_of

_CONTENT = frozenset(("inlineData", "fileData", "functionCall", "functionResponse", "native"))
_THINKING = ("reasoning", "thinking", "redacted_thinking")


class Array:
    """A body's messages; a subclass per format writes user turns, model turns and results.

    `notes` and `sources` are those of the `Request`.
    """

    def __init__(self, name: str, options: Options) -> None:
        self.name = name
        self.options = options
        self.model = options.model
        self.faithful = options.faithful
        self.trace = options.trace
        self.array: list[Json] = []
        self.sources: list[list[str]] = []
        self.notes: list[str] = []

    def fill(self, messages: Sequence[Message], summaries: Sequence[str]) -> None:
        add = {"user": self.add_user_turn, "model": self.add_model_turn, "results": self.add_results}
        before = len(self.array)
        for turn in turns_of(messages, summaries, faithful=self.faithful):
            if turn.role == "user" and not self.faithful:
                turn.parts = [
                    part for part in turn.parts if part.get("text") != "" or not _CONTENT.isdisjoint(part)
                ]
            add[turn.role](turn)
        if len(self.array) == before and messages and not self.faithful:  # none could be sent
            self.add_user_turn(Turn("user", None, []))

    def body(self, field: str, declare: Callable[[Tool], Json], **before: Any) -> Json:
        """The first fields of a body: model, the fields `before` the messages, messages and tools."""
        body: Json = {"model": self.model} if self.model else {}
        body |= {**before, field: self.array}
        if tools := declared(self.options.tools, self.name, declare, self.notes):
            body["tools"] = tools
        return body

    def request(self, body: Json) -> Request:
        """The request with this body; each note appears once."""
        return Request(body=body, notes=list(dict.fromkeys(self.notes)), sources=self.sources)

    def settings(self, *written: str) -> Json:
        """The settings of an imported body, without those `written` elsewhere."""
        skipped = ("model", "tools", *written)
        return {key: value for key, value in self.options.settings.items() if key not in skipped}

    def add(self, message: Json, sources: str | list[str]) -> None:
        """Append a message; `sources` is as in a `Request`, or the one message that contains all blocks."""
        self.array.append(message)
        if self.trace:
            if isinstance(sources, str):
                content = message.get("content", message.get("parts", message.get("output")))
                sources = [sources] * (len(list_of(content)) or 1)
            self.sources.append(sources)

    def add_user_turn(self, turn: Turn) -> None:
        raise NotImplementedError

    def add_model_turn(self, turn: Turn) -> None:
        raise NotImplementedError

    def add_results(self, turn: Turn) -> None:
        raise NotImplementedError

    # -- notes --------------------------------------------------------------------------------------

    def stub(self, part: Part, why: str, source: str) -> str:
        """Return the text that replaces media that cannot be sent, and note the replacement."""
        text = media_stub(part, why)
        self.notes.append(f"message {source}: sent to {self.name} as a description: {text[1:-1]}")
        return text

    def left_out(self, part: Part, source: str) -> None:
        """Note a part that is not sent, unless it is empty or a model's thought."""
        native = object_of(part.get("native"))
        kind = object_of(native.get("value")).get("type")
        if kind in _THINKING or not part or self.faithful:
            return
        if not native:
            what = f"a part of an unknown kind ({', '.join(sorted(part))}) is left out"
        elif native.get("provider") == self.name:
            what = f"{kind or 'a part'} is not allowed here, and is not sent"
        else:
            what = f"a part that only {native.get('provider')} knows is not sent to {self.name}"
        self.notes.append(f"message {source}: {what}")
