"""Search what is said: visible messages' text, tool calls and results, of all sessions or one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from ...access.view import tell_lost
from ...base.env import Env
from ...base.errors import BadData, HistoryError, NegativeAnswer, NotFound, Usage
from ...base.escape import visible
from ...base.options import JSON, JSONL, QUIET, SESSION, STRICT, Options, argument, flag, option
from ...blocks import Lost
from ...render import values
from ...sandbox import Exceeded, Pattern, allowed
from ...session.model import Json
from ...store.resolve import Target, for_reading, ids
from .lines import hits

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
    found = found_in(
        env, given.session, given.argument, pattern, strict=given.strict, lost=lost, unread=unread
    )
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


def found_in(
    env: Env,
    session: str | None,
    argument: str | None,
    pattern: Pattern,
    *,
    strict: bool,
    lost: Lost,
    unread: list[str],
) -> Iterator[Json]:
    """The hits as records: of the session named here, else of all, whatever `$CODEH_SESSION` says.

    `unread` gets those that cannot be read.
    """
    if session or argument:
        yield from _records(env, for_reading(env, session, argument), pattern, strict=strict, lost=lost)
        return
    for id, path in ids(env):
        try:
            yield from _records(env, Target(path, ""), pattern, strict=strict, lost=lost)
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
        yield {"session": hit.session, "id": hit.id, "n": hit.n, "role": hit.role, "text": hit.text}
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
