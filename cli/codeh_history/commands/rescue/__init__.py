"""Recover a session that is broken or too long: read, repair, curate, compact, write a new one."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from ...base.env import Env
from ...base.errors import HistoryError, Usage
from ...base.escape import visible
from ...base.options import JSON, REPORT, Named, amount, argument, flag, option
from ...base.times import brief, from_millis
from ...base.words import plural
from ...programs import writing
from ...programs.model import AS_BRANCHES
from ...programs.registry import PROGRAMS, WRITTEN
from ...render import changes
from ...render.messages import rich_wanted
from ...render.progress import tracked
from ...session.model import Json, Summary
from ...session.records import dumps
from ...session.view import View
from ...store import create, program_files
from ...store.program_files import folders, translated
from ...store.program_files.folders import ProgramFile
from ...store.resolve import named
from ...views.rows import count_bytes
from .. import fork
from ..verify import program_problem
from . import steps
from .steps import FATES, Recovered

EXAMPLES = """\
  codeh-history rescue                           # the newest sessions and their problems
  codeh-history rescue ~/.claude/projects/DIR/UUID.jsonl --install    # prints how to resume it
  codeh-history rescue ~/.codex/sessions/2026/01/02/rollout-….jsonl --dry-run   # prints what it would do
  codeh-history rescue FILE --budget 60k --to codex --install         # resume in another program
  codeh-history rescue demo                                           # creates demo-rescued
