"""A session in a few numbers, for `list`: its messages are counted line by line where that is enough."""

from __future__ import annotations

import os
from collections.abc import Iterable

import orjson

from ..base.errors import HistoryError, reason
from ..base.patterns import Pattern
from ..session.exchanges import asks, is_prompt
from ..session.fold import View, fold, message_of, timestamp
from ..session.imported import origin
from ..session.model import Json, Message, Unread
from ..session.records import Damage, Log, Record, check_message
from ..session.rules import ROLE_OF_KIND
from ..session.view import uses_tools
from ..store import read
from ..store.paths import SERVER
from ..store.resolve import Target
from ..store.state import size_of
from . import skim as skimming
from .open_calls import Calling
from .skim import NeedsFold, Skim
from .view import counted

BEGINNING = 120  # characters of the first prompt
_MARK = Pattern(  # what programs put before a prompt, or in its place
    r"\s*<(command-(?:message|name|args)|local-command-(?:caveat|stdout|stderr)|bash-(?:input|stdout|stderr)"
    r"|system-reminder|task-notification|ide_(?:opened_file|selection|diagnostics))>"
)
KEYS = (
    "id", "path", "title", "tags", "cwd", "created", "last", "messages", "exchanges", "bytes", "open_calls",
    "pending",
)  # fmt: skip


class Count:
    """What `list` says of a session, message by message in `show`'s order."""

    def __init__(self) -> None:
        self.header: Json | None = None
        self.meta: Json = {}
        self.messages = 0
        self.exchanges = 0
        self.pending = 0
        self.prompt: str | None = None  # how the first that says something begins
        self.damage: list[Damage] = []
        self.bytes = 0
        self.last: object = None
        self._last = 0
        self._first = 0
        self.calling = Calling()
        self.models: dict[str, None] = {}  # that answered
        self.unread = False  # whether what may be a call lies in blocks, which nobody asks for here

    def add(self, message: Message, number: int = 0) -> None:
        """Count a message; with numbers they may come in any order."""
        self.messages += 1
        if number >= self._last:
            self._last, self.last = number, message.ts
        if is_prompt(message):
            self.exchanges += 1
            if self.prompt is None or number < self._first:
                self.begin(message, number)
        if message.model:
            self.models[message.model] = None
        self.pending += message.pending is not None
        self.calling.add(message)
        if message.role == "model" and not self.unread:
            parts: list[object] = list(message.parts)
            self.unread = any(type(part) is Unread for part in parts)

    def begin(self, message: Message, number: int = 0) -> None:
        """Take a prompt for the first, if it says something."""
        for part in message.parts:
            text = part.get("text") if type(part) is dict else None
            if isinstance(text, str) and (begins := beginning(text)):
                self.prompt, self._first = begins, number
                return

    def row(self, path: str) -> Json:
        """The session's line; `path` names it."""
        header = self.header or {}
        source = origin(header)
        named = text_of(header.get("id")) if source else None  # another program's file
        return {
            "id": named or Target(path, "").id, "path": path.encode("utf-8", "replace").decode(),
            "title": text_of(self.meta.get("title")),
            "tags": tags_of(self.meta.get("tags")), "cwd": text_of(header.get("cwd")),
            "created": timestamp(header.get("created")), "last": timestamp(self.last),
            "messages": self.messages, "exchanges": self.exchanges, "bytes": self.bytes,
            "open_calls": None if self.unread else self.calling.open(), "pending": self.pending,
            "prompt": self.prompt, "models": [*self.models],
            "program": text_of(source.get("from")), "program_session": text_of(source.get("id")),
        }  # fmt: skip


def beginning(text: str) -> str:
    """How a text begins, on one line; "" where it says nothing but what a program put around it."""
    text = _said(text)
    line = " ".join(text[: 4 * BEGINNING].split())
    return line if len(line) <= BEGINNING and len(text) <= 4 * BEGINNING else f"{line[: BEGINNING - 1]}…"


def _said(text: str) -> str:
    """A text without the marks before it; of a command its name and arguments, where it has any."""
    command, at = "", 0
    while found := _MARK.match(text, at):
        end = text.find(f"</{found[1]}>", found.end())
        if end < 0:
            break
        inside = text[found.end() : end].strip()
        if found[1] == "command-args" and inside:
            return f"{command} {inside}".lstrip()
        command = inside if found[1] == "command-name" else command
        at = end + len(found[1]) + len("</>")
    return text[at:]


