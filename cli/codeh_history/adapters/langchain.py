"""A chat message history of langchain-core: `RunnableWithMessageHistory(chain, ChatMessageHistory)`.

Importing this file imports langchain-core for its base class.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import convert_to_messages, message_to_dict, messages_from_dict

from ..library.session import Session as History
from ..programs.langchain import add_message, data_of, parts_of
from ..programs.model import Entry
from ..programs.model import Session as Read
from ..providers.parts import name_of, object_of, objects
from ..session.model import Json, Message
from .native_history import NativeHistory, rendering

_FORMAT = "openai-chat"
_KINDS = {"human": "user", "ai": "codeh"}


class ChatMessageHistory(BaseChatMessageHistory):
    """A session whose messages are the added ones with all their fields, in the order of the log.

    After `compact -i` or `summarize`, it returns the reduced messages. `clear` is reversible.
    """

    def __init__(
        self, session_id: str | os.PathLike[str], home: str | os.PathLike[str] | None = None
    ) -> None:
        """`session_id`: an id or the path of a file, which the first message creates."""
        super().__init__()
        self.session_id = str(session_id)
        self._history = NativeHistory(
            "langchain", History.open(session_id, create=True, home=home), _rendered
        )
        self._names: dict[str, str] = {}

    @property
    def messages(self) -> list[Any]:  # type: ignore[override,unused-ignore]
        """The messages, oldest first."""
        return list(messages_from_dict(self._history.values()))

    def add_messages(self, messages: Sequence[Any]) -> None:
        """Append messages, all or none; durable on return."""
        values = [message_to_dict(message) for message in messages]
        self._history.add([(value, self._message(value)) for value in values])

    def clear(self) -> None:
        """Hide all messages; `codeh-history undo` restores them."""
        self._history.clear()

    def _message(self, value: Json) -> Json:
        """Convert a message of the package to one of a session."""
        kind, data = data_of(value)
        self._names |= _names_of_calls(data)
        id = name_of(data.get("tool_call_id"))
        if id is not None and id not in self._names:
            for held in self._history.values():
                self._names |= _names_of_calls(object_of(held.get("data")))
        read = Read("langchain", "")
        if id is not None and id in self._names:
            read.call(id, self._names[id], {})
        if kind == "system":
            return {"role": "user", "parts": parts_of(read, data), "item": {"role": kind}}
        add_message(read, value)
        if not read.items:  # a message without content, or of a type that is never sent
            return {"kind": _KINDS.get(kind, "info"), "parts": [{"text": ""}]}
        (entry,) = (item for item in read.items if isinstance(item, Entry))
        return {"kind": entry.kind, "parts": entry.parts, **entry.fields}


def _names_of_calls(data: Json) -> dict[str, str]:
    """Return the function name of each call in a message, by id."""
    calls = [*objects(data.get("tool_calls")), *objects(data.get("invalid_tool_calls"))]
    names = [(name_of(call.get("id")), name_of(call.get("name"))) for call in calls]
    return {id: name for id, name in names if id and name}


def _rendered(messages: Sequence[Message], summaries: Sequence[str]) -> list[Json]:
    return list(map(message_to_dict, convert_to_messages(rendering(_FORMAT)(messages, summaries))))
