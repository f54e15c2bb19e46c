"""Search titles, messages, tool calls and results of all sessions or one."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Sequence

from ...base.env import Env
from ...base.errors import BadData, HistoryError, Lost, NegativeAnswer, NotFound, reason
from ...base.escape import visible
from ...base.options import JSON, JSONL, NO_PAGER, STRICT, Named, argument, flag, option
from ...base.sandbox import Exceeded, Pattern, time_limit
from ...render import pager
from ...render.progress import A_SECOND, progress, size_of
from ...session.model import Json
from ...session.rules import NAME_OF_KIND, ROLE_OF_KIND
from ...store.read import loaded_together
from ...store.resolve import Target, for_reading, ids
from ...views.selection import ROLE
from ...views.view import report_missing_blocks
from . import matches
from .matches import Hit, Skip

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
    timeout: float | None = option("S", "Time limit for each message, in seconds (10).")
    strict: bool = STRICT


def run(env: Env, options: Options) -> int:
    """Return 1 if nothing matches, 65 if a session could not be read."""
    named = bool(options.specified("session", "argument"))
    if named:
        targets = [for_reading(env, options.session, options.argument)]
    else:  # $CODEH_SESSION does not apply
        targets = [Target(path, "") for _, path in ids(env)]
    lost: Lost = {}
    unread: list[str] = []

    def skip(target: Target, error: HistoryError | OSError) -> None:
        env.warn(f"{target.id}: not searched: {reason(error)}")
        unread.append(target.id)

    text = matches.pattern_of(options.regex) if options.words else options.regex or ANY_TEXT
    flags = re.IGNORECASE if options.ignore_case or options.words else 0
    marks = Pattern(text, "", flags, time_limit(options.timeout))
    if options.words:
        hits = matches.ranked(env, targets, options.regex, skip, options.around, options.role)
    else:
        hits = each_hit(env, options, targets, marks, lost, None if named else skip)
    watched = env.terminal(env.stderr) and not options.words
    size = sum(size_of(target.path) for target in targets) if watched else 0
    with marks, progress(env, "searching", size, A_SECOND):
        if options.list_only or options.count:
            hits = summed(hits, count=options.count)
        elif not named:
            hits = once(hits)
        any_hit = write(env, capped(env, options, hits), options, marks)
    if unread or (options.strict and lost):
        return BadData.exit_code
    return 0 if any_hit else NegativeAnswer.exit_code


def each_hit(
    env: Env, options: Options, targets: list[Target], pattern: Pattern, lost: Lost, skip: Skip | None
) -> Iterator[Hit]:
    """Yield the hits; call `skip` for an unreadable session, or raise if it is None."""
    by_path = {target.path: target for target in targets}
    agents = None
    if options.agents:
        from ...views.agents import Agents

        agents = Agents(env, {target.id for target in targets})
    for path in loaded_together(list(by_path)) if skip else by_path:
        target = by_path[path]
        missing: Lost = {}
        try:
            yield from matches.hits(
                env, target, pattern, options.role, agents,
                strict=options.strict, lost=missing, around=options.around,
            )  # fmt: skip
        except (HistoryError, OSError) as error:
            if skip is None or isinstance(error, Exceeded):
                raise
            if isinstance(error, NotFound) and not os.path.lexists(path):
                continue  # removed meanwhile
            skip(target, error)
        report_missing_blocks(env, target.id, missing)
        lost.update(missing)


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


def capped(env: Env, options: Options, records: Iterator[Json]) -> Iterator[Json]:
    """Yield at most `-n` records; on a terminal at most MOST, with a note if there are more."""
    shown = env.terminal(env.stdout) and not (options.json or options.jsonl)
    most = options.most or (MOST if shown else None)
    yield from itertools.islice(records, most)
    if most is not None and next(records, None) is not None and options.most is None:
        env.note(f"more than {most} matches; pass -n N for more")


def write(env: Env, records: Iterator[Json], options: Options, marks: Pattern) -> bool:
    """Print the records as they arrive, or all at once in a pager; return whether there were any."""
    first = next(records, None)
    records = itertools.chain([first], records) if first is not None else iter(())
    if options.json or options.jsonl:
        more = ("before", "after") if options.around else ()
        env.print_list((as_json(record, more) for record in records), as_array=options.json)
        return first is not None
    lines = lines_of(records, marks if env.colour else None, context=bool(options.around))
    if pager.pager(env) is not None and not options.no_pager:
        pager.show(env, b"".join(lines))
    else:
        for line in lines:
            env.draw(line)
    return first is not None


def as_json(record: Json, more: Sequence[str]) -> Json:
    """A hit with its role (or kind, if it has none) and these fields; other records unchanged."""
    if "text" not in record:
        return record
    hit = {"session": record["session"], "id": record["id"], "n": record["n"]}
    hit |= {"role": ROLE_OF_KIND.get(record["kind"]) or record["kind"], "text": record["text"]}
    return hit | {key: record[key] for key in more}


def lines_of(records: Iterator[Json], marks: Pattern | None, *, context: bool) -> Iterator[bytes]:
    """Format as `SESSION:N:KIND: LINE` with context as in grep; `SESSION:COUNT` or `SESSION`."""
    for number, record in enumerate(records):
        if "text" not in record:
            yield ":".join(map(str, record.values())).encode() + b"\n"
            continue
        if context and number and record["apart"]:
            yield b"--\n"
        kind = NAME_OF_KIND.get(record["kind"], record["kind"])
        where = visible(f"{record['session']}:{record['n']}:{kind}:")
        around = where.replace(":", "-")
        text = visible(record["text"])
        if marks is not None:
            where = f"\x1b[2m{where}\x1b[0m"
            text = marked(record["text"], marks, str(record["id"]))
        yield from (f"{around} {visible(line)}\n".encode() for line in record["before"])
        yield f"{where} {text}\n".encode()
        yield from (f"{around} {visible(line)}\n".encode() for line in record["after"])


def marked(text: str, marks: Pattern, name: str) -> str:
    """Highlight the matches in a line."""
    shown, shown_to = [], 0
    for start, end in marks.spans([text], (name,))[0]:
        shown.append(visible(text[shown_to:start]))
        shown += [f"\x1b[1;31m{visible(text[start:end])}\x1b[0m"] if end > start else []
        shown_to = end
    return "".join([*shown, visible(text[shown_to:])])
