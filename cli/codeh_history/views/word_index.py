"""What is said in all sessions, by word: one SQLite file in the cache, kept up by what changed.

A cache only: safe to delete, and where it cannot be written or is locked, the words are indexed in memory.
`redact -i` removes it whole: it holds what was said.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import NamedTuple

from ..base.env import Env
from ..base.folders import ensure_dir

VERSION = 1  # of what is indexed: a file of another is made anew
FILE = "words.sqlite"
SHORTEST = 4  # characters of a word whose longer forms are found too
_WAIT = 1.0  # seconds that another process's lock is waited for
_TABLES = (
    "create table files(path text primary key, stamp text, first integer, past integer)",
    # `text`: what is shown, where `words` is not the same
    """create virtual table said using fts5(
        words, path unindexed, id unindexed, n unindexed, role unindexed, text unindexed,
        tokenize='unicode61 remove_diacritics 2')""",
)
_INSERT = "insert into said(rowid, path, id, n, role, words, text) values (?, ?, ?, ?, ?, ?, ?)"
_SEEK = (
    "select path, id, n, role, case text when '' then words else text end from said"
    " where said match ? order by rank, rowid"
)
# Scripts that write no blanks between words: each character is one, and several in a row are a phrase.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


class Said(NamedTuple):
    """A message as it is sought: its file, id, number, role, and what it says."""

    path: str
    id: str | None
    n: int
    role: str
    text: str


Read = Callable[[str], Iterable[Said] | None]  # a file's messages; None where it cannot be read


def path_of(env: Env) -> str:
    return os.path.join(env.home, "cache", FILE)


def found(env: Env, stamps: Mapping[str, str], read: Read, words: str) -> Iterator[Said]:
    """The messages that hold all these words, or words that begin so, the best first.

    `stamps`: by each file that is to be searched what tells whether it has changed.
    """
    query = query_of(words)
    if query is None:
        return
    try:
        db = _opened(path_of(env))
        _keep_up(db, stamps, read)
    except (sqlite3.Error, OSError):
        db = _made(sqlite3.connect(":memory:", isolation_level=None))
        _keep_up(db, stamps, read)
    with closing(db):
        for row in db.execute(_SEEK, (query,)):
            said = Said(*row)
            if said.path in stamps:
                yield said


def query_of(words: str) -> str | None:
    """Words in FTS5's language: each must be there, a longer one perhaps as a word's beginning."""
    terms = [term for word in re.findall(r"\w+", words) for term in _terms(word)]
    return " ".join(f'"{term}"' + ("*" if begins(term) else "") for term in terms) or None


def begins(term: str) -> bool:
    """Whether words that begin so are meant too: of a short one there are too many (`hi`: high, hide)."""
    return len(term) >= SHORTEST or _UNSPACED.search(term) is not None


def _terms(word: str) -> Iterator[str]:
    """A word, where it changes to a script without blanks in pieces."""
    for number, piece in enumerate(re.split(f"((?:{_UNSPACED.pattern})+)", word)):
        if piece:
            yield " ".join(piece) if number % 2 else piece


# -- the file -----------------------------------------------------------------------------------------


def _opened(path: str) -> sqlite3.Connection:
    ensure_dir(os.path.dirname(path))
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    db = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
    try:
        db.execute("pragma synchronous=off")
        if db.execute("pragma user_version").fetchone() != (VERSION,):
            db.close()
            os.unlink(path)
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
            db = _made(sqlite3.connect(path, timeout=_WAIT, isolation_level=None))
    except BaseException:
        db.close()
        raise
    return db


def _made(db: sqlite3.Connection) -> sqlite3.Connection:
    db.execute("begin immediate")
    for table in _TABLES:
        db.execute(table)
    db.execute(f"pragma user_version={VERSION}")
    db.execute("commit")
    return db


def _keep_up(db: sqlite3.Connection, stamps: Mapping[str, str], read: Read) -> None:
    """Index anew what has changed, and forget what is gone or cannot be read."""
    db.execute("begin immediate")
    known = {path: (stamp, first, past) for path, stamp, first, past in db.execute("select * from files")}
    for path, stamp in stamps.items():
        before = known.get(path)
        if before is None or before[0] != stamp:
            said = read(path)
            _forget(db, path, before)
            if said is not None:
                _index(db, path, stamp, said)
    for path in known.keys() - stamps.keys():
        if not os.path.exists(path):
            _forget(db, path, known[path])
    db.execute("commit")


def _index(db: sqlite3.Connection, path: str, stamp: str, said: Iterable[Said]) -> None:
    (last,) = db.execute("select max(rowid) from said").fetchone()
    first = past = (last or 0) + 1
    for one in said:
        spaced = _UNSPACED.sub(lambda char: f" {char[0]} ", one.text)
        text = one.text if spaced != one.text else ""
        db.execute(_INSERT, (past, path, one.id, one.n, one.role, spaced, text))
        past += 1
    db.execute("insert into files values (?, ?, ?, ?)", (path, stamp, first, past))


def _forget(db: sqlite3.Connection, path: str, before: tuple[str, int, int] | None) -> None:
    if before is not None:
        db.execute("delete from said where rowid >= ? and rowid < ?", before[1:])
        db.execute("delete from files where path = ?", (path,))
