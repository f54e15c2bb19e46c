"""Gemini's request body (`POST …/models/MODEL:generateContent`): the session's parts nearly as they are.

The model is in the URL. Neighbouring contents of one role are joined by the API, so none is joined
here: every message keeps a content of its own, whatever follows it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...session.model import Any, Json, Message
from ...session.pairing import Answer, Call
from ..array import Array
from ..base import Options, Request, Tool
from ..media import Media, media
from ..parts import native_of, object_of, objects, paragraphs
from ..tools import declared
from ..turns import CONTINUATION, EMPTY_MESSAGE, Turn
from . import FIELD, NAME, fields


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
    """The body for these messages, curated and paired; nothing in its array depends on what follows it."""
    work = _Contents(NAME, options)
    work.fill(messages, summaries)
    body: Json = {FIELD: work.array}
    system, config = options.settings.get("systemInstruction"), options.settings.get("generationConfig")
    if system is not None and paragraphs(object_of(system).get("parts")) == (options.system or ""):
        body["systemInstruction"] = system
    elif options.system and options.system.strip():
        body["systemInstruction"] = {"parts": [{"text": options.system}]}
    tools = declared(options.tools, NAME, _declare, work.notes)
    functions = [tool for tool in tools if "name" in tool]  # of others, in one declaration
    tools = [tool for tool in tools if "name" not in tool]
    if tools or functions:
        body["tools"] = [*tools, *([{"functionDeclarations": functions}] if functions else [])]
    if options.max_tokens is not None:
        config = {**object_of(config), "maxOutputTokens": options.max_tokens}
    if config is not None:
        body["generationConfig"] = config
    return work.request({**body, **work.settings(FIELD, "systemInstruction", "generationConfig")})


def _declare(tool: Tool) -> Json:
    """A function's declaration.

    `parametersJsonSchema` takes any JSON Schema; `parameters` only an OpenAPI subset, which refuses
    `$ref`, `const` and `additionalProperties`, as other providers' tools have them.
    """
    function = tool.head(fields.NAMES.fit(tool.name or "tool"))
    return {**function, "parametersJsonSchema": tool.parameters} if tool.parameters else function


class _Contents(Array):
    def __init__(self, name: str, options: Options) -> None:
        super().__init__(name, options)
        self.calls: list[tuple[str | None, str]] = []  # id and name of the last model turns' calls

    def add_user_turn(self, turn: Turn) -> None:
        parts: list[Any] = turn.parts if turn.opening else self._converted(turn, own=True)
        if not parts and not self.faithful:
            parts = [{"text": EMPTY_MESSAGE}]
        self._emit("user", parts, turn.id)

    def add_model_turn(self, turn: Turn) -> None:
        parts: list[Any] = turn.parts
        if turn.calls or not turn.opening:
            own = turn.made_by(NAME, self.model)
            parts = self._converted(turn, own=own)
            if not self.faithful:
                parts = self._signed(parts, turn, own=own)
        if parts or self.faithful:
            self._emit("model", parts, turn.id)

    def _emit(self, role: str, parts: list[Any], sources: str | list[str]) -> None:
        if role == "model" and not self.array and not self.faithful:
            self._emit("user", [{"text": CONTINUATION}], "")
        self.add({"role": role, "parts": parts}, sources)

    # -- parts --------------------------------------------------------------------------------------

    def _converted(self, turn: Turn, *, own: bool) -> list[Any]:
        """A turn's parts as Gemini takes them."""
        calls = iter(turn.calls)
        parts = [
            self._call(part, next(calls), own=own)
            if turn.calls and "functionCall" in part
            else self._part(part, turn, own=own)
            for part in turn.parts
        ]
        return [part for part in parts if part is not None]

    def _call(self, part: Any, made: Call, *, own: bool) -> Any:
        """A functionCall: a name within the alphabet, arguments an object, an id only if there was one."""
        call, id = part["functionCall"], made.id if made.has_id else None
        name, args = fields.NAMES.fit(call.get("name") or "tool"), call.get("args")
        self.calls[made.number :] = [(id, name)]
        if len(part) == 1 and _is_as_sent(call, id, name, "args"):
            return part
        new = {key: value for key, value in call.items() if key in fields.CALL - {"id", "args"}}
        new["name"] = name
        if id is not None:
            new["id"] = id
        if args is not None:
            new["args"] = args if isinstance(args, dict) else {"arguments": args}
        return _with(part, "functionCall", new, own=own)

    def _part(self, part: Any, turn: Turn, *, own: bool) -> Any:
        """Any other part: itself, a text about it, or None."""
        if len(part) == 1 and "text" in part:
            return part
        if "native" in part:
            value = native_of(part, NAME)
            kinds = sum(fields.camel(key) in fields.DATA for key in object_of(value))
            if kinds == 1 and (turn.role == "user" or own):
                return value
        key = next((key for key in part if key in fields.DATA), None)
        value = part[key] if key is not None else None
        if part.get("thought") and not own:
            return None
        signed = own and turn.role != "user" and fields.is_signature(part.get("thoughtSignature"))
        if key is None and signed:
            return _with(part, "text", "", own=own)  # a stream's last, empty part
        if key is None or (key in ("functionCall", "functionResponse") and not self.faithful):
            self.left_out(part, turn.id)
            return None
        for_signature = value == "" and not own and "thoughtSignature" in part  # was all that it was for
        if for_signature or not isinstance(value, str if key == "text" else dict):
            return None
        if not self.faithful and key in ("inlineData", "fileData"):
            key, value = self._media(key, value, turn.id)
            if key == "text":
                return {"text": value}
        return _with(part, key, value, own=own)

    def _media(self, key: str, value: Any, source: str) -> tuple[str, Any]:
        """What is sent for media, as key and value of a part: of its own kind, inline, or a text."""
        part: Any = {key: value}
        clean = media(part) or Media()
        uri = value.get("fileUri") if key == "fileData" else None
        mime = value.get("mimeType")
        if str(uri).startswith(("https://", "http://", "gs://")) and (
            not clean.mime or fields.takes(clean.mime)
        ):
            return key, {"fileUri": uri, **(_typed(mime, clean.mime) if mime is not None else {})}
        if clean.data is not None and fields.takes(clean.mime):
            return "inlineData", {**_typed(mime, clean.mime), "data": value.get("data", clean.data)}
        if clean.data is not None and clean.textual and (text := clean.text()):
            return "text", text
        why = "Gemini does not take this type" if clean.data or uri else "its data is missing or damaged"
        return "text", self.stub(part, why, source)

    def _signed(self, parts: list[Any], turn: Turn, *, own: bool) -> list[Any]:
        """The parts with their first call signed, where Gemini 3 would miss a signature.

        Gemini 3 refuses the current loop's steps whose first call is unsigned. Every turn is treated
        the same, for the current loop changes with each message. Another provider's call is always
        marked: it has no signature to lose, and older models accept the mark, so that the target's model
        need not be known. A turn of Gemini's own is marked only where that model or the target is known
        to be of generation 3: Gemini 2 does not sign, and a history that names no model is sent as it is.
        """
        number = next((n for n, part in enumerate(parts) if "functionCall" in part), None)
        if number is None or "thoughtSignature" in parts[number]:
            return parts
        made = turn.message.model if turn.message else None
        if own and max(fields.generation(made) or 0, fields.generation(self.model) or 0) < 3:
            return parts
        signed = {**parts[number], "thoughtSignature": fields.SKIP_SIGNATURE}
        return [*parts[:number], signed, *parts[number + 1 :]]

    # -- results ------------------------------------------------------------------------------------

    def add_results(self, turn: Turn) -> None:
        """The responses in a content of their own; what cannot stand in one goes into the next."""
        after: list[tuple[str, Json]] = []
        parts = [
            self._response(part, answer, after)
            for part, answer in zip(turn.parts, turn.answers, strict=True)
        ]
        self._emit("user", parts, turn.sources)
        if after:
            self._emit("user", [part for _, part in after], [source for source, _ in after])

    def _response(self, part: Any, answer: Answer, after: list[tuple[str, Json]]) -> Any:
        """A functionResponse with its call's id and name; media that must follow it go to `after`."""
        response = part["functionResponse"]
        id, name = response.get("id"), fields.NAMES.fit(response.get("name") or "tool")
        if self.faithful:
            return _with(part, "functionResponse", {**response, "name": name}, own=True)
        if answer.number >= 0:
            id, name = self.calls[answer.number]
        if len(part) == 1 and _is_as_sent(response, id, name, "response"):
            return part
        new = {key: value for key, value in response.items() if key in fields.RESPONSE - {"id", "parts"}}
        new["name"] = name
        if id:
            new["id"] = str(id)
        output = response.get("response")
        if not isinstance(output, dict):
            new["response"] = {} if output is None else {"output": output}
        kept: list[Json] = []
        moved: list[Json] = []  # Gemini 2 takes no media in a response
        stay = (fields.generation(self.model) or 3) >= 3
        for item in objects(response.get("parts")):
            for key in [key for key in ("inlineData", "fileData") if isinstance(item.get(key), dict)]:
                kind, value = self._media(key, item[key], answer.message.id)
                if kind == "text":
                    moved.append({"text": value})
                else:
                    (kept if stay else moved).append(_with({**item, kind: value}, kind, value, own=True))
        if kept:
            new["parts"] = kept
        if moved:
            moved.insert(0, {"text": f"What {name} returned besides:"})
        after += [(answer.message.id, item) for item in moved]
        return _with(part, "functionResponse", new, own=True)


def _is_as_sent(value: Any, id: str | None, name: str, content: str) -> bool:
    """Whether a call or a response is what would be made of it: these three fields, as they must be."""
    same = value.get("id") == id and value.get("name") == name and type(value.get(content)) is dict
    return same and len(value) == (2 if id is None else 3)


def _with(part: Any, key: str, value: Any, *, own: bool) -> Any:
    """The part with this value as its only data: the same dict where nothing changes."""
    signed = own and fields.is_signature(part.get("thoughtSignature"))
    kept = fields.BESIDE if signed else fields.BESIDE - {"thoughtSignature"}
    if part.get(key) == value and all(name == key or name in kept for name in part):
        return part
    return {key: value, **{name: item for name, item in part.items() if name in kept}}


def _typed(mime: Any, clean: str) -> Json:
    """The type to send: as it is if it is good, a sound by any of its names (`audio/pcm;rate=24000`)."""
    if mime == clean or (isinstance(mime, str) and mime.startswith("audio/")):
        return {"mimeType": mime}
    return {"mimeType": clean} if clean else {}
