"""Read request bodies back into messages: the parts shared by all formats."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..base.errors import BadData
from ..session.model import Any, Json
from .parts import list_of, name_of


@dataclass(frozen=True)
class Imported:
    """A request body that was read: messages (records without ids), system prompt, tools and settings."""

    messages: list[Json]
    system: str | None = None
    tools: list[Json] = field(default_factory=list)
    model: str | None = None
    settings: Json = field(default_factory=dict)


def messages_in(body: Json, field: str, name: str) -> list[Any]:
    """The list of messages in a body; raise BadData if it is not a list."""
    messages = body.get(field)
    if not isinstance(messages, list):
        raise BadData(f"{field}: a list expected in a body for {name}")
    return messages


class Messages:
    """Collects the messages of a body as records without ids."""

    def __init__(self, name: str, body: Json) -> None:
        self.name = name
        self.body = body
        self.model = name_of(body.get("model"))
        self.records: list[Json] = []
        self.names: dict[str, str] = {}  # call id → function
        self.open: list[str] = []  # the functions of unanswered calls

    @property
    def last(self) -> Json:
        return self.records[-1] if self.records else {"kind": None, "role": None, "parts": []}

    def add_user(self, parts: list[Any], item: Json | None = None) -> None:
        """Add a user message, its results first as a message of their own; `item`: its other fields."""
        results = [part for part in parts if "functionResponse" in part]
        if results:
            self.records.append({"kind": "tool", "role": "user", "parts": results})
            parts = [part for part in parts if "functionResponse" not in part]
        if parts or not results:
            record: Json = {"kind": "user", "role": "user", "parts": parts}
            self.records.append({**record, "item": item} if item else record)

    def add_results(self, parts: list[Any]) -> None:
        """Add results or other output of tools; consecutive results are one message."""
        results = [*self.last["parts"], *parts]
        if self.last["kind"] == "tool" and all("functionResponse" in part for part in results):
            self.last["parts"] += parts
        else:
            self.records.append({"kind": "tool", "role": "user", "parts": parts})

    def add_model(self, parts: list[Any], item: Json | None = None, *, joins: bool | None = None) -> None:
        """Add a model message, or extend the last one if it `joins` that (default: if that has calls)."""
        last = self.last
        if joins is None:
            joins = last["kind"] == "codeh" and any("functionCall" in part for part in last["parts"])
        if joins:
            last["parts"] += parts
            return
        record: Json = {"kind": "codeh", "role": "model", "parts": parts, "provider": self.name}
        more = {"model": self.model, "item": item}
        self.records.append({**record, **{key: value for key, value in more.items() if value}})

    def call(self, id: str | None, name: str) -> None:
        """Register a call, so that its result gets the function's name."""
        if id:
            self.names[id] = name
        self.open.append(name)

    def match_call(self, call: object, function: object) -> Json:
        """Return the id and function of the call that a result answers, and mark it as answered.

        The function comes from the id, else from the result's `function`, else from the oldest open call.
        """
        id = name_of(call)
        name = self.names.get(id or "") or name_of(function) or (self.open[0] if self.open else "unknown")
        if name in self.open:
            self.open.remove(name)
        return {"id": id, "name": name} if id else {"name": name}

    def imported(self, system: str | None, *skipped: str, **settings: Any) -> Imported:
        """The result; its settings are the body's other fields (not `skipped`) and `settings`."""
        rest = {key: value for key, value in self.body.items() if key not in ("model", "tools", *skipped)}
        tools = list_of(self.body.get("tools"))
        return Imported(self.records, system or None, tools, self.model, {**rest, **settings})
