"""Convert parts to Anthropic's content blocks: media, tool results, ids and names."""

from __future__ import annotations

from collections.abc import Callable

from ...base.lazy import Pattern
from ...session.model import Any, Json
from ..media import Media, media
from ..names import WORD, Alphabet
from ..parts import FAILED, answer, item_of, list_of, native_of, object_of, objects
from ..turns import media_stub
from . import NAME

IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
THINKING = ("thinking", "redacted_thinking")
RESULT_CONTENT = ("text", "image", "document", "search_result", "tool_reference", "browser_state")
OF_A_USER = ("tool_result", "image", "document", "search_result", "container_upload", "tool_addition")
OF_A_MODEL = ("tool_use", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use")
PDF = "application/pdf"
TITLE = 500  # most characters of a document's title
IDS = Alphabet(WORD + "-", 1000)
NAMES = Alphabet(WORD + "-", 128)

_OF_A_DOCUMENT = ("title", "context", "citations")
_VERSION = Pattern(r"claude-(?:([a-z]+)-)?(\d+)(?:-(\d{1,2}))?(?![0-9])(?:-([a-z]+))?")


def version(model: object) -> tuple[str, int, int]:
    """A model's line and version, `("opus", 4, 8)`; `("", 0, 0)` if unknown.

    Both orders are read: `claude-opus-4-8`, `claude-3-5-sonnet-20241022`.
    """
    match = _VERSION.search(model.lower()) if isinstance(model, str) else None
    return (match[1] or match[4] or "", int(match[2]), int(match[3] or 0)) if match else ("", 0, 0)


def takes_system(model: object) -> bool:
    """Whether a model accepts system messages in the conversation: Opus 4.8 and the fifth generation.

    Sources disagree about Sonnet 5, so it counts as not accepting them.
    """
    line, major, minor = version(model)
    return (line == "opus" and (major, minor) >= (4, 8)) or (major >= 5 and line not in ("", "sonnet"))


def native_block(part: Any, role: str) -> Json | None:
    """The block in a native part of this provider; None if a message of this role cannot contain it."""
    value = object_of(native_of(part, NAME))
    kind = value.get("type")
    if not isinstance(kind, str) or kind in ("tool_use", "tool_result"):
        return None
    if kind == "text" and not has_text(value.get("text")):
        return None
    others = kind in OF_A_USER if role == "model" else kind in OF_A_MODEL or kind.endswith("_tool_result")
    return None if others else value


def has_text(text: object) -> bool:
    """Whether a block may have this text: it must have more than whitespace."""
    return isinstance(text, str) and bool(text) and not text.isspace()


def media_block(part: Any) -> Json | str:
    """The block for an image, PDF or text file; for other files, the reason why they cannot be sent."""
    file = media(part) or Media()
    source: Json | None = {"type": "url", "url": file.url} if file.url else None
    if file.data is not None:
        source = {"type": "base64", "media_type": file.mime, "data": file.data}
    if file.textual:
        text = file.text()
        source = {"type": "text", "media_type": "text/plain", "data": text} if has_text(text) else None
    elif file.mime not in (*IMAGES, PDF):
        return "Anthropic does not take this type"
    if source is None:
        return "its data is missing, damaged or elsewhere"
    if file.mime in IMAGES:
        return {"type": "image", "source": source}
    title = {"title": file.name[:TITLE]} if file.name else {}
    fields = {key: value for key, value in item_of(part).items() if key in _OF_A_DOCUMENT}
    return {"type": "document", "source": source, **title, **fields}


def result_block(part: Any, id: str, stub: Callable[[Any, str], str] = media_stub) -> Json:
    """The tool_result of a functionResponse; `stub` makes the text that replaces unsupported media."""
    response = part["functionResponse"]
    text, failed = answer(response.get("response"))
    content: Any = text if has_text(text) else FAILED if failed else ""
    block: Json = {"type": "tool_result", "tool_use_id": id, "content": content}
    if failed:
        block["is_error"] = True
    if len(part) == 1 and "parts" not in response:  # nearly all
        return block
    imported = item_of(part)  # fields of an imported body; `type` shows that it was this provider's
    received = objects(imported.get("content"))
    if imported.get("type") == "tool_result" and received and len(received) == len(imported["content"]):
        texts = [item.get("text") for item in received if item.get("type") == "text"]
        if all(item.get("type") in RESULT_CONTENT for item in received) and all(map(has_text, texts)):
            return {**block, "content": received}
    contents: list[Json] = []
    for item in map(object_of, list_of(response.get("parts"))):
        new: Any = media_block(item) if media(item) is not None else text_block(item.get("text"))  # type: ignore[arg-type]
        new = text_block(stub(item, new)) if isinstance(new, str) else new
        contents += [new] if new["type"] != "text" or has_text(new["text"]) else []
    if contents:
        block["content"] = [text_block(text), *contents] if has_text(text) else contents
    return block


def text_block(text: Any) -> Json:
    return {"type": "text", "text": text}


def without_mark(block: Json) -> Json:
    """The block without `cache_control`."""
    return {key: value for key, value in block.items() if key != "cache_control"}
