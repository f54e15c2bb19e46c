"""Find the last message with text, reading from the end of the file if possible."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..base.env import Env
from ..base.errors import Lost
from ..session.fold import fold
from ..session.model import ANY, OTHER, RULES, Message
from ..session.records import Record, parse
from ..session.view import View, text_of
from ..store import read
from ..store.resolve import Target
from .late_media import Deferred
from .skim import BIG, NeedsFold
from .stored_parts import hydrated
from .view import view_of

END = 1 << 16  # bytes read first; then eight times as many
_STEP = 1 << 20
_FEW = 8  # messages whose blocks are fetched before the rest
_PLAIN_ID = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:")


def last_message(
    env: Env, target: Target, role: str | None, *, strict: bool = False, lost: Lost | None = None
) -> Message | None:
    """Return the last committed message with text of that role (None: either), or None."""
    if target.path != "-" and not strict:
        try:
            return from_end(target.path, role)
        except NeedsFold:
            pass
    view = view_of(env, target, strict=strict, hydrate=False)
    sent = [message.id for message in _sent(view, role)]
    for count in (1, _FEW, len(sent)):
        newest = hydrated(env, view, media=Deferred(), lost=lost, only=set(sent[:count]))
        message = next(filter(text_of, _sent(newest, role)), None)
        if message is not None:
            return message
    return None


def _sent(view: View, role: str | None) -> Iterator[Message]:
    """Yield the committed messages of this role (None: either), last first."""
    roles = (role,) if role else ("user", "model")
    return (m for m in reversed(view.messages) if m.committed and m.role in roles)


def from_end(path: str, role: str | None) -> Message | None:
    """Return the last message with text without reading the whole file.

    The end of the file is folded like a log. Only later lines hide or change a message, so its last message
    is the log's. Raises NeedsFold if an earlier line has the same id, or an undo reaches back.
    """
    with read.opened(path) as (fd, size):
        length = END
        while True:
            start = max(0, size - length)
            data = os.pread(fd, size - start, start)
            if start:
                cut = data.find(b"\n") + 1 or len(data)  # the first line may be incomplete
                start, data = start + cut, data[cut:]
            log = parse(data)
            if log.damage or log.refers or any(map(_reaches_back, log.records)):
                raise NeedsFold
            view = fold(log)
            message = next(filter(text_of, _sent(view, role)), None)
            clears = [step.id for step in view.steps if step.type == "clear"]
            if message is not None or clears:
                if occurs(fd, message.id if message is not None else clears[-1], start):
                    raise NeedsFold  # the message stands at its first occurrence
                return message
            if start == 0:
                return None
            if length > BIG:
                raise NeedsFold
            length *= 8


def _reaches_back(record: Record) -> bool:
    return record.bare is not None or RULES.get(record.data["type"], OTHER).reach == ANY


def occurs(fd: int, id: str, end: int) -> bool:
    """Return whether a quoted id occurs in the first `end` bytes, or might occur escaped."""
    if not _PLAIN_ID.issuperset(id):
        return True
    needle = f'"{id}"'.encode()
    chunks = (os.pread(fd, min(_STEP + len(needle), end - at), at) for at in range(0, end, _STEP))
    return any(needle in chunk for chunk in chunks)
