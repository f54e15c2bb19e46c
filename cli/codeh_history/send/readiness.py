"""Where a session stands: what is open, pending, unanswered or damaged, and what to do next."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

from ..access.row import text_of
from ..base.env import Env
from ..base.jobs import Compaction
from ..filters.compact.costs import counting, measure
from ..session.model import Json, Message
from ..session.pairing import open_at_end, open_calls
from ..session.view import View
from ..store.paths import path_of
from ..store.resolve import Target


def standing(env: Env, target: Target, view: View, counter: str | None) -> Json:
    """The state of a session, as `status --json` prints it."""
    numbers = {message.id: number for number, message in enumerate(view.messages, 1)}
    found = measure(counting(env, view, target.id, Compaction(counter=counter)), view)
    prompt = unanswered(view)
    return {
        "session": target.id, "why": target.why, "path": target.path,
        "title": text_of(view.meta.get("title")), "bytes": view.log.size,
        "messages": found["messages"], "exchanges": found["exchanges"],
        "summaries": len(view.summaries), "tokens": found["tokens"]["total"], "counter": found["counter"],
        "open_calls": [
            {"message": call.message_id, "n": numbers[call.message_id], "id": call.id, "name": call.name}
            for call in open_calls(view.messages)
        ],
        "pending": [
            {"id": m.id, "n": numbers[m.id]}
            | ({"aborted": m.fields["aborted"]} if "aborted" in m.fields else {})
            for m in view.messages if m.pending is not None
        ],
        "unanswered": {"id": prompt.id, "n": numbers[prompt.id]} if prompt is not None else None,
        "damage": [{"line": d.line, "offset": d.offset, "reason": d.reason} for d in view.log.damage],
        "next": advice(env, target, view),
    }  # fmt: skip


def unanswered(view: View) -> Message | None:
    """The last message that is sent, if it is not the model's and no call is open: the model is next."""
    sent = [m for m in view.messages if m.role is not None and m.committed]
    if not sent or sent[-1].role == "model" or open_at_end(sent):
        return None
    return sent[-1]


def advice(env: Env, target: Target, view: View) -> str:
    """The command to type next."""
    to = env.environ.get("CODEH_TO") or next(
        (m.provider for m in reversed(view.messages) if m.provider), "PROVIDER"
    )
    if target.path == "-":
        return f"codeh-history payload - --to {to}"
    session = f"-s {named(env, target)}"
    sent = [m for m in view.messages if m.role is not None and m.committed]
    if not sent:
        return f"codeh-history append {session} -m TEXT"
    if open_at_end(sent):
        return f"codeh-history calls {session} --via CMD"
    return asking(env, target, to, [] if sent[-1].role != "model" else ["-m TEXT"])


def asking(env: Env, target: Target, to: str, flags: Sequence[str] = (), via: str | None = None) -> str:
    """`ask` with these flags; provider and command are named where the environment does not say them."""
    given = env.environ.get
    words = ["codeh-history ask", f"-s {named(env, target)}"]
    if to != given("CODEH_TO"):
        words.append(f"--to {to}")
    words += flags
    if not given("CODEH_VIA") or via not in (None, given("CODEH_VIA")):
        words.append("--via CMD")
    return " ".join(words)


def named(env: Env, target: Target) -> str:
    """How to name the session on a command line: its id, where that is enough."""
    path = os.path.abspath(target.path)
    return target.id if path == os.path.abspath(path_of(env, target.id)) else shlex.quote(target.path)
