"""`verify --to`: what a provider would refuse about a session as it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from ... import providers
from ...base.shared_options import beside
from ...providers.base import Options, Request
from ...send.payload import model_for
from ...session.model import Json, Message, Part
from ...session.view import View


@dataclass(frozen=True)
class Refusal:
    """One thing refused: where in the body, which message it came from (number, id, offset), why."""

    path: str
    reason: str
    n: int | None = None
    id: str | None = None
    offset: int | None = None


def refusals(view: View, to: str, model: str | None) -> list[Refusal]:
    """What `to` would refuse about the request that says exactly what the session says."""
    system, tools = beside(view.meta)
    kept = view.meta.get(f"settings.{to}")
    chosen = Options(
        model=model_for(view, to, model) or "MODEL", system=system, tools=tools, session=view.id,
        settings=kept if isinstance(kept, dict) else {}, faithful=True, trace=True,
    )  # fmt: skip
    sent = [message for message in view.messages if message.role is not None and message.committed]
    too_deep = [message for message in sent if not _writable(message)]
    places = {message.id: number for number, message in enumerate(view.messages, 1)}
    if too_deep:
        why = "nests too deeply to be written as JSON"
        return [_of_message(view, m, places, "messages", why) for m in too_deep]
    if sent and sent[-1].role == "model" and not any("functionCall" in part for part in sent[-1].parts):
        sent.append(_next_prompt())
    format = providers.load(to)
    request = format.request(sent, chosen, [summary.text for summary in view.summaries])
    return [_traced(view, request, places, p.path, p.reason) for p in format.problems(request.body)]


def _next_prompt() -> Message:
    """A user's message: an answer at the end of a session is never sent before one has followed it."""
    parts: list[Part] = [{"text": "…"}]
    return Message(id="", kind="user", role="user", ts=None, fields={}, own=parts, parts=parts)


def _traced(view: View, request: Request, places: Mapping[str, int], path: str, reason: str) -> Refusal:
    id = source_of(request.sources, path)
    message = view.all.get(id) if id else None
    return Refusal(path, reason) if message is None else _of_message(view, message, places, path, reason)


def _of_message(view: View, message: Message, places: Mapping[str, int], path: str, reason: str) -> Refusal:
    number = places.get(message.id)
    offset = view.log.records[message.place].offset if message.place < len(view.log.records) else None
    return Refusal(path, reason, number, message.id, offset)


def _writable(message: Message) -> bool:
    try:
        orjson.dumps(message.parts)
    except TypeError:
        return False
    return True


def source_of(sources: list[list[str]], path: str) -> str | None:
    """The message that `messages.6.content.0` came from; the element's first where the block has none."""
    numbers = [int(step) for step in path.split(".") if step.isdecimal()]
    if not numbers or numbers[0] >= len(sources):
        return None
    blocks = sources[numbers[0]]
    if len(numbers) > 1 and numbers[1] < len(blocks):
        return blocks[numbers[1]] or None
    return next((id for id in blocks if id), None)


def as_json(refusal: Refusal, lines: Mapping[int, int]) -> Json:
    """A refusal as one of `verify --json`'s problems; `lines` by offset."""
    line = lines.get(refusal.offset) if refusal.offset is not None else None
    source = {"id": refusal.id, "n": refusal.n} if refusal.id else {}
    where = {"line": line, "offset": refusal.offset}
    return where | source | {"path": refusal.path, "reason": refusal.reason}
