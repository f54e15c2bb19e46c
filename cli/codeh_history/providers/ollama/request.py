"""Build a request body for Ollama's chat (`POST /api/chat`).

A message has one text as content, and a list of images. Messages are not joined, so none depends on later
ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...session.model import Any, Json, Message, Part
from ..array import Array
from ..media import media
from ..openai import SYSTEM_ROLES
from ..parts import arguments, item_of, object_of, result_media, result_text
from ..request import Options, Request, Tool
from ..turns import EMPTY_MESSAGE, Turn
from . import FIELD, NAME

IMAGES = frozenset(("image/png", "image/jpeg", "image/webp"))


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
    """Build the body for curated, paired messages."""
    chat = _Chat(NAME, options)
    if options.system:
        chat.add({"role": "system", "content": options.system}, [""])
    chat.fill(messages, summaries)
    body = chat.body(FIELD, _declare)
    settings = chat.settings(FIELD)
    if options.max_tokens is not None:
        settings["options"] = {**object_of(settings.get("options")), "num_predict": options.max_tokens}
    stream = options.stream or settings.pop("stream", None) is True  # the API's default is true
    return chat.request({**body, **settings, "stream": stream})


def _declare(tool: Tool) -> Json:
    """Declare a function as in Chat Completions; any name is accepted."""
    function = tool.head(tool.name or "tool")
    function["parameters"] = {"type": "object", "properties": {}, **tool.parameters}
    return {"type": "function", "function": function}


class _Chat(Array):
    def add_user_turn(self, turn: Turn) -> None:
        message = self._message([(part, turn.id) for part in turn.parts])
        if turn.item.get("role") in SYSTEM_ROLES and "images" not in message:
            message["role"] = "system"
        if not self.faithful and "images" not in message:
            message["content"] = message["content"] or EMPTY_MESSAGE
        self.add(message, turn.id)

    def _message(self, parts: list[tuple[Part, str]]) -> Json:
        """A user message of texts, joined by blank lines, and images."""
        texts: list[str] = []
        images: list[str] = []
        for part, source in parts:
            file = media(part)
            if part.get("thought"):
                continue
            if "text" in part:
                texts.append(part["text"])
            elif file is None:
                self.left_out(part, source)
            elif file.data is not None and file.mime in IMAGES:
                images.append(file.data)
            else:
                texts.append(self._file(part, source))
        message: Json = {"role": "user", "content": "\n\n".join(filter(None, texts))}
        return {**message, "images": images} if images else message

    def _file(self, part: Part, source: str) -> str:
        """A text file's content below a label; for other media a text that describes it."""
        file = media(part)
        text = file.labelled_text() if file is not None else None
        why = "only png, jpeg and webp images with their data can be sent"
        return text if text is not None else self.stub(part, why, source)

    def add_results(self, turn: Turn) -> None:
        """Add a tool message for each result, and one user message with their media."""
        pieces: list[tuple[Part, str]] = []
        for part, answer in zip(turn.parts, turn.answers, strict=True):
            id, source = answer.call_id, answer.message.id
            response: Any = part["functionResponse"]
            text = result_text(response.get("response"))
            message = {"role": "tool", "content": text, "tool_name": str(response.get("name"))}
            self.add({**message, "tool_call_id": id} if id else message, source)
            files = result_media(response)
            if files:
                label: Part = {"text": f"From the result of {response.get('name')}:"}
                pieces += [(part, source) for part in (label, *files)]
        if pieces:
            self.add(self._message(pieces), [pieces[0][1]])

    def add_model_turn(self, turn: Turn) -> None:
        """Add one message with the calls and the texts; a blank line separates texts not in a row."""
        own = turn.made_by(NAME, self.model)
        content, thought, last = "", "", -1
        tool_calls: list[Json] = []
        calls = iter(turn.calls)
        for place, part in enumerate(turn.parts):
            text = part.get("text")
            if "functionCall" in part:
                call = next(calls)
                function = {"name": str(part["functionCall"].get("name")), "arguments": arguments(part)}
                entry: Json = {"function": {**function, **(item_of(part) if own else {})}}
                tool_calls.append({"id": call.id, **entry} if call.has_id else entry)
            elif part.get("thought"):
                thought += str(text or "") if own else ""
            elif text is not None or media(part) is not None:
                text = text if text is not None else self._file(part, turn.id)
                content += ("\n\n" if content and text and last != place - 1 else "") + text
                last = place
            else:
                self.left_out(part, turn.id)
        message: Json = {"role": "assistant", "content": content}
        if thought:
            message["thinking"] = thought
        if tool_calls:
            message["tool_calls"] = tool_calls
        if own:
            message.update((key, value) for key, value in turn.item.items() if key not in message)
        if content or tool_calls or self.faithful or (own and turn.parts and not thought):
            self.add(message, turn.id)
