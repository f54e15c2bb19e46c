"""Check offline what the Responses API would refuse in a request body."""

from __future__ import annotations

from ...session.model import Any, Json
from ..media import parse_data_url
from ..openai_rules import OpenAIValidator
from ..parts import name_of, object_of
from ..validator import each
from .replay import CLIENT_CALLS, is_client_call

_ROLES = ("user", "assistant", "system", "developer")
_INPUTS = ("input_text", "input_image", "input_file")
_OUTPUTS = ("output_text", "refusal")
_ANSWERS = frozenset(f"{kind}_output" for kind in CLIENT_CALLS)


class Rules(OpenAIValidator):
    """Checks items in order, then whether each call has an output and each output a call."""

    def check(self) -> None:
        self.calls: dict[str, str] = {}  # call id → where
        self.answered: dict[str, str] = {}
        self.ids: set[str] = set()
        self.model()
        items = self.body.get("input")
        if not isinstance(items, list) or not items:
            reason = "a text, or a list of at least one item, is expected"
            self.require(isinstance(items, str), "input", reason)
            items = []
        for number, (path, item) in enumerate(each(items, "input")):
            self.item(item, path)
            if object_of(item).get("type") == "reasoning":
                self.reasoning(object_of(item), items[number + 1 : number + 2], path)
        if not any(self.body.get(name) for name in ("previous_response_id", "conversation")):
            for id, path in self.calls.items():  # stored responses could have the counterpart
                self.require(id in self.answered, path, f"no output answers the call {id}")
            for id, path in self.answered.items():
                self.require(id in self.calls, path, f"no call has the id {id}, which this answers")
        self.tools()

    def item(self, item: Any, path: str) -> None:
        if not self.expect(path, item, "object"):
            return
        kind, id = item.get("type", "message"), item.get("id")
        if kind == "message":
            self.message(item, path)
        elif not isinstance(kind, str):
            self.report(f"{path}.type", "an item's type is expected")
        elif is_client_call(item):
            self.call(item, kind, path)
        elif kind in _ANSWERS or (kind == "tool_search_output" and item.get("execution") == "client"):
            self.output(item, kind, path)
        if id is not None and self.require(
            name_of(id), f"{path}.id", "an item's original id, or none, is expected"
        ):
            self.require(id not in self.ids, f"{path}.id", f"the id {id} is used twice")
            self.ids.add(id)

    def message(self, message: Json, path: str) -> None:
        role = message.get("role")
        if self.role(path, role, _ROLES):
            kinds = _OUTPUTS if role == "assistant" else _INPUTS
            self.content(message.get("content"), f"{path}.content", kinds)

    # -- calls and outputs --------------------------------------------------------------------------

    def call(self, item: Json, kind: str, path: str) -> None:
        id = item.get("call_id")
        self.call_id(id, f"{path}.call_id")
        if isinstance(id, str):
            self.require(id not in self.calls, f"{path}.call_id", f"{id} is the id of another call")
            self.calls[id] = path
        field = {"function_call": "arguments", "custom_tool_call": "input"}.get(kind)
        if field:
            self.name(item.get("name"), path)
            self.expect(f"{path}.{field}", item.get(field), "text")

    def output(self, item: Json, kind: str, path: str) -> None:
        id, output = item.get("call_id"), item.get("output")
        self.call_id(id, f"{path}.call_id")
        if isinstance(id, str):
            self.require(id not in self.answered, f"{path}.call_id", f"the call {id} was answered before")
            self.answered[id] = path
        if kind in ("function_call_output", "custom_tool_call_output") and output != []:
            self.content(output, f"{path}.output", _INPUTS)

    def reasoning(self, item: Json, following: list[Any], path: str) -> None:
        """Check that reasoning is encrypted or stored, and precedes the item that followed it."""
        self.fields(path, item, summary="list")
        readable = item.get("encrypted_content") or self.body.get("store") is not False
        self.require(
            readable, path, "without encrypted_content the provider, which keeps nothing, cannot find it"
        )
        after = object_of(following[0]) if following else {}
        self.require(
            after.get("id"), path, "the item that followed this reasoning, with its id, must follow it"
        )

    # -- content ------------------------------------------------------------------------------------

    def part(self, kind: str, part: Json, path: str) -> None:
        if kind in ("input_text", "output_text", "refusal"):
            field = "refusal" if kind == "refusal" else "text"
            self.expect(f"{path}.{field}", part.get(field), "text")
        elif part.get("file_id"):
            return
        elif kind == "input_image":
            self.image(part.get("image_url"), f"{path}.image_url")
        elif part.get("file_url") is not None:
            self.address(part["file_url"], f"{path}.file_url", "an https address is expected")
        else:
            inline = parse_data_url(str(part.get("file_data")))
            fits = inline is not None and inline[0].split("/")[0] not in ("audio", "video", "image")
            what = f"{inline[0]} is not supported as a file" if inline else "a data URL is expected"
            if self.require(fits, f"{path}.file_data", what):
                self.require(part.get("filename"), f"{path}.filename", "a file's name is required")
