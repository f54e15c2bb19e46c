"""`refs`: a JSON array of `{flowId, blockIds, role}`, each message's parts by their block ids."""

from __future__ import annotations

import orjson

from ..session.fold import View
from ..session.model import Json, Message, Unread
from ..session.records import block_of
from ..session.stream import blocks_of

ROLES = {"user": "user", "model": "assistant"}  # the toolkit's words


def export(view: View, workspace: str | None = None) -> bytes:
    """Every committed message that has a role; its blocks must be in the store already.

    With a `workspace` in the toolkit's wrapper: `{type, refs: [{blockKeys, role}], flowId, workspaceId}`.
    """
    sent = [message for message in view.messages if message.role is not None and message.committed]
    if workspace is None:
        refs: list[Json] = [
            {
                "flowId": message.fields.get("flowId") or view.id,
                "blockIds": _ids(message),
                "role": message.role,
            }
            for message in sent
        ]
        return orjson.dumps(refs) + b"\n"
    theirs = [{"blockKeys": _ids(message), "role": ROLES.get(str(message.role))} for message in sent]
    value = {"type": "llm2", "refs": theirs, "flowId": _flow(view, sent), "workspaceId": workspace}
    return orjson.dumps(value) + b"\n"


def _flow(view: View, sent: list[Message]) -> str:
    """The flow that all messages came from, else the session itself."""
    flows = {message.fields.get("flowId") for message in sent}
    only = flows.pop() if len(flows) == 1 else None
    return only if isinstance(only, str) and only else view.id


def _ids(message: Message) -> list[str]:
    """The blocks of the parts that a message shows, read or not."""
    parts: list[object] = list(message.parts)
    return blocks_of(message) or [
        part.id if isinstance(part, Unread) else block_of(part)  # type: ignore[arg-type]
        for part in parts
    ]
