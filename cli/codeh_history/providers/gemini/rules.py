"""What Gemini would refuse about a request body, found offline.

Neighbouring contents of one role are joined before judging, as the API does. Signatures and a model's
turn at the end are validatord where the body says its `model` (which otherwise stands in the URL): only
Gemini 3 and later mind them.
"""

from __future__ import annotations

import re
from collections import deque

from ...base.words import some
from ...session.model import Any, Json
from ..parts import listed, name_of, object_of
from ..validator import Joined, Problem, Validator, element, with_neighbours
from . import fields

_VERSION = re.compile(r"gemini-(\d+)(?:\.(\d+))?")
_NO_PREFILL = (3, 6)  # from this generation on; gemini-3.5-flash-lite too
_SCHEMAS = ("parameters", "parametersJsonSchema")


def problems(body: Json) -> list[Problem]:
    """What Gemini would refuse, in body order."""
    validator = _Validator(body)
    contents = body.get("contents")
    if not isinstance(contents, list) or not contents:
        validator.report("contents", "at least one content is needed")
    else:
        validator.contents(contents)
    validator.around({fields.camel(key): value for key, value in body.items()})
    return validator.problems


class _Turn(Joined):
    """The parts of neighbouring contents of one role."""

    def having(self, key: str) -> list[tuple[str, Json]]:
        """The parts that hold this, an object."""
        return [(path, part) for path, part in self.held if isinstance(part.get(key), dict)]


class _Open:
    """Calls that wait for a response, in their order; each is found at once by all that may name it."""

    def __init__(self, calls: list[Json]) -> None:
        self._calls = calls
        self._taken: set[int] = set()
        self._queues: dict[str, deque[int]] = {}
        for number, call in enumerate(calls):
            id, name = call.get("id"), call.get("name")
            for key in (("both", id, name), ("id", id)) if id else (("name only", name),):
                self._queues.setdefault(repr(key), deque()).append(number)
            self._queues.setdefault(repr(("name", name)), deque()).append(number)

    def take(self, id: Any, name: Any) -> Json | None:
        """The call that a response of this id and name answers: the id counts most, then the order."""
        by_id = (("both", id, name), ("id", id), ("name only", name))
        for key in by_id if id else (("name", name),):
            queue = self._queues.get(repr(key), deque())
            while queue and queue[0] in self._taken:
                queue.popleft()
            if queue:
                self._taken.add(queue[0])
                return self._calls[queue[0]]
        return None


