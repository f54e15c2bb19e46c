"""What the Responses API would refuse about a request body, found without asking it."""

from __future__ import annotations

from collections.abc import Iterator

from ...session.model import Any, Json
from ..body import Problem, in_body_order
from ..media import parse_data_url
from ..openai_rules import call_id, image, model, name, tools
from ..parts import object_of
from .replay import ASKED

_INPUTS = ("input_text", "input_image", "input_file")
_OUTPUTS = ("output_text", "refusal")
_ANSWERS = {f"{kind}_output": kind for kind in ASKED}


def problems(body: Json) -> list[Problem]:
    """Every problem, in body order: where (`input.6.content.0`) and why."""
    return in_body_order(_Check(body).all(), body)


class _Check:
    """One walk over the body, then a look at which calls and outputs found each other."""

    def __init__(self, body: Json) -> None:
        self.body = body
        self.asked: dict[str, str] = {}  # call id → where
        self.answered: dict[str, str] = {}
        self.ids: set[str] = set()
        # what the provider keeps may hold the other half of a pair
        self.kept = any(body.get(name) for name in ("previous_response_id", "conversation"))

    def all(self) -> Iterator[Problem]:
        yield from model(self.body)
        given = self.body.get("input")
        if isinstance(given, list) and given:
            for number, item in enumerate(given):
                yield from self.item(item, f"input.{number}")
                if object_of(item).get("type") == "reasoning":
                    yield from self.reasoning(given, number, f"input.{number}")
            yield from self.pairs()
        elif not isinstance(given, str):
            yield Problem("input", "a text, or a list of at least one item, is expected")
        yield from tools(self.body.get("tools"), chat=False)

    def pairs(self) -> Iterator[Problem]:
        if self.kept:
            return
        for id, path in self.asked.items():
            if id not in self.answered:
                yield Problem(path, f"no output answers the call {id}")
        for id, path in self.answered.items():
            if id not in self.asked:
                yield Problem(path, f"no call has the id {id}, which this answers")

    def item(self, item: Any, path: str) -> Iterator[Problem]:
        if not isinstance(item, dict):
            yield Problem(path, "an item is expected")
            return
        kind = item.get("type", "message")
        if kind == "message":
            yield from self.message(item, path)
        elif not isinstance(kind, str):
            yield Problem(f"{path}.type", "an item's type is expected")
        elif kind in ASKED or (kind == "tool_search_call" and item.get("execution") == "client"):
            yield from self.call(item, kind, path)
        elif kind in _ANSWERS or (kind == "tool_search_output" and item.get("execution") == "client"):
            yield from self.output(item, kind, path)
        if "id" in item:
            yield from self.id(item["id"], path)

    def id(self, id: object, path: str) -> Iterator[Problem]:
        if id is None:
            return
        if not isinstance(id, str) or not id:
            yield Problem(f"{path}.id", "an item's original id, or none, is expected")
        elif id in self.ids:
            yield Problem(f"{path}.id", f"the item {id} is there twice")
        else:
            self.ids.add(id)

    # -- messages -----------------------------------------------------------------------------------

    def message(self, message: Json, path: str) -> Iterator[Problem]:
        role, content = message.get("role"), message.get("content")
        if role not in ("user", "assistant", "system", "developer"):
            yield Problem(f"{path}.role", f"{role!r} is none of user, assistant, system, developer")
            return
        if isinstance(content, str):
            return
        if not isinstance(content, list) or not content:
            yield Problem(f"{path}.content", "a text, or a list of content parts, is expected")
            return
        kinds = _OUTPUTS if role == "assistant" else _INPUTS
        for number, part in enumerate(content):
            yield from _part(part, f"{path}.content.{number}", kinds)

    # -- calls and outputs --------------------------------------------------------------------------

    def call(self, item: Json, kind: str, path: str) -> Iterator[Problem]:
        id = item.get("call_id")
        yield from call_id(id, f"{path}.call_id")
        if isinstance(id, str):
            if id in self.asked:
                yield Problem(f"{path}.call_id", f"{id} is the id of another call")
            self.asked[id] = path
        if kind in ("function_call", "custom_tool_call"):
            yield from name(item.get("name"), path)
        field = {"function_call": "arguments", "custom_tool_call": "input"}.get(kind)
        if field and not isinstance(item.get(field), str):
            yield Problem(f"{path}.{field}", "a text is expected (for arguments: their JSON)")

    def output(self, item: Json, kind: str, path: str) -> Iterator[Problem]:
        id = item.get("call_id")
        yield from call_id(id, f"{path}.call_id")
        if isinstance(id, str):
            if id in self.answered:
                yield Problem(f"{path}.call_id", f"the call {id} was answered before")
            self.answered[id] = path
        output = item.get("output")
        if kind not in ("function_call_output", "custom_tool_call_output") or isinstance(output, str):
            return
        if not isinstance(output, list):
            yield Problem(f"{path}.output", "a text, or a list of content parts, is expected")
            return
        for number, part in enumerate(output):
            yield from _part(part, f"{path}.output.{number}", _INPUTS)

    # -- reasoning ----------------------------------------------------------------------------------

    def reasoning(self, given: list[Any], number: int, path: str) -> Iterator[Problem]:
        """Reasoning can be read again only where it is encrypted or kept, and before what it led to."""
        item = given[number]
        if not isinstance(item.get("summary"), list):
            yield Problem(f"{path}.summary", "a list is expected")
        if not item.get("encrypted_content") and self.body.get("store") is False:
            yield Problem(
                path, "without encrypted_content the provider, which keeps nothing, cannot find it"
            )
        after = given[number + 1] if number + 1 < len(given) else None
        if not isinstance(after, dict) or not after.get("id"):
            yield Problem(path, "the item that followed this reasoning, with its id, must follow it")


def _part(part: Any, path: str, kinds: tuple[str, ...]) -> Iterator[Problem]:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind not in kinds:
        yield Problem(f"{path}.type", f"{kind!r} cannot stand here; allowed: {', '.join(kinds)}")
    elif kind in ("input_text", "output_text", "refusal"):
        field = "refusal" if kind == "refusal" else "text"
        if not isinstance(part.get(field), str):
            yield Problem(f"{path}.{field}", "a text is expected")
    elif not part.get("file_id"):
        yield from (
            image(part.get("image_url"), f"{path}.image_url")
            if kind == "input_image"
            else _file(part, path)
        )


def _file(part: Json, path: str) -> Iterator[Problem]:
    url = part.get("file_url")
    if url is not None:
        if not isinstance(url, str) or not url.startswith(("https://", "http://")):
            yield Problem(f"{path}.file_url", "an https address is expected")
        return
    inline = parse_data_url(str(part.get("file_data")))
    if inline is None:
        yield Problem(f"{path}.file_data", "a data URL is expected")
    elif inline[0].split("/")[0] in ("audio", "video", "image"):
        yield Problem(f"{path}.file_data", f"{inline[0]} is not supported as a file")
    elif not part.get("filename"):
        yield Problem(f"{path}.filename", "a file's name is required")
