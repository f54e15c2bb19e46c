"""What a rescue did, for people in some ten lines, and as JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import orjson

from ...base.env import Env
from ...base.escape import visible
from ...base.words import some
from ...programs import writing
from ...programs.model import AS_BRANCHES
from ...session.model import Json
from .fates import FATES
from .output import Out
from .reduction import Reduced
from .source import Found

BROKEN = 2  # kinds of problems that are named to people
LINES = 3  # of each
_LINE = re.compile(r"line \d+")


def as_json(found: Found, done: Reduced, fates: Mapping[str, str], to: str | None, out: Out) -> Json:
    """`session, path, program, to, ok, problems, mended, messages, tokens, let_go, left, …, written`."""
    counted = Counter(fates.values())
    sizes = done.sizes
    return {
        "session": found.id, "path": found.target.path, "program": found.program, "to": to,
        "ok": not found.problems, "problems": found.problems, "mended": mended(found, done),
        "messages": {
            "before": len(fates), "after": len(done.after.messages),
            **{fate: counted[fate] for fate in FATES},
        },
        "tokens": {"counter": sizes["counter"], "before": sizes["before"], "after": sizes["after"]},
        "let_go": sizes["let_go"], "summary": sizes["summary"],
        "left": dict(sorted(found.left.items())), "not_written": out.left,
        "model": done.model, "window": done.window, "budget": done.budget, "compacted": done.compacted,
        "written": out.path, "there": out.there, "id": out.id, "place": out.place, "resume": out.resume,
    }  # fmt: skip


def tell(env: Env, told: Json, out: Out, *, json: bool) -> None:
    """Say it: JSON on stdout, unless the session itself is there; else lines for people on stderr."""
    if json:
        line = orjson.dumps(told)
        env.report(line) if out.printed else env.write(line + b"\n")
        return
    for text in () if env.quiet else lines(told):
        env.report(visible(text).encode())
    if out.id is not None:
        env.write(f"{out.id}\n".encode("utf-8", "surrogateescape"))


def mended(found: Found, done: Reduced) -> dict[str, int]:
    """What was done about what was broken, and how often."""
    by_reader = Counter(
        _LINE.sub("the line before", p["mended"]) for p in found.problems if p.get("mended")
    )
    return dict(by_reader + done.repairs)


def lines(told: Json) -> Iterator[str]:
    """The same for people."""
    whose = told["program"] or "session"
    size = f"{some(told['messages']['before'], 'message')}, {told['tokens']['before']:,} tokens"
    yield f"{whose} {told['session']}: {size} by {told['tokens']['counter']}" + (
        f", {told['model']}" if told["model"] else ""
    )
    done = (what if count == 1 else f"{what} ({count:,})" for what, count in told["mended"].items())
    counts = told["messages"]
    fates = ", ".join(f"{counts[fate]:,} {fate}" for fate in FATES if counts[fate])
    said = {
        "broken": _broken(told),
        "mended": ["; ".join(done)] if told["resume"] or not _is_well(told) else [],
        "removed": [", ".join(_let_go(told)) + _instead(told)],
        "messages": [f"{counts['before']:,} → {counts['after']:,}: {fates}{''.join(_beside(told))}"],
        "tokens": [_tokens(told)],
        "written": [told["written"] or _unwritten(told)],
        "put it at": [told["place"]],
        "resume": [told["resume"]],
    }
    for label, texts in said.items():
        for number, text in enumerate(filter(None, texts)):
            yield f"{'' if number else label:9} {text}"


def _is_well(told: Json) -> bool:
    """Whether it is neither broken nor too long."""
    return told["ok"] and not told["compacted"]


def _unwritten(told: Json) -> str:
    """Why there is no file, unless it went to stdout."""
    if told["there"]:
        return f"nothing; it was installed before: {told['there']}"
    if told["place"]:
        return ""
    if _is_well(told):
        return "nothing, for nothing was wrong (--output or --install writes it all the same)"
    return "nothing yet (--output FILE or --install writes it)"


def _broken(told: Json) -> list[str]:
    """The first few things that were wrong, each with the lines it was found on."""
    where: dict[str, list[int]] = {}
    for problem in told["problems"]:
        where.setdefault(problem["reason"], []).append(problem["line"])
    if not where:
        return ["nothing"]
    shown = list(where)[: None if len(where) <= BROKEN + 1 else BROKEN]
    more = len(told["problems"]) - sum(len(where[reason]) for reason in shown)
    texts = [_on_lines(where[reason]) + reason for reason in shown]
    return [*texts, f"and {more:,} more (`codeh-history verify FILE` names all)" if more else ""]


def _on_lines(numbers: list[int]) -> str:
    """`lines 3, 6, 9 and 450 more: `; nothing of what is wrong with all of it."""
    known = [str(number) for number in numbers if number]
    if not known:
        return ""
    named, more = ", ".join(known[:LINES]), len(known) - LINES
    return (
        f"line{'s' if len(known) > 1 else ''} {named}" + (f" and {more:,} more" if more > 0 else "") + ": "
    )


def _let_go(told: Json) -> Iterator[str]:
    for kind, amount in sorted(told["let_go"].items(), key=lambda item: -item[1]["tokens"]):
        kind = kind.removesuffix("s") if amount["parts"] == 1 else kind
        yield f"{amount['parts']:,} {kind} ({amount['tokens']:,} tokens)"
    for kind, count in told["not_written"].items():
        if kind != writing.THOUGHT:  # which the tokens say
            yield some(count, kind)


def _instead(told: Json) -> str:
    return f"; a summary of {told['summary']:,} tokens stands for them" if told["summary"] else ""


def _beside(told: Json) -> Iterator[str]:
    """Messages of which the session is not made."""
    for kind in AS_BRANCHES:
        if kind in told["left"]:
            yield f"; beside them {kind} ({told['left'][kind]:,})"


def _tokens(told: Json) -> str:
    tokens, budget, window = told["tokens"], told["budget"], told["window"]
    size = f"{tokens['before']:,} → {tokens['after']:,}"
    if budget is not None:
        return f"{size}, at most {budget:,}" + (f" of a window of {window:,}" if window else "")
    whose = f"the window of {told['model']} is not known" if told["model"] else "no model is named in it"
    return f"{size}; {whose}: compacted only with --budget N"
