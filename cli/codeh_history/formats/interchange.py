"""The formats for other tools: what `atif` and `otel` share with them, and two more.

`openai_jsonl`: a conversation per line, `{messages, tools?}`, as in fine-tuning files. `sharegpt`:
`[{conversations: [{from, value}], system?, tools?}]`, with calls and results as turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from .. import providers
from ..base.shared_options import system_and_tools
from ..filters.curate import passes
from ..filters.curate.passes import Settings
from ..programs.fields import omit_empty
from ..programs.writing import lines, summary_of, thoughts, unsent, with_unique_call_ids
from ..providers.parts import answer, arguments, json_text, objects
from ..providers.request import Options
from ..session import sources
from ..session.model import Json, Message
from ..session.view import View
from . import Exported

THOUGHT, USAGE, FAILURE = "thought", "usage record", "failure mark"  # kinds of omitted content


class Conversation(NamedTuple):
    """The messages to export, with unique call ids and results after their calls.

    `opening` is the text of the summaries, or ""; `tools` are in the format of Chat Completions; `model` is
    the newest message's that has one.
    """

    messages: list[Message]
    opening: str
    system: str | None
    tools: list[Json]
    model: str | None
    left_out: Counter[str]


def prepare(view: View, unanswered: str = "error") -> Conversation:
    """Prepare a view for other tools; open calls at its end stay open, or get an answer with `stub`."""
    whole, _, _ = passes.curate(sources.rendered(view), Settings(unanswered=unanswered), ("kinds", "pairs"))
    system, tools = system_and_tools(view.meta)
    messages = with_unique_call_ids(sources.listed(whole.sent))
    model = next((message.model for message in reversed(messages) if message.model), None)
    return Conversation(
        messages, summary_of(view, ""), system, _as_chat_tools(tools), model, unsent(view.messages)
    )


def _as_chat_tools(tools: Sequence[Json]) -> list[Json]:
    """Convert tools from any provider's format to that of Chat Completions."""
    if not tools:
        return []
    body = providers.Format("openai-chat").request([], Options(tools=tools), ()).body
    declared: list[Json] = body.get("tools", [])
    return declared


class Content:
    """A message's parts by kind; unsupported ones are counted in `left_out`.

    Calls are (id, name, arguments), results (id, name, text, failed).
    """

    def __init__(self, message: Message, left_out: Counter[str]) -> None:
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.calls: list[tuple[str, str, Json]] = []
        self.results: list[tuple[Any, Any, str, bool]] = []
        self.media: list[Any] = []
        for part in message.parts:
            if "text" in part:
                (self.thoughts if part.get("thought") else self.texts).append(part["text"])
            elif "functionCall" in part:
                call: Any = part["functionCall"]
                self.calls.append((call["id"], call["name"], arguments(part)))
            elif "functionResponse" in part:
                result: Any = part["functionResponse"]
                self.results.append((result.get("id"), result.get("name"), *answer(result.get("response"))))
                left_out["result file"] += len(objects(result.get("parts")))
            elif "inlineData" in part or "fileData" in part:
                self.media.append(part)
            else:
                left_out["provider's own part"] += 1


def counts(message: Message) -> Json:
    """Return the numbers of the usage stored with a response, and its `raw`."""
    usage = message.fields.get("usage")
    numbers = usage.items() if isinstance(usage, dict) else ()
    return {name: value for name, value in numbers if name == "raw" or type(value) is int}


def renamed(usage: Json, names: dict[str, str]) -> Json:
    """Rename counts by `names`, without those that it lacks."""
    return {new: usage[name] for name, new in names.items() if name in usage}


def mime_of(part: Any) -> str:
    media = part.get("inlineData") or part.get("fileData") or {}
    return str(media.get("mimeType") or "application/octet-stream")


def modality_of(mime: str) -> str:
    kind = mime.partition("/")[0]
    return kind if kind in ("image", "video", "audio") else "document"


def _omitted(message: Message, content: Content) -> Counter[str]:
    """Count what only texts, calls and results do not hold."""
    failures = sum(failed for *_, failed in content.results)
    return Counter({USAGE: bool(counts(message)), FAILURE: failures})


def openai_jsonl(view: View) -> Exported:
    """Export the messages in the format of Chat Completions, with a result for each call."""
    messages, opening, system, tools, _, left_out = prepare(view, "stub")
    request = providers.Format("openai-chat").request(messages, Options(system=system, tools=tools), ())
    body, first = request.body, 1 if system else 0
    summary = [{"role": "user", "content": opening}] if opening else []
    written = body["messages"]
    value: Json = {"messages": [*written[:first], *summary, *written[first:]]}
    if "tools" in body:
        value["tools"] = body["tools"]
    left_out["unsupported part"] += sum(note.startswith("message ") for note in request.notes)
    left_out[THOUGHT] += thoughts(messages)
    for message in messages:
        left_out.update(_omitted(message, Content(message, Counter())))
    return Exported(lines([value]), left_out)


def sharegpt(view: View) -> Exported:
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
    left_out.update(_omitted(message, content))
    turns: list[Json] = [
        {"from": "observation", "name": name, "tool_call_id": id, "value": text}
        for id, name, text, _ in content.results
    ]
    who = "gpt" if message.role == "model" else "human"
    turns += [{"from": who, "value": text} for text in content.texts if text]
    calls = [{"name": name, "arguments": args, "id": id} for id, name, args in content.calls]
    if calls:
        turns.append({"from": "function_call", "value": json_text(calls if len(calls) > 1 else calls[0])})
    return turns
