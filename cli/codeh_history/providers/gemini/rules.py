"""Check offline what Gemini would refuse in a request body.

Consecutive contents of one role are joined before the check, as in the API. Signatures and a model turn at
the end are checked only if the body has a `model` (usually in the URL), because only Gemini 3 and later
refuse these.
"""

from __future__ import annotations

import re

from ...base.words import plural
from ...session.model import Json
from ..parts import list_of, object_of, text_of
from ..validator import Merged, Validator, each, element, merge, with_neighbours
from . import FIELD, fields

_VERSION = re.compile(r"gemini-(\d+)(?:\.(\d+))?")
_NO_PREFILL = (3, 6)  # the first version without prefill; gemini-3.5-flash-lite has none either


def _mime(mime: object) -> str:
    base = text_of(mime).split(";", 1)[0].strip().lower()
    fits = "/" in base and (fields.takes(base) or not base.startswith("image/"))
    return "" if fits else f"unsupported MIME type: {mime}"


def _function(name: object) -> str:
    return "" if fields.NAMES.takes(name) else f"invalid function name: {name}"


_MEDIA = {"inlineData": {"mimeType": _mime, "data": "name"}, "fileData": {"fileUri": "name"}}
_DATA: Json = {  # the shapes of a part's data
    **dict.fromkeys(fields.DATA, "object"), **_MEDIA, "text": "text",
    "functionCall": {"name": "name", "id?": "text", "args?": "object"},
    "functionResponse": {
        "name": "name", "id?": "text", "response": "object",
        "parts?": [{f"{key}?": shape for key, shape in _MEDIA.items()}],
    },
}  # fmt: skip
_AROUND = {
    "systemInstruction?": {"parts": [{"text": "text"}]}, "generationConfig?": "object",
}  # fmt: skip


class Rules(Validator):
    def check(self) -> None:
        turns: list[Merged] = []
        contents = self.body.get(FIELD)
        self.require(list_of(contents), FIELD, "at least one content is needed")
        for path, content in each(contents, FIELD):
            if self.expect(path, content, "object"):
                role = content.get("role", "user")
                turn = merge(turns, role if self.role(path, role, ("user", "model")) else "user", path)
                self.content(content, path, turn)
        for before, turn, after in with_neighbours(turns):
            self.turn(before, turn, after)
        self.end(turns)
        body = {fields.camel(key): value for key, value in self.body.items()}
        self.expect("", body, _AROUND)
        if object_of(body.get("systemInstruction")).get("parts") == []:
            self.report("systemInstruction.parts", "must not be empty")
        for path, tool in each(body.get("tools"), "tools"):
            declared = object_of(fields.camelled(tool)).get("functionDeclarations")
            for where, function in each(declared, f"{path}.functionDeclarations"):
                self.tool(where, object_of(function).get("name"), _function)
                if {"parameters", "parametersJsonSchema"} <= object_of(function).keys():
                    self.report(where, "parameters and parametersJsonSchema exclude each other")

    def content(self, content: Json, path: str, turn: Merged) -> None:
        self.require(list_of(content.get("parts")), f"{path}.parts", "must not be empty")
        for where, value in each(content.get("parts"), f"{path}.parts"):
            part = fields.part(value)
            if self.expect(where, part, "object"):
                self.part(part, where)
                turn.blocks.append((where, part))

    def part(self, part: Json, path: str) -> None:
        data = [key for key in part if key in fields.DATA]
        why = f"exactly one of text, inlineData, functionCall, … expected: {len(data)} here"
        self.require(len(data) == 1, path, why)
        unknown = sorted(part.keys() - fields.DATA - fields.BESIDE)
        self.require(not unknown, path, f"unknown field: {', '.join(unknown)}")
        signed = part.get("thoughtSignature") is None or fields.is_signature(part["thoughtSignature"])
        self.require(signed, f"{path}.thoughtSignature", "not a signature: expected base64")
        for key in data:
            self.expect(f"{path}.{key}", part[key], _DATA[key])

    # -- turns --------------------------------------------------------------------------------------

    def turn(self, before: Merged | None, turn: Merged, after: Merged | None) -> None:
        """Check that calls are in a model turn, and responses in the user turn after it."""
        calls, responses = turn.select("functionCall"), turn.select("functionResponse")
        if turn.role == "model":
            for path, _ in responses:
                self.report(path, "a functionResponse must be in a user's turn")
            if calls:
                why = "a function call must come immediately after a user's turn or a response"
                self.require(before, calls[0][0], why)
                self.answers(turn, calls, after)
            return
        for path, _ in calls:
            self.report(path, "a functionCall must be in a model's turn")
        if responses and not (before and before.select("functionCall")):
            why = "a function response must come immediately after a function call"
            self.report(responses[0][0], why)

    def answers(self, turn: Merged, calls: list[tuple[str, Json]], after: Merged | None) -> None:
        """Check that the next turn begins with one response to each call, by id or by name."""
        responses = after.select("functionResponse") if after else []
        if after is None or len(responses) != len(calls):
            where = after.path if after and responses else turn.path
            answered = plural(len(responses), "response")
            self.report(where, f"{plural(len(calls), 'function call')} answered by {answered}")
            return
        if element(after.blocks[0][0]) != element(responses[0][0]):
            self.report(responses[0][0], "a function response must come immediately after its call")
        open = [part["functionCall"] for _, part in calls]
        for path, part in responses:
            response = part["functionResponse"]
            id, name = response.get("id"), response.get("name")
            same = [call for call in open if id and call.get("id") == id]
            same += [call for call in open if call.get("name") == name and not (id and call.get("id"))]
            if self.require(same, path, f"no call {id or name} for this response in the turn before"):
                open.remove(same[0])
                why = f"its call's name is {same[0].get('name')}"
                self.require(same[0].get("name") == name, f"{path}.functionResponse.name", why)

    def end(self, turns: list[Merged]) -> None:
        """Check what depends on the model: a model turn at the end, signatures of the current loop."""
        model = str(self.body.get("model") or "")
        match = _VERSION.match(model.rsplit("/", 1)[-1])
        version = (int(match[1]), int(match[2] or 0)) if match else (0, 0)
        no_prefill = version >= _NO_PREFILL or "3.5-flash-lite" in model
        if no_prefill and turns and turns[-1].role == "model":
            why = "requests ending with a model's turn are not supported by this model"
            self.report(turns[-1].path, why)
        for turn in reversed(turns if version >= (3, 0) else []):
            if turn.role == "user" and len(turn.select("functionResponse")) < len(turn.blocks):
                break  # the prompt with which the current loop begins
            calls = turn.select("functionCall")
            if turn.role == "model" and calls and not calls[0][1].get("thoughtSignature"):
                why = "the first function call of a turn is missing its thoughtSignature"
                self.report(calls[0][0], why)
