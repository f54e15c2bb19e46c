"""Gemini's request body (`POST …/models/MODEL:generateContent`): the session's parts nearly as they are.

The model stands in the URL. Neighbouring contents of one role are joined by the API, so none is joined
here: every message keeps a content of its own, whatever follows it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...session.model import Any, Json, Message
from ..array import Array
from ..base import Options, Request, Tool
from ..media import Media, media
from ..parts import listed, object_of, objects
from ..tools import declared
from ..turns import CONTINUATION, EMPTY_MESSAGE, Turn, described
from . import FIELD, NAME, fields


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
    """The body for these messages, curated and paired; nothing in its array depends on what follows it."""
    work = _Contents(NAME, options)
    work.fill(messages, summaries)
    return work.request({FIELD: work.array, **_around(work)})


class _Contents(Array):
    def __init__(self, name: str, options: Options) -> None:
        super().__init__(name, options)
        self.calls: list[tuple[str | None, str]] = []  # id and name of the last model turns' calls
        self.answered = True  # whether a turn that is no model's came after them

    def add_user_turn(self, turn: Turn) -> None:
        self.answered = True
        parts: list[Any] = turn.parts if turn.opening else self._converted(turn, own=True)
        if not parts and not self.faithful:
            parts = [{"text": EMPTY_MESSAGE}]
        self._emit("user", parts, [turn.id] * (len(parts) or 1))

    def add_model_turn(self, turn: Turn) -> None:
        if self.answered:
            self.calls, self.answered = [], False
        parts: list[Any] = turn.parts
        if turn.calls or not turn.opening:
            own = turn.made_by(NAME, self.model)
            parts = self._converted(turn, own=own)
            if not self.faithful:
                parts = self._signed(parts, turn, own=own)
        if parts or self.faithful:
            self._emit("model", parts, [turn.id] * (len(parts) or 1))

    def _emit(self, role: str, parts: list[Any], sources: list[str]) -> None:
        if role == "model" and not self.array and not self.faithful:
            self._emit("user", [{"text": CONTINUATION}], [""])
        self.add({"role": role, "parts": parts}, sources)

    # -- parts --------------------------------------------------------------------------------------

    def _converted(self, turn: Turn, *, own: bool) -> list[Any]:
        """A turn's parts as Gemini takes them."""
        parts: list[Any] = []
        calls = iter(turn.calls)
        for part in turn.parts:
            if "functionCall" not in part or not turn.calls:
                parts += self._part(part, turn, own=own)
                continue
            if len(part) > 1:
                beside = {key: value for key, value in part.items() if key != "functionCall"}
                parts += [] if beside.keys().isdisjoint(fields.DATA) else self._part(beside, turn, own=own)
            call = next(calls)
            parts.append(self._call(part, call.id if call.given else None, own=own))
        return parts

    def _call(self, part: Any, id: str | None, *, own: bool) -> Any:
        """A functionCall: a name within the alphabet, arguments an object, an id only if there was one."""
        call = part["functionCall"]
        name, args = fields.NAMES.fit(call.get("name") or "tool"), call.get("args")
        self.calls.append((id, name))
        if len(part) == 1 and _is_as_sent(call, id, name, "args"):
            return part
        new = {key: value for key, value in call.items() if key in fields.CALL - {"id", "args"}}
        new["name"] = name
        if id is not None:
            new["id"] = id
        if args is not None:
            new["args"] = args if isinstance(args, dict) else {"arguments": args}
        return _with(part, "functionCall", new, own=own)

    def _part(self, part: Any, turn: Turn, *, own: bool) -> list[Any]:
        """Any other part: itself, one for each kind of data it holds, a text about it, or nothing."""
        if len(part) == 1 and "text" in part:
            return [part]
        if "native" in part:
            return self._native(object_of(part["native"]), turn)
        if part.get("thought") and not own:
            return []
        data = [key for key in part if key in fields.DATA]
        if not data:
            if own and turn.role != "user" and fields.is_signature(part.get("thoughtSignature")):
                return [_with(part, "text", "", own=own)]  # a stream's last, empty part
            if part and not self.faithful:
                self.note(turn, f"a part unknown to Gemini ({', '.join(sorted(part))}) is left out")
            return []
        if not own and data == ["text"] and part["text"] == "" and "thoughtSignature" in part:
            return []  # it was there for its signature alone
        return [new for key in data for new in self._data(part, key, turn, own=own and key == data[0])]

    def _data(self, part: Any, key: str, turn: Turn, *, own: bool) -> list[Any]:
        value = part[key]
        if not isinstance(value, str if key == "text" else dict):
            return []
        if not self.faithful and key in ("functionCall", "functionResponse"):
            self.note(turn, f"a {key} in a {turn.role}'s message is left out")
            return []
        if not self.faithful and key in ("inlineData", "fileData"):
            key, value = self._media(key, value, turn)
            if key == "text":
                return [{"text": value}]
        return [_with(part, key, value, own=own)]

    def _native(self, native: Json, turn: Turn) -> list[Any]:
        value, maker = native.get("value"), native.get("provider")
        held = object_of(value)
        own = turn.role == "user" or turn.made_by(NAME, self.model)
        if maker == NAME and own and sum(fields.camel(key) in fields.DATA for key in held) == 1:
            return [value]
        if not self.faithful:
            kind = held.get("type") or "native"
            self.note(turn, f"a part that only {maker} knows ({kind}) is left out")
        return []

    def _media(self, key: str, held: Any, turn: Turn) -> tuple[str, Any]:
        """What is sent for media, as key and value of a part: of its own kind, inline, or a text."""
        part: Any = {key: held}
        clean = media(part) or Media("", None, None, None)
        uri = held.get("fileUri") if key == "fileData" else None
        mime = held.get("mimeType")
        if isinstance(uri, str) and "://" in uri and (not clean.mime or fields.takes(clean.mime)):
            return key, {"fileUri": uri, **(_typed(mime, clean.mime) if mime is not None else {})}
        if clean.data is not None and fields.takes(clean.mime):
            return "inlineData", {**_typed(mime, clean.mime), "data": held.get("data", clean.data)}
        if clean.data is not None and clean.textual and (text := clean.text()):
            return "text", text
        why = "Gemini does not take this type" if clean.data or uri else "its data is missing or damaged"
        self.note(turn, f"{clean.mime or 'media'} is sent as a text about it: {why}")
        return "text", described(part, why)

    def _signed(self, parts: list[Any], turn: Turn, *, own: bool) -> list[Any]:
        """The parts with their first call signed, where Gemini 3 would miss a signature.

        Gemini 3 refuses the current loop's steps whose first call is unsigned. Every turn is treated
        alike, for what is the current loop changes with each message. Another provider's call is always
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
        self.answered = True
        parts: list[Any] = []
        after: list[Any] = []
        sources: list[str] = []
        for part, answer in zip(turn.parts, turn.answers, strict=True):
            new, moved = self._response(part, answer.number, turn)
            parts.append(new)
            after += moved
            sources += [answer.message.id] * len(moved)
        self._emit("user", parts, turn.sources if self.trace else [])
        if after:
            self._emit("user", after, sources)

    def _response(self, part: Any, number: int, turn: Turn) -> tuple[Json, list[Any]]:
        """A functionResponse with its call's id and name, and the media that must follow it."""
        response = part["functionResponse"]
        id, name = response.get("id"), fields.NAMES.fit(response.get("name") or "tool")
        if self.faithful:
            return _with(part, "functionResponse", {**response, "name": name}, own=True), []
        if number >= 0:
            id, name = self.calls[number]
        if len(part) == 1 and _is_as_sent(response, id, name, "response"):
            return part, []
        new = {key: value for key, value in response.items() if key in fields.RESPONSE - {"id", "parts"}}
        new["name"] = name
        if id:
            new["id"] = str(id)
        output = response.get("response")
        if not isinstance(output, dict):
            new["response"] = {} if output is None else {"output": output}
        parts, moved = self._held(response.get("parts"), turn)
        if parts:
            new["parts"] = parts
        if moved:
            moved.insert(0, {"text": f"What {name} returned besides:"})
        return _with(part, "functionResponse", new, own=True), moved

    def _held(self, parts: Any, turn: Turn) -> tuple[list[Any], list[Any]]:
        """The media in a response: what stays there, and what moves out, for Gemini 2 takes none there."""
        kept: list[Any] = []
        moved: list[Any] = []
        stay = (fields.generation(self.model) or 3) >= 3
        for part in objects(parts):
            for key in ("inlineData", "fileData"):
                if isinstance(part.get(key), dict):
                    new, value = self._media(key, part[key], turn)
                    if new == "text":
                        moved.append({"text": value})
                    else:
                        held = _with({**part, new: value}, new, value, own=True)
                        (kept if stay else moved).append(held)
        return kept, moved


