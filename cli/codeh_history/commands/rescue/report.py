"""Report what a rescue did, as text or JSON; list the sessions to rescue."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import orjson

from ...base.env import Env
from ...base.errors import HistoryError
from ...base.escape import visible
from ...base.times import brief, from_millis
from ...base.words import some
from ...programs import writing
from ...programs.model import AS_BRANCHES, Entry, Session
from ...programs.parts import texts
from ...programs.registry import PROGRAMS
from ...render import table, values
from ...render.messages import rich_wanted, width
from ...render.progress import progress
from ...session.model import Json
from ...store import program_files
from ...store.program_files import folders
from ...store.program_files.folders import ProgramFile
from ...views.rows import beginning
from ..verify import program_problem
from .reduction import Reduced
from .source import Recovered

BROKEN = 2  # kinds of problems shown as text
LINES = 3  # line numbers shown for each
_LINE = re.compile(r"line \d+")
_NOWHERE: Json = {"written": None, "there": None, "id": None, "place": None, "resume": None}
MOST = 10  # sessions listed by `rescue` without a name
NAMES = ("path", "last", "program", "messages", "problem", "prompt")


def as_json(session: Recovered, done: Reduced, to: str | None, out: Json) -> Json:
    """`session, path, program, to, ok, problems, mended, messages, tokens, let_go, left, …, written`."""
    mended = [problem["mended"] for problem in session.problems if problem.get("mended")]
    by_reader = Counter(_LINE.sub("the line before", text) for text in mended)
    return {
        "session": session.id, "path": session.target.path, "program": session.program, "to": to,
        "ok": not session.problems, "problems": session.problems, **done.facts,
        "mended": dict(by_reader + done.facts["mended"]), "left": dict(sorted(session.left.items())),
        "not_written": {}, **_NOWHERE, **out,
    }  # fmt: skip


def write(env: Env, rescue: Json, *, printed: bool, json: bool) -> None:
    """Write JSON to stdout (to stderr if the session itself is `printed`), or text to stderr."""
    if json:
        line = orjson.dumps(rescue)
        env.report(line) if printed else env.write(line + b"\n")
        return
    for text in () if env.quiet else lines(rescue):
        env.report(visible(text).encode())
    if rescue["id"] is not None:
        env.write(f"{rescue['id']}\n".encode("utf-8", "surrogateescape"))


def lines(rescue: Json) -> Iterator[str]:
    """The report as lines of text."""
    messages, tokens, model = rescue["messages"], rescue["tokens"], rescue["model"]
    size = f"{some(messages['before'], 'message')}, {tokens['before']:,} tokens by {tokens['counter']}"
    yield f"{rescue['program'] or 'session'} {rescue['session']}: {size}{f', {model}' if model else ''}"
    well = rescue["ok"] and not rescue["compacted"]
    repairs = [what if count == 1 else f"{what} ({count:,})" for what, count in rescue["mended"].items()]
    before, after, *_ = messages.values()
    fates = [f"{count:,} {fate}" for fate, count in list(messages.items())[2:] if count]
    left = rescue["left"]
    branches = [f"; not included: {some(left[kind], kind)}" for kind in AS_BRANCHES if kind in left]
    stands_for = f"; replaced by a summary of {rescue['summary']:,} tokens" if rescue["summary"] else ""
    sections = {
        "broken": _broken(rescue["problems"]),
        "repaired": ["; ".join(repairs)] if rescue["resume"] or not well else [],
        "removed": [", ".join(_removed(rescue)) + stands_for],
        "messages": [f"{before:,} → {after:,}: {', '.join(fates)}{''.join(branches)}"],
        "tokens": [_tokens(rescue)],
        "written": [rescue["written"] or _why_unwritten(rescue, well=well)],
        "put it at": [rescue["place"]],
        "resume": [rescue["resume"]],
    }
    for label, about in sections.items():
        for number, text in enumerate(filter(None, about)):
            yield f"{'' if number else label:9} {text}"


def _why_unwritten(rescue: Json, *, well: bool) -> str:
    """Why no file was written; empty if the session went to stdout."""
    if rescue["there"]:
        return f"nothing; already installed: {rescue['there']}"
    if rescue["place"]:
        return ""
    if well:
        return "nothing: nothing to fix (--output or --install writes it anyway)"
    return "nothing yet (--output FILE or --install writes it)"


def _broken(problems: Sequence[Json]) -> list[str]:
    """The first kinds of problems, each with its first line numbers."""
    where: dict[str, list[str]] = {}
    for problem in problems:
        where.setdefault(problem["reason"], []).extend([str(problem["line"])] if problem["line"] else [])
    if not where:
        return ["nothing"]
    shown = list(where)[: None if len(where) <= BROKEN + 1 else BROKEN]
    texts = []
    for reason in shown:
        numbers = where[reason]
        rest = f" and {len(numbers) - LINES:,} more" if len(numbers) > LINES else ""
        plural = "s" if len(numbers) > 1 else ""
        texts.append(f"line{plural} {', '.join(numbers[:LINES])}{rest}: {reason}" if numbers else reason)
    more = len(problems) - sum(problem["reason"] in shown for problem in problems)
    return [*texts, f"and {more:,} more (`codeh-history verify FILE` names all)" if more else ""]


def _removed(rescue: Json) -> Iterator[str]:
    for kind, amount in sorted(rescue["let_go"].items(), key=lambda item: -item[1]["tokens"]):
        noun = kind.removesuffix("s") if amount["parts"] == 1 else kind
        yield f"{amount['parts']:,} {noun} ({amount['tokens']:,} tokens)"
    for kind, count in rescue["not_written"].items():
        if kind != writing.THOUGHT:  # included in the token counts
            yield some(count, kind)


def _tokens(rescue: Json) -> str:
    tokens, budget, window, model = rescue["tokens"], rescue["budget"], rescue["window"], rescue["model"]
    size = f"{tokens['before']:,} → {tokens['after']:,}"
    if budget is not None:
        return f"{size}, at most {budget:,}" + (f" of a window of {window:,}" if window else "")
    unknown = f"the window of {model} is unknown" if model else "the session names no model"
    return f"{size}; {unknown}; pass --budget N to compact it"


def newest(env: Env, *, json: bool) -> None:
    """List the newest sessions of all programs and their problems; a table on a terminal."""
    files = sorted(folders.files_of(env, tuple(PROGRAMS)), key=lambda file: file.millis, reverse=True)[
        :MOST
    ]
    rows: list[Json] = []
    with progress(env, "reading") as bar:
        for number, file in enumerate(files, 1):
            rows += _rows(file)
            bar.done(number, len(files))
    rows = sorted(rows, key=lambda row: row["last"], reverse=True)[:MOST]
    if json:
        env.write(b"".join(values.lines(rows, as_array=False)))
        return
    cells = [[{**row, "problem": _problem(row["problems"])}[name] for name in NAMES] for row in rows]
    if rows and rich_wanted(env):
        shown = [[cell[0], brief(cell[1], env.millis()), *cell[2:]] for cell in cells]
        env.draw(table.aligned(NAMES, shown, width=width(), colour=env.colour, flexible=2))
    else:
        env.write(table.separated(cells))
    env.note("`rescue FILE` recovers one of these" if rows else "no sessions of other programs found")


def _rows(file: ProgramFile) -> Iterator[Json]:
    """A row for each session with messages in a file, or one row for an unreadable file."""
    row: Json = {"program": file.program, "path": file.path, "last": from_millis(file.millis)}
    try:
        with program_files.opened(file.path) as opened:
            for session in program_files.sessions_in(opened, file.program, newest=True):
                if session.items:
                    yield {**row, **_about(session), "last": session.last or row["last"]}
    except HistoryError as error:
        problem = {"line": 0, "effect": "refused", "reason": str(error)}
        yield {**row, "session": None, "messages": 0, "prompt": None, "problems": [problem]}


def _about(session: Session) -> Json:
    entries = [item for item in session.items if isinstance(item, Entry)]
    prompts = (beginning(" ".join(texts(entry.parts))) for entry in entries if entry.kind == "user")
    return {
        "session": session.id, "messages": len(entries), "prompt": next(filter(None, prompts), None),
        "problems": [*map(program_problem, session.problems)],
    }  # fmt: skip


def _problem(problems: list[Json]) -> str:
    """The first problem, and how many more there are."""
    if not problems:
        return "ok"
    where = f"line {problems[0]['line']}: " if problems[0]["line"] else ""
    return f"{where}{problems[0]['reason']}" + (f" (and {len(problems) - 1} more)" if problems[1:] else "")
