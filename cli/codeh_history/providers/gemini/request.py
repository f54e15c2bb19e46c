"""Build Gemini's request body (`POST …/models/MODEL:generateContent`); parts stay nearly unchanged.

The model is in the URL. The API joins consecutive contents of one role, so none is joined here: each
message has its own content, independent of later ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...session.model import Any, Json, Message
from ...session.pairing import Answer, Call
from ..array import Array
from ..media import Media, media
from ..parts import native_of, object_of, objects, paragraphs
from ..request import Options, Request, Tool
from ..tools import declared
from ..turns import CONTINUATION, EMPTY_MESSAGE, Turn
from . import FIELD, NAME, fields


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
    """Build the body for curated, paired messages; no element of its array depends on later ones."""
    work = _Contents(NAME, options)
    work.fill(messages, summaries)
    body: Json = {FIELD: work.array}
    system, config = options.settings.get("systemInstruction"), options.settings.get("generationConfig")
    if system is not None and paragraphs(object_of(system).get("parts")) == (options.system or ""):
        body["systemInstruction"] = system
    elif options.system and options.system.strip():
        body["systemInstruction"] = {"parts": [{"text": options.system}]}
    tools = declared(options.tools, NAME, _declare, work.notes)
    functions = [tool for tool in tools if "name" in tool]  # other providers', in one declaration
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

    `parametersJsonSchema` accepts any JSON Schema. `parameters` accepts only an OpenAPI subset without
    `$ref`, `const` and `additionalProperties`, which other providers' tools have.
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
        """Convert a turn's parts to Gemini's, without those that are not sent."""
        calls = iter(turn.calls)
        parts = [
            self._call(part, next(calls), own=own)
            if turn.calls and "functionCall" in part
            else self._part(part, turn, own=own)
            for part in turn.parts
        ]
        return [part for part in parts if part is not None]

    def _call(self, part: Any, source: Call, *, own: bool) -> Any:
        """Convert a call: fit its name, make its arguments an object, keep its id if it has one."""
        call, id = part["functionCall"], source.id if source.has_id else None
        name, args = fields.NAMES.fit(call.get("name") or "tool"), call.get("args")
        self.calls[source.number :] = [(id, name)]
        if len(part) == 1 and _is_as_sent(call, id, name, "args"):
            return part
        new = {key: value for key, value in call.items() if key in fields.CALL - {"id", "args"}}
        new["name"] = name
        if id is not None:
            new["id"] = id
        if args is not None:
            new["args"] = args if isinstance(args, dict) else {"arguments": args}
        return _set(part, "functionCall", new, own=own)

    def _part(self, part: Any, turn: Turn, *, own: bool) -> Any:
        """Convert any other part, maybe to a text that describes it; None if it is not sent."""
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
            return _set(part, "text", "", own=own)  # the empty last part of a stream
        if key is None or (key in ("functionCall", "functionResponse") and not self.faithful):
            self.left_out(part, turn.id)
            return None
        for_signature = value == "" and not own and "thoughtSignature" in part  # no other content
        if for_signature or not isinstance(value, str if key == "text" else dict):
            return None
        if not self.faithful and key in ("inlineData", "fileData"):
            key, value = self._media(key, value, turn.id)
            if key == "text":
                return {"text": value}
        return _set(part, key, value, own=own)

    def _media(self, key: str, value: Any, source: str) -> tuple[str, Any]:
        """Convert media; return the key and value of a part: a reference, inline data, or a text."""
        part: Any = {key: value}
        clean = media(part) or Media()
        uri = value.get("fileUri") if key == "fileData" else None
        mime = value.get("mimeType")
        if str(uri).startswith(("https://", "http://", "gs://")) and (
            not clean.mime or fields.takes(clean.mime)
        ):
            return key, {"fileUri": uri, **(_mime_field(mime, clean.mime) if mime is not None else {})}
        if clean.data is not None and fields.takes(clean.mime):
            return "inlineData", {**_mime_field(mime, clean.mime), "data": value.get("data", clean.data)}
        if clean.data is not None and clean.textual and (text := clean.text()):
            return "text", text
        why = "Gemini does not take this type" if clean.data or uri else "its data is missing or damaged"
        return "text", self.stub(part, why, source)

    def _signed(self, parts: list[Any], turn: Turn, *, own: bool) -> list[Any]:
        """Add a placeholder signature to an unsigned first call if Gemini 3 would require one.

        Gemini 3 refuses a turn of the current loop whose first call is unsigned. All turns are equal
        here, because the current loop changes with each message. Another provider's call always gets the
        placeholder: older models accept it, so the target's model need not be known. Gemini's own call gets
        it only if its model or the target is of generation 3, because Gemini 2 does not sign.
        """
        number = next((n for n, part in enumerate(parts) if "functionCall" in part), None)
        if number is None or "thoughtSignature" in parts[number]:
            return parts
        model = turn.message.model if turn.message else None
        if own and max(fields.generation(model) or 0, fields.generation(self.model) or 0) < 3:
            return parts
        signed = {**parts[number], "thoughtSignature": fields.SKIP_SIGNATURE}
        return [*parts[:number], signed, *parts[number + 1 :]]

    # -- results ------------------------------------------------------------------------------------

    def add_results(self, turn: Turn) -> None:
        """Add the responses as a content, and the media that they cannot contain as the next one."""
        after: list[tuple[str, Json]] = []
        parts = [
            self._response(part, answer, after)
            for part, answer in zip(turn.parts, turn.answers, strict=True)
        ]
        self._emit("user", parts, turn.sources)
        if after:
            self._emit("user", [part for _, part in after], [source for source, _ in after])

    def _response(self, part: Any, answer: Answer, after: list[tuple[str, Json]]) -> Any:
        """Convert a result, with its call's id and name; add media that must follow it to `after`."""
        response = part["functionResponse"]
        id, name = response.get("id"), fields.NAMES.fit(response.get("name") or "tool")
        if self.faithful:
            return _set(part, "functionResponse", {**response, "name": name}, own=True)
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
        nested: list[Json] = []
        moved: list[Json] = []  # Gemini 2 accepts no media in a response
        stay = (fields.generation(self.model) or 3) >= 3
        for item in objects(response.get("parts")):
            for key in [key for key in ("inlineData", "fileData") if isinstance(item.get(key), dict)]:
                kind, value = self._media(key, item[key], answer.message.id)
                if kind == "text":
                    moved.append({"text": value})
                else:
                    (nested if stay else moved).append(_set({**item, kind: value}, kind, value, own=True))
        if nested:
            new["parts"] = nested
        if moved:
            moved.insert(0, {"text": f"What {name} returned besides:"})
        after += [(answer.message.id, item) for item in moved]
        return _set(part, "functionResponse", new, own=True)


def _is_as_sent(value: Any, id: str | None, name: str, content: str) -> bool:
    """Whether a call or a response needs no conversion: it has exactly these fields."""
    same = value.get("id") == id and value.get("name") == name and type(value.get(content)) is dict
    return same and len(value) == (2 if id is None else 3)


def _set(part: Any, key: str, value: Any, *, own: bool) -> Any:
    """The part with this value as its only data; the same dict if nothing changes."""
    signed = own and fields.is_signature(part.get("thoughtSignature"))
    allowed = fields.BESIDE if signed else fields.BESIDE - {"thoughtSignature"}
    if part.get(key) == value and all(name == key or name in allowed for name in part):
        return part
    return {key: value, **{name: item for name, item in part.items() if name in allowed}}


def _mime_field(mime: Any, clean: str) -> Json:
    """The field with the type to send: normalised, but a sound's unchanged (`audio/pcm;rate=24000`)."""
    if mime == clean or (isinstance(mime, str) and mime.startswith("audio/")):
        return {"mimeType": mime}
    return {"mimeType": clean} if clean else {}
