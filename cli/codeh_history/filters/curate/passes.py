"""The curation passes, in order: each takes a view and returns the ops that change it.

Passes are idempotent and linear. To add one, write a function here and name it in both `PASSES`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from ...base.lazy import Fields
from ...session.exchanges import IDE_MARKERS, is_ide_context, is_prompt, is_system, is_thought
from ...session.model import Json
from ...session.ops import Op, apply, drop, replace_shown
from ...session.view import View, text_of
from . import pairs as pairing

Clean = Callable[[Sequence[str], Sequence[str]], list[str]]  # texts and their messages' ids → cleaned texts
Find = Callable[[Sequence[str], Sequence[str]], list[bool]]  # the same → whether each text matches
FORCED = ("kinds", "pairs")  # required by every provider, also for a raw payload


class Settings(Fields):
    """Settings of the passes.

    `removers` clean the model's prose in sequence; `thoughts` is keep, old or all; `unanswered` is what to
    do with open calls at the end: error (keep them), stub or drop.
    """

    ide_markers: Sequence[str] = IDE_MARKERS
    keep_system: Sequence[Find] = ()
    removers: Sequence[Clean] = ()
    thoughts: str = "keep"
    unanswered: str = "error"


def kinds(view: View, _settings: Settings) -> list[Op]:
    """Drop error and info messages, which are for people and never sent."""
    ids = [message.id for message in view.messages if message.role is None]
    return [drop(ids, "error and info messages are not sent")] if ids else []


def invalid(view: View, _settings: Settings) -> list[Op]:
    """Drop empty parts, and messages without any other parts."""
    ops: list[Op] = []
    dropped: list[str] = []
    for message in view.sent:
        empty = [  # without keys, or with an empty text and neither thought nor signature
            number
            for number, part in enumerate(message.parts)
            if not part.get("text", part) and not part.get("thought") and part.keys() <= {"text", "thought"}
        ]
        if len(empty) == len(message.parts):
            dropped.append(message.id)
        else:
            ops += (replace_shown(message, number, None, "empty part") for number in empty)
    return [*ops, drop(dropped, "a message without content")] if dropped else ops


def ide(view: View, settings: Settings) -> list[Op]:
    """Drop IDE context messages, except the latest and pinned ones."""
    markers = settings.ide_markers
    contexts = [m for m in view.messages if is_ide_context(m, markers) and m.committed]
    ids = [message.id for message in contexts[:-1] if not message.pinned]
    return [drop(ids, "superseded by newer IDE context")] if ids else []


def system(view: View, settings: Settings) -> list[Op]:
    """Drop `System:` messages, except pinned ones and those that match `--keep-system`."""
    texts = {
        message.id: text_of(message)
        for message in view.messages
        if is_system(message) and message.committed and not message.pinned
    }
    for keep in settings.keep_system:
        matches = keep([*texts.values()], [*texts])
        texts = {id: text for (id, text), kept in zip(texts.items(), matches, strict=True) if not kept}
    return [drop([*texts], "a System: text")] if texts else []


def post(view: View, settings: Settings) -> list[Op]:
    """Clean the model's texts with the removers in order; drop texts that become empty."""
    if not settings.removers:
        return []
    places = [
        (message, number)
        for message in view.messages
        if message.role == "model" and message.committed
        for number, part in enumerate(message.parts)
        if part.get("text") and not part.get("thought")
    ]
    texts = [message.parts[number]["text"] for message, number in places]
    ids = [message.id for message, _ in places]
    for clean in settings.removers:
        texts = clean(texts, ids)
    ops: list[Op] = []
    for (message, number), text in zip(places, texts, strict=True):
        part = message.parts[number]
        if text != part["text"]:
            keep = bool(text) or "thoughtSignature" in part
            new = {**part, "text": text} if keep else None
            ops.append(replace_shown(message, number, new, "removed text the model did not write"))  # type: ignore[arg-type]
    return ops


def thoughts(view: View, settings: Settings) -> list[Op]:
    """Drop no thoughts (keep), those before the last real user message (old), or all.

    A message's thoughts are dropped together, because providers refuse a turn with only some of them.
    """
    if settings.thoughts == "keep":
        return []
    end = len(view.messages)
    if settings.thoughts == "old":
        end = next((n for n in range(end - 1, -1, -1) if is_prompt(view.messages[n])), 0)
    return [
        replace_shown(message, number, None, f"thoughts: {settings.thoughts}")
        for message in view.messages[:end]
        if message.role == "model" and message.committed
        for number, part in enumerate(message.parts)
        if is_thought(part)
    ]


def pairs(view: View, settings: Settings) -> list[Op]:
    """Put a response after every call; drop responses without a call and duplicates."""
    return pairing.repair(view, settings.unanswered)


PASSES: dict[str, Callable[[View, Settings], list[Op]]] = {
    run.__name__: run for run in (kinds, invalid, ide, system, post, thoughts, pairs)
}


def curate(
    view: View, settings: Settings, names: Collection[str] = tuple(PASSES)
) -> tuple[View, list[Op], list[Json]]:
    """Run the named passes; return the new view, all ops in order, and a report line per message."""
    ops: list[Op] = []
    report: list[Json] = []
    for name, run in PASSES.items():
        changes = run(view, settings) if name in names else []
        if not changes:
            continue
        view = apply(view, changes)
        ops += changes
        for op in changes:
            ids = op["ids"] if "ids" in op else [op["after"] if op["op"] == "insert" else op["id"]]
            part = {"part": op["part"]} if "part" in op else {}
            why = op.get("why", "")
            report += ({"pass": name, "op": op["op"], "id": id, **part, "why": why} for id in ids)
    return view, ops, report
