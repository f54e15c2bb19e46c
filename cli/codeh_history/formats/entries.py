"""The formats of other histories: `exchanges`, `persisted`, `contents`, `history-items`, `refs`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

import orjson

from ..base.times import to_millis
from ..programs.forms.history_items import FIELDS
from ..programs.writing import THOUGHT, thoughts, unsent
from ..session.by_reference import summary_part
from ..session.exchanges import exchanges as groups_of
from ..session.exchanges import is_prompt, tools_named
from ..session.model import AS_REF, BESIDE, EXTRA, SOURCES, WRAPPER, Json, Message, Part, Unread
from ..session.records import block_of
from ..session.view import View, blocks_of, readable_text, text_of
from ..summaries.window import facts, period
from . import Exported

ROLES = {"user": "user", "model": "assistant"}  # role names of sidekick


class Entry(TypedDict):
    """One exchange in the format of the persisted history."""

    id: str
    timestamp: str | None
    userMessage: str
    assistantResponse: str
    toolsUsed: list[str]
    source: NotRequired[str]


def contents(view: View) -> Exported:
    """Export a JSON array of `{role, parts}`: all committed messages with a role, uncurated."""
    left_out = Counter({"summary": len(view.summaries)})
    return _json([{"role": message.role, "parts": message.parts} for message in view.sent], view, left_out)


def exchanges(view: View, last: int | None = None) -> Exported:
    """Export a JSON array of history entries, oldest first: all exchanges, or the `last` ones."""
    groups = groups_of(view.messages)[-last if last else None :]
    left_out = _omitted(groups) + Counter({"summary": len(view.summaries)})
    return _json([_full_entry(group) for group in groups], view, left_out)


def persisted(view: View) -> Exported:
    """Export `{recentConversations, summaries, lastSummarized}`, the inverse of its import."""
    summaries = [(facts(summary, view), summary.fields) for summary in view.summaries]
    groups = groups_of(view.messages)
    value = {
        "recentConversations": [_full_entry(group) for group in groups],
        "summaries": [{**known_facts, **_extra_fields(fields)} for known_facts, fields in summaries],
        "lastSummarized": period(
            [*(known_facts["createdAt"] for known_facts, _ in summaries), view.meta.get("lastSummarized")]
        )[1],
    }
    extra = view.meta.get(EXTRA)
    return _json({**extra, **value} if isinstance(extra, dict) else value, view, _omitted(groups))


def _json(value: object, view: View, left_out: Counter[str]) -> Exported:
    data = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    return Exported(data, unsent(view.messages) + left_out)


def _omitted(groups: Sequence[Sequence[Message]]) -> Counter[str]:
    """Count what the entries of exchanges, which have texts and the names of tools, cannot hold."""
    messages = [message for group in groups for message in group if message.is_sent]
    parts = [part for message in messages for part in message.parts]
    results = sum("functionResponse" in part for part in parts)
    others = sum(part.keys().isdisjoint(("text", "functionCall", "functionResponse")) for part in parts)
    return Counter({"tool result": results, THOUGHT: thoughts(messages), "file": others})


def entries(messages: Sequence[Message]) -> list[Entry]:
    """Return an entry for each exchange, in order; `programs.forms.history.exchange` is the inverse."""
    return [entry(group) for group in groups_of(messages)]


def entry(group: Sequence[Message]) -> Entry:
    """Return the entry of an exchange: its prompt, the model's texts, the tools called.

    Id, time and source come from the prompt, or from the first message if there is no prompt.
    """
    sent = [message for message in group if message.is_sent]
    prompt = next((message for message in sent if is_prompt(message)), None)
    first = prompt or group[0]
    answers = [text for message in sent if message.role == "model" and (text := text_of(message))]
    names: list[str] = []  # the tools called, each once, or those listed in an imported entry
    for message in sent:
        listed = tools_named(message)
        called = (part["functionCall"]["name"] for part in message.parts if "functionCall" in part)
        names += [name for name in dict.fromkeys(called) if name not in names] if listed is None else listed
    result: Entry = {
        "id": first.id, "timestamp": first.ts, "userMessage": readable_text(prompt) if prompt else "",
        "assistantResponse": "\n\n".join(answers), "toolsUsed": names,
    }  # fmt: skip
    if first.fields.get("source") in SOURCES:
        result["source"] = first.fields["source"]
    return result


def _full_entry(group: Sequence[Message]) -> Json:
    """Return the entry of an exchange, with the additional fields of an imported one."""
    result: Json = {**entry(group)}
    prompt = next((message for message in group if message.id == result["id"]), group[0])
    return {**result, **_extra_fields(prompt.fields)}


def _extra_fields(fields: Json) -> Json:
    """Return the additional fields of an imported entry."""
    extra = fields.get(BESIDE)
    return extra if isinstance(extra, dict) else {}


def history_items(view: View) -> Exported:
    """Export all messages, including notes and pending ones; `programs.forms.history_items` is the inverse.

    Each is `{type, text, parts?, toolCalls?, timestamp, metadata}`.
    """
    items = [
        {
            "committed": _item(message, message.parts) if message.committed else None,
            "pending": _item(message, message.pending) if message.pending is not None else None,
        }
        for message in view.messages
    ]
    left_out = Counter({"summary": len(view.summaries)})
    return Exported(orjson.dumps(items, option=orjson.OPT_INDENT_2) + b"\n", left_out)


def _item(message: Message, parts: Sequence[Part]) -> Json:
    texts = [part["text"] for part in parts if "text" in part and not part.get("thought")]
    calls: list[Any] = [part["functionCall"] for part in parts if "functionCall" in part]
    plain = len(parts) == 1 and parts[0].keys() == {"text"}
    metadata = message.fields.get("metadata")
    listed = {name: message.fields[name] for name in FIELDS if name in message.fields}
    return {
        "type": message.kind, "text": "".join(texts), **({} if plain else {"parts": parts}),
        **({"toolCalls": calls} if calls else {}), "timestamp": to_millis(message.ts or "") or 0,
        "metadata": {"id": message.id, **listed, **(metadata if isinstance(metadata, dict) else {})},
    }  # fmt: skip


def refs(view: View, workspace: str | None = None) -> Exported:
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

    items = [ref(flow, [block_of(summary_part(summary))], "user") for summary in view.summaries]
    items += [
        elements.get(m.id) or ref(m.fields.get("flowId") or view.id, _ids(m), str(m.role)) for m in sent
    ]
    value = {**wrapper, "refs": items} if isinstance(wrapper, dict) else items
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