"""
BROKEN = 3  # kinds of problems shown as text
LINES = 3  # line numbers shown for each
_LINE = re.compile(r"line \d+")
MOST = 10  # sessions listed by `rescue` without a name
NAMES = ("path", "last", "program", "messages", "problem", "prompt")


class Options(Named):
    argument: str | None = argument("[FILE|SESSION]", "What to rescue; it is only read.")
    budget: int | None = amount("Tokens (default: 60 % of the model's window, if above it).", "tokens")
    to: str | None = option("PROGRAM", f"{', '.join(WRITTEN)} (default: the same).", choices=WRITTEN)
    cwd: str | None = option("DIR", "The working directory to continue in.")
    title: str | None = option("T", "The title.")
    output: str | None = option("FILE|NEW", "New file, or the id of a new session here.")
    install: bool = flag("Put it where the program looks.", excludes=("output",))
    dry_run: bool = flag("Print what would be done; write nothing.")
    json: bool = JSON
    report: bool = REPORT


def run(env: Env, options: Options) -> None:
    if named(env, options.session, options.argument) is None:
        if alone := [name for name in options.specified() if name not in ("json", "quiet")]:
            raise Usage(f"--{alone[0].replace('_', '-')}: name a FILE or SESSION")
        newest(env, json=options.json)
        return
    session = steps.read(env, options.session, options.argument)
    to = options.to or (session.program if session.program in WRITTEN else None)
    if to is None and (of_programs := options.specified("cwd", "title", "install")):
        programs = "|".join(WRITTEN)
        raise Usage(f"--{of_programs[0]} requires --to {programs}: this is written as a session here")
    view, report, facts = steps.reduced(env, session.view, to, options.budget)
    changed = session.problems or facts["compacted"]
    wanted = changed or options.specified("to", "output", "install", "budget")
    printed = to is not None and options.output in (None, "-") and not options.install
    # a session printed on a terminal is not saved
    lost = printed and options.output is None and env.terminal(env.stdout)
    writes = wanted and not options.dry_run and not lost
    repaired = [_LINE.sub("the line before", problem.get("mended") or "") for problem in session.problems]
    rescue = {
        "session": session.id, "path": session.target.path, "program": session.program, "to": to,
        "ok": not session.problems, "problems": session.problems, **facts,
        "mended": dict(Counter(filter(None, repaired)) + facts["mended"]),
        "left": dict(sorted(session.skipped.items())),
        "not_written": {}, "written": None, "there": None, "id": None, "place": None, "resume": None,
        **(write(env, options, session, view, to) if writes else {}),
    }  # fmt: skip
    for line in report if options.report else ():
        env.report(orjson.dumps(line))
    if not options.json:
        for text in () if env.quiet else lines(rescue):
            env.report(visible(text).encode())
        if rescue["id"] is not None:
            env.print(rescue["id"])
    elif printed and writes:  # stdout has the session
        env.report(orjson.dumps(rescue))
    else:
        env.print_json(rescue)


def write(env: Env, options: Options, session: Recovered, view: View, to: str | None) -> Json:
    """Write the rescued session; return where it was written and how to resume it."""
    if to is None:
        return _as_session(env, options, session, view)
    from ...talk.send import program

    of: tuple[Any, ...] = ()
    if options.install:  # the same session gets the same id
        contents = [dumps([message.kind, message.parts]) for message in view.messages]
        of = (session.id, options.title, [summary.text for summary in view.summaries], contents)
    file = program.make(env, view, to, cwd=options.cwd, title=options.title, install=options.install, of=of)
    written, resume = None, program.command(file, file.written.resume)
    copy = place = None
    if options.install and (installed := program.installed(env, file)):
        copy, id = installed
        resume = program.command(file, [*file.written.resume[:-1], id])
    elif options.install:
        program.put(env, file, None, install=True)
        written = file.place or shlex.join(file.written.imported)
    else:
        program.put(env, file, options.output)
        written = options.output if options.output != "-" else None
        resumed = program.resumed(file, os.path.abspath(written)) if written else None
        resume, place = resumed or resume, None if resumed else file.place or None
    left_out = dict(file.written.left_out)
    return {"resume": resume, "not_written": left_out, "there": copy, "written": written, "place": place}


def _as_session(env: Env, options: Options, session: Recovered, view: View) -> Json:
    """Create a session here; its header names the session that it was made from."""
    present = {message.id for message in view.messages}
    summaries = []
    for summary in view.summaries:
        covers = [id for id in summary.covers if id in present]
        whole = len(covers) == len(summary.covers)
        fields = {**summary.fields, "covers": covers}
        summaries.append(summary if whole else Summary(fields=fields, place=summary.place, raw=None))
    path = create.free_path(env, options.output, f"{session.id}-rescued")
    last = next((message.id for message in reversed(view.messages)), None)
    parent = {"session": session.id, "at": last} if session.program is None else None
    id = fork.create_from(env, path, view.with_messages(view.messages, summaries), parent, with_cwd=False)
    return {"written": path, "id": id, "resume": f"codeh-history ask -s {id}"}


# -- output ----------------------------------------------------------------------------------------------


def lines(rescue: Json) -> Iterator[str]:
    """The report as lines of text."""
    messages, tokens, model, skipped = (rescue[name] for name in ("messages", "tokens", "model", "left"))
    yield ", ".join([
        f"{rescue['program'] or 'session'} {rescue['session']}: {plural(messages['before'], 'message')}",
        f"{tokens['before']:,} tokens by {tokens['counter']}", *([model] if model else []),
    ])  # fmt: skip
    is_sound = rescue["ok"] and not rescue["compacted"]
    repairs = [what if count == 1 else f"{what} ({count:,})" for what, count in rescue["mended"].items()]
    fates = ", ".join(f"{messages[fate]:,} {fate}" for fate in FATES if messages[fate])
    branches = [f"; not included: {plural(skipped[kind], kind)}" for kind in AS_BRANCHES if kind in skipped]
    size, budget = f"{tokens['before']:,} → {tokens['after']:,}", rescue["budget"]
    if budget is not None:
        size += f", at most {budget:,}" + (
            f" of a window of {rescue['window']:,}" if rescue["window"] else ""
        )
    else:
        unknown = f"the window of {model} is unknown" if model else "the session names no model"
        size += f"; {unknown}; pass --budget N to compact it"
    unwritten = "nothing yet (--output FILE or --install writes it)"
    if rescue["there"]:
        unwritten = f"nothing; already installed: {rescue['there']}"
    elif rescue["place"]:
        unwritten = ""  # the session went to stdout
    elif is_sound:
        unwritten = "nothing: nothing to fix (--output or --install writes it anyway)"
    sections = {
        "broken": "\n          ".join(_broken(rescue["problems"])) or "nothing",
        "repaired": "; ".join(repairs) if rescue["resume"] or not is_sound else "",
        "removed": ", ".join(_removed(rescue)),
        "messages": f"{messages['before']:,} → {messages['after']:,}: {fates}{''.join(branches)}",
        "tokens": size,
        "written": rescue["written"] or unwritten,
        "put it at": rescue["place"],
        "resume": rescue["resume"],
    }
    for label, text in sections.items():
        if text:
            yield from f"{label:9} {text}".split("\n")


def _broken(problems: Sequence[Json]) -> Iterator[str]:
    """Describe the first kinds of problems, each with its first line numbers."""
    where: defaultdict[str, list[str]] = defaultdict(list)
    for problem in problems:
        where[problem["reason"]] += [str(problem["line"])] if problem["line"] else []
    for reason, lines in [*where.items()][:BROKEN]:
        rest = f" and {len(lines) - LINES:,} more" if len(lines) > LINES else ""
        yield (
            f"line{'s' if lines[1:] else ''} {', '.join(lines[:LINES])}{rest}: " if lines else ""
        ) + reason
    if (more := len(where) - BROKEN) > 0:
        yield f"and {plural(more, 'other kind')} (`codeh-history verify FILE`)"


def _removed(rescue: Json) -> Iterator[str]:
    for kind, size in sorted(rescue["let_go"].items(), key=lambda item: -item[1]["tokens"]):
        singular = "summary" if kind == "summaries" else kind.removesuffix("s")
        noun = singular if size["parts"] == 1 else kind
        if size["parts"]:  # else of messages without parts
            yield f"{size['parts']:,} {noun} ({size['tokens']:,} tokens)"
    for kind, count in rescue["not_written"].items():
        if kind != writing.THOUGHT:  # included in the token counts
            yield plural(count, kind)
    if rescue["summary"]:
        yield f"replaced by a summary of {rescue['summary']:,} tokens"


def newest(env: Env, *, json: bool) -> None:
    """List the newest sessions of all programs and their problems; a table on a terminal."""
    files = sorted(folders.files_of(env, tuple(PROGRAMS)), key=lambda file: file.millis)[-MOST:]
    rows = [row for file in tracked(env, "reading", files) for row in _rows(file)]
    rows = sorted(rows, key=lambda row: row["last"], reverse=True)[:MOST]
    if json:
        env.print_json(*rows)
        return
    for row in rows:
        row["last"] = brief(row["last"], env.millis()) if rich_wanted(env) else row["last"]
        row["problem"] = "; ".join(_broken(row["problems"])) or "ok"
    changes.draw(env, NAMES, [[row[name] for name in NAMES] for row in rows], flexible=2)
    env.note("`rescue FILE` recovers one of these" if rows else "no sessions of other programs found")


def _rows(file: ProgramFile) -> Iterator[Json]:
    """A row for each session with messages in a file, or one row for an unreadable file."""
    row: Json = {"program": file.program, "path": file.path, "last": from_millis(file.millis)}
    try:
        with program_files.opened(file.path) as opened:
            for session in program_files.sessions_in(opened, file.program, newest=True):
                if session.items:
                    counts = count_bytes(translated.lines(session, file.path)).row(file.path)
                    yield {
                        **row, "session": session.id, "messages": counts["messages"],
                        "prompt": counts["prompt"], "last": counts["last"] or row["last"],
                        "problems": [*map(program_problem, session.problems)],
                    }  # fmt: skip
    except HistoryError as error:
        problem = {"line": 0, "effect": "refused", "reason": str(error)}
        yield {**row, "session": None, "messages": 0, "prompt": None, "problems": [problem]}
