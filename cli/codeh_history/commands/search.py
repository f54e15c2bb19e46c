"""Search what is said: visible messages' text, tool calls and results, of all sessions or one."""

from __future__ import annotations

import heapq
import itertools
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..access import skim as skimming
from ..access.late_media import Deferred
from ..access.skim import NeedsFold, Skim
from ..access.view import tell_damage, tell_lost, view_of
from ..base.env import Env
from ..base.errors import BadData, HistoryError, NegativeAnswer, NotFound, Usage
from ..base.escape import visible
from ..base.options import JSON, JSONL, QUIET, SESSION, STRICT, Options, argument, flag, option
from ..blocks import Lost
from ..render import parts, values
from ..sandbox import Exceeded, Pattern, allowed
from ..session.model import Json, Message
from ..session.records import Log
from ..store import read
from ..store.resolve import Target, for_reading, ids

EXAMPLES = """\
  codeh-history search 'Rayleigh|Mie'              # SESSION:N:ROLE: LINE, N as in `show`
  codeh-history search -i todo demo
  codeh-history search -l deploy | xargs -n 1 codeh-history show -n 4
  codeh-history search --jsonl error | jq -r .id
"""
STRAY = "search REGEX [SESSION]"


class Given(Options):
    regex: str = argument("REGEX", "A Python regular expression, sought in each line.")
    argument: str | None = argument("[SESSION]", "Only this one; all without.")
    ignore_case: bool = flag("Do not tell capitals from small letters.", "-i")
    list_only: bool = flag("Only the sessions with a match.", "-l", long="--list")
    count: bool = flag("Only SESSION:LINES of each with a match.", "-c")
    json: bool = JSON
    jsonl: bool = JSONL
    session: str | None = SESSION
    timeout: float | None = option("S", "Seconds that a message may take (10).")
    strict: bool = STRICT
    quiet: bool = QUIET


def run(env: Env, given: Given) -> int:
    if given.json and given.jsonl:
        raise Usage("--json and --jsonl: one of them")
    if given.list_only and given.count:
        raise Usage("-l and -c: one of them")
    with Pattern(
        given.regex, "", re.IGNORECASE if given.ignore_case else 0, allowed(given.timeout)
    ) as pattern:
        return searched(env, given, pattern)


def searched(env: Env, given: Given, pattern: Pattern) -> int:
    """Print what is found; the exit code says whether anything was, and whether all could be read."""
    lost: Lost = {}
    unread: list[str] = []
    found = found_in(env, given, pattern, lost, unread)
    if given.list_only or given.count:
        found = summed(found, count=given.count)
    some = printed(env, found, as_array=given.json, as_json=given.json or given.jsonl)
    if unread or (given.strict and lost):
        return BadData.exit_code
    return 0 if some else NegativeAnswer.exit_code


def printed(env: Env, found: Iterator[Json], *, as_array: bool, as_json: bool) -> bool:
    """Print the hits as they are found; whether there were any."""
    first = next(found, None)
    records = itertools.chain([first], found) if first is not None else iter(())
    if as_json:
        lines = values.lines(records, as_array=as_array, terminal=env.terminal(env.stdout))
    else:
        lines = (plain(record).encode() for record in records)
    for line in lines:
        env.write(line)
    return first is not None


def found_in(env: Env, given: Given, pattern: Pattern, lost: Lost, unread: list[str]) -> Iterator[Json]:
    """The hits as records: of the session named here, else of all, whatever `$CODEH_SESSION` says.

    `unread` gets those that cannot be read.
    """
    if given.session or given.argument:
        target = for_reading(env, given.session, given.argument)
        yield from _records(env, target, pattern, strict=given.strict, lost=lost)
        return
    for id, path in ids(env):
        try:
            yield from _records(env, Target(path, ""), pattern, strict=given.strict, lost=lost)
        except NotFound:
            continue  # removed meanwhile
        except Exceeded:
            raise
        except (HistoryError, OSError) as error:
            reason = error if isinstance(error, HistoryError) else error.strerror
            env.complain(f"{id}: not searched: {reason}")
            unread.append(id)


def _records(env: Env, target: Target, pattern: Pattern, *, strict: bool, lost: Lost) -> Iterator[Json]:
    """The hits of a session; what of it is lost is noted after them."""
    missing: Lost = {}
    for hit in hits(env, target, pattern, strict=strict, lost=missing):
        yield hit._asdict()
    if missing:
        tell_lost(env, target.id, missing)
        lost.update(missing)


def summed(found: Iterator[Json], *, count: bool) -> Iterator[Json]:
    """One record for each session: its name, with `count` how many lines match."""
    for session, group in itertools.groupby(found, key=lambda record: record["session"]):
        yield {"session": session, "count": sum(1 for _ in group)} if count else {"session": session}


def plain(record: Json) -> str:
    """`SESSION:N:ROLE: LINE`, `SESSION:COUNT` or `SESSION`."""
    if "text" in record:
        return visible(f"{record['session']}:{record['n']}:{record['role']}: {record['text']}") + "\n"
    return f"{record['session']}:{record['count']}\n" if "count" in record else f"{record['session']}\n"


