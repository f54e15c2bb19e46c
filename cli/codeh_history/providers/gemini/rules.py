"""Check offline what Gemini would refuse in a request body.

Consecutive contents of one role are joined before the check, as in the API. Signatures and a model turn at
the end are checked only if the body has a `model` (usually in the URL), because only Gemini 3 and later
refuse these.
"""

from __future__ import annotations

import re

from ...base.words import plural
from ...session.model import Any, Json
from ..parts import list_of, name_of, object_of, text_of
from ..validator import Merged, Validator, each, element, merge, with_neighbours
from . import FIELD, fields

_VERSION = re.compile(r"gemini-(\d+)(?:\.(\d+))?")
_NO_PREFILL = (3, 6)  # the first version without prefill; gemini-3.5-flash-lite has none either


class Rules(Validator):
    def check(self) -> None:
        contents = self.body.get(FIELD)
        if self.require(list_of(contents), FIELD, "at least one content is needed"):
            self.contents(contents)
        self.around({fields.camel(key): value for key, value in self.body.items()})

    # -- each content and part ----------------------------------------------------------------------

    def contents(self, contents: Any) -> None:
        turns: list[Merged] = []
        for path, content in each(contents, FIELD):
            if not self.expect(path, content, "object"):
                continue
            role = object_of(content).get("role", "user")
            turn = merge(turns, role if self.role(path, role, ("user", "model")) else "user", path)
            parts = object_of(content).get("parts")
            self.require(list_of(parts), f"{path}.parts", "must not be empty")
            for where, value in each(parts, f"{path}.parts"):
                part = fields.part(value)
                if self.expect(where, part, "object"):
                    self.part(part, where)
                    turn.blocks.append((where, part))
        for before, turn, after in with_neighbours(turns):
            self.turn(before, turn, after)
        self.end(turns)

    def part(self, part: Json, path: str) -> None:
        data = [key for key in part if key in fields.DATA]
        why = f"exactly one of text, inlineData, functionCall, … expected: {len(data)} here"
        self.require(len(data) == 1, path, why)
        unknown = sorted(key for key in part if key not in fields.DATA and key not in fields.BESIDE)
        self.require(not unknown, path, f"unknown field: {', '.join(unknown)}")
        signature = part.get("thoughtSignature")
        signed = signature is None or fields.is_signature(signature)
        self.require(signed, f"{path}.thoughtSignature", "not a signature: expected base64")
        for key in data:
            value, where = part[key], f"{path}.{key}"
            if not self.expect(where, value, "text" if key == "text" else "object"):
                continue
            if key in ("inlineData", "fileData"):
                self.media(key, value, where)
            elif key in ("functionCall", "functionResponse"):
                self.function(key, value, where)

    def media(self, key: str, value: Json, path: str) -> None:
        if key == "fileData":
            self.require(name_of(value.get("fileUri")), f"{path}.fileUri", "expected an address")
            return
        mime = value.get("mimeType")
        base = text_of(mime).split(";", 1)[0].strip().lower()
        fits = "/" in base and (fields.takes(base) or not base.startswith("image/"))
        self.require(fits, f"{path}.mimeType", f"unsupported MIME type: {mime}")
        self.require(name_of(value.get("data")), f"{path}.data", "expected base64")

    def function(self, key: str, value: Json, path: str) -> None:
        """Check a call or a response."""
        self.require(name_of(value.get("name")), f"{path}.name", "name cannot be empty")
        if key == "functionCall":
            self.fields(path, value, args="object?")
        else:
            self.fields(path, value, response="object")
            for where, part in each(value.get("parts"), f"{path}.parts"):
                for name in ("inlineData", "fileData"):
                    if isinstance(object_of(part).get(name), dict):
                        self.media(name, object_of(part)[name], f"{where}.{name}")
        self.require(isinstance(value.get("id", ""), str), f"{path}.id", "expected text")

    # -- turns --------------------------------------------------------------------------------------

    def turn(self, before: Merged | None, turn: Merged, after: Merged | None) -> None:
        """Check that calls are in a model turn, and responses in the user turn after it."""
        model = turn.role == "model"
        own, other = ("functionCall", "functionResponse") if model else ("functionResponse", "functionCall")
        for path, _ in turn.select(key=other):
            self.report(path, f"a {other} must be in a {'user' if model else 'model'}'s turn")
        parts = turn.select(key=own)
        if model and parts:
            why = "a function call must come immediately after a user's turn or a response"
            self.require(before, parts[0][0], why)
            self.answers(turn, parts, after)
        elif parts and not (before and before.select(key="functionCall")):
            self.report(parts[0][0], "a function response must come immediately after a function call")

    def answers(self, turn: Merged, calls: list[tuple[str, Json]], after: Merged | None) -> None:
        """Check that the next turn begins with one response to each call, by id or by name."""
        responses = after.select(key="functionResponse") if after else []
        if len(responses) != len(calls):
            where = after.path if after and responses else turn.path
            answered = plural(len(responses), "response")
            self.report(where, f"{plural(len(calls), 'function call')} answered by {answered}")
            return
        if after and element(after.blocks[0][0]) != element(responses[0][0]):
            self.report(responses[0][0], "a function response must come immediately after its call")
        open = [part["functionCall"] for _, part in calls]
        for path, part in responses:
            response = part["functionResponse"]
            call = _take_call(open, response)
            if call is None:
                id = response.get("id") or response.get("name")
                self.report(path, f"no call {id} for this response in the turn before")
            elif call.get("name") != response.get("name"):
                self.report(f"{path}.functionResponse.name", f"its call's name is {call.get('name')}")

    def end(self, turns: list[Merged]) -> None:
        """Check what depends on the model: a model turn at the end, signatures of the current loop."""
        model = str(self.body.get("model") or "")
        match = _VERSION.match(model.rsplit("/", 1)[-1])
        version = (int(match[1]), int(match[2] or 0)) if match else (0, 0)
        no_prefill = version >= _NO_PREFILL or "3.5-flash-lite" in model
        if no_prefill and turns and turns[-1].role == "model":
            why = "requests ending with a model's turn are not supported by this model"
            self.report(turns[-1].path, why)
        if version < (3, 0):
            return
        loops = (  # user turns with more than results
            n for n, turn in enumerate(turns)
            if turn.role == "user" and len(turn.select(key="functionResponse")) < len(turn.blocks)
        )  # fmt: skip
        begin = max(loops, default=0)
        for turn in turns[begin:]:
            calls = turn.select(key="functionCall")
            if turn.role == "model" and calls and not calls[0][1].get("thoughtSignature"):
                why = "the first function call of a turn is missing its thoughtSignature"
                self.report(calls[0][0], why)

    # -- around the contents ------------------------------------------------------------------------

    def around(self, body: Json) -> None:
        if body.get("systemInstruction") is not None:
            parts, path = object_of(body["systemInstruction"]).get("parts"), "systemInstruction.parts"
            self.require(list_of(parts), path, "must not be empty")
            for where, part in each(parts, path):
                is_text = isinstance(object_of(part).get("text"), str)
                self.require(is_text, where, "a system instruction holds texts only")
        self.fields("", body, generationConfig="object?")
        names: set[str] = set()
        for path, tool in each(body.get("tools"), "tools"):
            declared = object_of(fields.camelled(tool)).get("functionDeclarations")
            for where, function in each(declared, f"{path}.functionDeclarations"):
                self.declaration(object_of(function), where, names)

    def declaration(self, function: Json, path: str, names: set[str]) -> None:
        name = function.get("name")
        if self.require(fields.NAMES.takes(name), f"{path}.name", f"invalid function name: {name}"):
            self.once(names, name, path)
            both = "parameters and parametersJsonSchema exclude each other"
            schemas = [function.get(key) for key in ("parameters", "parametersJsonSchema")]
            self.require(None in schemas, path, both)


def _take_call(open: list[Json], response: Json) -> Json | None:
    """Remove and return the call that a response answers: by id, else by name, in order; None if none."""
    id, name = response.get("id"), response.get("name")

    def fit(call: Json) -> int:
        same = call.get("name") == name
        if id and call.get("id") == id:
            return 2 + same
        return same and not (id and call.get("id"))

    call = max(open, key=fit, default=None)
    if call is None or not fit(call):
        return None
    open.remove(call)
    return call
