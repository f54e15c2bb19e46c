"""Messages as text for a summariser, and everything that their summary may name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson

from ..base.read_json import strings_in
from ..session import labels
from ..session.exchanges import NOT_USERS, exchanges, is_ide_context, tools_named
from ..session.labels import labelled
from ..session.model import Message
from ..session.view import text_of
from .calls import result_value
from .prose import rows

SEPARATOR = "\n\n---\n\n"
OURS = labels.pattern(r"---[ \t]*(?:[\r\n]|\Z)|\[\d{4}-\d\d-\d\dT")  # an exchange begins with its time
_ARGS, _HEAD, _TAIL = 400, 300, 200  # characters of a call's arguments, and of a result's two ends


def entries(messages: Sequence[Message]) -> list[str]:
    """Each exchange as text: its time, texts, and tool calls, shortened."""
    return [text for group in exchanges(messages) if (text := _entry(group))]


def _entry(group: Sequence[Message]) -> str:
    lines: list[str] = []
    for message in group:
        if message.role is None or not message.committed or is_ide_context(message):
            continue
        if not lines and message.ts:
            lines.append(f"[{message.ts}]")
        lines += (labelled(label, text, OURS) for label, text in _lines(message))
    return "\n".join(lines)


def _lines(message: Message) -> list[tuple[str, str]]:
    """The content of a message, each piece with its label."""
    text = text_of(message).strip()
    lines = _typed(text) if message.role == "user" else [("Assistant", text)] if text else []
    for part in message.parts:
        if "functionCall" in part:
            call = part["functionCall"]
            lines.append(("Tool call", f"{call['name']} {_cut(_json(call.get('args') or {}), _ARGS, 0)}"))
        elif "functionResponse" in part:
            value = result_value(part["functionResponse"].get("response"))
            text = value if isinstance(value, str) else _json(value)
            lines.append(("Tool result", _cut(text.strip(), _HEAD, _TAIL)))
        elif "inlineData" in part or "fileData" in part:
            blob: Any = part.get("inlineData") or part.get("fileData") or {}
            lines.append(("Attached", str(blob.get("displayName") or blob.get("mimeType") or "a file")))
    used = tools_named(message)
    if used:
        lines.append(("Tools used", ", ".join(used)))
    return lines


def _typed(text: str) -> list[tuple[str, str]]:
    """Label what a user typed and what the user pasted; notifications and text by others are pasted."""
    if text.startswith(NOT_USERS) or "\n" not in text:
        return [("Pasted" if text.startswith(NOT_USERS) else "User", text)] if text else []
    label = "User"
    lines: list[tuple[str, str]] = []
    for line, own, _ in rows(text, user=True):
        label = label if not line.strip() else "User" if own else "Pasted"
        lines.append((label, line))
    pieces = ((label, "\n".join(line for _, line in run)) for label, run in groupby(lines, itemgetter(0)))
    return [(label, piece.strip("\n")) for label, piece in pieces]


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


def _cut(text: str, head: int, tail: int) -> str:
    if len(text) <= head + tail + 40:
        return text
    ending = text[-tail:] if tail else ""
    return f"{text[:head]} [… {len(text) - head - tail} characters …] {ending}".rstrip()


def source(messages: Sequence[Message], others: Sequence[str] = ()) -> str:
    """Everything that a summary of these messages and texts may name, dates included."""
    texts: list[str] = list(others)
    for message in messages:
        texts += _dates(message.ts)
        texts += (message.id, *(tools_named(message) or ()))
        for part in message.parts:
            texts += strings_in({k: v for k, v in part.items() if k not in ("inlineData", "native")})
            call, response = part.get("functionCall"), part.get("functionResponse")
            if call:
                texts.append(_json(call.get("args") or {}))
            if response:
                texts.append(_json(response.get("response") or {}))
    return "\n".join(texts)


def _dates(ts: str | None) -> list[str]:
    """A time, its date, and the numbers of the date."""
    day = re.match(r"(\d{4})-(\d\d)-(\d\d)", ts or "")
    clock = re.search(r"T(\d\d:\d\d)", ts or "")
    return [str(ts), day[0], *day.groups(), *(clock.groups() if clock else ())] if day else []
