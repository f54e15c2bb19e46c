"""A `Session` of openai-agents: `Runner.run(agent, "Hi", session=Session("demo"))`.

It implements the protocol without importing the package.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ..base.errors import BadData
from ..library.session import Session as History
from ..providers.openai_responses.body import Reader
from ..providers.parts import name_of, native, object_of
from ..session.model import Json
from .native_history import NativeHistory, SerialExecutor, in_order, rendering

_FORMAT = "openai-responses"


class Session:
    """A session that returns added items, in the order of the log.

    After `compact -i` or `summarize` it returns the reduced items, so that an agent stays within a budget.
    `pop_item` and `clear_session` are reversible, like `undo` and `clear`.
    """

    def __init__(
        self,
        session_id: str | os.PathLike[str],
        home: str | os.PathLike[str] | None = None,
        session_settings: Any = None,
    ) -> None:
        """Open a session by its id or a file's path; the first item creates it."""
        history = History.open(session_id, create=True, home=home)
        self.session_id = str(session_id)
        self.session_settings = session_settings
        self._history = NativeHistory("openai-agents", history, rendering(_FORMAT))
        self.executor = SerialExecutor()

    @in_order
    def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the items, or the newest `limit` of them, oldest first."""
        most = limit if limit is not None else getattr(self.session_settings, "limit", None)
        items = self._history.values()
        return items if most is None else items[-most:] if most > 0 else []

    @in_order
    def add_items(self, items: Sequence[Any]) -> None:
        """Append items, all or none; durable on return."""
        self._add(items)

    @in_order
    def pop_item(self) -> Any:
        """Revert the newest item and return it; None if there is none."""
        values = self._history.pop()
        self._add(values[:-1])  # a message of another program may be several items
        return values[-1] if values else None

    @in_order
    def clear_session(self) -> None:
        """Hide all items; `codeh-history undo` restores them."""
        self._history.clear()

    def _add(self, items: Sequence[Json]) -> None:
        self._history.add([(item, self._message(item)) for item in items])

    def _message(self, item: Json) -> Json:
        """Convert an item to a message; an unknown one becomes a native part."""
        reader = Reader(_FORMAT, {})
        id = name_of(object_of(item).get("call_id"))
        if id is not None and "output" in item and id not in self._history.names:
            self._history.learn_names(map(object_of, self._history.values()), "call_id")
        reader.names = self._history.names
        try:
            reader.item(item, "item")
            (message,) = reader.records
        except (BadData, ValueError, TypeError, KeyError, AttributeError):
            return {"role": "user", "parts": [native(_FORMAT, item)]}
        return message
