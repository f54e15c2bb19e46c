"""The formats for other tools: `openai-jsonl`, `sharegpt`, `atif`, `otel`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from .. import providers
from ..base import VERSION
from ..base.shared_options import system_and_tools
from ..filters.curate import passes
from ..filters.curate.passes import Settings
from ..programs.fields import omit_empty
from ..programs.writing import lines, summary_of, thoughts, unsent, with_unique_call_ids
from ..providers.parts import answer, arguments, json_text, name_of, objects
from ..providers.request import Options
from ..session import sources
from ..session.model import Json, Message, Part, origin
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


# -- `openai-jsonl` and `sharegpt` -------------------------------------------------------------------------


def _omitted(message: Message, content: Content) -> Counter[str]:
    """Count what only texts, calls and results do not hold."""
    failures = sum(failed for *_, failed in content.results)
    return Counter({USAGE: bool(counts(message)), FAILURE: failures})


def openai_jsonl(view: View) -> Exported:
    """Export a line `{messages, tools?}` as in fine-tuning files, with a result for each call."""
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
    """Export `[{conversations: [{from, value}], system?, tools?}]`; calls and results are turns.

    Calls and tools are JSON strings.
    """
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


# -- `atif`: an agent's trajectory (Agent Trajectory Interchange Format), one JSON object ------------------
#
# https://github.com/harbor-framework/harbor/blob/main/rfcs/0001-trajectory-format.md

ATIF = "ATIF-v1.7"
OURS = "codeh-history"
_COUNTS = {"input": "prompt_tokens", "output": "completion_tokens", "cached": "cached_tokens"}
_FURTHER = {"reasoning": "reasoning_tokens", "cacheWrite": "cache_write_tokens"}
# Media types that may be referenced by path.
_MEDIA = re.compile(r"image/(?:jpeg|png|gif|webp)|audio/(?:wav|mpeg|mp4|aac|ogg|flac|webm|aiff)")


def atif(view: View) -> Exported:
    """Export a step per message; results belong to the step of their call."""
    conversation = prepare(view)
    steps = _Steps(conversation.left_out)
    if conversation.system:
        steps.add("system", conversation.system)
    if conversation.opening:
        steps.add("user", conversation.opening)
    for message in conversation.messages:
        steps.add_message(message)
    program = origin(view.header)
    agent = {
        "name": str(program.get("from") or OURS), "version": str(program.get("version") or VERSION),
        **omit_empty(model_name=conversation.model, tool_definitions=conversation.tools),
    }  # fmt: skip
    sums: Counter[str] = Counter()
    for step in steps.steps:
        sums.update({name: number for name, number in step.get("metrics", {}).items() if name != "extra"})
    totals = {f"total_{name}": sums[name] for name in _COUNTS.values() if name in sums}
    value = {
        "schema_version": ATIF, "session_id": view.id or OURS, "agent": agent, "steps": steps.steps,
        "final_metrics": {**totals, "total_steps": len(steps.steps)},
    }  # fmt: skip
    return Exported(orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n", conversation.left_out)


class _Steps:
    def __init__(self, left_out: Counter[str]) -> None:
        self.left_out = left_out
        self.steps: list[Json] = []
        self.by_call: dict[str, Json] = {}

    def add(self, source: str, message: object, ts: str | None = None, **fields: object) -> Json:
        step: Json = {"step_id": len(self.steps) + 1, "source": source, "message": message}
        step |= omit_empty(timestamp=ts, **fields)
        self.steps.append(step)
        return step

    def add_message(self, message: Message) -> None:
        content = Content(message, self.left_out)
        for id, _, result, failed in content.results:
            step = self.by_call.get(str(id))
            if step is None:  # its call is missing
                self.add("user", result)
                continue
            extra = {"failed": True} if failed else {}
            results = step.setdefault("observation", {"results": []})["results"]
            results.append({"source_call_id": str(id), "content": result, **omit_empty(extra=extra)})
        # a single text is a string; several texts, or media, are parts
        media = [shown for part in content.media if (shown := self.media(part)) is not None]
        parts = [*({"type": "text", "text": text} for text in content.texts), *media]
        text = parts if media or len(content.texts) > 1 else "".join(content.texts)
        if message.role == "model":
            usage = counts(message)
            calls: list[Json] = [
                {"tool_call_id": str(id), "function_name": name, "arguments": args}
                for id, name, args in content.calls
            ]
            step = self.add(
                "agent", text, message.ts, model_name=message.model,
                reasoning_content="\n\n".join(content.thoughts), tool_calls=calls,
                metrics=renamed(usage, _COUNTS) | omit_empty(extra=renamed(usage, _FURTHER)),
            )  # fmt: skip
            self.by_call |= {call["tool_call_id"]: step for call in calls}
        elif text:
            self.add("user", text, message.ts)

    def media(self, part: Any) -> Json | None:
        """Reference an image or sound by its (data) URI; if it is unsupported, count it and return None."""
        mime, blob, file = mime_of(part), part.get("inlineData"), part.get("fileData")
        kind = modality_of(mime)
        if not _MEDIA.fullmatch(mime) or (blob and not isinstance(blob.get("data"), str)):
            self.left_out[kind] += 1
            return None
        path = f"data:{mime};base64,{blob['data']}" if blob else str(file.get("fileUri"))
        return {"type": kind, "source": {"media_type": mime, "path": path}}


# -- `otel`: the last request and answer by OpenTelemetry's GenAI conventions, one JSON object -------------
#
# It has the attributes of a span (Development status):
# https://opentelemetry.io/docs/specs/semconv/gen-ai/

_PROVIDERS = {
    "anthropic": "anthropic", "gemini": "gcp.gemini", "openai-chat": "openai", "openai-responses": "openai",
}  # fmt: skip
_USAGE = {
    "input": "gen_ai.usage.input_tokens",
    "output": "gen_ai.usage.output_tokens",
    "cached": "gen_ai.usage.cache_read.input_tokens",
    "cacheWrite": "gen_ai.usage.cache_creation.input_tokens",
}
_FINISH = {
    "end_turn": "stop", "stop_sequence": "stop", "completed": "stop", "max_tokens": "length",
    "incomplete": "length", "tool_use": "tool_call", "tool_calls": "tool_call", "safety": "content_filter",
    "refusal": "content_filter",
}  # fmt: skip


def otel(view: View) -> Exported:
    """Export the last request as `gen_ai.input.messages`, its answer as `gen_ai.output.messages`."""
    conversation = prepare(view)
    sent, answer = conversation.messages, None
    if sent and sent[-1].role == "model":
        sent, answer = sent[:-1], sent[-1]
    provider = next(
        (message.provider for message in reversed(conversation.messages) if message.provider), None
    )
    opening = [_message("user", [{"text": conversation.opening}])] if conversation.opening else []
    value: Json = {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": view.id,
        "gen_ai.provider.name": _PROVIDERS.get(provider, provider) if provider else None,
        "gen_ai.request.model": conversation.model,
        "gen_ai.system_instructions": [{"type": "text", "content": conversation.system}]
        if conversation.system
        else None,
        "gen_ai.tool.definitions": conversation.tools or None,
        "gen_ai.input.messages": [*opening, *map(_input_message, sent)],
        "gen_ai.output.messages": [],
        **(_answer_attributes(answer) if answer else {}),
    }
    conversation.left_out[f"earlier {USAGE}"] += sum(bool(counts(message)) for message in sent)
    attributes = {key: attribute for key, attribute in value.items() if attribute is not None}
    return Exported(orjson.dumps(attributes, option=orjson.OPT_APPEND_NEWLINE), conversation.left_out)


def _answer_attributes(message: Message) -> Json:
    """Return the attributes of the answer: text, finish reason, usage."""
    finish = name_of(message.fields.get("finish"))
    reason = _FINISH.get(finish.lower(), finish.lower()) if finish else "stop"
    return {
        "gen_ai.response.id": name_of(message.fields.get("responseId") or message.fields.get("response")),
        "gen_ai.response.model": message.model,
        "gen_ai.response.finish_reasons": [reason],
        **renamed(counts(message), _USAGE),
        "gen_ai.output.messages": [{**_message("assistant", message.parts), "finish_reason": reason}],
    }


def _message(role: str, parts: Sequence[Part]) -> Json:
    return {"role": role, "parts": list(map(_part, parts))}


def _input_message(message: Message) -> Json:
    results = message.parts and all("functionResponse" in part for part in message.parts)
    role = "assistant" if message.role == "model" else "tool" if results else "user"
    return _message(role, message.parts)


def _part(part: Any) -> Json:
    if "text" in part:
        return {"type": "reasoning" if part.get("thought") else "text", "content": part["text"]}
    if "functionCall" in part:
        call = part["functionCall"]
        return {"type": "tool_call", "id": call["id"], "name": call["name"], "arguments": arguments(part)}
    if "functionResponse" in part:
        result = part["functionResponse"]
        files = list(map(_part, objects(result.get("parts"))))
        return {
            "type": "tool_call_response", "id": result.get("id"), "response": result.get("response"),
            **({"parts": files} if files else {}),
        }  # fmt: skip
    mime = mime_of(part)
    about = {"modality": modality_of(mime), "mime_type": mime}
    if "inlineData" in part:
        return {"type": "blob", **about, "content": part["inlineData"].get("data", "")}
    if "fileData" in part:
        return {"type": "uri", **about, "uri": str(part["fileData"].get("fileUri", ""))}
    return {"type": "native", **part}
