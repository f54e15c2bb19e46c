"""Search titles, messages, tool calls and results of all sessions or one."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator

from ...base.env import Env
from ...base.errors import BadData, HistoryError, Lost, NegativeAnswer, NotFound, reason
from ...base.escape import visible
from ...base.options import JSON, JSONL, NO_PAGER, QUIET, SESSION, STRICT, OptionSet, argument, flag, option
from ...render import pager, values
from ...render.progress import A_SECOND, progress, size_of
from ...sandbox import Exceeded, Pattern, allowed
from ...session.model import Json
from ...store.resolve import Target, for_reading, ids
from ...store.state import passing
from ...views.view import tell_lost
from .matches import hits

EXAMPLES = """\
  codeh-history search 'Rayleigh|Mie'              # SESSION:N:ROLE: LINE, N as in `show`
  codeh-history search -i todo demo
  codeh-history search -C 2 -n 5 timeout
  codeh-history search -l deploy | xargs -n 1 codeh-history show -n 4
  codeh-history search --words 'blue sky' -l         # the best first, of an index that is kept up
  codeh-history search --jsonl error | jq -r .id
"""
MOST = 200  # lines on a terminal
STRAY = "search REGEX [SESSION]"


class Options(OptionSet):
    regex: str = argument("REGEX", "A Python regular expression, matched against each line.")
    argument: str | None = argument("[SESSION]", "Only this session (default: all).")
    ignore_case: bool = flag("Ignore case.", "-i")
    list_only: bool = flag("Only the names of sessions with a match.", "-l", long="--list")
    count: bool = flag("Only SESSION:COUNT for each session with a match.", "-c")
    most: int | None = option("N", f"At most N matches (on a terminal {MOST}).", long="-n", least=1)
    around: int = option(
        "N",
        "N lines of the message before and after each match.",
        "-C",
        long="--context",
        least=0,
        default=0,
    )
    words: bool = flag("Treat REGEX as words: messages with all of them, best match first.")
    json: bool = JSON
    jsonl: bool = JSONL
    no_pager: bool = NO_PAGER
    session: str | None = SESSION
    timeout: float | None = option("S", "Time limit for each message, in seconds (10).")
    strict: bool = STRICT
    quiet: bool = QUIET


def run(env: Env, given: Options) -> int:
    """The exit code says whether anything was found, and whether all could be read."""
    given.one_of("--json and --jsonl", "json", "jsonl")
    given.one_of("-l and -c", "list_only", "count")
    lost: Lost = {}
    unread: list[str] = []
    flags = re.IGNORECASE if given.ignore_case else 0
    if given.words:
        from . import ranked

        marks = Pattern(ranked.sought_of(given.regex).pattern, "", re.IGNORECASE, allowed(given.timeout))
        found = ranked.records(env, targets_of(env, given), given.regex, unread, given.around)
    else:
        marks = Pattern(given.regex, "", flags, allowed(given.timeout))
        found = found_in(env, given, marks, lost, unread)
    with marks, progress(env, "searching", _size(env, given), A_SECOND):
        if given.list_only or given.count:
            found = summed(found, count=given.count)
        elif not (given.session or given.argument):
            found = once(found)
        some = printed(env, capped(env, given, found), given, marks)
    if unread or (given.strict and lost):
        return BadData.exit_code
    return 0 if some else NegativeAnswer.exit_code


def _size(env: Env, given: Options) -> int:
    """How much there is to read, where a person waits for it."""
    if not env.terminal(env.stderr) or given.words:
        return 0
    return sum(size_of(target.path) for target in targets_of(env, given))


def once(found: Iterator[Json]) -> Iterator[Json]:
    """The hits without those of a message's copies in forks and other sessions."""
    seen: dict[int, str] = {}
    for record in found:
        first = seen.setdefault(hash((record["id"], record["text"])), record["session"])
        if record["id"] is None or first == record["session"]:
            yield record


def capped(env: Env, given: Options, found: Iterator[Json]) -> Iterator[Json]:
    """As many as were asked for; on a terminal no more than people read, which is said."""
    shown = env.terminal(env.stdout) and not (given.json or given.jsonl)
    most = given.most or (MOST if shown else None)
    yield from itertools.islice(found, most)
    if most is not None and next(found, None) is not None and given.most is None:
        env.note(f"more than {most} matches; pass -n N for more")