# A literal of these, with a letter that no number has, stands in the file as it does in a line that
# matches: it can be no JSON punctuation, and spans no two values.
_LITERAL = re.compile(r"(?=.*[A-DF-Za-df-z])(?! )[A-Za-z0-9_<>=@%&~'! -]+(?<! )")
_ELSEWHERE = (b"\\u", b'"blockIds"', b'"delta"')  # a file with these may spell it, or hold it, elsewhere
_STEP = 1 << 20
MANY = 10_000  # hits that are held before it is known that the log is plain


class Hit(NamedTuple):
    """A matching line: session, message, `show`'s number of it, its role (else its kind), the line."""

    session: str
    id: str
    n: int
    role: str
    text: str


def hits(
    env: Env,
    target: Target,
    pattern: Pattern,
    *,
    strict: bool = False,
    lost: Lost | None = None,
    big: int = skimming.BIG,
    most: int = MANY,
) -> Iterator[Hit]:
    """The matching lines of a session, in view order; of a big plain one in bounded memory."""
    if target.path != "-" and not strict and not may_match(target.path, pattern):
        return
    if target.path != "-" and os.path.getsize(target.path) > big:
        try:
            yield from _skimmed(env, target, pattern, most, strict=strict)
        except NeedsFold:
            pass
        else:
            return
    view = view_of(env, target, strict=strict, media=Deferred(measured=True), lost=lost)
    for number, message in enumerate(view.messages, 1):
        yield from _in_message(target, number, message, pattern)


def _skimmed(env: Env, target: Target, pattern: Pattern, most: int, *, strict: bool) -> Iterator[Hit]:
    """The hits of a plain log, none before its end has shown that it is one; many are sought again then."""
    skim = Skim(skimming.logs(target.path))
    found: list[Hit] = []
    for number, message in skim.messages():
        if len(found) <= most:
            found += _in_message(target, number, message, pattern)
    tell_damage(env, target, Log([], skim.damage, 0), strict=strict)
    if len(found) <= most:
        yield from sorted(found, key=lambda hit: hit.n)
    else:
        yield from _again(target, pattern)


def _again(target: Target, pattern: Pattern) -> Iterator[Hit]:
    """The same by number as they come: those behind a stream wait until it is settled."""
    skim = Skim(skimming.logs(target.path))
    waiting: list[tuple[int, int, Hit]] = []
    for number, message in skim.messages():
        for line, hit in enumerate(_in_message(target, number, message, pattern)):
            heapq.heappush(waiting, (number, line, hit))
        first = min((number for number, _ in skim.open.values()), default=number + 1)
        while waiting and waiting[0][0] < first:
            yield heapq.heappop(waiting)[2]
    while waiting:
        yield heapq.heappop(waiting)[2]


def _in_message(target: Target, number: int, message: Message, pattern: Pattern) -> Iterator[Hit]:
    for text in matching(message, pattern):
        yield Hit(target.id, message.id, number, message.role or message.kind, text)


def matching(message: Message, pattern: Pattern) -> Iterator[str]:
    """The matching lines of a message: of its texts, `NAME ARGS` of its calls, and its results.

    JSON is one compact line if that matches, else the lines of the texts inside that do.
    """
    groups = list(_said(message))
    found = iter(pattern.found([line for group in groups for line in group], (message.id,)))
    for whole, *inside in groups:
        matched = [next(found), *(next(found) for _ in inside)]
        if whole and matched[0]:
            yield whole
        else:
            yield from (line for line, match in zip(inside, matched[1:], strict=True) if match)


def _said(message: Message) -> Iterator[list[str]]:
    """What each item says: its JSON as one line (empty where it is text), and the lines inside."""
    shown = message.parts if message.committed else message.pending or []
    for item in parts.items(shown, message):
        if item.what == "call":
            yield [f"{item.name} {item.body}", *_inside(item.value)]
        elif item.what == "result" and not isinstance(item.value, str):
            yield [item.body, *_inside(item.value)]
        elif item.what in ("text", "thought", "result"):
            yield ["", *_lines(item.body)]


def _inside(value: object) -> Iterator[str]:
    return (line for text in _texts(value) for line in _lines(text))


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _texts(value: object) -> Iterator[str]:
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            stack += reversed(value.values())
        elif isinstance(value, list):
            stack += reversed(value)


def may_match(path: str, pattern: Pattern, step: int = _STEP) -> bool:
    """False only if nothing in the file can match: a literal that does not occur in it."""
    literal = pattern.text
    if pattern.flags & re.IGNORECASE or not _LITERAL.fullmatch(literal):
        return True
    needles = (literal.encode(), *_ELSEWHERE)
    fd, size = read.opened(path)
    try:
        at = 0
        while at < size:
            chunk = os.pread(fd, step + max(map(len, needles)), at)
            if not chunk or any(needle in chunk for needle in needles):
                return bool(chunk)
            at += step
    finally:
        os.close(fd)
    return False
