"""Messages → a request body for Ollama's own chat (`POST /api/chat`).

The content of a message is one text, and images stand beside it. No message is joined with another, so none
depends on what follows it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...session.model import Any, Json, Message, Part
from ..answers import arguments
from ..array import Array
from ..base import Options, Request, Tool
from ..media import media
from ..openai import result_media, result_text
from ..parts import item_of, object_of
from ..tools import declared
from ..turns import EMPTY_MESSAGE, Turn
from . import FIELD, NAME

IMAGES = frozenset(("image/png", "image/jpeg", "image/webp"))


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
    """The body for these messages, curated and paired; a pure function of its arguments."""
    chat = _Chat(NAME, options)
    if options.system:
        chat.add({"role": "system", "content": options.system}, [""])
    chat.fill(messages, summaries)
    if not chat.array and messages and not options.faithful:
        chat.add({"role": "user", "content": EMPTY_MESSAGE}, [""])
    return chat.request(_body(chat.array, options, chat.notes))


def _body(array: list[Json], options: Options, notes: list[str]) -> Json:
    body: Json = {"model": options.model} if options.model else {}
    body[FIELD] = array
    tools = declared(options.tools, NAME, _declare, notes)
    if tools:
        body["tools"] = tools
    settings = {
        key: value for key, value in options.settings.items() if key not in ("model", FIELD, "tools")
    }
    if options.max_tokens is not None:
        settings["options"] = {**object_of(settings.get("options")), "num_predict": options.max_tokens}
    stream = options.stream or settings.pop("stream", None) is True  # left out, it would be true
    return {**body, **settings, "stream": stream}


def _declare(tool: Tool) -> Json:
    """A function, as Chat Completions declares it too; any name will do."""
    function = tool.head(tool.name or "tool")
    function["parameters"] = {"type": "object", "properties": {}, **tool.parameters}
    return {"type": "function", "function": function}


class _Chat(Array):
    # -- the user's side ----------------------------------------------------------------------------

    def add_user_turn(self, turn: Turn) -> None:
        message = self.message("user", [(part, turn.id) for part in turn.parts])
        role = turn.item.get("role")
        if role in ("system", "developer") and "images" not in message:
            message["role"] = "system"
        if not self.faithful and message.keys() == {"role", "content"}:
            message["content"] = message["content"] or EMPTY_MESSAGE
        self.add(message, [turn.id])

    def message(self, role: str, parts: list[tuple[Part, str]]) -> Json:
        """A message of texts, a blank line between two, and of images."""
        texts: list[str] = []
        images: list[str] = []
        for part, source in parts:
            found = media(part)
            if part.get("thought"):
                continue
            if "text" in part:
                texts.append(part["text"])
            elif found is not None and found.data is not None and found.mime in IMAGES:
                images.append(found.data)
            elif found is not None:
                texts.append(self.told(part, source))
            else:
                self.left_out(part, source)
        message: Json = {"role": role, "content": "\n\n".join(filter(None, texts))}
        return {**message, "images": images} if images else message

    def told(self, part: Part, source: str) -> str:
        """A text file's text, headed by what it is; of other media a text about it."""
        found = media(part)
        text = found.text() if found is not None and found.data is not None and found.textual else None
        if found is not None and text is not None:
            return f"[File {found.name or 'without a name'}, {found.mime}]\n{text}"
        return self.stub(part, source, "only png, jpeg and webp images with their data can be sent")

    def add_results(self, turn: Turn) -> None:
        """A tool message for each result; the media that they hold follows in one user message."""
        held: list[tuple[Part, str]] = []
        for part, answer in zip(turn.parts, turn.answers, strict=True):
            id, source = answer.given_id, answer.message.id
            response: Any = part["functionResponse"]
            text = result_text(response.get("response"))
            message = {"role": "tool", "content": text, "tool_name": str(response.get("name"))}
            self.add({**message, "tool_call_id": id} if id else message, [source])
            found = result_media(response)
            if found:
                label: Part = {"text": f"From the result of {response.get('name')}:"}
                held += [(label, source), *((medium, source) for medium in found)]
        if held:
            self.add(self.message("user", held), [held[0][1]])

    # -- the model's side ---------------------------------------------------------------------------

    def add_model_turn(self, turn: Turn) -> None:
        """One message: what was said, a blank line where a call or a thought was in between; its calls."""
        own = turn.made_by(NAME, self.model)
        spoken, thought, last = "", "", -1
        calls: list[Json] = []
        given = iter(turn.calls)
        for place, part in enumerate(turn.parts):
            text = part.get("text")
            if "functionCall" in part:
                call = next(given)
                calls.append(_call(part, call.id if call.given else "", own=own))
            elif part.get("thought"):
                thought += str(text or "") if own else ""
            elif text is not None or media(part) is not None:
                text = text if text is not None else self.told(part, turn.id)
                spoken += ("\n\n" if spoken and text and last != place - 1 else "") + text
                last = place
            else:
                self.left_out(part, turn.id)
        message: Json = {"role": "assistant", "content": spoken}
        if thought:
            message["thinking"] = thought
        if calls:
            message["tool_calls"] = calls
        if own:
            message.update((k, v) for k, v in turn.item.items() if k not in message)
        if spoken or calls or self.faithful or (own and turn.parts and not thought):
            self.add(message, [turn.id])


def _call(part: Part, id: str, *, own: bool) -> Json:
    function = {"name": str(part["functionCall"].get("name")), "arguments": arguments(part)}
    call: Json = {"function": {**function, **(item_of(part) if own else {})}}
    return {"id": id, **call} if id else call
