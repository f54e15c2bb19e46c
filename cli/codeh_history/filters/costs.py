"""A session's size in tokens, by role, kind and tool."""

from __future__ import annotations

import heapq
from collections import Counter as Counts
from collections.abc import Sequence
from contextlib import nullcontext
from operator import itemgetter

from ..base.env import Env
from ..base.shared_options import Compaction, from_settings, system_and_tools
from ..session.exchanges import prompts
from ..session.model import Json, Part
from ..session.sources import rendered
from ..session.view import View
from ..store.cache import Cache
from ..tokens.counter import Counter, open_counter
from ..tokens.formula import (
    history_tokens,
    message_tokens,
    part_tokens,
    system_tokens,
    text_tokens,
    tools_tokens,
)

BEGINNING = 60  # characters that identify a part


def counter_for(
    env: Env,
    view: View,
    name: str | None,
    model: str | None = None,
    *,
    calibrated: bool = False,
    must_calibrate: bool = True,
) -> Counter:
    """Return the counter of that name, otherwise of the model, otherwise of the session's newest model.

    `calibrated` scales it by recorded usage; if there is none, `must_calibrate` raises Usage.
    """
    model = model or next((m.model for m in reversed(view.messages) if m.model), None)
    counter = open_counter(name, model=model, cache=Cache(env.home))
    if not calibrated:
        return counter
    from ..views import calibration

    return calibration.calibrated(env, view, counter, name, must_calibrate=must_calibrate)


def counting(env: Env, view: View, session: str, options: Compaction) -> Counter:
    """Return the counter that `compact` would use for this session."""
    completed = options.with_settings(view.meta, session, env.note)
    with from_settings(session) if options.counter is None else nullcontext():
        return counter_for(
            env, view, completed.counter, calibrated=completed.calibrated, must_calibrate=options.calibrated
        )


def total_of(counter: Counter, view: View, parts: Sequence[Sequence[int]] | None = None) -> Json:
    """Return `counter, tokens:{total}, messages, exchanges`; `parts` are the unscaled costs, if known.

    `total` is the count of `compact` and `payload --budget`, with references and attachment lists.
    """
    view = rendered(view)
    system, tools = system_and_tools(view.meta)
    summaries = [summary.text for summary in view.summaries]
    total = history_tokens(
        counter, view.messages, system=system, tools=tools, summaries=summaries, parts=parts
    )
    return {
        "counter": counter.name, "tokens": {"total": total},
        "messages": len(view.messages), "exchanges": prompts(view.messages),
    }  # fmt: skip


def measure(counter: Counter, view: View) -> Json:
    """Like `total_of`, with `system, tools, summaries, by_role, by_kind, by_tool` in `tokens`.

    Without calibration, the total is 3 plus the sum of system, tools, summaries and `by_role`. Messages
    that are not sent (error, info, pending) cost nothing.
    """
    view = rendered(view)
    system, tools = system_and_tools(view.meta)
    parts = part_tokens(counter, view.messages)
    costs = message_tokens(counter, view.messages, parts)
    roles: Counts[str] = Counts()
    kinds: Counts[str] = Counts()
    for message, cost in zip(view.messages, costs, strict=True):
        if cost and message.role is not None:
            roles[message.role] += cost
            kinds[message.kind] += cost
    result = total_of(counter, view, parts)
    bare = history_tokens(counter, view.messages, system=system, tools=tools, parts=parts)
    result["tokens"] |= {
        "system": system_tokens(counter, system), "tools": tools_tokens(counter, tools),
        "summaries": result["tokens"]["total"] - bare, "by_role": roles, "by_kind": kinds,
        "by_tool": by_tool(counter, view, parts),
    }  # fmt: skip
    return result


def by_tool(counter: Counter, view: View, parts: Sequence[Sequence[int]]) -> dict[str, int]:
    """Return the cost of each tool's calls and results, most expensive first."""
    costs_of: Counts[str] = Counts()
    for message, costs in zip(view.messages, parts, strict=True):
        for part, cost in zip(message.parts, costs, strict=False):
            call = part.get("functionCall") or part.get("functionResponse")
            if call:
                costs_of[call["name"]] += counter.scale(cost)
    return dict(sorted(costs_of.items(), key=lambda item: (-item[1], item[0])))


def largest(
    counter: Counter, view: View, most: int, system: str | None, tools: Sequence[Json] | None, window: int
) -> list[Json]:
    """Return the most expensive parts: `{n, id, kind, part, what, name?, text, tokens, share}`.

    `n` is the message's number in `show`, `part` the part's index; system prompt, tools and summaries have
    neither. Unsent messages cost nothing. `share`: of `window` tokens.
    """
    entries: list[Json] = [
        {"what": "system", "tokens": system_tokens(counter, system)},
        {"what": "tools", "tokens": tools_tokens(counter, tools)},
    ]
    entries += (
        {"id": s.id, "what": "summary", "text": _beginning(s.text), "tokens": text_tokens(counter, s.text)}
        for s in view.summaries
    )
    parts = part_tokens(counter, view.messages)
    for n, (message, costs) in enumerate(zip(view.messages, parts, strict=True), 1):
        entries += (
            {"n": n, "id": message.id, "kind": message.kind, "part": place,
             **described(part), "tokens": counter.scale(cost)}
            for place, (part, cost) in enumerate(zip(message.parts, costs, strict=False))
        )  # fmt: skip
    dearest = heapq.nlargest(most, filter(itemgetter("tokens"), entries), key=itemgetter("tokens"))
    return [{**part, "share": round(part["tokens"] / window, 4)} for part in dearest]


def described(part: Part) -> Json:
    """Return a part's kind, name and beginning."""
    from ..render.parts import items

    item = next(items([part]))
    named = {"name": item.name} if item.name else {}
    return {"what": item.what, **named, "text": _beginning(item.body or item.head)}


def _beginning(text: str) -> str:
    return " ".join(text[: 4 * BEGINNING].split())[:BEGINNING]