def _is_as_sent(held: Any, id: str | None, name: str, content: str) -> bool:
    """Whether a call or a response is what would be made of it: these three fields, as they must be."""
    same = held.get("id") == id and held.get("name") == name and type(held.get(content)) is dict
    return same and len(held) == (2 if id is None else 3)


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


def _around(work: _Contents) -> Json:
    """What stands around the contents: system instruction, tools, settings."""
    options = work.options
    kept = options.settings.get("systemInstruction")
    config = options.settings.get("generationConfig")
    body: Json = {}
    if kept is not None and system_text(kept) == (options.system or ""):
        body["systemInstruction"] = kept
    elif options.system and options.system.strip():
        body["systemInstruction"] = {"parts": [{"text": options.system}]}
    tools = _tools(options.tools, work.notes)
    if tools:
        body["tools"] = tools
    if options.max_tokens is not None:
        config = {**object_of(config), "maxOutputTokens": options.max_tokens}
    if config is not None:
        body["generationConfig"] = config
    written = (FIELD, "tools", "systemInstruction", "generationConfig")
    return {**body, **{key: value for key, value in options.settings.items() if key not in written}}


def system_text(system: Any) -> str:
    """The texts of a system instruction, a blank line between."""
    texts = [object_of(part).get("text") for part in listed(object_of(system).get("parts"))]
    return "\n\n".join(text for text in texts if isinstance(text, str))


def _tools(tools: Sequence[Json], notes: list[str]) -> list[Json]:
    """Gemini's own tools as they are, the functions of others together in one declaration."""
    functions: list[Json] = []

    def declare(tool: Tool) -> Json:
        functions.append(_function(tool))
        return functions[-1]

    result = [
        tool for tool in declared(tools, NAME, declare, notes) if not any(tool is f for f in functions)
    ]
    return [*result, {"functionDeclarations": functions}] if functions else result


def _function(tool: Tool) -> Json:
    """A function's declaration.

    `parametersJsonSchema` takes any JSON Schema; `parameters` only an OpenAPI subset, which refuses
    `$ref`, `const` and `additionalProperties`, as other providers' tools have them.
    """
    function = tool.head(fields.NAMES.fit(tool.name or "tool"))
    if tool.parameters:
        function["parametersJsonSchema"] = tool.parameters
    return function
