"""`search --words`: the messages that hold all the words, the best first."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ...base.env import Env
from ...base.errors import HistoryError, reason
from ...session.model import Json
from ...session.view import View
from ...store.resolve import Target
from ...store.state import stamps_of
from ...views.late_media import Deferred
from ...views.row import text_of
from ...views.view import view_of
from . import index
from .index import Entry
from .matches import Hit, said_of, with_context


def records(env: Env, targets: list[Target], words: str, unread: list[str], around: int) -> Iterator[Json]:
    """A record a message, with the line of it that holds most of the words; `unread` as in `search`."""
    by_path = {target.path: target for target in targets}

    def read(path: str) -> list[Entry] | None:
        try:
            return list(_said(path, view_of(env, by_path[path], media=Deferred(measured=True), lost={})))
        except (HistoryError, OSError) as error:
            env.complain(f"{by_path[path].id}: not searched: {reason(error)}")
            unread.append(by_path[path].id)
            return None

    found = stamps_of(list(by_path))
    for path, stamp in found.items():
        if stamp is None and os.path.lexists(path):  # else it was removed meanwhile
            read(path)
    stamps = {path: " ".join(map(str, stamp)) for path, stamp in found.items() if stamp is not None}
    sought = sought_of(words)
    for said in index.find(env, stamps, read, words):
        target = by_path[said.path]
        lines = said.text.split("\n")
        (shown,) = with_context(lines, [lines.index(best_line(said.text, sought))], around)
        yield Hit(target.id, said.id, said.n, said.role, *shown)._asdict()


def sought_of(words: str) -> re.Pattern[str]:
    """What marks the words where they stand: each, a longer one where a word begins so too."""
    found = re.findall(r"\w+", words)
    forms = (rf"\b{re.escape(word)}" + (r"\w*" if index.matches_longer(word) else r"\b") for word in found)
    return re.compile("|".join(forms), re.IGNORECASE)


def best_line(text: str, sought: re.Pattern[str]) -> str:
    """The first of the lines in which most of the words stand."""
    lines = [line for line in text.split("\n") if not line.isspace() and line] or [""]
    return max(lines, key=lambda line: len({word.casefold() for word in sought.findall(line)}))


def _said(path: str, view: View) -> Iterator[Entry]:
    title = text_of(view.meta.get("title"))
    if title is not None:
        yield Entry(path, None, 0, "title", title)
    for number, message in enumerate(view.messages, 1):
        lines = [line for group in said_of(message) for line in _lines(*group)]
        if lines:
            yield Entry(path, message.id, number, message.role or message.kind, "\n".join(lines))


def _lines(whole: str, *inside: str) -> list[str]:
    """The lines of the texts inside; of a call behind its name, of what holds no text its JSON."""
    if not whole or not inside:
        return [whole, *inside]
    name = whole.partition(" ")[0]
    return [*inside] if whole.startswith(("{", "[")) else [name, *inside]
