"""Request bodies → messages: what their readers share."""

from __future__ import annotations

from ..base.errors import BadData
from ..session.model import Any, Json
from .body import Imported
from .parts import listed, name_of


def messages_in(body: Json, field: str, name: str) -> list[Any]:
    """The elements of a body's messages; BadData where there is no list of them."""
    given = body.get(field)
    if not isinstance(given, list):
        raise BadData(
            f"{field}: a list expected; is this {'a' if name[0] not in 'ao' else 'an'} {name} body?"
        )
    return given


class Messages:
    """The messages of a body, without ids, as they are found."""

    def __init__(self, name: str, body: Json) -> None:
        self.name = name
        self.body = body
        self.model = name_of(body.get("model"))
        self.found: list[Json] = []
        self.names: dict[str, str] = {}  # call id → function
        self.open: list[str] = []  # functions called last that are not answered yet

    @property
    def last(self) -> Json:
        return self.found[-1] if self.found else {"kind": None, "role": None, "parts": []}

    def user(self, parts: list[Any], item: Json | None = None) -> None:
        """A user's message; `item` is what else it said."""
        record: Json = {"kind": "user", "role": "user", "parts": parts}
        self.found.append({**record, "item": item} if item else record)

    def results(self, parts: list[Any]) -> None:
        """Results, or other answers of tools; results in a row are one message."""
        held = [*self.last["parts"], *parts]
        if self.last["kind"] == "tool" and all("functionResponse" in part for part in held):
            self.last["parts"] += parts
        else:
            self.found.append({"kind": "tool", "role": "user", "parts": parts})

    def given(self, parts: list[Any], item: Json | None = None) -> None:
        """A user's message that may hold results: they are a message of their own, before the rest."""
        results = [part for part in parts if "functionResponse" in part]
        if results:
            self.found.append({"kind": "tool", "role": "user", "parts": results})
            parts = [part for part in parts if "functionResponse" not in part]
        if parts or not results:
            self.user(parts, item)

    def said(self, parts: list[Any], item: Json | None = None, *, joins: bool | None = None) -> None:
        """A model's message, or more of the one before: by default where that has open calls."""
        last = self.last
        if joins is None:
            joins = last["kind"] == "codeh" and any("functionCall" in part for part in last["parts"])
        if joins:
            last["parts"] += parts
            return
        record: Json = {"kind": "codeh", "role": "model", "parts": parts, "provider": self.name}
        made = {"model": self.model} if self.model else {}
        self.found.append({**record, **made, **({"item": item} if item else {})})

    def called(self, id: str | None, name: str) -> None:
        """Note a call, so that its result finds its function."""
        if id:
            self.names[id] = name
        self.open.append(name)

    def named(self, call: object, given: object) -> Json:
        """The id of the call that a result answers, where it says one, and the call's function.

        That is known by the id, by the name that is given, else as the first that is not answered.
        """
        id = name_of(call)
        name = self.names.get(id or "") or name_of(given) or (self.open[0] if self.open else "unknown")
        if name in self.open:
            self.open.remove(name)
        return {"id": id, "name": name} if id else {"name": name}

    def imported(self, system: str | None, *around: str, **settings: Any) -> Imported:
        """All that was read; settings are what is neither model, tools nor among `around`, and these."""
        kept = {key: value for key, value in self.body.items() if key not in ("model", "tools", *around)}
        tools = listed(self.body.get("tools"))
        return Imported(self.found, system or None, tools, self.model, {**kept, **settings})
