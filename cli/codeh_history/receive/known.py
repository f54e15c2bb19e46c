"""Which answer is stored already: the same response id, however spelled, with the same content."""

from __future__ import annotations

from ..append.jsonl import says
from ..append.message import objects
from ..providers.reply import Reply
from ..session.fold import fold
from ..session.model import Json
from ..store import read
from ..store.needle import field
from ..store.protocol import Locked


def answers(locked: Locked, response_id: str | None) -> list[Json]:
    """The records that were stored for responses of this id."""
    if not response_id:
        return []
    lines = locked.lines_with(field("responseId", response_id))
    return [data for data in objects(lines) if data.get("responseId") == response_id]


def known(locked: Locked, reply: Reply) -> str | None:
    """The id of the message that this very answer is stored as: not undone, and not behind a `clear`."""
    same = [data for data in answers(locked, reply.id) if _tells(data, reply)]
    if not same:
        return None
    messages = fold(read.read_log(locked.read())).all
    for data in same:
        message = messages.get(str(data.get("of") if data.get("type") == "commit" else data.get("id")))
        if message is not None and message.committed and message.hidden != "clear":
            return message.id
    return None


def _tells(data: Json, reply: Reply) -> bool:
    """Whether a record holds this answer: the same parts, of one provider, at the same cost."""
    usage = data.get("usage")
    return (
        says(data, reply.parts)
        and data.get("provider", reply.provider) == reply.provider
        and (usage is None or reply.usage is None or usage == reply.usage)
    )
