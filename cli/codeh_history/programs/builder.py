"""Builds the items of a session: messages and their parts, and summaries of what came before."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Collection, Iterable
from itertools import groupby
from typing import Any

from ..providers.answers import response_of
from ..providers.media import mime_of, parse_data_url
from ..providers.parts import call, name_of, object_of
from ..session.model import Json, Part
from ..session.records import dumps
from .model import Entry, Piece, Session, Summary, omit_empty
from .records import made_id, time_of


class Builder:
    """Adds items to a session: ids are unique in it, and results find the calls that they answer."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.number = 0  # of the message that is being read: its line, or its place
        self.live: list[str] = []  # ids of the items that no summary covers
        self._ids: set[str] = set()
        self._open: dict[str, str] = {}  # calls that are not answered: id → function
        self._names: dict[str, str] = {}  # all of them

    def add(
        self, kind: str, parts: list[Part], *, id: object = None, ts: str | None = None, **fields: Any
    ) -> Entry | None:
        """A message, unless it has no content; without an id it gets one by its content."""
        parts = [part for part in parts if part != {"text": ""}]
        if not parts:
            return None
        own = name_of(id) or made_id(self.session.program, self.session.id, kind, dumps(parts))
        entry = Entry(self.unique(own), kind, ts, [Piece(self.number, parts)], omit_empty(**fields))
        self.keep(entry)
        return entry

    def keep(self, item: Entry | Summary) -> None:
        """Take an item as it is."""
        self.session.items.append(item)
        self.live.append(item.id)

    def extend(self, entry: Entry, parts: list[Part], number: int | None = None) -> None:
        """Add parts to a message, of a line."""
        entry.pieces.append(Piece(self.number if number is None else number, parts))

    def summarise(self, id: str, ts: str | None, text: str, keep: Collection[str] = ()) -> None:
        """A summary of all live items but those to `keep`."""
        covers = [item for item in self.live if item not in keep]
        self.live = [item for item in self.live if item in keep]
        self.keep(Summary(self.unique(id), ts, text, self.number, covers))

    def turn(
        self, kind: str, parts: list[Part], *, id: object, ts: str | None = None, **fields: Any
    ) -> None:
        """A message that may hold results too: these are messages of their own, where they stand.

        Of several messages the last one has the usage.
        """
        runs = [(tool, list(run)) for tool, run in groupby(parts, lambda part: "functionResponse" in part)]
        last = max((place for place, (tool, _) in enumerate(runs) if not tool), default=-1)
        for place, (tool, run) in enumerate(runs):
            own = {name: value for name, value in fields.items() if place == last or name != "usage"}
            self.add("tool" if tool else kind, run, id=id, ts=ts, **({} if tool else own))

    def unique(self, id: str) -> str:
        """The id, with a number where the session has it already."""
        number = 1
        own = id
        while own in self._ids:
            number += 1
            own = f"{id}.{number}"
        self._ids.add(own)
        return own

    def call(self, id: object, name: object, arguments: object) -> Part:
        """The part of a call; one without an id is numbered."""
        own = name_of(id) or f"call_{len(self._names) + 1}"
        function = name_of(name) or "tool"
        self._open[own] = self._names[own] = function
        return call(own, function, arguments)

    def result(
        self, id: object, name: object, text: str, *, failed: bool = False, held: list[Part] | None = None
    ) -> Part:
        """The part of a result: of that call, else of the oldest open one of that name, or of any name."""
        own, function = name_of(id), name_of(name)
        if own is None:
            own = next((key for key, called in self._open.items() if called == function), None)
            own = own or next(iter(self._open), None)
        if own is not None:
            self._open.pop(own, None)
            function = self._names.get(own) or function
        return result(own, function, text, failed=failed, held=held)

    def result_of(self, id: object, name: object, parts: list[Part], *, failed: bool = False) -> Part:
        """The part of a result that holds these parts: its text, and files beside it."""
        text, held = "\n".join(texts(parts)), without_texts(parts)
        return self.result(id, name, text, failed=failed, held=held)

    def system(self, text: str) -> None:
        """Add to the system prompt, or say it in the conversation where this has begun."""
        if self.session.items:
            self.add("user", [{"text": text}], item={"role": "system"})
        elif text:
            held = self.session.settings.get("system")
            self.session.settings["system"] = f"{held}\n\n{text}" if held else text

    @property
    def calls(self) -> bool:
        """Whether a call waits for its result."""
        return bool(self._open)


class Names:
    """Ids of the conversations of a file whose format gives them none, or the same to several."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def id(self, own: object, *opening: object) -> str:
        """Its own, else one by how the conversation opens; `-2` for the second of that id."""
        id = own if isinstance(own, str) and own.strip() else made_id(*map(dumps, opening))
        self._seen[id] += 1
        return id if self._seen[id] == 1 else f"{id}-{self._seen[id]}"


def opening(messages: list[Any], field: str, users: tuple[str, ...]) -> list[Any]:
    """The messages up to the first one of a user."""
    roles = (object_of(item).get(field) for item in messages)
    first = next((place for place, role in enumerate(roles) if role in users), len(messages))
    return messages[: first + 1]


def seconds(value: object) -> str | None:
    """A time in epoch seconds, or as text, as stored."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return time_of(value * 1000 if number else value)  # type: ignore[operator]


# -- parts that several programs have, each in its own spelling --------------------------------------------


def thought(text: str, signature: object = None) -> Part:
    """What a model thought, with its signature where there is one."""
    signed = {"thoughtSignature": signature} if name_of(signature) else {}
    return {"text": text, "thought": True, **signed}  # type: ignore[typeddict-item]


def result(id: object, name: object, text: str, *, failed: bool, held: list[Part] | None = None) -> Part:
    """What a tool gave for a call; `held`: what of it is no text."""
    response: Json = {"name": name_of(name) or "tool", "response": response_of(text, failed=failed)}
    if name_of(id):
        response = {"id": id, **response}
    part: Any = {"functionResponse": {**response, "parts": held} if held else response}
    return part  # type: ignore[no-any-return]


def texts(parts: Iterable[Part]) -> list[str]:
    """The texts among them, thoughts too."""
    return [part["text"] for part in parts if "text" in part]


def without_texts(parts: Iterable[Part]) -> list[Part]:
    """The others."""
    return [part for part in parts if "text" not in part]


def media(source: object, mime: object, what: object) -> Part:
    """The part of a file that a format only names: by its address, else as a text."""
    name = source if isinstance(source, str) else ""
    if name.startswith("data:"):
        inline = parse_data_url(name)
        if inline is not None:
            return {"inlineData": {"mimeType": inline[0], "data": inline[1]}}
    if name.startswith(("https://", "http://", "gs://")):
        kind = name_of(mime) or mime_of(None, name.split("?", 1)[0])
        return {"fileData": {"mimeType": kind, "fileUri": name}}
    return {"text": f"[{name_of(what) or 'file'}: {name or 'without a name'}]"}


def inline(data: bytes, mime: object) -> Part:
    """The part of a file whose bytes are at hand."""
    kind = name_of(mime) or "application/octet-stream"
    return {"inlineData": {"mimeType": kind, "data": b64encode(data).decode()}}
