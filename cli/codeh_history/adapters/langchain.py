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
    """A session that returns added messages with all their fields, in the order of the log.

    After `compact -i` or `summarize` it returns the reduced messages. `clear` is reversible.
    """

    def __init__(
        self, session_id: str | os.PathLike[str], home: str | os.PathLike[str] | None = None
    ) -> None:
        """Open a session by its id or a file's path; the first message creates it."""
        super().__init__()
        self.session_id = str(session_id)
        self._history = NativeHistory(
            "langchain", History.open(session_id, create=True, home=home), _rendered
        )

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
        id, history = name_of(data.get("tool_call_id")), self._history
        known = id is None or id in history.names
        for each in (data, *(() if known else (object_of(item.get("data")) for item in history.values()))):
            history.learn_names(
                [*objects(each.get("tool_calls")), *objects(each.get("invalid_tool_calls"))]
            )
        read = Read("langchain", "")
        if id is not None and id in history.names:
            read.call(id, history.names[id], {})
        if kind == "system":
            return {"role": "user", "parts": parts_of(read, data), "item": {"role": kind}}
        add_message(read, value)
        if not read.items:  # a message without content, or of a type that is never sent
            return {"kind": _KINDS.get(kind, "info"), "parts": [{"text": ""}]}
        (entry,) = (item for item in read.items if isinstance(item, Entry))
        return {"kind": entry.kind, "parts": entry.parts, **entry.fields}


def _rendered(messages: Sequence[Message], summaries: Sequence[str]) -> list[Json]:
    return list(map(message_to_dict, convert_to_messages(rendering(_FORMAT)(messages, summaries))))
