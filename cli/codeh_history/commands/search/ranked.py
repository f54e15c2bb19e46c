"""`search --words`: the messages that hold all the words, the best first."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ...base.env import Env
from ...base.errors import HistoryError, reason
from ...store.resolve import Target
from ...store.state import stamps_of
from ...views.late_media import Deferred
from ...views.row import text_of
from ...views.view import view_of
from . import index
from .index import Entry
from .matches import Hit, texts_of, with_context


def ranked(env: Env, targets: list[Target], words: str, unread: list[str], around: int) -> Iterator[Hit]:
    """A hit a message, with the line of it that holds most of the words; `unread` as in `search`."""
    by_path = {target.path: target for target in targets}

    def read(path: str) -> list[Entry] | None:
        try:
            return list(_entries(env, by_path[path]))
        except (HistoryError, OSError) as error:
            env.complain(f"{by_path[path].id}: not searched: {reason(error)}")
            unread.append(by_path[path].id)
            return None

    stamps = {}
    for path, stamp in stamps_of(list(by_path)).items():
        if stamp is not None:
            stamps[path] = " ".join(map(str, stamp))
        elif os.path.lexists(path):  # else it was removed meanwhile
            read(path)
    pattern = pattern_of(words)
    for entry in index.find(env, stamps, read, words):
        lines = entry.text.split("\n")
        best = max(
            (line for line in lines if line.strip()),
            key=lambda line: len({word.casefold() for word in pattern.findall(line)}),
            default=lines[0],
        )
        (shown,) = with_context(lines, [lines.index(best)], around)
        yield Hit(by_path[entry.path].id, entry.id, entry.n, entry.role, *shown)


def pattern_of(words: str) -> re.Pattern[str]:
    """What marks the words where they stand: each, a long one also where a word begins with it."""
    forms = (
        rf"\b{re.escape(word)}" + (r"\w*" if index.matches_longer(word) else r"\b")
        for word in re.findall(r"\w+", words)
    )
    return re.compile("|".join(forms), re.IGNORECASE)


def _entries(env: Env, target: Target) -> Iterator[Entry]:
    """What the index holds of a session: of a call its name, of JSON without texts the JSON."""
    view = view_of(env, target, media=Deferred(measured=True), lost={})
    title = text_of(view.meta.get("title"))
    if title is not None:
        yield Entry(target.path, None, 0, "title", title)
    for number, message in enumerate(view.messages, 1):
        lines: list[str] = []
        for whole, *inside in texts_of(message):
            if not whole or not inside:
                lines += [whole, *inside]
            else:
                lines += inside if whole.startswith(("{", "[")) else [whole.partition(" ")[0], *inside]
        if lines:
            yield Entry(target.path, message.id, number, message.role or message.kind, "\n".join(lines))
