"""Search titles, messages, tool calls and results of all sessions or one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from ...base.env import Env
from ...base.errors import BadData, NegativeAnswer
from ...base.escape import visible
from ...base.options import JSON, JSONL, NO_PAGER, STRICT, Named, argument, flag, option
from ...base.patterns import SECONDS, LimitedPattern
from ...render import pager
from ...session.model import NAME_OF_KIND, ROLE_OF_KIND, Json
from ...store.resolve import Target, for_reading, ids
from ...views.selection import ROLE
from . import matches
from .matches import Hit

EXAMPLES = """\
  codeh-history search 'Rayleigh|Mie'              # SESSION:N:KIND: LINE, N as in `show`
  codeh-history search -i todo demo
  codeh-history search -C 2 -n 5 timeout
  codeh-history search -l deploy | xargs -n 1 codeh-history show -n 4
  codeh-history search --words 'blue sky' -l         # best match first; uses an index
  codeh-history search --role user ''            # the prompts of all sessions
  codeh-history search --jsonl error | jq -r .id
"""
ANY_TEXT = r"(?=.*\S)"  # an empty match, so that nothing is highlighted
MOST = 200  # lines shown on a terminal without -n
STRAY = "search REGEX [SESSION]"


class Options(Named):
    regex: str = argument("REGEX", "A Python regular expression, matched against each line.")
    argument: str | None = argument("[SESSION]", "Only this session (default: all).")
    ignore_case: bool = flag("Ignore case.", "-i")
    role: str | None = ROLE
    list_only: bool = flag("Only the names of sessions with a match.", "-l", long="--list")
    count: bool = flag("Only SESSION:COUNT for each session with a match.", "-c", excludes=("list_only",))
    most: int | None = option("N", f"At most N matches (on a terminal {MOST}).", long="-n", least=1)
    around: int = option("N", "N lines around each match.", "-C", long="--context", least=0, default=0)
    agents: bool = flag("Search sub-agents too, imported or not.", excludes=("words",))
    words: bool = flag("Treat REGEX as words: messages with all of them, best match first.")
    json: bool = JSON
    jsonl: bool = JSONL
    no_pager: bool = NO_PAGER
    timeout: float | None = option("S", "Time limit for each message, in seconds (10).", least=0.01)
    strict: bool = STRICT


def run(env: Env, options: Options) -> int:
    """Return 1 if nothing matches, 65 if one of all sessions could not be read."""
    named = bool(options.specified("session", "argument"))
    if named:
        targets = [for_reading(env, options.session, options.argument)]
    else:  # $CODEH_SESSION does not apply
        targets = [Target(path, "") for _, path in ids(env)]
    agents = None
    if options.agents:
        from ...views.agents import Agents

        agents = Agents(env, {target.id for target in targets})
    by_path = {target.path: target for target in targets}
    sessions = matches.Sessions(env, by_path, options.strict, agents, [], named)
    text = matches.pattern_of(options.regex) if options.words else options.regex or ANY_TEXT
    flags = re.IGNORECASE if options.ignore_case or options.words else 0
    pattern = LimitedPattern(text, "", flags, options.timeout or SECONDS)
    if options.words:
        hits = matches.ranked(sessions, options.regex, options.role, options.around)
    else:
        hits = matches.hits(sessions, pattern, options.role, options.around)
    if options.list_only or options.count:
        hits = summed(hits, count=options.count)
    elif not named:
        hits = once(hits)
    any_hit = write(env, hits, options, pattern)
    if sessions.problems:
        return BadData.exit_code
    return 0 if any_hit else NegativeAnswer.exit_code


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


def write(env: Env, records: Iterator[Json], options: Options, pattern: LimitedPattern) -> bool:
    """Print the records as they arrive, or all at once in a pager; return whether there were any."""
    as_json = options.json or options.jsonl
    most = options.most or (MOST if env.terminal(env.stdout) and not as_json else None)
    first = next(records, None)
    shown = islice(chain(() if first is None else (first,), records), most)
    if as_json:
        env.print_list((in_json(record, options) for record in shown), as_array=options.json)
        return first is not None
    lines = lines_of(shown, options, pattern if env.colour else None)
    if pager.pager(env) is not None and not options.no_pager:
        pager.show(env, b"".join(lines))
    else:
        for line in lines:
            env.draw(line)
    if most is not None and options.most is None and next(records, None) is not None:
        env.note(f"more than {most} matches; pass -n N for more")
    return first is not None


def in_json(record: Json, options: Options) -> Json:
    """A hit with its role (or kind, if it has none) instead of its kind; a sum unchanged."""
    if "text" not in record:
        return record
    role = ROLE_OF_KIND.get(record["kind"]) or record["kind"]
    names = ("session", "id", "n", "role", "text", *(("before", "after") if options.around else ()))
    return {name: role if name == "role" else record[name] for name in names}


def lines_of(records: Iterator[Json], options: Options, pattern: LimitedPattern | None) -> Iterator[bytes]:
    """Format as `SESSION:N:KIND: LINE` with context as in grep; `SESSION:COUNT` or `SESSION`.

    With a pattern, the matches are highlighted.
    """
    for number, record in enumerate(records):
        if "text" not in record:
            yield ":".join(map(str, record.values())).encode() + b"\n"
            continue
        if options.around and number and record["apart"]:
            yield b"--\n"
        kind = NAME_OF_KIND.get(record["kind"], record["kind"])
        where = visible(f"{record['session']}:{record['n']}:{kind}:")
        around = where.replace(":", "-")
        text = visible(record["text"])
        if pattern:
            where = f"\x1b[2m{where}\x1b[0m"
            text = highlighted(record["text"], pattern, str(record["id"]))
        lines = [f"{around} {visible(line)}\n" for line in record["before"]] + [f"{where} {text}\n"]
        lines += [f"{around} {visible(line)}\n" for line in record["after"]]
        yield "".join(lines).encode()


def highlighted(text: str, pattern: LimitedPattern, name: str) -> str:
    """Highlight the matches in a line."""
    shown, end = "", 0
    for start, stop in pattern.spans([text], (name,))[0]:
        if start < stop:
            shown += f"{visible(text[end:start])}\x1b[1;31m{visible(text[start:stop])}\x1b[0m"
            end = stop
    return shown + visible(text[end:])
