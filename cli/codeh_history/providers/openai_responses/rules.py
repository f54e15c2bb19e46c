"""What the Responses API would refuse about a request body, found without asking it."""

from __future__ import annotations

from ...session.model import Any, Json
from ..body import Problem, in_body_order
from ..media import parse_data_url
from ..openai_rules import OpenAIJudge
from ..parts import listed, name_of, object_of
from .replay import ASKED, is_asked

_INPUTS = ("input_text", "input_image", "input_file")
_OUTPUTS = ("output_text", "refusal")
_ANSWERS = frozenset(f"{kind}_output" for kind in ASKED)


def problems(body: Json) -> list[Problem]:
    """Every problem, in body order: where (`input.6.content.0`) and why."""
    judge = _Judge(body)
    judge.all()
    return in_body_order(judge.found, body)


class _Judge(OpenAIJudge):
    """One walk over the body, then a look at which calls and outputs found each other."""

    def __init__(self, body: Json) -> None:
        super().__init__(body)
        self.asked: dict[str, str] = {}  # call id → where
        self.answered: dict[str, str] = {}
        self.ids: set[str] = set()

    def all(self) -> None:
        self.model()
        given = self.body.get("input")
        if isinstance(given, list) and given:
            for number, item in enumerate(given):
                self.item(item, f"input.{number}")
                if object_of(item).get("type") == "reasoning":
                    self.reasoning(given, number, f"input.{number}")
            self.pairs()
        else:
            self.expect(
                isinstance(given, str), "input", "a text, or a list of at least one item, is expected"
            )
        self.tools()

    def pairs(self) -> None:
        """What the provider keeps may hold the other half of a pair."""
        if any(self.body.get(name) for name in ("previous_response_id", "conversation")):
            return
        for id, path in self.asked.items():
            self.expect(id in self.answered, path, f"no output answers the call {id}")
        for id, path in self.answered.items():
            self.expect(id in self.asked, path, f"no call has the id {id}, which this answers")

    def item(self, item: Any, path: str) -> None:
        if not isinstance(item, dict):
            self.say(path, "an item is expected")
            return
        kind = item.get("type", "message")
        if kind == "message":
            self.message(item, path)
        elif not isinstance(kind, str):
            self.say(f"{path}.type", "an item's type is expected")
        elif is_asked(item):
            self.call(item, kind, path)
        elif kind in _ANSWERS or (kind == "tool_search_output" and item.get("execution") == "client"):
            self.output(item, kind, path)
        id = item.get("id")
        if id is None:
            return
        if self.expect(name_of(id), f"{path}.id", "an item's original id, or none, is expected"):
            self.expect(id not in self.ids, f"{path}.id", f"the item {id} is there twice")
            self.ids.add(id)

    # -- messages -----------------------------------------------------------------------------------

    def message(self, message: Json, path: str) -> None:
        role, content = message.get("role"), message.get("content")
        if role not in ("user", "assistant", "system", "developer"):
            self.say(f"{path}.role", f"{role!r} is none of user, assistant, system, developer")
        elif not isinstance(content, str):
            wanted = "a text, or a list of content parts, is expected"
            self.expect(listed(content), f"{path}.content", wanted)
            for number, part in enumerate(listed(content)):
                self.content(part, f"{path}.content.{number}", _OUTPUTS if role == "assistant" else _INPUTS)

    # -- calls and outputs --------------------------------------------------------------------------

    def call(self, item: Json, kind: str, path: str) -> None:
        id = item.get("call_id")
        self.call_id(id, f"{path}.call_id")
        if isinstance(id, str):
            self.expect(id not in self.asked, f"{path}.call_id", f"{id} is the id of another call")
            self.asked[id] = path
        if kind in ("function_call", "custom_tool_call"):
            self.name(item.get("name"), path)
        field = {"function_call": "arguments", "custom_tool_call": "input"}.get(kind)
        if field:
            is_text = isinstance(item.get(field), str)
            self.expect(is_text, f"{path}.{field}", "a text is expected (for arguments: their JSON)")

    def output(self, item: Json, kind: str, path: str) -> None:
        id, output = item.get("call_id"), item.get("output")
        self.call_id(id, f"{path}.call_id")
        if isinstance(id, str):
            self.expect(id not in self.answered, f"{path}.call_id", f"the call {id} was answered before")
            self.answered[id] = path
        if kind in ("function_call_output", "custom_tool_call_output") and not isinstance(output, str):
            wanted = "a text, or a list of content parts, is expected"
            self.expect(isinstance(output, list), f"{path}.output", wanted)
            for number, part in enumerate(listed(output)):
                self.content(part, f"{path}.output.{number}", _INPUTS)

    # -- reasoning ----------------------------------------------------------------------------------

    def reasoning(self, given: list[Any], number: int, path: str) -> None:
        """Reasoning can be read again only where it is encrypted or kept, and before what it led to."""
        item = given[number]
        self.expect(isinstance(item.get("summary"), list), f"{path}.summary", "a list is expected")
        found = item.get("encrypted_content") or self.body.get("store") is not False
        self.expect(
            found, path, "without encrypted_content the provider, which keeps nothing, cannot find it"
        )
        after = object_of(given[number + 1]) if number + 1 < len(given) else {}
        self.expect(
            after.get("id"), path, "the item that followed this reasoning, with its id, must follow it"
        )

    # -- content ------------------------------------------------------------------------------------

    def content(self, part: Any, path: str, kinds: tuple[str, ...]) -> None:
        if not self.part(part, path, kinds):
            return
        kind = part["type"]
        if kind in ("input_text", "output_text", "refusal"):
            field = "refusal" if kind == "refusal" else "text"
            self.expect(isinstance(part.get(field), str), f"{path}.{field}", "a text is expected")
        elif not part.get("file_id"):
            if kind == "input_image":
                self.image(part.get("image_url"), f"{path}.image_url")
            else:
                self.file(part, path)

    def file(self, part: Json, path: str) -> None:
        url = part.get("file_url")
        if url is not None:
            there = isinstance(url, str) and url.startswith(("https://", "http://"))
            self.expect(there, f"{path}.file_url", "an https address is expected")
            return
        inline = parse_data_url(str(part.get("file_data")))
        if inline is None:
            self.say(f"{path}.file_data", "a data URL is expected")
        elif inline[0].split("/")[0] in ("audio", "video", "image"):
            self.say(f"{path}.file_data", f"{inline[0]} is not supported as a file")
        else:
            self.expect(part.get("filename"), f"{path}.filename", "a file's name is required")
