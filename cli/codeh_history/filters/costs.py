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
from ..session.ops import NEXT
from ..session.sources import rendered
from ..session.view import View
from ..store.cache import Cache
from ..tokens.counter import Counter, open_counter
from ..tokens.formula import (
    Costs,
    cost_beside_messages,
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


def request_tokens(
    counter: Counter,
    view: View,
    system: str | None,
    tools: Sequence[Json] | None,
    parts: Costs | None = None,
) -> int:
    """Return the tokens of a request with this view; `parts` are the unscaled costs, if known."""
    texts = [summary.text for summary in view.summaries]
    return history_tokens(counter, view.messages, system=system, tools=tools, summaries=texts, parts=parts)


def total_of(counter: Counter, view: View, parts: Costs | None = None) -> Json:
    """Return `counter, tokens:{total}, messages, exchanges`.

    `total` is the count of `compact` and `payload --budget`, with references and attachment lists.
    """
    view = rendered(view)
    return {
        "counter": counter.name,
        "tokens": {"total": request_tokens(counter, view, *system_and_tools(view.meta), parts)},
        "messages": len(view.messages), "exchanges": prompts(view.messages),
    }  # fmt: skip


def measure(counter: Counter, view: View) -> Json:
    """Like `total_of`, with `system, tools, summaries, by_role, by_kind, by_tool` in `tokens`.

    Without calibration, the total is 3 plus the sum of system, tools, summaries and `by_role`. Messages
    that are not sent (error, info, pending) cost nothing. The most expensive tool comes first.
    """
    view = rendered(view)
    system, tools = system_and_tools(view.meta)
    parts = part_tokens(counter, view.messages)
    roles, kinds, names = Counts[str](), Counts[str](), Counts[str]()
    messages = message_tokens(counter, view.messages, parts)
    for message, cost, costs in zip(view.messages, messages, parts, strict=True):
        if cost and message.role is not None:
            roles[message.role] += cost
            kinds[message.kind] += cost
        for part, tokens in zip(message.parts, costs, strict=False):
            call = part.get("functionCall") or part.get("functionResponse")
            if call:
                names[call["name"]] += counter.scale(tokens)
    texts = [summary.text for summary in view.summaries]
    result = total_of(counter, view, parts)
    result["tokens"] |= {
        "system": system_tokens(counter, system), "tools": tools_tokens(counter, tools),
        "summaries": counter.scale(cost_beside_messages(counter, None, (), texts)),
        "by_role": roles, "by_kind": kinds,
        "by_tool": dict(sorted(names.items(), key=lambda item: (-item[1], item[0]))),
    }  # fmt: skip
    return result


def largest(
    counter: Counter, view: View, most: int, system: str | None, tools: Sequence[Json] | None, window: int,
    original: View | None = None,
) -> list[Json]:  # fmt: skip
    """Return the most expensive parts: `{n, id, kind, part, what, name?, text, tokens, share}`.

    `n` is the message's number in `show`, or in the `original` view, `part` the part's index; system
    prompt, tools and summaries have neither, and a summary that is not stored no id. Unsent messages cost
    nothing. `share`: of `window` tokens.
    """
    entries: list[Json] = [
        {"what": "system", "tokens": system_tokens(counter, system)},
        {"what": "tools", "tokens": tools_tokens(counter, tools)},
    ]
    for summary in view.summaries:
        id = {} if summary.id.startswith(NEXT) else {"id": summary.id}
        tokens = text_tokens(counter, summary.text)
        entries.append({**id, "what": "summary", "text": _beginning(summary.text), "tokens": tokens})
    numbers = {message.id: n for n, message in enumerate((original or view).messages, 1)}
    for message, costs in zip(view.messages, part_tokens(counter, view.messages), strict=True):
        entries += (
            {"n": numbers[message.id], "id": message.id, "kind": message.kind, "part": place,
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
