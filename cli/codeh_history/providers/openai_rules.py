"""Rules of both OpenAI formats: ids, names, content, images and tools."""

from __future__ import annotations

from ..session.model import Any
from .media import parse_data_url
from .openai import IMAGES, MAX_ID, NAMES
from .parts import list_of, text_of
from .validator import ByType, Validator, each

TEXT = {"text": "text"}
REFUSAL = {"refusal": "text"}


def call_id(id: object) -> str:
    fits = isinstance(id, str) and 0 < len(id) <= MAX_ID
    return "" if fits else f"a text of 1 to {MAX_ID} characters is expected"


def name(name: object) -> str:
    return "" if NAMES.takes(name) else "1 to 64 letters, digits, _ and - are expected"


def address(url: object) -> str:
    return "" if text_of(url).startswith(("https://", "http://")) else "an https address is expected"


def image(url: object) -> str:
    inline = parse_data_url(text_of(url))
    if inline is None:
        return address(url) and "an https address or a data URL is expected"
    if inline[0] not in IMAGES:
        return f"{inline[0]} is not supported: png, jpeg, gif or webp"
    return "" if inline[1] else "the image is empty"


class OpenAIValidator(Validator):
    """The rules of both formats."""

    def content(self, content: Any, path: str, shape: ByType) -> None:
        """Check a content: a string, or a list of content parts."""
        why = "a text, or a list of at least one content part, is expected"
        self.require(isinstance(content, str) or list_of(content), path, why)
        for where, part in each(content, path):
            self.expect(where, part, shape)
