"""Matching lines of sessions: in titles, texts, tool calls and results.

`search --words` uses a full-text index, kept in the cache and updated for changed sessions. If the cache
cannot be used, the index is built in memory. `redact -i` removes it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from ...base.env import Env
from ...base.errors import HistoryError, Lost
from ...base.read_json import strings_in
from ...base.sandbox import Pattern
from ...render import parts
from ...session.model import Json, Message
from ...session.view import View
from ...store import read
from ...store.cache import Cache
from ...store.read import stamps_of
from ...store.resolve import Target
from ...views.late_media import Deferred
from ...views.rows import text_of
from ...views.selection import KIND_OF_ROLE, has_role
from ...views.view import view_of

if TYPE_CHECKING:
    import sqlite3

    from ...views.agents import Agents

# A literal that the file contains as is if a line matches: no JSON punctuation or escapes, no number, and
# not across two values.
_LITERAL = re.compile(r"(?=.*[A-DF-Za-df-z])(?! )[A-Za-z0-9_<>=@%&~'! -]+(?<! )")
_ELSEWHERE = (b"\\u", b'"blockIds"', b'"delta"')  # signs that text may be escaped, or stored elsewhere
Items = Iterable[list[str]]
Hit = Json
"""A matching line: `session, id, n, kind, text, before, after, apart`.

