"""Search titles, messages, tool calls and results of all sessions or one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain, compress, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ..base.env import Env
from ..base.errors import BadData, HistoryError, Lost, NegativeAnswer, NotFound, reason
from ..base.escape import visible
from ..base.options import JSON, JSONL, NO_PAGER, STRICT, Named, argument, flag, option
from ..base.read_json import strings_in
from ..base.sandbox import Pattern, time_limit
from ..render import pager, parts
from ..render.progress import progress, size_of
from ..session.model import NAME_OF_KIND, ROLE_OF_KIND, Json, Message
from ..session.view import View
from ..store import read
from ..store.cache import Cache
from ..store.read import loaded_together, stamps_of
from ..store.resolve import Target, for_reading, ids
from ..views.late_media import Deferred
from ..views.rows import text_of
from ..views.selection import KIND_OF_ROLE, ROLE, has_role
from ..views.view import report_missing_blocks, view_of

if TYPE_CHECKING:
    import sqlite3

EXAMPLES = """\
  codeh-history search 'Rayleigh|Mie'              # SESSION:N:KIND: LINE, N as in `show`
  codeh-history search -i todo demo
  codeh-history search -n 5 timeout
  codeh-history search -l deploy | xargs -n 1 codeh-history show -n 4
  codeh-history search --words 'blue sky' -l         # best match first; uses an index
  codeh-history search --role user ''            # the prompts of all sessions
  codeh-history search --jsonl error | jq -r .id
"""
ANY_TEXT = r"(?=.*\S)"  # an empty match, so that nothing is highlighted
MOST = 200  # lines shown on a terminal without -n
STRAY = "search REGEX [SESSION]"
# A literal that the file contains as is if a line matches: no JSON punctuation or escapes, no number, and
# not across two values.
_LITERAL = re.compile(r"(?=.*[A-DF-Za-df-z])(?! )[A-Za-z0-9_<>=@%&~'! -]+(?<! )")
_ELSEWHERE = (b"\\u", b'"blockIds"', b'"delta"')  # signs that text may be escaped, or stored elsewhere
Items = Iterable[list[str]]
Hit = Json
"""A matching line: `session, id, n, kind, text`. A title has the kind `title`, the number 0 and no id."""
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


class Options(Named):
    regex: str = argument("REGEX", "A Python regular expression, matched against each line.")
    argument: str | None = argument("[SESSION]", "Only this session (default: all).")
    ignore_case: bool = flag("Ignore case.", "-i")
    role: str | None = ROLE
    list_only: bool = flag("Only the names of sessions with a match.", "-l", long="--list")
    count: bool = flag("Only SESSION:COUNT for each session with a match.", "-c", excludes=("list_only",))
    most: int | None = option("N", f"At most N matches (on a terminal {MOST}).", long="-n", least=1)
    words: bool = flag("Treat REGEX as words: messages with all of them, best match first.")
    json: bool = JSON
    jsonl: bool = JSONL
    no_pager: bool = NO_PAGER
    timeout: float | None = option("S", "Time limit for each message, in seconds (10).")
    strict: bool = STRICT


def run(env: Env, options: Options) -> int:
    """Return 1 if nothing matches, 65 if one of all sessions could not be read."""
    named = bool(options.specified("session", "argument"))
    if named:
        targets = [for_reading(env, options.session, options.argument)]
    else:  # $CODEH_SESSION does not apply
        targets = [Target(path, "") for _, path in ids(env)]
    by_path = {target.path: target for target in targets}
    sessions = Sessions(env, by_path, options.strict, [], named)
    text = pattern_of(options.regex) if options.words else options.regex or ANY_TEXT
    flags = re.IGNORECASE if options.ignore_case or options.words else 0
    with Pattern(text, "", flags, time_limit(options.timeout)) as pattern:
        if options.words:
            records = ranked(sessions, options.regex, options.role)
        else:
            records = hits(sessions, pattern, options.role)
        if options.list_only or options.count:
            records = summed(records, count=options.count)
        elif not named:
            records = once(records)
        any_hit = write(env, records, options, pattern)
    if sessions.problems:
        return BadData.exit_code
    return 0 if any_hit else NegativeAnswer.exit_code


class Sessions(NamedTuple):
    """The sessions to search, by path; `problems` names those not read (with `strict`: not in full)."""

    env: Env
    targets: dict[str, Target]
    strict: bool
    problems: list[str]
    named: bool = False  # a single session, which must be readable

    def views(
        self, paths: Sequence[str], pattern: Pattern | None = None
    ) -> Iterator[tuple[str, str, View]]:
        """Yield the path, id and view of each session; note what cannot be read.

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


def may_match(path: str, pattern: Pattern) -> bool:
    """Return False only if the pattern is a literal that the file does not contain."""
    literal = pattern.text
    if path == "-" or pattern.flags & re.IGNORECASE or not _LITERAL.fullmatch(literal):
        return True
    data = read.read_bytes(path)
    return any(needle in data for needle in (literal.encode(), *_ELSEWHERE))


