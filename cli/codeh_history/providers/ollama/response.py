"""Read answers of Ollama's chat: one object, or the lines of its stream.

thinking → {text, thought}; content → {text}; tool_calls → functionCall, with an id if there is one; any
other field of a message → native.
"""

from __future__ import annotations

from ...base.times import to_millis
from ...session.model import Json, Part
from ...session.view import join
from .. import usage
from ..detect import outcome_of
from ..parts import call, name_of, native, object_of, objects, text_of, without
from ..protocol import Failure, Reply, StreamReader
from . import NAME

_KNOWN = ("role", "content", "thinking", "tool_calls")


def read(body: Json) -> Reply | Failure:
    reader = Stream()
    reader.feed(body)
    return reader.conclude()


def call_of(tool_call: Json) -> Part | None:
    """Convert a call to a part; None if it names no function."""
    function = object_of(tool_call.get("function"))
    name, item = name_of(function.get("name")), without(function, ("name", "arguments"))
    return call(tool_call.get("id"), name, function.get("arguments"), item) if name else None


class Stream(StreamReader):
    """Reads a stream of lines; the line that is `done` completes it, and has the usage."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, list[Part]]] = []  # by line: its time and parts
        self._last: Json = {}

    def belongs(self, event: Json) -> bool:
        """Nothing follows the last line, and lines of another model are another answer's."""
        return not self.done and self.model in (None, name_of(event.get("model")))

    def feed(self, event: Json) -> list[Part]:
        self.model = self.model or name_of(event.get("model"))
        self.done, self._last = event.get("done") is True, event
        message = object_of(event.get("message"))
        parts: list[Part] = []
        if text_of(message.get("thinking")):
            parts.append({"text": message["thinking"], "thought": True})
        if text_of(message.get("content")):
            parts.append({"text": message["content"]})
        for item in objects(message.get("tool_calls")):
            parts += [call_of(item) or native(NAME, {"tool_calls": [item]})]
        parts += [native(NAME, {key: value}) for key, value in without(message, _KNOWN).items()]
        self._parts.append((to_millis(text_of(event.get("created_at"))) or 0, parts))
        return parts

    def conclude(self) -> Reply | Failure:
        """Return the lines so far as the whole answer.

        The last line has the duration of the answer. Earlier lines belong to an attempt that broke off
        between two lines, which nothing else shows.
        """
        took = usage.count(self._last, "total_duration")
        begun = self._parts[-1][0] - took // 1_000_000 - 1 if took else 0
        parts = [part for time, parts in self._parts if time >= begun for part in parts]
        counts = {key: value for key, value in self._last.items() if key.endswith(("_count", "_duration"))}
        normalised = usage.read(counts, {"input": "prompt_eval_count", "output": "eval_count"})
        finish = name_of(self._last.get("done_reason"))
        return outcome_of(Reply(join([], parts), NAME, self.model, finish, normalised))
