"""Rules of both OpenAI formats: ids, names, content, images and tools."""

from __future__ import annotations

from ..session.model import Any, Json
from .media import parse_data_url
from .openai import IMAGES, MAX_ID, NAMES
from .parts import list_of, object_of
from .validator import Validator, each


class OpenAIValidator(Validator):
    """The rules of both formats; `chat`: the body is Chat Completions'."""

    chat = False

    def part(self, kind: str, part: Json, path: str) -> None:
        """Check a content part whose type is allowed."""
        raise NotImplementedError

    def call_id(self, id: object, path: str) -> bool:
        fits = isinstance(id, str) and 0 < len(id) <= MAX_ID
        return self.require(fits, path, f"a text of 1 to {MAX_ID} characters is expected")

    def name(self, name: object, path: str) -> None:
        self.require(NAMES.takes(name), f"{path}.name", "1 to 64 letters, digits, _ and - are expected")

    def address(self, url: object, path: str, reason: str) -> None:
        self.require(isinstance(url, str) and url.startswith(("https://", "http://")), path, reason)

    def image(self, url: object, path: str) -> None:
        """Check an image's URL."""
        inline = parse_data_url(url) if isinstance(url, str) else None
        if inline is None:
            self.address(url, path, "an https address or a data URL is expected")
        elif self.require(
            inline[0] in IMAGES, path, f"{inline[0]} is not supported: png, jpeg, gif or webp"
        ):
            self.require(inline[1], path, "the image is empty")

    def content(self, content: Any, path: str, kinds: tuple[str, ...]) -> None:
        """Check a content: a string, or a list of content parts of these types."""
        if isinstance(content, str):
            return
        got = "null" if content is None else "an empty list" if content == [] else "something else"
        self.require(list_of(content), path, f"a text, or a list of content parts, is expected, got {got}")
        for where, part in each(content, path):
            block = object_of(part)
            kind = block.get("type")
            what = f"{kind!r} is not allowed here; allowed: {', '.join(kinds)}"
            if self.require(kind in kinds, f"{where}.type", what):
                self.part(str(kind), block, where)

    def tools(self) -> None:
        """Check the tool declarations."""
        tools, chat = self.body.get("tools"), self.chat
        fits = isinstance(tools, list | None) and not (chat and tools == [])
        self.require(fits, "tools", "a list of tools is expected, or none at all")
        names: set[str] = set()
        for path, tool in each(tools, "tools"):
            kind = object_of(tool).get("type")
            fits = kind in ("function", "custom") if chat else isinstance(kind, str)
            what = "function is expected" if chat else "a tool's type is expected"
            if self.require(fits, f"{path}.type", what) and (chat or kind == "function"):
                where = f"{path}.{kind}" if chat else path
                name = object_of(object_of(tool).get(str(kind)) if chat else tool).get("name")
                self.name(name, where)
                self.once(names, name, where)