def hits(sessions: Sessions, pattern: Pattern, role: str | None) -> Iterator[Hit]:
    """The matching lines of the sessions."""
    required = None if sessions.strict else pattern
    for _, session, view in sessions.views([*sessions.targets], required):
        for id, n, kind, items in texts(view, role):
            for line in matching(items, pattern, id or kind):
                yield {"session": session, "id": id, "n": n, "kind": kind, "text": line}


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


def matching(items: Items, pattern: Pattern, name: str) -> Iterator[str]:
    """The matching lines of items; for JSON, the whole line if it matches, else lines of texts inside."""
    items = list(items)
    matches = iter(pattern.matches([line for item in items for line in item], (name,)))
    for whole, *inside in items:
        whole_matches, *others = islice(matches, 1 + len(inside))
        if whole and whole_matches:
            yield whole
        else:
            yield from compress(inside, others)


# -- the index ---------------------------------------------------------------------------------------------
#
# Kept in the cache and updated for changed sessions. If the cache cannot be used, it is built in memory.
# `redact -i` removes it.


def ranked(sessions: Sessions, words: str, role: str | None) -> Iterator[Hit]:
    """A hit for each message (of a role) that contains all the words, best first, with its best line."""
    pattern = re.compile(pattern_of(words), re.IGNORECASE)
    for path, id, n, kind, text in find(sessions, words):
        if role is not None and kind != KIND_OF_ROLE.get(role, role):
            continue
        lines = text.split("\n")
        matches = [{word.casefold() for word in pattern.findall(line)} for line in lines]
        best = max(range(len(lines)), key=lambda at: (len(matches[at]), bool(lines[at].strip())))
        yield {
            "session": sessions.targets[path].id, "id": id, "n": n, "kind": kind, "text": lines[best],
        }  # fmt: skip


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


# -- output ----------------------------------------------------------------------------------------------


def once(hits: Iterator[Hit]) -> Iterator[Hit]:
    """Drop hits in copies of a message in forks and other sessions."""
    seen: dict[int, str] = {}
    for hit in hits:
        first = seen.setdefault(hash((hit["id"], hit["text"])), hit["session"])
        if hit["id"] is None or first == hit["session"]:
            yield hit


def summed(hits: Iterator[Hit], *, count: bool) -> Iterator[Json]:
    """Yield each session once; with `count`, also its number of hits."""
    counts: dict[str, int] = {}
    for hit in hits:
        session = hit["session"]
        if not count and session not in counts:
            yield {"session": session}
        counts[session] = counts.get(session, 0) + 1
    if count:
        yield from ({"session": session, "count": number} for session, number in counts.items())


def write(env: Env, records: Iterator[Json], options: Options, pattern: Pattern) -> bool:
    """Print the records as they arrive, or all at once in a pager; return whether there were any."""
    as_json = options.json or options.jsonl
    most = options.most or (MOST if env.terminal(env.stdout) and not as_json else None)
    first = next(records, None)
    shown = islice(chain(() if first is None else (first,), records), most)
    if as_json:
        env.print_list(map(in_json, shown), as_array=options.json)
        return first is not None
    lines = lines_of(shown, pattern if env.colour else None)
    if pager.pager(env) is not None and not options.no_pager:
        pager.show(env, b"".join(lines))
    else:
        for line in lines:
            env.draw(line)
    if most is not None and options.most is None and next(records, None) is not None:
        env.note(f"more than {most} matches; pass -n N for more")
    return first is not None


def in_json(record: Json) -> Json:
    """A hit with its role (or kind, if it has none) instead of its kind; a sum unchanged."""
    if "text" not in record:
        return record
    role = ROLE_OF_KIND.get(record["kind"]) or record["kind"]
    names = ("session", "id", "n", "role", "text")
    return {name: role if name == "role" else record[name] for name in names}


def lines_of(records: Iterator[Json], pattern: Pattern | None) -> Iterator[bytes]:
    """Format as `SESSION:N:KIND: LINE`, matches highlighted by a pattern; `SESSION:COUNT` or `SESSION`."""
    for record in records:
        if "text" not in record:
            yield ":".join(map(str, record.values())).encode() + b"\n"
            continue
        kind = NAME_OF_KIND.get(record["kind"], record["kind"])
        where, text = visible(f"{record['session']}:{record['n']}:{kind}:"), visible(record["text"])
        if pattern:
            where = f"\x1b[2m{where}\x1b[0m"
            text = highlighted(record["text"], pattern, str(record["id"]))
        yield f"{where} {text}\n".encode()


def highlighted(text: str, pattern: Pattern, name: str) -> str:
    """Highlight the matches in a line."""
    shown, end = "", 0
    for start, stop in pattern.spans([text], (name,))[0]:
        if start < stop:
            shown += f"{visible(text[end:start])}\x1b[1;31m{visible(text[start:stop])}\x1b[0m"
            end = stop
    return shown + visible(text[end:])
