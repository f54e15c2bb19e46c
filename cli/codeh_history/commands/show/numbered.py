"""Messages with the numbers that `show` gives them, and as the JSON objects it prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import BadData, Lost
from ...base.shared_options import beside
from ...filters.curate import passes
from ...filters.curate.passes import Settings
from ...session.model import Json, Message, Summary
from ...session.records import Log
from ...session.stream import BY_REFERENCE, record_of
from ...store.resolve import Target
from ...store.state import size_of
from ...views.skim import BIG, NeedsFold, Skim, logs
from ...views.view import tell_damage, view_of

TORN = "torn last line"  # of a header that was being written: an empty session
Numbered = list[tuple[int | None, Message]]


class Shown(NamedTuple):
    """Messages with their numbers, and what stands before the first of a session: prompt and summaries."""

    messages: Numbered
    summaries: Sequence[Summary] = ()
    system: str | None = None


def read(
    env: Env,
    target: Target,
    *,
    last: int | None = None,
    curated: bool = False,
    strict: bool = False,
    lost: Lost | None = None,
) -> Shown:
    """The messages with their numbers; with `last` only so many, of the end.

    Curated messages keep the numbers of the view; those that curation added have none.
    """
    if last is not None and not curated and target.path != "-":
        end = _end(env, target, last, strict=strict)
        if end is not None:
            return Shown(end)
    view = view_of(env, target, strict=strict, lost=lost, newest=None if curated else last)
    if view.log.damage and not view.log.records and view.log.damage[0].reason != TORN:
        raise BadData(f"{target.path}: not a session: none of its lines is a record")
    numbers = {message.id: number for number, message in enumerate(view.messages, 1)}
    if curated:
        view, _, _ = passes.curate(view, Settings())
    messages: Numbered = [(numbers.get(message.id), message) for message in view.messages]
    if last is None:
        return Shown(messages, view.summaries, beside(view.meta)[0])
    return Shown(messages[-last:])


def _end(env: Env, target: Target, last: int, *, strict: bool) -> Numbered | None:
    """The last messages of a big plain log, in the memory that they take; None for any other."""
    size = size_of(target.path)
    if size <= BIG:
        return None
    skim = Skim(logs(target.path))
    kept: dict[int, Message] = {}
    try:
        for number, message in skim.messages():
            kept[number] = message
            if len(kept) > 2 * last:
                kept = {n: m for n, m in kept.items() if n > skim.placed - last}
    except NeedsFold:
        return None
    tell_damage(env, target, Log([], skim.damage, size), strict=strict)
    return [(number, kept[number]) for number in sorted(kept) if number > skim.placed - last]


def message_json(number: int | None, message: Message) -> Json:
    """A message as `show --json` prints it: `id, n, ts, kind, role, parts`, other fields, `pending`."""
    record = record_of(message)
    shown: Json = {
        "id": message.id, "n": number, "ts": message.ts, "kind": message.kind, "role": message.role,
        "parts": message.parts if message.committed else [],
    }  # fmt: skip
    kept = [key for key in record if key not in shown and key not in ("type", *BY_REFERENCE)]
    shown.update((key, record[key]) for key in kept)
    if message.pending is not None:
        shown["pending"] = message.pending
        if "aborted" in message.fields:
            shown["aborted"] = message.fields["aborted"]
    return shown


def item_json(number: int | None, message: Message) -> Json:
    """Both sides of a message: `{committed: message|null, pending: message|null}`."""
    both = message_json(number, message)
    pending = both.pop("pending", None)
    return {
        "committed": both if message.committed else None,
        "pending": {**both, "parts": pending} if pending is not None else None,
    }
