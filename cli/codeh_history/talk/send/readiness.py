"""The state of a session: open calls, pending messages, unanswered prompt, damage, next command."""

from __future__ import annotations

import os
import shlex
from collections import deque
from collections.abc import Sequence
from itertools import islice

from ...base import config
from ...base.env import Env
from ...base.shared_options import Compaction, system_and_tools
from ...base.words import is_id
from ...filters.costs import counting, total_of
from ...session.model import Json, Message, origin
from ...session.pairing import Call, open_at_end, open_calls
from ...session.records import Log
from ...session.sources import rendered
from ...session.view import View
from ...store.paths import SERVER, path_of
from ...store.read import is_ours, size_of
from ...store.resolve import Target
from ...tokens.counter import Counter
from ...tokens.formula import cost_beside_messages, unscaled_costs
from ...views import skim
from ...views.rows import Count, beginning, text_of
from ...views.skim import NeedsFold, Skim
from ...views.view import report_damage

END = 200  # messages at the end of a large log that determine the next command
AT_ONCE = 4096  # messages whose tokens are counted together


def session_status(env: Env, target: Target, view: View, counter: str | None) -> Json:
    """Return the state of a session, as `status --json` prints it."""
    numbers = {message.id: number for number, message in enumerate(view.messages, 1)}
    totals = total_of(counting(env, view, target.id, Compaction(counter=counter)), view)
    pending = [message for message in view.messages if message.pending is not None]
    return _state(env, target, view, totals, open_calls(view.messages), pending, numbers)


def status_of_large_log(env: Env, target: Target, counter: str | None, *, strict: bool) -> Json | None:
    """Return the state of a large plain log, read twice in little memory; None for any other log.

    The last messages determine the provider, the counter and the next command.
    """
    if target.path == "-" or size_of(target.path) <= skim.FOLDED:
        return None
    count, pending = Count(), []
    end: deque[Message] = deque(maxlen=END)
    skimmed, again = (Skim(skim.logs(target.path, big=skim.FOLDED)) for _ in range(2))
    try:
        for number, message in skimmed.messages():
            message.place = number
            count.add(message, number)
            pending += [message] if message.pending is not None else []
            end.append(message)
        if not any(message.role == "model" and message.committed for message in end):
            return None
        view = View(Log([], skimmed.view.log.damage, size_of(target.path)))
        view.meta, view.messages = skimmed.view.meta, sorted(end, key=lambda message: message.place)
        report_damage(env, target, view.log, strict=strict)
        for text in skimmed.view.notes:
            env.note(f"{target.id}: {text}")
        totals = _counted(counting(env, view, target.id, Compaction(counter=counter)), view, again)
    except NeedsFold:
        return None
    totals |= {"messages": count.messages, "exchanges": count.exchanges}
    calls = count.calls.calls()
    named = [*view.messages, *pending, *(call.message for call in calls)]
    return _state(env, target, view, totals, calls, pending, {m.id: m.place for m in named})


def _counted(counter: Counter, view: View, skimmed: Skim) -> Json:
    """Count the tokens of a large log, a batch of messages at a time."""
    system, tools = system_and_tools(view.meta)
    total = counter.history + cost_beside_messages(counter, system, tools, ())
    messages = skimmed.messages()
    while batch := list(islice(messages, AT_ONCE)):
        for number, message in batch:
            message.place = number
        shown = rendered(view.with_messages([message for _, message in batch])).messages
        total += sum(
            cost
            for message, cost in zip(shown, unscaled_costs(counter, shown), strict=True)
            if message.is_sent
        )
    return {"counter": counter.name, "tokens": {"total": counter.scale(total)}}


def _state(
    env: Env, target: Target, view: View, totals: Json, calls: Sequence[Call], pending: Sequence[Message],
    numbers: dict[str, int],
) -> Json:  # fmt: skip
    prompt, system = unanswered(view), system_and_tools(view.meta)[0]
    return {
        "session": target.id, "why": target.why, "path": target.path,
        "title": text_of(view.meta.get("title")), "system": beginning(system) if system else None,
        "bytes": view.log.size,
        "messages": totals["messages"], "exchanges": totals["exchanges"],
        "summaries": len(view.summaries), "tokens": totals["tokens"]["total"], "counter": totals["counter"],
        "open_calls": [
            {"message": call.message.id, "n": numbers[call.message.id], "id": call.id, "name": call.name}
            for call in calls
        ],
        "pending": [
            {"id": m.id, "n": numbers[m.id]}
            | ({"aborted": m.fields["aborted"]} if "aborted" in m.fields else {})
            for m in pending
        ],
        "unanswered": {"id": prompt.id, "n": numbers[prompt.id]} if prompt is not None else None,
        "damage": [{"line": d.line, "offset": d.offset, "reason": d.reason} for d in view.log.damage],
        "next": next_command(env, target, view),
    }  # fmt: skip


def unanswered(view: View) -> Message | None:
    """Return the last message that is sent, if the model has yet to answer it and no call is open."""
    sent = view.sent
    if not sent or sent[-1].role == "model" or open_at_end(sent):
        return None
    return sent[-1]


def next_command(env: Env, target: Target, view: View) -> str:
    """Return the command that continues the session."""
    to = config.defaults(env).get("to") or next(
        (m.provider for m in reversed(view.messages) if m.provider), "PROVIDER"
    )
    if target.path == "-":
        return f"codeh-history payload - --to {to}"
    foreign = bool(origin(view.header)) and not target.path.startswith(SERVER) and not is_ours(target.path)
    if foreign or target.path.endswith(".json"):  # read but never written
        return f"codeh-history import {shlex.quote(target.path)}"
    session = f"-s {shell_name(env, target)}"
    sent = view.sent
    if not sent:
        return f"codeh-history append {session} -m TEXT"
    if open_at_end(sent):
        return f"codeh-history calls {session} --via CMD"
    return ask_command(env, target, to, [] if sent[-1].role != "model" else ["-m TEXT"])


def ask_command(
    env: Env,
    target: Target,
    to: str,
    flags: Sequence[str] = (),
    via: str | None = None,
    profile: str | None = None,
) -> str:
    """Return an `ask` command line; it names the provider and the command unless they are configured."""
    provider, command = config.flags_for(env, profile, to, via)
    return " ".join(["codeh-history ask", f"-s {shell_name(env, target)}", *provider, *flags, *command])


def shell_name(env: Env, target: Target) -> str:
    """Return the session's name on a command line: its id if that finds it, else its path."""
    path = os.path.abspath(target.path)
    is_here = is_id(target.id) and path == os.path.abspath(path_of(env, target.id))
    return target.id if is_here else shlex.quote(target.path)
