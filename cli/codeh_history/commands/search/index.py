"""The full-text index of `search --words`, kept in the cache and updated for changed sessions.

If the cache cannot be used, the index is built in memory. `redact -i` removes it.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import NamedTuple

from ...base.env import Env
from ...store.cache import Cache

VERSION = 3  # of the indexed content
SHORTEST = 4  # characters; longer terms also match as prefixes
_TABLES = (
    "create table if not exists indexed(path text primary key, stamp text, first integer, end integer)",
    # `text`: the original, if `words` differs from it
    """create virtual table if not exists texts using fts5(
        words, path unindexed, id unindexed, n unindexed, role unindexed, text unindexed,
        tokenize='unicode61 remove_diacritics 2')""",
)
_INSERT = "insert into texts(rowid, path, id, n, role, words, text) values (?, ?, ?, ?, ?, ?, ?)"
_SEEK = (
    "select path, id, n, role, case text when '' then words else text end from texts"
    " where texts match ? order by rank, rowid"
)
# Scripts without spaces between words: each character is a word, a run of them a phrase.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


class Entry(NamedTuple):
    """An indexed message: its file, id, number, role and text."""

    path: str
    id: str | None
    n: int
    role: str
    text: str


Read = Callable[[str], Iterable[Entry] | None]  # returns a file's messages, or None if it cannot be read


def find(env: Env, stamps: Mapping[str, str], read: Read, words: str) -> list[Entry]:
    """Messages that contain all the words, or longer words with these prefixes, best match first.

    `stamps`: for each file to search, a text that changes when the file does.
    """
    query = query_of(words)
    if query is None:
        return []
    entries: list[Entry] | None = None
    with Cache(env.home).opened() as db:
        if db is not None:
            entries = _matches(db, stamps, read, query)
    if entries is None:
        with closing(sqlite3.connect(":memory:")) as memory:
            entries = _matches(memory, stamps, read, query)
    return [entry for entry in entries if entry.path in stamps]


def query_of(words: str) -> str | None:
    """An FTS5 query that requires each word; long ones match as prefixes. None without words."""
    terms = [term for word in re.findall(r"\w+", words) for term in _terms(word)]
    return " ".join(f'"{term}"' + ("*" if matches_longer(term) else "") for term in terms) or None


def matches_longer(term: str) -> bool:
    """Whether a term also matches as a prefix; short terms would match too much (`hi`: high, hide)."""
    return len(term) >= SHORTEST or _UNSPACED.search(term) is not None


def _terms(word: str) -> Iterator[str]:
    """Split a word where it changes to or from a script without spaces."""
    for number, piece in enumerate(re.split(f"((?:{_UNSPACED.pattern})+)", word)):
        if piece:
            yield " ".join(piece) if number % 2 else piece


def _matches(db: sqlite3.Connection, stamps: Mapping[str, str], read: Read, query: str) -> list[Entry]:
    """Update the index for changed and removed files, then run the query."""
    for table in _TABLES:
        db.execute(table)
    indexed = {path: row for path, *row in db.execute("select path, stamp, first, end from indexed")}
    for path, stamp in stamps.items():
        stamp = f"{VERSION} {stamp}"
        if path not in indexed or indexed[path][0] != stamp:
            entries = read(path)
            _remove(db, path, indexed)
            if entries is not None:
                _add(db, path, stamp, entries)
    for path in indexed.keys() - stamps.keys():
        if not os.path.exists(path):
            _remove(db, path, indexed)
    db.commit()
    return [Entry(*row) for row in db.execute(_SEEK, (query,))]


def _add(db: sqlite3.Connection, path: str, stamp: str, entries: Iterable[Entry]) -> None:
    (last,) = db.execute("select max(rowid) from texts").fetchone()
    first = end = (last or 0) + 1
    for entry in entries:
        spaced = _UNSPACED.sub(lambda char: f" {char[0]} ", entry.text)
        text = entry.text if spaced != entry.text else ""
        db.execute(_INSERT, (end, path, entry.id, entry.n, entry.role, spaced, text))
        end += 1
    db.execute("insert into indexed values (?, ?, ?, ?)", (path, stamp, first, end))


def _remove(db: sqlite3.Connection, path: str, indexed: Mapping[str, list[object]]) -> None:
    if path in indexed:
        db.execute("delete from texts where rowid >= ? and rowid < ?", indexed[path][1:])
        db.execute("delete from indexed where path = ?", (path,))
