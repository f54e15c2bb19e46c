"""What a rescue did, for people in some ten lines, and as JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import orjson

from ...base.env import Env
from ...base.escape import visible
from ...base.words import some
from ...programs import writing
from ...programs.model import AS_BRANCHES
from ...session.model import Json
from .output import Out
from .reduction import Reduced
from .source import Recovered

FATES = ("kept", "shortened", "summarised", "dropped")
BROKEN = 2  # kinds of problems that are named to people
LINES = 3  # of each
_LINE = re.compile(r"line \d+")


def as_json(session: Recovered, done: Reduced, to: str | None, out: Out) -> Json:
    """`session, path, program, to, ok, problems, mended, messages, tokens, let_go, left, …, written`."""
    sizes = done.sizes
    by_reader = Counter(
        _LINE.sub("the line before", p["mended"]) for p in session.problems if p.get("mended")
    )
    return {
        "session": session.id, "path": session.target.path, "program": session.program, "to": to,
        "ok": not session.problems, "problems": session.problems, "mended": dict(by_reader + done.repairs),
        "messages": done.messages,
        "tokens": {"counter": sizes["counter"], "before": sizes["before"], "after": sizes["after"]},
        "let_go": sizes["let_go"], "summary": sizes["summary"],
        "left": dict(sorted(session.left.items())), "not_written": out.left,
        "model": done.model, "window": done.window, "budget": done.budget, "compacted": done.compacted,
        "written": out.path, "there": out.there, "id": out.id, "place": out.place, "resume": out.resume,
    }  # fmt: skip


def tell(env: Env, rescue: Json, out: Out, *, json: bool) -> None:
    """Print it: JSON on stdout, unless the session itself is there; else lines for people on stderr."""
    if json:
        line = orjson.dumps(rescue)
        env.report(line) if out.printed else env.write(line + b"\n")
        return
    for text in () if env.quiet else lines(rescue):
        env.report(visible(text).encode())
    if out.id is not None:
        env.write(f"{out.id}\n".encode("utf-8", "surrogateescape"))


def lines(rescue: Json) -> Iterator[str]:
    """The same for people."""
    counts, tokens, model = rescue["messages"], rescue["tokens"], rescue["model"]
    size = f"{some(counts['before'], 'message')}, {tokens['before']:,} tokens by {tokens['counter']}"
    yield f"{rescue['program'] or 'session'} {rescue['session']}: {size}{f', {model}' if model else ''}"
    well = rescue["ok"] and not rescue["compacted"]
    repairs = [what if count == 1 else f"{what} ({count:,})" for what, count in rescue["mended"].items()]
    fates = [f"{counts[fate]:,} {fate}" for fate in FATES if counts[fate]]
    branches = [
        f"; beside them {kind} ({rescue['left'][kind]:,})" for kind in AS_BRANCHES if kind in rescue["left"]
    ]
    stands_for = f"; a summary of {rescue['summary']:,} tokens stands for them" if rescue["summary"] else ""
    sections = {
        "broken": _broken(rescue["problems"]),
        "mended": ["; ".join(repairs)] if rescue["resume"] or not well else [],
        "removed": [", ".join(_removed(rescue)) + stands_for],
        "messages": [f"{counts['before']:,} → {counts['after']:,}: {', '.join(fates)}{''.join(branches)}"],
        "tokens": [_tokens(rescue)],
        "written": [rescue["written"] or _why_unwritten(rescue, well=well)],
        "put it at": [rescue["place"]],
        "resume": [rescue["resume"]],
    }
    for label, texts in sections.items():
        for number, text in enumerate(filter(None, texts)):
            yield f"{'' if number else label:9} {text}"


def _why_unwritten(rescue: Json, *, well: bool) -> str:
    """Why there is no file, unless it went to stdout."""
    if rescue["there"]:
        return f"nothing; it was installed before: {rescue['there']}"
    if rescue["place"]:
        return ""
    if well:
        return "nothing: nothing to fix (--output or --install writes it anyway)"
    return "nothing yet (--output FILE or --install writes it)"


def _broken(problems: Sequence[Json]) -> list[str]:
    """The first few things that were wrong, each with the lines it was found on."""
    where: dict[str, list[int]] = {}
    for problem in problems:
        where.setdefault(problem["reason"], []).append(problem["line"])
    shown = list(where)[: None if len(where) <= BROKEN + 1 else BROKEN]
    more = len(problems) - sum(len(where[reason]) for reason in shown)
    texts = [_on_lines(where[reason]) + reason for reason in shown] or ["nothing"]
    return [*texts, f"and {more:,} more (`codeh-history verify FILE` names all)" if more else ""]


def _on_lines(numbers: list[int]) -> str:
    """`lines 3, 6, 9 and 450 more: `; nothing of what is wrong with all of it."""
    lines = [str(number) for number in numbers if number]
    more = f" and {len(lines) - LINES:,} more" if len(lines) > LINES else ""
    plural = "s" if len(lines) > 1 else ""
    return f"line{plural} {', '.join(lines[:LINES])}{more}: " if lines else ""


def _removed(rescue: Json) -> Iterator[str]:
    for kind, amount in sorted(rescue["let_go"].items(), key=lambda item: -item[1]["tokens"]):
        noun = kind.removesuffix("s") if amount["parts"] == 1 else kind
        yield f"{amount['parts']:,} {noun} ({amount['tokens']:,} tokens)"
    for kind, count in rescue["not_written"].items():
        if kind != writing.THOUGHT:  # which the tokens include
            yield some(count, kind)


def _tokens(rescue: Json) -> str:
    tokens, budget, window, model = rescue["tokens"], rescue["budget"], rescue["window"], rescue["model"]
    size = f"{tokens['before']:,} → {tokens['after']:,}"
    if budget is not None:
        return f"{size}, at most {budget:,}" + (f" of a window of {window:,}" if window else "")
    unknown = f"the window of {model} is not known" if model else "no model is named in it"
    return f"{size}; {unknown}: compacted only with --budget N"
