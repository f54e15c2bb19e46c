"""`sharegpt`: `[{conversations: [{from, value}], system?, tools?}]`, with calls and results as turns."""

from __future__ import annotations

from collections import Counter

import orjson

from ..programs.fields import omit_empty
from ..providers.parts import json_text
from ..session.model import Json, Message
from ..session.view import View
from . import Exported
from .interchange import FAILURE, THOUGHT, USAGE, Content, counts, mime_of, modality_of, prepare


def export(view: View) -> Exported:
    """Export a list with one conversation; calls and tools are JSON strings."""
    conversation = prepare(view, "stub")
    turns = [{"from": "human", "value": conversation.opening}] if conversation.opening else []
    for message in conversation.messages:
        turns += _turns(message, conversation.left_out)
    value: Json = {"id": view.id, "conversations": turns}
    if isinstance(view.meta.get("title"), str):
        value["title"] = view.meta["title"]
    tools = [tool.get("function", tool) for tool in conversation.tools]
    value |= omit_empty(system=conversation.system, tools=json_text(tools) if tools else None)
    return Exported(orjson.dumps([value], option=orjson.OPT_INDENT_2) + b"\n", conversation.left_out)


def _turns(message: Message, left_out: Counter[str]) -> list[Json]:
    content = Content(message, left_out)
    left_out.update(modality_of(mime_of(part)) for part in content.media)
    left_out[THOUGHT] += len(content.thoughts)
    left_out[USAGE] += bool(counts(message))
    turns: list[Json] = []
    for id, name, text, failed in content.results:
        left_out[FAILURE] += failed
        turns.append({"from": "observation", "name": name, "tool_call_id": id, "value": text})
    who = "gpt" if message.role == "model" else "human"
    turns += [{"from": who, "value": text} for text in content.texts if text]
    calls = [{"name": name, "arguments": args, "id": id} for id, name, args in content.calls]
    if calls:
        turns.append({"from": "function_call", "value": json_text(calls if len(calls) > 1 else calls[0])})
    return turns
