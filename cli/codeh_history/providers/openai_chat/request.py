"""Build a Chat Completions request body (`POST …/v1/chat/completions`).

Messages are not joined, so none depends on later ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...base.lazy import Pattern
from ...session.model import Any, Json, Message, Part
from ..openai import CHAT, NAMES, SYSTEM_ROLES, OpenAIArray, custom_input, plain_text
from ..parts import arguments_of, item_of, native_of, object_of, result_media, result_text
from ..request import Options, Request, Tool
from ..turns import Turn
from . import FIELD, NAME

SYSTEM = "system_message"  # the setting with an imported system message that is more than its text
REASONING = ("reasoning_content", "reasoning", "reasoning_details")  # names at compatible hosts
_FIELDS = ("audio", "reasoning_details", "annotations")  # message fields kept as native parts
_O_SERIES = Pattern(r"(.*/)?o\d")


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
    """Build the body for curated, paired messages."""
    chat = _Chat(options, CHAT)
    if options.system:
        imported = object_of(options.settings.get(SYSTEM))
        whole = plain_text(imported.get("content")) == options.system
        chat.add(imported if whole else system_message(options.system, options.model), [""])
    chat.fill(messages, summaries)
    body = chat.body(FIELD, _declare)
    settings = chat.settings(FIELD, SYSTEM)
    if "tools" not in body:
        for name in ("tool_choice", "parallel_tool_calls"):  # refused without tools
            settings.pop(name, None)
    if options.max_tokens is not None:
        settings.pop("max_tokens", None)
        settings["max_completion_tokens"] = options.max_tokens
    if options.stream:
        settings["stream"] = True
        settings["stream_options"] = {**object_of(settings.get("stream_options")), "include_usage": True}
    if options.cache and options.session:
        settings["prompt_cache_key"] = options.session
    return chat.request({**body, **settings})


def system_message(text: str, model: str | None) -> Json:
    """The message with the system prompt; its role is `developer` for the o-series, else `system`."""
    role = "developer" if model and _O_SERIES.match(model.lower()) else "system"
    return {"role": role, "content": text}


def _declare(tool: Tool) -> Json:
    declaration = tool.head(NAMES.fit(tool.name))
    if tool.parameters:
        declaration["parameters"] = {"type": "object", **tool.parameters}
    if isinstance(tool.strict, bool):
        declaration["strict"] = tool.strict
    return {"type": "function", "function": declaration}


class _Chat(OpenAIArray):
    def add_user_turn(self, turn: Turn) -> None:
        if turn.opening:
            self.add({"role": "user", "content": turn.opening}, turn.id)
            return
        blocks = self.blocks(turn.parts, turn.id)
        role, name = turn.item.get("role"), turn.item.get("name")
        of_system = role in SYSTEM_ROLES and all(block["type"] == "text" for block in blocks)
        message = {"role": role if of_system else "user", "content": self.user_content(blocks)}
        self.add({**message, "name": name} if isinstance(name, str) else message, turn.id)

    def add_results(self, turn: Turn) -> None:
        """Add a tool message for each result, and one user message with their other content."""
        blocks: list[Json] = []
        sources: list[str] = []
        for part, id, answer in zip(turn.parts, self.ids.results(turn), turn.answers, strict=True):
            source = answer.message.id
            response: Any = part["functionResponse"]
            text = result_text(response.get("response"))
            received = item_of(part).get("content") if len(part) > 1 else None
            content = received if received and plain_text(received) == text else text
            self.add({"role": "tool", "tool_call_id": id, "content": content}, source)
            if files := self.blocks(result_media(response), source):
                label = f"From the result of {response.get('name')} ({id}):"
                blocks += [{"type": "text", "text": label}, *files]
                sources += [source] * (len(files) + 1)
        if blocks:
            self.add({"role": "user", "content": blocks}, sources)

    def add_model_turn(self, turn: Turn) -> None:
        own = turn.message is not None and turn.message.provider == NAME
        calls = [
            self._call(turn.parts[call.part], id, own=own)
            for call, id in zip(turn.calls, self.ids.calls(turn), strict=True)
        ]
        opening = turn.opening
        message: Json | None = {"role": "assistant", "content": opening or None}
        if opening is None:
            message = self._speech(turn, own=own)
        if message is not None:
            self.add({**message, "tool_calls": calls} if calls else message, turn.id)

    def _speech(self, turn: Turn, *, own: bool) -> Json | None:
        """The message of a model turn without its calls; None if nothing can be sent.

        Texts are joined, with a blank line between those that are not consecutive or belong to different
        message items. This format's own texts, and refusals, stay separate.
        """
        of_items = turn.message is not None and turn.message.provider == "openai-responses"
        blocks: list[Json] = []
        thoughts: Json = {}
        joint, last, last_id = "", -2, None  # joined texts; index and message item of the last one
        for place, part in enumerate(turn.parts):
            text = None if "functionCall" in part else self._text(part, turn, thoughts, own=own)
            if text is None:
                continue
            kind = "refusal" if own and dict(part).get("refusal") else "text"
            blocks.append({"type": kind, kind: text})
            id = item_of(part).get("id")
            apart = last != place - 1 or (of_items and (not id or id != last_id))
            joint += ("\n\n" if apart and joint and text else "") + text
            last, last_id = place, id
        several = any(block["type"] == "refusal" for block in blocks) or (own and len(blocks) > 1)
        content = blocks if several else joint
        if not (content or turn.calls or self.faithful or (own and blocks)):
            return None
        empty = "" if blocks and not turn.calls else None
        message: Json = {"role": "assistant", "content": content or empty}
        if own:
            message.update((key, value) for key, value in turn.item.items() if key not in message)
        return {**message, **thoughts}

    def _text(self, part: Part, turn: Turn, thoughts: Json, *, own: bool) -> str | None:
        """The text to send for a part; None for a thought, which is added to `thoughts` if it is sent back.

        A thought is sent only to its model family and in its original field: the API refuses unknown
        fields, and hosts that have one require it (DeepSeek: for every turn with calls). An answer's audio
        expires at the provider, so its transcript is sent.
        """
        native = object_of(native_of(part, NAME)) if own else {}
        transcript = object_of(native.get("audio")).get("transcript")
        same = own and turn.made_by(NAME, self.model)
        if part.get("thought"):
            item = item_of(part)
            name = item.get("field")
            if same and isinstance(name, str) and name in REASONING:
                text = thoughts.get(name, "") + str(part.get("text", ""))
                thoughts[name] = item.get("value", text)
            return None
        if "text" in part:
            return part["text"]
        if why := self.content.why_not(part, by_model=True):
            return self.stub(part, why, turn.id)
        if isinstance(transcript, str):
            return transcript
        if same and "reasoning_details" in native:
            thoughts["reasoning_details"] = native["reasoning_details"]
        if native.keys().isdisjoint(_FIELDS):
            self.left_out(part, turn.id)
        return None

    def _call(self, part: Part, id: str, *, own: bool) -> Json:
        name = self.function_name(part)
        input = custom_input(part, "custom") if own else None
        if input is not None:
            call: Json = {"id": id, "type": "custom", "custom": {"name": name, "input": input}}
        else:
            function = {"name": name, "arguments": arguments_of(part)}
            call = {"id": id, "type": "function", "function": function}
        if own and len(part) > 1:
            item = item_of(part)
            call.update((key, item[key]) for key in item if key not in (*call, "function", "custom"))
        return call
