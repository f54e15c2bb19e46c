"""The lines that match in sessions: titles, visible messages' texts, tool calls and results."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import HistoryError, Lost
from ...base.read_json import texts_in
from ...render import parts
from ...sandbox import Pattern
from ...session.model import Message
from ...store import read
from ...store.read import stamps_of
from ...store.resolve import Target
from ...views.late_media import Deferred
from ...views.rows import text_of
from ...views.view import view_of
from . import index
from .index import Entry

# A literal of these, with a letter that no number has, stands in the file as it does in a line that
# matches: it can be no JSON punctuation, and spans no two values.
_LITERAL = re.compile(r"(?=.*[A-DF-Za-df-z])(?! )[A-Za-z0-9_<>=@%&~'! -]+(?<! )")
_ELSEWHERE = (b"\\u", b'"blockIds"', b'"delta"')  # a file with these may spell it, or hold it, elsewhere
Lines = tuple[str, Sequence[str], Sequence[str], bool]  # the last four fields of a `Hit`
Skip = Callable[[Target, HistoryError | OSError], None]


class Hit(NamedTuple):
    """A matching line: session, message, `show`'s number of it, its role (else its kind), the line.

    The title's has the role `title`, the number 0 and no id. `before` and `after` are the lines around it
    that belong to no other match; `apart`: they do not follow those of the match before it.
    """

    session: str
    id: str | None
    n: int
    role: str
    text: str
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    apart: bool = True


class Text(NamedTuple):
    """The title or a message of a session: its id, number, role, and what it holds.

    An item is the JSON of a call or result as one line (empty where it is text), then the lines inside.
    """

    id: str | None
    n: int
    role: str
    items: Iterable[list[str]]


def texts(env: Env, target: Target, *, strict: bool = False, lost: Lost | None = None) -> Iterator[Text]:
    """What can be searched of a session, in view order."""
    view = view_of(env, target, strict=strict, media=Deferred(measured=True), lost=lost)
    title = text_of(view.meta.get("title"))
    if title is not None:
        yield Text(None, 0, "title", [["", title]])
    for number, message in enumerate(view.messages, 1):
        yield Text(message.id, number, message.role or message.kind, items_of(message))


def hits(
    env: Env,
    target: Target,
    pattern: Pattern,
    *,
    strict: bool = False,
    lost: Lost | None = None,
    around: int = 0,
) -> Iterator[Hit]:
    """The matching lines of a session, in view order, each with up to so many lines `around` it."""
    if target.path != "-" and not strict and not may_match(target.path, pattern):
        return
    for id, n, role, items in texts(env, target, strict=strict, lost=lost):
        for lines in matching(items, pattern, id or role, around):
            yield Hit(target.id, id, n, role, *lines)


def matching(items: Iterable[list[str]], pattern: Pattern, name: str, around: int = 0) -> Iterator[Lines]:
    """The lines of items that match; of JSON the whole if that does, else those of the texts inside."""
    items = list(items)
    matches = iter(pattern.matches([line for item in items for line in item], (name,)))
    for whole, *inside in items:
        whole_matches, *others = islice(matches, 1 + len(inside))
        if whole and whole_matches:
            yield whole, [], [], True
        else:
            yield from with_context(inside, [place for place, match in enumerate(others) if match], around)


def ranked(env: Env, targets: Sequence[Target], words: str, skip: Skip, around: int) -> Iterator[Hit]:
    """A hit a message that holds all the words, the best first, with the line that holds most of them.

    `skip` is told of a session that cannot be read.
    """
    by_path = {target.path: target for target in targets}

    def read(path: str) -> list[Entry] | None:
        try:
            return [Entry(path, *text) for text in texts_to_index(env, by_path[path])]
        except (HistoryError, OSError) as error:
            skip(by_path[path], error)
            return None

    stamps = {}
    for path, stamp in stamps_of(list(by_path)).items():
        if stamp is not None:
            stamps[path] = " ".join(map(str, stamp))
        elif os.path.lexists(path):  # else it was removed meanwhile
            read(path)
    pattern = re.compile(pattern_of(words), re.IGNORECASE)
    for entry in index.find(env, stamps, read, words):
        lines = entry.text.split("\n")
        best = max(
            (line for line in lines if line.strip()),
            key=lambda line: len({word.casefold() for word in pattern.findall(line)}),
            default=lines[0],
        )
        (shown,) = with_context(lines, [lines.index(best)], around)
        yield Hit(by_path[entry.path].id, entry.id, entry.n, entry.role, *shown)


def texts_to_index(env: Env, target: Target) -> Iterator[tuple[str | None, int, str, str]]:
    """What the index holds of a session: of a call its name, of JSON without texts the JSON."""
    for id, n, role, items in texts(env, target, lost={}):
        lines: list[str] = []
        for whole, *inside in items:
            if whole and not (inside and whole.startswith(("{", "["))):
                lines.append(whole.partition(" ")[0] if inside else whole)
            lines += inside
        if lines:
            yield id, n, role, "\n".join(lines)


def pattern_of(words: str) -> str:
    """What marks the words where they stand: each, a long one also where a word begins with it."""
    return "|".join(
        rf"\b{re.escape(word)}" + (r"\w*" if index.matches_longer(word) else r"\b")
        for word in re.findall(r"\w+", words)
    )


def with_context(lines: Sequence[str], places: Sequence[int], around: int) -> Iterator[Lines]:
    """The lines at these places, each with the lines around it that are shown with no other of them."""
    shown = 0  # the first line that is not shown yet
    for place, following in zip(places, [*places[1:], len(lines)], strict=False):
        end = min(place + 1 + around, following)
        first = max(shown, place - around)
        yield lines[place], lines[first:place], lines[place + 1 : end], shown == 0 or first > shown
        shown = end


def items_of(message: Message) -> Iterator[list[str]]:
    """The text of each item: its JSON as one line (empty where it is text), and the lines inside."""
    shown = message.parts if message.committed else message.pending or []
    for item in parts.items(shown, message):
        inside = [line for text in texts_in(item.value) for line in _lines(text)]
        if item.what == "call":
            yield [f"{item.name} {item.body}", *inside]
        elif item.what == "result" and not isinstance(item.value, str):
            yield [item.body, *inside]
        elif item.what in ("text", "thought", "result"):
            yield ["", *_lines(item.body)]


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def may_match(path: str, pattern: Pattern) -> bool:
    """False only if nothing in the file can match: a literal that does not occur in it."""
    literal = pattern.text
    if pattern.flags & re.IGNORECASE or not _LITERAL.fullmatch(literal):
        return True
    data = read.read_bytes(path)
    return any(needle in data for needle in (literal.encode(), *_ELSEWHERE))
