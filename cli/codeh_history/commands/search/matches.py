"""Matching lines of sessions: in titles, texts, tool calls and results.

`search --words` uses a full-text index, kept in the cache and updated for changed sessions. If the cache
cannot be used, the index is built in memory. `redact -i` removes it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.env import Env
from ...base.errors import HistoryError, Lost, NotFound, reason
from ...base.patterns import LimitedPattern
from ...base.read_json import strings_in
from ...render import parts
from ...render.progress import progress, size_of
from ...session.model import Json, Message
from ...session.view import View
from ...store import read
from ...store.cache import Cache
from ...store.read import loaded_together, stamps_of
from ...store.resolve import Target
from ...views.late_media import Deferred
from ...views.rows import text_of
from ...views.selection import KIND_OF_ROLE, has_role
from ...views.view import report_missing_blocks, view_of

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
VERSION = 4  # of the indexed content
SHORTEST = 4  # characters; longer words also match as prefixes
_TABLES = (
    "create table if not exists indexed(path text primary key, stamp text, first integer, end integer)",
    # `text`: the original, if `words` differs from it
    """create virtual table if not exists texts using fts5(
        words, path unindexed, id unindexed, n unindexed, kind unindexed, text unindexed,
        tokenize='unicode61 remove_diacritics 2')""",
)
_FORGET = (
    """delete from texts where rowid >= (select first from indexed where path = ?1)
        and rowid < (select end from indexed where path = ?1)""",
    "delete from indexed where path = ?1",
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


class Sessions(NamedTuple):
    """The sessions to search, by path; `problems` names those not read (with `strict`: not in full)."""

    env: Env
    targets: dict[str, Target]
    strict: bool
    agents: Agents | None
    problems: list[str]
    named: bool = False  # a single session, which must be readable

    def views(
        self, paths: Sequence[str], pattern: LimitedPattern | None = None
    ) -> Iterator[tuple[str, str, View]]:
        """Yield the path, id and view of each session, and of its sub-agents; note what cannot be read.

        With a pattern, sessions that cannot match are left out.
        """
        env, strict, media = self.env, self.strict, Deferred(measured=True)
        size = sum(map(size_of, paths)) if env.terminal(env.stderr) else 0
        with progress(env, "searching", size):
            for path in loaded_together(paths):
                id, lost = self.targets[path].id, Lost()
                try:
                    if pattern and not may_match(path, pattern):
                        continue
                    view = view_of(env, self.targets[path], strict=strict, media=media, lost=lost)
                    agents = [*self.agents.of(view)] if self.agents else []
                except (HistoryError, OSError) as error:
                    if self.named:
                        raise
                    if not isinstance(error, NotFound) or os.path.lexists(path):  # not removed meanwhile
                        env.warn(f"{id}: not searched: {reason(error)}")
                        self.problems.append(id)
                    continue
                report_missing_blocks(env, id, lost)
                self.problems.extend(lost if strict else ())
                yield path, id, view
                yield from ((path, agent.id, agent) for agent in agents)


def may_match(path: str, pattern: LimitedPattern) -> bool:
    """Return False only if the pattern is a literal that the file does not contain."""
    literal = pattern.text
    if path == "-" or pattern.flags & re.IGNORECASE or not _LITERAL.fullmatch(literal):
        return True
    data = read.read_bytes(path, skip=True)
    return any(needle in data for needle in (literal.encode(), *_ELSEWHERE))


def hits(sessions: Sessions, pattern: LimitedPattern, role: str | None, around: int) -> Iterator[Hit]:
    """The matching lines of the sessions, each with up to `around` lines of context."""
    required = None if sessions.strict or sessions.agents else pattern
    for _, session, view in sessions.views([*sessions.targets], required):
        for id, n, kind, items in texts(view, role):
            for lines in matching(items, pattern, id or kind, around):
                yield {"session": session, "id": id, "n": n, "kind": kind, **lines}


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


def items_of(message: Message) -> Iterator[list[str]]:
    """The items of a message, as in `texts`."""
    for item in parts.items(message.parts if message.committed else message.pending or [], message):
        is_text = item.what in ("text", "thought") or isinstance(item.value, str)
        if is_text or item.what in ("call", "result"):
            json = f"{item.name} {item.body}" if item.what == "call" else "" if is_text else item.body
            strings = strings_in(item.body if is_text else item.value)
            yield [json, *(line for text in strings for line in text.replace("\r\n", "\n").split("\n"))]


def matching(items: Items, pattern: LimitedPattern, name: str, around: int = 0) -> Iterator[Json]:
    """The matching lines of items; for JSON, the whole line if it matches, else lines of texts inside."""
    items = list(items)
    matches = iter(pattern.matches([line for item in items for line in item], (name,)))
    for whole, *inside in items:
        whole_matches, *others = islice(matches, 1 + len(inside))
        if whole and whole_matches:
            yield {"text": whole, "before": [], "after": [], "apart": True}
        else:
            yield from with_context(inside, [place for place, match in enumerate(others) if match], around)


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


# -- the index ---------------------------------------------------------------------------------------------


def ranked(sessions: Sessions, words: str, role: str | None, around: int) -> Iterator[Hit]:
    """A hit for each message (of a role) that contains all the words, best first, with its best line."""
    pattern = re.compile(pattern_of(words), re.IGNORECASE)
    for path, id, n, kind, text in find(sessions, words):
        if role is not None and kind != KIND_OF_ROLE.get(role, role):
            continue
        lines = text.split("\n")
        matches = [{word.casefold() for word in pattern.findall(line)} for line in lines]
        best = max(range(len(lines)), key=lambda at: (len(matches[at]), bool(lines[at].strip())))
        (shown,) = with_context(lines, [best], around)
        yield {"session": sessions.targets[path].id, "id": id, "n": n, "kind": kind, **shown}


def find(sessions: Sessions, words: str) -> list[tuple[Any, ...]]:
    """Path, id, number, kind and text of the messages with all the words, or longer ones that begin so."""
    query = query_of(words)
    if not query:
        return []
    if "-" not in sessions.targets:  # what stdin contains is not stored
        with Cache(sessions.env.home).opened() as db:
            if db is not None:
                return _matches(db, sessions, query)
    import sqlite3

    with closing(sqlite3.connect(":memory:")) as db:
        return _matches(db, sessions, query)


def _matches(db: sqlite3.Connection, sessions: Sessions, query: str) -> list[tuple[Any, ...]]:
    """Index new and changed sessions, forget removed ones, and run the query."""
    for table in _TABLES:
        db.execute(table)
    stamps = {
        path: stamp and " ".join(map(str, (VERSION, *stamp)))
        for path, stamp in stamps_of([*sessions.targets]).items()
    }
    indexed = dict(db.execute("select path, stamp from indexed"))
    changed = [path for path, stamp in stamps.items() if not stamp or indexed.get(path) != stamp]
    removed = [path for path in indexed if path not in stamps and not os.path.exists(path)]
    for statement in _FORGET:
        db.executemany(statement, [(path,) for path in (*changed, *removed)])
    for path, _, view in sessions.views(changed):
        (first,) = db.execute("select coalesce(max(rowid), 0) + 1 from texts").fetchone()
        end = first
        for id, n, kind, items in texts(view):
            if text := indexed_text(items):
                words = spaced(text)
                db.execute(_INSERT, (end, path, id, n, kind, words, text if words != text else ""))
                end += 1
        db.execute("insert into indexed values (?, ?, ?, ?)", (path, stamps[path], first, end))
    db.commit()
    return [row for row in db.execute(_SEEK, (query,)) if row[0] in sessions.targets]


def indexed_text(items: Items) -> str:
    """The text of a message for the index: texts, names of calls, and JSON that contains no text."""
    lines: list[str] = []
    for whole, *inside in items:
        if whole and not (inside and whole.startswith(("{", "["))):
            lines.append(whole.partition(" ")[0] if inside else whole)
        lines += inside
    return "\n".join(lines)


def spaced(text: str) -> str:
    """The text with spaces around characters of scripts without them."""
    return _UNSPACED.sub(r" \g<0> ", text)


def query_of(words: str) -> str:
    """An FTS5 query that requires each word; long ones match as prefixes. Empty without words."""
    terms = re.findall(r"\w+", words)
    return " ".join(f'"{spaced(term)}"' + ("*" if matches_longer(term) else "") for term in terms)


def pattern_of(words: str) -> str:
    """A regular expression that matches the words, long ones also as prefixes."""
    return "|".join(
        rf"\b{re.escape(word)}" + (r"\w*" if matches_longer(word) else r"\b")
        for word in re.findall(r"\w+", words)
    )


def matches_longer(term: str) -> bool:
    """Whether a word also matches as a prefix; short ones would match too much (`hi`: high, hide)."""
    return len(term) >= SHORTEST or _UNSPACED.search(term) is not None