A title has the kind `title`, the number 0 and no id. `before`, `after`: context lines that are not shown
with another match; `apart`: false if the context continues that of the previous match.
"""
Skip = Callable[[Target, HistoryError | OSError], None]
VERSION = 4  # of the indexed content
SHORTEST = 4  # characters; longer terms also match as prefixes
_TABLES = (
    "create table if not exists indexed(path text primary key, stamp text, first integer, end integer)",
    # `text`: the original, if `words` differs from it
    """create virtual table if not exists texts using fts5(
        words, path unindexed, id unindexed, n unindexed, kind unindexed, text unindexed,
        tokenize='unicode61 remove_diacritics 2')""",
)
_INSERT = "insert into texts(rowid, path, id, n, kind, words, text) values (?, ?, ?, ?, ?, ?, ?)"
_SEEK = (
    "select path, id, n, kind, case text when '' then words else text end from texts"
    " where texts match ? order by rank, rowid"
)
# Scripts without spaces between words: each character is a word, a run of them a phrase.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def texts(view: View, role: str | None = None) -> Iterator[tuple[str | None, int, str, Items]]:
    """The title and messages of a session, in view order: id, number, kind, items; with a role, only those.

    An item is the JSON of a call or result on one line (empty for text), then the lines of its texts.
    """
    title = text_of(view.meta.get("title"))
    if title is not None and role is None:
        yield None, 0, "title", [["", title]]
    for number, message in enumerate(view.messages, 1):
        if has_role(message, role):
            yield message.id, number, message.kind, items_of(message)


def hits(
    env: Env, target: Target, pattern: Pattern, role: str | None = None, agents: Agents | None = None, *,
    strict: bool = False, lost: Lost | None = None, around: int = 0,
) -> Iterator[Hit]:  # fmt: skip
    """The matching lines of a session, in view order, with up to `around` lines of context.

    With `agents`, those of its sub-agents follow, by their own ids.
    """
    if target.path != "-" and not strict and agents is None and not may_match(target.path, pattern):
        return
    view = view_of(env, target, strict=strict, media=Deferred(measured=True), lost=lost)
    views = [(target.id, view), *((agent.id, agent) for agent in (agents.of(view) if agents else ()))]
    for session, view in views:
        for id, n, kind, items in texts(view, role):
            for lines in matching(items, pattern, id or kind, around):
                yield {"session": session, "id": id, "n": n, "kind": kind, **lines}


def matching(items: Items, pattern: Pattern, name: str, around: int = 0) -> Iterator[Json]:
    """The matching lines of items; for JSON, the whole line if it matches, else lines of texts inside."""
    items = list(items)
    matches = iter(pattern.matches([line for item in items for line in item], (name,)))
    for whole, *inside in items:
        whole_matches, *others = islice(matches, 1 + len(inside))
        if whole and whole_matches:
            yield {"text": whole, "before": [], "after": [], "apart": True}
        else:
            yield from with_context(inside, [place for place, match in enumerate(others) if match], around)


def ranked(
    env: Env, targets: Sequence[Target], words: str, skip: Skip, around: int, role: str | None
) -> Iterator[Hit]:
    """A hit for each message (of a role) that contains all the words, best first, with its best line.

    `skip` is called for an unreadable session.
    """
    by_path = {target.path: target for target in targets}

    def read(path: str) -> list[Entry] | None:
        try:
            view = view_of(env, by_path[path], media=Deferred(measured=True), lost={})
            entries = (Entry(path, id, n, kind, indexed(items)) for id, n, kind, items in texts(view))
            return [entry for entry in entries if entry.text]
        except (HistoryError, OSError) as error:
            skip(by_path[path], error)
            return None

    stamps = {}
    for path, stamp in stamps_of(list(by_path)).items():
        if stamp is not None:
            stamps[path] = " ".join(map(str, stamp))
        elif os.path.lexists(path):  # not removed meanwhile: report why it cannot be read
            read(path)
    pattern = re.compile(pattern_of(words), re.IGNORECASE)
    kind = KIND_OF_ROLE.get(role or "", role)
    for entry in find(env, stamps, read, words):
        if kind not in (None, entry.kind):
            continue
        lines = entry.text.split("\n")
        best = max(
            (line for line in lines if line.strip()),
            key=lambda line: len({word.casefold() for word in pattern.findall(line)}),
            default=lines[0],
        )
        (shown,) = with_context(lines, [lines.index(best)], around)
        session = by_path[entry.path].id
        yield {"session": session, "id": entry.id, "n": entry.n, "kind": entry.kind, **shown}


def indexed(items: Items) -> str:
    """The text of a message for the index: texts, names of calls, and JSON that contains no text."""
    lines: list[str] = []
    for whole, *inside in items:
        if whole and not (inside and whole.startswith(("{", "["))):
            lines.append(whole.partition(" ")[0] if inside else whole)
        lines += inside
    return "\n".join(lines)


def pattern_of(words: str) -> str:
    """A regular expression that matches the words, long ones also as prefixes."""
    return "|".join(
        rf"\b{re.escape(word)}" + (r"\w*" if matches_longer(word) else r"\b")
        for word in re.findall(r"\w+", words)
    )


def with_context(lines: Sequence[str], places: Sequence[int], around: int) -> Iterator[Json]:
    """The lines at these places, each with context lines not already shown with another."""
    shown = 0  # the first line not shown yet
    for place, following in zip(places, [*places[1:], len(lines)], strict=False):
        end = min(place + 1 + around, following)
        first = max(shown, place - around)
        yield {
            "text": lines[place], "before": lines[first:place], "after": lines[place + 1 : end],
            "apart": shown == 0 or first > shown,
        }  # fmt: skip
        shown = end


def items_of(message: Message) -> Iterator[list[str]]:
    """The items of a message, as in `texts`."""
    shown = message.parts if message.committed else message.pending or []
    for item in parts.items(shown, message):
        inside = [line for text in strings_in(item.value) for line in _lines(text)]
        if item.what == "call":
            yield [f"{item.name} {item.body}", *inside]
        elif item.what == "result" and not isinstance(item.value, str):
            yield [item.body, *inside]
        elif item.what in ("text", "thought", "result"):
            yield ["", *_lines(item.body)]


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def may_match(path: str, pattern: Pattern) -> bool:
    """Return False only if the pattern is a literal that the file does not contain."""
    literal = pattern.text
    if pattern.flags & re.IGNORECASE or not _LITERAL.fullmatch(literal):
        return True
    data = read.read_bytes(path, skip=True)
    return any(needle in data for needle in (literal.encode(), *_ELSEWHERE))


class Entry(NamedTuple):
    """An indexed message: its file, id, number, kind and text."""

    path: str
    id: str | None
    n: int
    kind: str
    text: str


Read = Callable[[str], Sequence[Entry] | None]  # returns a file's messages, or None if it cannot be read


def find(env: Env, stamps: Mapping[str, str], read: Read, words: str) -> list[Entry]:
    """Messages that contain all the words, or longer words with these prefixes, best match first.

    `stamps`: for each file to search, a text that changes when the file does.
    """
    query = query_of(words)
    if query is None:
        return []
    with Cache(env.home).opened() as db:
        if db is not None:
            return _matches(db, stamps, read, query)
    import sqlite3

    with closing(sqlite3.connect(":memory:")) as memory:
        return _matches(memory, stamps, read, query)


def query_of(words: str) -> str | None:
    """An FTS5 query that requires each word; long ones match as prefixes. None without words.

    A word is split where it changes to or from a script without spaces.
    """
    terms = []
    for word in re.findall(r"\w+", words):
        pieces = enumerate(re.split(f"((?:{_UNSPACED.pattern})+)", word))
        terms += [" ".join(piece) if number % 2 else piece for number, piece in pieces if piece]
    return " ".join(f'"{term}"' + ("*" if matches_longer(term) else "") for term in terms) or None


def matches_longer(term: str) -> bool:
    """Whether a term also matches as a prefix; short terms would match too much (`hi`: high, hide)."""
    return len(term) >= SHORTEST or _UNSPACED.search(term) is not None


def _matches(db: sqlite3.Connection, stamps: Mapping[str, str], read: Read, query: str) -> list[Entry]:
    """Update the index for changed and removed files, then run the query."""
    for table in _TABLES:
        db.execute(table)
    indexed = {path: row for path, *row in db.execute("select path, stamp, first, end from indexed")}
    for path in (*stamps, *(indexed.keys() - stamps.keys())):
        stamp = f"{VERSION} {stamps[path]}" if path in stamps else None
        before = indexed.get(path)
        if before is not None and (os.path.exists(path) if stamp is None else before[0] == stamp):
            continue  # unchanged, or not searched this time
        entries = read(path) if stamp is not None else None
        if before is not None:
            db.execute("delete from texts where rowid >= ? and rowid < ?", before[1:])
            db.execute("delete from indexed where path = ?", (path,))
        if entries is not None:
            (first,) = db.execute("select coalesce(max(rowid), 0) + 1 from texts").fetchone()
            for number, entry in enumerate(entries, first):
                spaced = _UNSPACED.sub(lambda char: f" {char[0]} ", entry.text)
                text = entry.text if spaced != entry.text else ""
                db.execute(_INSERT, (number, path, entry.id, entry.n, entry.kind, spaced, text))
            end = first + len(entries)
            db.execute("insert into indexed values (?, ?, ?, ?)", (path, stamp, first, end))
    db.commit()
    return [Entry(*row) for row in db.execute(_SEEK, (query,)) if row[0] in stamps]
