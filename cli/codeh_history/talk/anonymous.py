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
_SHORT = 3  # a user name this short occurs as a word
_NOBODY = ("user", "root")
_KEPT = frozenset(("thoughtSignature", "signature", "encrypted_content", "data", "mimeType"))
_SAID = ("args", "response")  # what a tool was told or said is text, whatever its keys


def lines(source: Iterable[bytes], home: str | None, *users: str | None) -> list[bytes]:
    """The same session, about nobody: the same input gives the same output, and it folds alike."""
    records: list[Json] = [orjson.loads(line) for line in source]
    names = _Names(records, home, users)
    return [dumps(names.record(record, number)) + b"\n" for number, record in enumerate(records)]


class _Names:
    """What each id, home and name is called in the copy."""

    def __init__(self, records: list[Json], home: str | None, users: Iterable[str | None]) -> None:
        self.ids: dict[str, str] = {}
        self.calls: dict[str, str] = {}
        for record in records:
            self._learn(record)
        home = home if home and home != "/" else None
        found = {name for record in records for _, name in _HOME.findall(dumps(record).decode())}
        known = {*found, *users, home.rstrip("/").rpartition("/")[2] if home else None}
        self.users = _any_of(name for name in known if name and len(name) > _SHORT and name not in _NOBODY)
        self.home = re.compile(re.escape(home.rstrip("/")) + r"(?![\w.-])") if home else None

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

    def record(self, record: Json, number: int) -> Json:
        """A record about nobody; `number` gives it its time."""
        return {self.text(key): self._field(key, item, number) for key, item in record.items()}

    def _field(self, key: str, item: Any, number: int) -> Any:
        if key in _TIMES and item is not None:
            return from_millis(START + number * 1000)
        if key in ("id", "of", "covers", "parent"):
            return self._named(item)
        if key in ("responseId", "key", "flowId") and isinstance(item, str):
            return f"{key}-{self.ids.setdefault(f'{key}:{item}', str(len(self.ids) + 1))}"
        return self.value(item, key)

    def _named(self, item: Any) -> Any:
        """Ids, each by its new name."""
        if isinstance(item, str):
            return self.ids.setdefault(item, f"x{len(self.ids) + 1}")
        if isinstance(item, list):
            return [self._named(id) for id in item]
        return {key: self._named(id) for key, id in item.items()} if isinstance(item, dict) else item

    def value(self, value: Any, key: str = "", *, call: bool = False, said: bool = False) -> Any:
        """A value with no home, name or call id in it that was not replaced."""
        if isinstance(value, dict):
            inner, deep = key in ("functionCall", "functionResponse"), said or key in _SAID
            return {self.text(k): self.value(v, k, call=inner, said=deep) for k, v in value.items()}
        if isinstance(value, list):
            return [self.value(item, key, said=said) for item in value]
        if not isinstance(value, str) or (key in _KEPT and not said):
            return value
        return (self.calls.get(value) if call and key == "id" else None) or self.text(value)

    def text(self, text: str) -> str:
        if self.home is not None:
            text = self.home.sub("/home/user", text)
        text = _HOME.sub(r"\1user", text)
        return self.users.sub("user", text) if self.users is not None else text


def _any_of(names: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern for these names where they stand as words."""
    some = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.compile(rf"(?i)(?<![^\W_])(?:{some})(?![^\W_])") if some else None