class _Validator(Validator):
    # -- each content and part ----------------------------------------------------------------------

    def contents(self, contents: list[Any]) -> None:
        turns: list[_Turn] = []
        for number, given in enumerate(contents):
            path = f"contents.{number}"
            if not isinstance(given, dict):
                self.report(path, "not an object")
                continue
            role = given.get("role", "user")
            if role not in ("user", "model"):
                self.report(f"{path}.role", f"role is {role!r}: user or model expected")
                role = "user"
            if not turns or turns[-1].role != role:
                turns.append(_Turn(role, path))
            self.parts(given.get("parts"), path, turns[-1])
        for before, turn, after in with_neighbours(turns):
            self.turn(before, turn, after)
        self.end(turns)
        self.problems.sort(key=lambda problem: element(problem.path))

    def parts(self, parts: Any, path: str, turn: _Turn) -> None:
        if not isinstance(parts, list) or not parts:
            self.report(f"{path}.parts", "must not be empty")
            return
        for index, given in enumerate(parts):
            where = f"{path}.parts.{index}"
            part = fields.part(given)
            if not isinstance(part, dict):
                self.report(where, "not an object")
                continue
            self.part(part, where)
            turn.held.append((where, part))

    def part(self, part: Json, path: str) -> None:
        data = [key for key in part if key in fields.DATA]
        one = len(data) == 1
        self.require(
            one, path, f"exactly one of text, inlineData, functionCall, … expected: {len(data)} here"
        )
        unknown = sorted(key for key in part if key not in fields.DATA and key not in fields.BESIDE)
        self.require(not unknown, path, f"unknown field: {', '.join(unknown)}")
        signature = part.get("thoughtSignature")
        signed = signature is None or fields.is_signature(signature)
        self.require(signed, f"{path}.thoughtSignature", "not a signature: base64 expected")
        for key in data:
            value = part[key]
            if key == "text":
                self.require(isinstance(value, str), f"{path}.text", "text expected")
            elif not isinstance(value, dict):
                self.report(f"{path}.{key}", "an object expected")
            elif key in _DATA_RULES:
                _DATA_RULES[key](self, value, f"{path}.{key}")

    def blob(self, blob: Json, path: str) -> None:
        mime = blob.get("mimeType")
        base = mime.split(";", 1)[0].strip().lower() if isinstance(mime, str) else ""
        known = "/" in base and (fields.takes(base) or not base.startswith("image/"))
        self.require(known, f"{path}.mimeType", f"unsupported MIME type: {mime}")
        self.require(name_of(blob.get("data")), f"{path}.data", "base64 expected")

    def file(self, file: Json, path: str) -> None:
        self.require(name_of(file.get("fileUri")), f"{path}.fileUri", "an address expected")

    def call(self, call: Json, path: str) -> None:
        self.require(name_of(call.get("name")), f"{path}.name", "name cannot be empty")
        self.require(isinstance(call.get("args"), dict | None), f"{path}.args", "an object expected")
        self.id(call, path)

    def response(self, response: Json, path: str) -> None:
        self.require(name_of(response.get("name")), f"{path}.name", "name cannot be empty")
        self.require(isinstance(response.get("response"), dict), f"{path}.response", "an object expected")
        for index, part in enumerate(listed(response.get("parts"))):
            for key in ("inlineData", "fileData"):
                if isinstance(part, dict) and isinstance(part.get(key), dict):
                    _DATA_RULES[key](self, part[key], f"{path}.parts.{index}.{key}")
        self.id(response, path)

    def id(self, value: Json, path: str) -> None:
        self.require(isinstance(value.get("id", ""), str), f"{path}.id", "text expected")

    # -- turns --------------------------------------------------------------------------------------

    def turn(self, before: _Turn | None, turn: _Turn, after: _Turn | None) -> None:
        calls, responses = turn.having("functionCall"), turn.having("functionResponse")
        if turn.role == "user":
            for path, _ in calls:
                self.report(path, "a functionCall must stand in a model's turn")
            if responses and (before is None or not before.having("functionCall")):
                self.report(
                    responses[0][0], "a function response must come immediately after a function call"
                )
            return
        for path, _ in responses:
            self.report(path, "a functionResponse must stand in a user's turn")
        if not calls:
            return
        if before is None:
            self.report(
                calls[0][0], "a function call must come immediately after a user's turn or a response"
            )
        self.answers(turn, calls, after)

    def answers(self, turn: _Turn, calls: list[tuple[str, Json]], after: _Turn | None) -> None:
        """The next turn answers each call once, by id or by name, before it says anything else."""
        responses = after.having("functionResponse") if after else []
        if len(responses) != len(calls):
            where = after.path if after and responses else turn.path
            self.report(
                where, f"{some(len(calls), 'function call')} answered by {some(len(responses), 'response')}"
            )
            return
        if after and element(after.held[0][0]) != element(responses[0][0]):
            self.report(responses[0][0], "a function response must come immediately after its call")
        open = _Open([part["functionCall"] for _, part in calls])
        for path, part in responses:
            response = part["functionResponse"]
            id, name = response.get("id"), response.get("name")
            call = open.take(id, name)
            if call is None:
                self.report(path, f"no call {id or name} for this response in the turn before")
            elif call.get("name") != name:
                self.report(f"{path}.functionResponse.name", f"its call's name is {call.get('name')}")

    def end(self, turns: list[_Turn]) -> None:
        """What depends on the model: a model's turn at the end, signatures of the current loop."""
        model = str(self.body.get("model") or "")
        found = _VERSION.match(model.rsplit("/", 1)[-1])
        version = (int(found[1]), int(found[2] or 0)) if found else (0, 0)
        no_prefill = version >= _NO_PREFILL or "3.5-flash-lite" in model
        if no_prefill and turns and turns[-1].role == "model":
            self.report(
                turns[-1].path, "requests ending with a model's turn are not supported by this model"
            )
        if version < (3, 0):
            return
        begin = max((n for n, turn in enumerate(turns) if _asks(turn)), default=0)
        for turn in turns[begin:]:
            calls = turn.having("functionCall")
            if turn.role == "model" and calls and not calls[0][1].get("thoughtSignature"):
                self.report(
                    calls[0][0], "the first function call of a turn is missing its thoughtSignature"
                )

    # -- around the contents ------------------------------------------------------------------------

    def around(self, body: Json) -> None:
        system = body.get("systemInstruction")
        if system is not None:
            parts = object_of(system).get("parts")
            self.require(listed(parts), "systemInstruction.parts", "must not be empty")
            for index, part in enumerate(listed(parts)):
                is_text = isinstance(object_of(part).get("text"), str)
                where = f"systemInstruction.parts.{index}"
                self.require(is_text, where, "a system instruction holds texts only")
        config = body.get("generationConfig")
        self.require(isinstance(config, dict | None), "generationConfig", "an object expected")
        self.tools(body.get("tools"))

    def tools(self, tools: Any) -> None:
        seen: set[str] = set()
        for number, tool in enumerate(listed(tools)):
            declared = object_of(fields.camelled(tool))
            for index, function in enumerate(listed(declared.get("functionDeclarations"))):
                path = f"tools.{number}.functionDeclarations.{index}"
                name = object_of(function).get("name")
                if not self.require(
                    fields.NAMES.takes(name), f"{path}.name", f"invalid function name: {name}"
                ):
                    continue
                self.require(name not in seen, f"{path}.name", f"duplicate function declaration: {name}")
                seen.add(str(name))
                one = any(function.get(key) is None for key in _SCHEMAS)
                self.require(one, path, "parameters and parametersJsonSchema exclude each other")


_DATA_RULES = {
    "inlineData": _Validator.blob, "fileData": _Validator.file,
    "functionCall": _Validator.call, "functionResponse": _Validator.response,
}  # fmt: skip


def _asks(turn: _Turn) -> bool:
    """Whether a turn begins a loop: a user's, with more than function responses."""
    return turn.role == "user" and len(turn.having("functionResponse")) < len(turn.held)
