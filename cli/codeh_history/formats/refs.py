"""`refs`: a JSON array of `{flowId, blockIds, role}`, with each message's parts as block ids.

An unchanged message imported from such a file keeps its original element. A summary refers to a block with
its text and record.
"""

from __future__ import annotations

import orjson

from ..programs.writing import unsent
from ..session.by_reference import summary_part
from ..session.model import AS_REF, WRAPPER, Json, Message, Unread
from ..session.records import block_of
from ..session.stream import blocks_of
from ..session.view import View
from . import Exported

ROLES = {"user": "user", "model": "assistant"}  # role names of sidekick


def export(view: View, workspace: str | None = None) -> Exported:
    """Export summaries and all committed messages with a role, whose blocks must already be stored.

    With a `workspace`, use sidekick's wrapper: `{type, refs: [{blockKeys, role}], flowId, workspaceId}`.
    """
    sent = view.sent
    first = sent[0].fields.get("flowId") if sent else None
    shared = isinstance(first, str) and all(message.fields.get("flowId") == first for message in sent)
    flow = (shared and first) or view.id
    wrapper = view.meta.get(WRAPPER)
    if workspace is not None:
        wrapper = {"type": "llm2", "refs": [], "flowId": flow, "workspaceId": workspace}
    originals = [(message.id, _element(message)) for message in sent if workspace is None]
    elements = {id: element for id, element in originals if element is not None}
    native = isinstance(wrapper, dict) or any(item.get("role") == "assistant" for item in elements.values())

    def ref(flow: object, ids: list[str], role: str) -> Json:
        if isinstance(wrapper, dict):
            return {"blockKeys": ids, "role": ROLES[role]}
        return {"flowId": flow, "blockIds": ids, "role": ROLES[role] if native else role}

    refs = [ref(flow, [block_of(summary_part(summary))], "user") for summary in view.summaries]
    refs += [
        elements.get(m.id) or ref(m.fields.get("flowId") or view.id, _ids(m), str(m.role)) for m in sent
    ]
    value = {**wrapper, "refs": refs} if isinstance(wrapper, dict) else refs
    return Exported(orjson.dumps(value) + b"\n", unsent(view.messages))


def _element(message: Message) -> Json | None:
    """Return the original element of an imported message; None if it has changed."""
    original = message.fields.get(AS_REF)
    item = original.get("ref") if isinstance(original, dict) else None
    if not (isinstance(original, dict) and isinstance(item, dict)):
        return None
    ids = original.get("blockIds") or item.get("blockIds") or item.get("blockKeys")
    return item if ids == _ids(message) else None


def _ids(message: Message) -> list[str]:
    """Return the block ids of a message's parts, loaded or not."""
    parts: list[object] = list(message.parts)
    return blocks_of(message) or [
        part.id if isinstance(part, Unread) else block_of(part)  # type: ignore[arg-type]
        for part in parts
    ]
