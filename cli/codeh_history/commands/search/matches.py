"""The lines that match in a session: its title, visible messages' texts, tool calls and results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import Lost
from ...base.read_json import texts_in
from ...render import parts
from ...sandbox import Pattern
from ...session.model import Message
from ...store import read
from ...store.resolve import Target
from ...views.late_media import Deferred
from ...views.row import text_of
from ...views.view import view_of

# A literal of these, with a letter that no number has, stands in the file as it does in a line that
# matches: it can be no JSON punctuation, and spans no two values.
_LITERAL = re.compile(r"(?=.*[A-DF-Za-df-z])(?! )[A-Za-z0-9_<>=@%&~'! -]+(?<! )")
_ELSEWHERE = (b"\\u", b'"blockIds"', b'"delta"')  # a file with these may spell it, or hold it, elsewhere
Lines = tuple[str, Sequence[str], Sequence[str], bool]  # the last four fields of a `Hit`


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


def hits(
    env: Env,
    target: Target,
    pattern: Pattern,
    *,
    strict: bool = False,
    lost: Lost | None = None,
    around: int = 0,
) -> Iterator[Hit]:
    """The matching lines of a session, in view order."""
    if target.path != "-" and not strict and not may_match(target.path, pattern):
        return
    view = view_of(env, target, strict=strict, media=Deferred(measured=True), lost=lost)
    title = text_of(view.meta.get("title"))
    if title is not None and pattern.matches([title], ("title",))[0]:
        yield Hit(target.id, None, 0, "title", title)
    for number, message in enumerate(view.messages, 1):
        for lines in matching(message, pattern, around):
            yield Hit(target.id, message.id, number, message.role or message.kind, *lines)


def matching(message: Message, pattern: Pattern, around: int = 0) -> Iterator[Lines]:
    """The matching lines of a message: of its texts, `NAME ARGS` of its calls, and its results.

    Each with up to so many lines `around` it. JSON is one compact line if that matches, else the lines of
    the texts inside that do.
    """
    items = list(texts_of(message))
    matches = iter(pattern.matches([line for item in items for line in item], (message.id,)))
    for whole, *inside in items:
        whole_matches, *others = islice(matches, 1 + len(inside))
        if whole and whole_matches:
            yield whole, [], [], True
        else:
            yield from with_context(inside, [place for place, match in enumerate(others) if match], around)


def with_context(lines: Sequence[str], places: Sequence[int], around: int) -> Iterator[Lines]:
    """The lines at these places, each with the lines around it that are shown with no other of them."""
    shown = 0  # the first line that is not shown yet
    for place, following in zip(places, [*places[1:], len(lines)], strict=False):
        end = min(place + 1 + around, following)
        first = max(shown, place - around)
        yield lines[place], lines[first:place], lines[place + 1 : end], shown == 0 or first > shown
        shown = end


def texts_of(message: Message) -> Iterator[list[str]]:
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