def printed(env: Env, found: Iterator[Json], given: Options, marks: Pattern) -> bool:
    """Print the hits as they are found, on a terminal where they end; whether there were any."""
    first = next(found, None)
    records = itertools.chain([first], found) if first is not None else iter(())
    if given.json or given.jsonl:
        for line in values.lines((_as_json(record, given) for record in records), as_array=given.json):
            env.write(line)
        return first is not None
    lines = _lines(records, marks if env.colour else None, given)
    if pager.pager(env) is not None and not given.no_pager:
        pager.show(env, b"".join(lines))
    else:
        for line in lines:
            env.draw(line)
    return first is not None


def _as_json(record: Json, given: Options) -> Json:
    """A hit for scripts: the lines around it only where they were asked for."""
    hidden = ("apart",) if given.around else ("apart", "before", "after")
    return {name: value for name, value in record.items() if name not in hidden}


def _lines(records: Iterable[Json], marks: Pattern | None, given: Options) -> Iterator[bytes]:
    """The lines of hits; those around them as grep has them, `--` where lines between are left out."""
    first = True
    for record in records:
        if not given.around or "text" not in record:
            yield plain(record, marks)
            continue
        if record["apart"] and not first:
            yield b"--\n"
        first = False
        where = visible(f"{record['session']}-{record['n']}-{record['role']}-")
        yield from (f"{where} {visible(line)}\n".encode() for line in record["before"])
        yield plain(record, marks)
        yield from (f"{where} {visible(line)}\n".encode() for line in record["after"])


def targets_of(env: Env, given: Options) -> list[Target]:
    """The session named here, else all, whatever `$CODEH_SESSION` says."""
    if given.specified("session", "argument"):
        return [for_reading(env, given.session, given.argument)]
    return [Target(path, "") for _, path in ids(env)]


def found_in(env: Env, given: Options, pattern: Pattern, lost: Lost, unread: list[str]) -> Iterator[Json]:
    """The hits as records; `unread` gets the sessions that cannot be read, a named one raises."""
    named = bool(given.specified("session", "argument"))
    targets = {target.path: target for target in targets_of(env, given)}
    for path in targets if named else passing(list(targets)):
        target = targets[path]
        try:
            yield from _records(env, target, pattern, given.around, strict=given.strict, lost=lost)
        except Exceeded:
            raise
        except (HistoryError, OSError) as error:
            if named:
                raise
            if isinstance(error, NotFound) and not os.path.lexists(path):
                continue  # removed meanwhile
            env.complain(f"{target.id}: not searched: {reason(error)}")
            unread.append(target.id)


def _records(
    env: Env, target: Target, pattern: Pattern, around: int, *, strict: bool, lost: Lost
) -> Iterator[Json]:
    """The hits of a session; what of it is lost is noted after them."""
    missing: Lost = {}
    yield from (
        hit._asdict() for hit in hits(env, target, pattern, strict=strict, lost=missing, around=around)
    )
    if missing:
        tell_lost(env, target.id, missing)
        lost.update(missing)


def summed(found: Iterator[Json], *, count: bool) -> Iterator[Json]:
    """One record for each session, in the order of the hits: its name, with `count` how many there are."""
    counts: dict[str, int] = {}
    for session, group in itertools.groupby(found, key=lambda record: record["session"]):
        if not count and session not in counts:
            yield {"session": session}
        counts[session] = counts.get(session, 0) + sum(1 for _ in group)
    if count:
        yield from ({"session": session, "count": number} for session, number in counts.items())


def plain(record: Json, marks: Pattern | None) -> bytes:
    """`SESSION:N:ROLE: LINE`, `SESSION:COUNT` or `SESSION`; what is sought stands out in the line."""
    if "text" not in record:
        count = f":{record['count']}" if "count" in record else ""
        return f"{record['session']}{count}\n".encode()
    where = visible(f"{record['session']}:{record['n']}:{record['role']}:")
    if marks is None:
        return f"{where} {visible(record['text'])}\n".encode()
    return f"\x1b[2m{where}\x1b[0m {marked(record['text'], marks, str(record['id']))}\n".encode()


def marked(text: str, marks: Pattern, name: str) -> str:
    """A line with what is sought in bold red."""
    shown, at = [], 0
    for start, end in marks.spans([text], (name,))[0]:
        shown += [
            visible(text[at:start]),
            f"\x1b[1;31m{visible(text[start:end])}\x1b[0m" if end > start else "",
        ]
        at = end
    return "".join([*shown, visible(text[at:])])