def text_of(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def tags_of(value: object) -> list[str]:
    """The tags of a session, however they were set: a list, or text with commas."""
    if isinstance(value, str):
        return [tag.strip() for tag in value.split(",") if tag.strip()]
    return [tag for tag in value if isinstance(tag, str)] if isinstance(value, list) else []


def row_of(path: str) -> Json:
    """A session's line, whatever its file holds; `problem` says what could not be read."""
    try:
        count = count_file(path)
    except (HistoryError, OSError) as error:
        return {**Count().row(path), "problem": reason(error, path)}
    damage = count.damage
    if damage and damage[-1].reason == "torn last line" and read.being_written(path):
        damage = damage[:-1]
    row = count.row(path)
    if damage:
        row["problem"] = counted(damage)
    return row


def count_file(path: str, big: int = skimming.BIG) -> Count:
    """The numbers of a session file, equal to those of its view."""
    size = size_of(path) if path.startswith(SERVER) else os.stat(path).st_size
    if size > big:
        try:
            count = count_plain(skimming.logs(path, big=big))
        except NeedsFold:
            pass
        else:
            count.bytes = size
            return count
    return count_bytes(read.read_bytes(path))


def count_bytes(data: bytes) -> Count:
    """The same of a session's bytes."""
    count = count_lines(data)
    if count is None:
        log = read.read_log(data)
        try:
            count = count_plain([log])
        except NeedsFold:
            count = count_view(fold(log))
    count.bytes = len(data)
    return count


def count_lines(data: bytes) -> Count | None:
    """The numbers of a log with nothing but a header, settings and messages of one text; else None.

    Three times as fast as record by record, and what a list of many sessions takes its time for. All lines
    are parsed as one array: a damaged one spoils it, or changes their number.
    """
    if not data.endswith(b"\n") or b'"functionCall":' in data:
        return None
    try:
        records = orjson.loads(b"[%b]" % data[:-1].replace(b"\n", b","))
        return _counted(records) if len(records) == data.count(b"\n") else None
    except (ValueError, TypeError, LookupError, AttributeError):
        return None


def _counted(records: list[Json]) -> Count | None:
    count = Count()
    ids: set[str] = set()
    last: Json = {}
    for record in records:
        if record["type"] == "message":
            parts, kind = record["parts"], record["kind"]
            last = record
            ids.add(record["id"])
            if (
                len(parts) == 1
                and len(parts[0]) == 1
                and kind in ROLE_OF_KIND
                and type(parts[0]["text"]) is str
            ):
                count.messages += 1
                if type(record.get("model")) is str:
                    count.models[record["model"]] = None
                if kind == "user" and (asks(parts[0]["text"]) or is_prompt(_message(record))):
                    count.exchanges += 1
                    if count.prompt is None:
                        count.prompt = beginning(parts[0]["text"]) or None
            elif type(parts) is list and check_message(record) is None and not uses_tools(_message(record)):
                count.add(_message(record))
            else:
                return None
        elif record["type"] == "session":
            count.header = count.header or record
        elif record["type"] == "meta" and type(record["set"]) is dict and "id" not in record:
            count.meta.update(record["set"])
        else:
            return None
    count.last = timestamp(last.get("ts"))
    return count if len(ids) == count.messages and all(type(id) is str for id in ids) else None


def _message(record: Json) -> Message:
    return message_of(0, Record(record, b"", 0))


def count_plain(pieces: Iterable[Log]) -> Count:
    """The numbers of a plain log; raises NeedsFold for any other."""
    count = Count()
    skim = Skim(pieces)
    for number, message in skim.messages():
        count.add(message, number)
    count.header, count.meta, count.damage = skim.header, skim.meta, skim.damage
    return count


def count_view(view: View) -> Count:
    """The numbers of a view; its first prompt may lie under what stands for it now."""
    count = Count()
    for message in view.all.values():
        if count.prompt is None and message.hidden != "clear" and is_prompt(message):
            count.begin(message)
    for number, message in enumerate(view.messages, 1):
        count.add(message, number)
    count.header, count.meta, count.damage = view.header, view.meta, view.log.damage
    return count
