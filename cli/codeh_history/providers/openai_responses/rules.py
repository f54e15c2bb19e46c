"""Check offline what the Responses API would refuse in a request body."""

from __future__ import annotations

from ...session.model import Json
from ..media import parse_data_url
from ..openai_rules import REFUSAL, TEXT, OpenAIValidator, address, call_id, image, name
from ..parts import object_of, text_of
from ..validator import ByType, each, element
from . import FIELD
from .replay import CLIENT_CALLS, is_client_call

_ANSWERS = frozenset(f"{kind}_output" for kind in CLIENT_CALLS)
_CALLS = {
    "function_call": {"name": name, "arguments": "text"},
    "custom_tool_call": {"name": name, FIELD: "text"},
}


def _image(part: Json) -> str:
    return "" if part.get("file_id") else image(part.get("image_url"))


def _file(part: Json) -> str:
    if part.get("file_id"):
        return ""
    if part.get("file_url") is not None:
        return address(part["file_url"])
    inline = parse_data_url(text_of(part.get("file_data")))
    if inline is None:
        return "a data URL is expected"
    if inline[0].split("/")[0] in ("audio", "video", "image"):
        return f"{inline[0]} is not supported as a file"
    return "" if part.get("filename") else "a file's name is required"


_INPUT = ByType(input_text=TEXT, input_image=_image, input_file=_file)
_OUTPUT = ByType(output_text=TEXT, refusal=REFUSAL)
_CONTENT = {"user": _INPUT, "assistant": _OUTPUT, "system": _INPUT, "developer": _INPUT}


class Rules(OpenAIValidator):
    """Checks items in order, then whether each call has an output and each output a call."""

    def check(self) -> None:
        self.calls: dict[str, str] = {}  # call id → where
        self.answered: dict[str, str] = {}
        self.ids: set[str] = set()
        self.model()
        items = self.body.get(FIELD)
        if not isinstance(items, str):
            why = "a text, or a list of at least one item, is expected"
            self.require(items and isinstance(items, list), FIELD, why)
        for path, item in each(items, FIELD):
            if self.expect(path, item, "object"):
                self.item(item, path)
        if not any(self.body.get(field) for field in ("previous_response_id", "conversation")):
            for id, path in self.calls.items():  # stored responses could have the counterpart
                self.require(id in self.answered, path, f"no output answers the call {id}")
            for id, path in self.answered.items():
                self.require(id in self.calls, path, f"no call has the id {id}, which this answers")
        self.expect("", self.body, {"tools?": [{"type": "name"}]})
        for path, tool in each(self.body.get("tools"), "tools"):
            if object_of(tool).get("type") == "function":
                self.tool(path, tool.get("name"), name)

    def item(self, item: Json, path: str) -> None:
        kind, id = item.get("type", "message"), item.get("id")
        if kind == "message":
            if self.role(path, item.get("role"), tuple(_CONTENT)):
                self.content(item.get("content"), f"{path}.content", _CONTENT[item["role"]])
        elif not self.expect(f"{path}.type", kind, "name"):
            return
        elif is_client_call(item):
            self.expect(path, item, _CALLS.get(kind, {}))
            self.call_id(item, path, self.calls, "is the id of another call")
        elif kind in _ANSWERS or (kind == "tool_search_output" and item.get("execution") == "client"):
            self.call_id(item, path, self.answered, "was answered before")
            if kind in ("function_call_output", "custom_tool_call_output") and item.get("output") != []:
                self.content(item.get("output"), f"{path}.output", _INPUT)
        elif kind == "reasoning":
            self.reasoning(item, path)
        if id is not None and self.expect(f"{path}.id", id, "name"):
            self.require(id not in self.ids, f"{path}.id", f"the id {id} is used twice")
            self.ids.add(id)

    def call_id(self, item: Json, path: str, seen: dict[str, str], why: str) -> None:
        """Check the call id of a call or an output, and add it to those `seen`."""
        id = item.get("call_id")
        self.expect(f"{path}.call_id", id, call_id)
        if isinstance(id, str):
            self.require(id not in seen, f"{path}.call_id", f"the call id {id} {why}")
            seen[id] = path

    def reasoning(self, item: Json, path: str) -> None:
        """Check that reasoning is encrypted or stored, and precedes the item that followed it."""
        self.expect(f"{path}.summary", item.get("summary"), "list")
        if not item.get("encrypted_content") and self.body.get("store") is False:
            why = "without encrypted_content the provider, which keeps nothing, cannot find it"
            self.report(path, why)
        after = next(iter(self.body[FIELD][element(path) + 1 :]), None)
        why = "the item that followed this reasoning, with its id, must follow it"
        self.require(object_of(after).get("id"), path, why)
