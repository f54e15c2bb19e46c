"""A session stream without who, when and where: ids, times, homes and names replaced consistently."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import orjson

from ..model import Json
from ..records import dumps
from ..times import from_millis

START = 1_767_225_600_000  # 2026-01-01: times become this, a second apart, in the order of their lines
_TIMES = ("ts", "created", "createdAt", "periodStart", "periodEnd")
_HOME = re.compile(r"(/home/|/Users/|[A-Za-z]:\\Users\\)([^/\\\s\"']+)")
_SHORT = 3  # a user name this short occurs inside words


def lines(source: Iterable[bytes], home: str | None, user: str | None) -> list[bytes]:
    """The same session, about nobody: the same input gives the same output, and it folds alike."""
    records: list[Json] = [orjson.loads(line) for line in source]
    names = _Names(records, home, user)
    return [dumps(names.value(record, at=number)) + b"\n" for number, record in enumerate(records)]


class _Names:
    """What each id, home and name is called in the copy."""

    def __init__(self, records: list[Json], home: str | None, user: str | None) -> None:
        self.ids: dict[str, str] = {}
        self.calls: dict[str, str] = {}
        for record in records:
            self._learn(record)
        found = {name for record in records for _, name in _HOME.findall(dumps(record).decode())}
        users = {name for name in (*found, user or "") if len(name) > _SHORT and name != "user"}
        self.users = (
            re.compile("|".join(map(re.escape, sorted(users, key=len, reverse=True)))) if users else None
        )
        self.home = home if home and home != "/" else None

    def _learn(self, record: Json) -> None:
        kind, id = record.get("type"), record.get("id")
        if isinstance(id, str):
            base = {"session": "s", "summary": "sum", "update": "u"}.get(str(kind), "m")
            self.ids.setdefault(id, f"{base}{len(self.ids) + 1}")
        for part in record.get("parts") or ():
            for key in ("functionCall", "functionResponse"):
                call = part.get(key) if isinstance(part, dict) else None
                if isinstance(call, dict) and isinstance(call.get("id"), str):
                    self.calls.setdefault(call["id"], f"c{len(self.calls) + 1}")

    def value(self, value: Any, *, at: int, key: str = "", call: bool = False) -> Any:
        if isinstance(value, dict):
            inner = key in ("functionCall", "functionResponse")
            return {self.text(k): self.value(v, at=at, key=k, call=inner) for k, v in value.items()}
        if isinstance(value, list):
            return [self.value(item, at=at, key=key) for item in value]
        if isinstance(value, str):
            return self.string(value, key, at=at, call=call)
        return value

    def string(self, value: str, key: str, *, at: int, call: bool) -> str:
        if key in _TIMES:
            return from_millis(START + at * 1000)
        if key == "id" and call:
            return self.calls.get(value, value)
        if key in ("id", "of", "covers", "after", "session", "at"):
            return self.ids.get(value, value)
        if key in ("responseId", "key", "flowId"):
            return f"{key}-{self.ids.setdefault(f'{key}:{value}', str(len(self.ids) + 1))}"
        if key in ("thoughtSignature", "data", "mimeType"):
            return value
        return self.text(value)

    def text(self, text: str) -> str:
        if self.home:
            text = text.replace(self.home, "/home/user")
        text = _HOME.sub(r"\1user", text)
        return self.users.sub("user", text) if self.users is not None else text
