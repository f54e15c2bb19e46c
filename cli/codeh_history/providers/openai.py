"""What both OpenAI formats share: ids, names, usage, and how a request grows."""

from __future__ import annotations

from ..session.model import Any, Json, Part
from .array import Array
from .base import Options
from .names import WORD, Alphabet, CallIds
from .openai_content import Content
from .parts import is_text, item_of, list_of, texts_of
from .turns import EMPTY_MESSAGE

MAX_ID = 64
NAMES = Alphabet(WORD + "-", 64)
SYSTEM_ROLES = ("system", "developer")


def usage_paths(input: str, output: str) -> dict[str, str]:
    """Where either format's usage has its counts, by their names; see `usage.read`."""
    return {
        "input": input, "output": output, "cached": f"{input}_details.cached_tokens",
        "cacheWrite": f"{input}_details.cache_write_tokens",
        "reasoning": f"{output}_details.reasoning_tokens", "total": "total_tokens",
    }  # fmt: skip


def joined(content: object) -> str | None:
    """The text of a content that is text, or a list of nothing but text parts; None for any other."""
    if isinstance(content, str):
        return content
    blocks = list_of(content)
    return "".join(texts_of(blocks)) if blocks and all(map(is_text, blocks)) else None


def _fit_id(id: str) -> str:
    """An id longer than OpenAI takes, or with control characters, becomes a hash of it."""
    if 0 < len(id) <= MAX_ID and id.isprintable():
        return id
    import hashlib

    return f"call_{hashlib.sha256(id.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


class OpenAIArray(Array):
    """The messages or items of a request in either format; `content` is the format's content parts."""

    def __init__(self, options: Options, content: Content) -> None:
        super().__init__(content.provider, options)
        self.content = content
        self.ids = CallIds(str if self.faithful else _fit_id, faithful=self.faithful)

    def blocks(self, parts: list[Any], source: str) -> list[Json]:
        """A user message's content parts; what cannot be sent is described, or left out with a note."""
        blocks: list[Json] = []
        for part in parts:
            block = self.content.write(part) if not part.get("thought") else None
            if block is not None:
                blocks.append(block)
            elif part.get("thought"):
                continue
            elif why := self.content.why_not(part):
                blocks.append({"type": self.content.text, "text": self.stub(part, why, source)})
            else:
                self.left_out(part, source)
        return blocks

    def user_content(self, blocks: list[Json]) -> Any:
        """The content of a user's message: a bare text where that says all."""
        if len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
            return blocks[0]["text"]
        return blocks or ([] if self.faithful else EMPTY_MESSAGE)

    def function_name(self, part: Part) -> str:
        name = str(part["functionCall"].get("name"))
        return name if self.faithful else NAMES.fit(name)


def custom_input(part: Part, type: str) -> str | None:
    """The text that a custom tool was called with; None for the call of a function."""
    args: Any = part["functionCall"].get("args")
    if item_of(part).get("type") != type or not isinstance(args, dict):
        return None
    return args["input"] if isinstance(args.get("input"), str) else None
