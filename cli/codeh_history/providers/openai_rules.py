"""What both OpenAI formats would refuse: models, ids, names, texts, images and tools."""

from __future__ import annotations

from ..session.model import Any
from .body import Judge
from .media import parse_data_url
from .openai import IMAGES, MAX_ID, NAMES
from .parts import name_of, object_of


class OpenAIJudge(Judge):
    """What is judged alike in both formats; `chat`: whether it is Chat Completions' body."""

    chat = False

    def model(self) -> None:
        self.expect(name_of(self.body.get("model")), "model", "a model's name is required")

    def call_id(self, given: object, path: str) -> bool:
        fits = isinstance(given, str) and 0 < len(given) <= MAX_ID
        return self.expect(fits, path, f"a text of 1 to {MAX_ID} characters is expected")

    def name(self, given: object, path: str) -> None:
        self.expect(NAMES.takes(given), f"{path}.name", "1 to 64 letters, digits, _ and - are expected")

    def image(self, url: object, path: str) -> None:
        """An image's URL."""
        inline = parse_data_url(url) if isinstance(url, str) else None
        if inline is None:
            there = isinstance(url, str) and url.startswith(("https://", "http://"))
            self.expect(there, path, "an https address or a data URL is expected")
        elif self.expect(
            inline[0] in IMAGES, path, f"{inline[0]} is not supported: png, jpeg, gif or webp"
        ):
            self.expect(inline[1], path, "the image is empty")

    def tools(self) -> None:
        """The tool declarations."""
        offered, chat = self.body.get("tools"), self.chat
        if offered is None:
            return
        if not isinstance(offered, list) or (chat and not offered):
            self.say("tools", "a list of tools is expected, or none at all")
            return
        seen: set[str] = set()
        for number, tool in enumerate(offered):
            path, kind = f"tools.{number}", object_of(tool).get("type")
            if not isinstance(kind, str) or (chat and kind not in ("function", "custom")):
                self.say(f"{path}.type", "function is expected" if chat else "a tool's type is expected")
            elif kind == "function" or chat:
                path = f"{path}.{kind}" if chat else path
                given = object_of(tool.get(kind) if chat else tool).get("name")
                self.name(given, path)
                twice = isinstance(given, str) and given in seen
                self.expect(not twice, f"{path}.name", f"{given} is declared twice")
                seen.add(str(given))

    def part(self, part: Any, path: str, kinds: tuple[str, ...]) -> bool:
        """The type of a content part; whether it is one of these."""
        kind = object_of(part).get("type")
        what = f"{kind!r} cannot stand here; allowed: {', '.join(kinds)}"
        return self.expect(kind in kinds, f"{path}.type", what)
