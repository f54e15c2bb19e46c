"""Make parts from the different ways in which programs store them, and ids of conversations."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from ..providers.media import mime_of, parse_data_url
from ..providers.parts import blocks_of, name_of, objects, response_of, text_of
from ..session.model import Json, Part
from ..session.records import dumps
from .fields import at, hash_id


class ConversationIds:
    """Unique ids for the conversations of a file whose format has no ids or repeats them."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def assign(self, original: object, *opening: object) -> str:
        """Return its own id, else a hash of its opening; a repeated id gets `-2`, `-3`, …."""
        id = original if isinstance(original, str) and original.strip() else hash_id(*map(dumps, opening))
        self._seen[id] += 1
        return id if self._seen[id] == 1 else f"{id}-{self._seen[id]}"


def opening(messages: list[Any], field: str, users: tuple[str, ...]) -> list[Any]:
    """The messages up to the first one from a user."""
    roles = (at(item, field) for item in messages)
    first = next((place for place, role in enumerate(roles) if role in users), len(messages))
    return messages[: first + 1]


def thought(text: str, signature: object = None) -> Part:
    """A thought, with its signature if there is one."""
    signed = {"thoughtSignature": signature} if name_of(signature) else {}
    return {"text": text, "thought": True, **signed}  # type: ignore[typeddict-item]


def result(id: object, name: object, text: str, *, failed: bool, files: list[Part] | None = None) -> Part:
    """A tool's result; `id` and `name` are the call's, `files` its parts that are not text."""
    response: Json = {"name": name_of(name) or "tool", "response": response_of(text, failed=failed)}
    if name_of(id):
        response = {"id": id, **response}
    part: Any = {"functionResponse": {**response, "parts": files} if files else response}
    return part  # type: ignore[no-any-return]


def parts_of(content: object, read: Callable[[Json], Part | None]) -> list[Part]:
    """The parts of a text or a list of blocks; `read` returns None for a block that has none."""
    blocks = map(read, objects(blocks_of(content)))
    return [part for part in blocks if part is not None]


def texts(parts: Iterable[Part]) -> list[str]:
    """The texts among the parts, thoughts included."""
    return [part["text"] for part in parts if "text" in part]


def without_texts(parts: Iterable[Part]) -> list[Part]:
    """The parts that are not text."""
    return [part for part in parts if "text" not in part]


def media(source: object, mime: object, what: object) -> Part:
    """A file that the source refers to: its data or web address as a part, else its name as text."""
    name = text_of(source)
    data = parse_data_url(name) if name.startswith("data:") else None
    if data is not None:
        return {"inlineData": {"mimeType": data[0], "data": data[1]}}
    if name.startswith(("https://", "http://", "gs://")):
        kind = name_of(mime) or mime_of(None, name.split("?", 1)[0])
        return {"fileData": {"mimeType": kind, "fileUri": name}}
    return {"text": f"[{name_of(what) or 'file'}: {name or 'without a name'}]"}


def inline(data: bytes | str, mime: object, default: str = "application/octet-stream") -> Part:
    """A file's part from its bytes or their base64."""
    text = b64encode(data).decode() if isinstance(data, bytes) else data
    return {"inlineData": {"mimeType": name_of(mime) or default, "data": text}}
