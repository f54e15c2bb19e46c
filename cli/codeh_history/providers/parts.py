"""Building the parts of a reply from what providers send, whatever shape it has."""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from ..base.lazy import Pattern
from ..session.model import Any, Json, Part
from ..session.records import check_message
from .json_text import value_of

_LONG_NUMBER = Pattern(r"(?<![\d.])\d{19}")  # may not fit 64 bits: it would lose digits
_EMPTY: tuple[Any, ...] = (None, "", [], {})


def native(provider: str, value: Any) -> Part:
    """What only this provider knows, kept as it is."""
    return {"native": {"provider": provider, "value": value}}


def kept(part: Json, provider: str) -> Part:
    """A part in our spelling as received, or as native where a record could not hold it."""
    usable = check_message({"id": "", "role": "model", "parts": [part]}) is None
    return part if usable else native(provider, part)  # type: ignore[return-value]


def call(id: object, name: str, arguments: object, item: Json | None = None) -> Part:
    """A functionCall; `item` is what else the provider says about it.

    `arguments` is an object, or its JSON text. Text that is not an object's JSON, or whose numbers
    would lose digits, is kept verbatim under the part's key `arguments` (args are then what can be
    read of it, at least {}).
    """
    function: Json = {"id": id} if name_of(id) else {}
    part: Any = {"functionCall": function}
    function |= {"name": name, "args": arguments}
    if not isinstance(arguments, dict):
        text = arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
        value = value_of(text)
        function["args"] = object_of(value)
        whole = isinstance(value, dict) and not _LONG_NUMBER.search(text)
        if not whole and arguments is not None and text.strip():
            part["arguments"] = text
    if item:
        part["item"] = item
    return part  # type: ignore[no-any-return]


def has_value(value: Any) -> bool:
    """Whether a field says anything: null, "", [] and {} do not."""
    return value not in _EMPTY


def without(value: Json, skipped: Iterable[str]) -> Json:
    """The fields that say something, without the skipped ones."""
    skip = frozenset(skipped)
    return {key: field for key, field in value.items() if key not in skip and has_value(field)}


def text_of(value: object) -> str:
    """A text field; "" for anything else."""
    return value if isinstance(value, str) else ""


def item_of(part: Any) -> Json:
    """What a provider's own item said beside the part, `{}` if nothing was kept."""
    return object_of(part.get("item"))


def native_of(part: Any, provider: str) -> Any:
    """The value of a native part of this provider; None for any other part."""
    native = part.get("native")
    return native.get("value") if native is not None and native.get("provider") == provider else None


def name_of(value: object) -> str | None:
    """An id, model or finish reason; None for anything but text that says something."""
    return value if isinstance(value, str) and value else None


def objects(value: object) -> list[Json]:
    """The objects of a list; [] for anything else."""
    return [item for item in list_of(value) if isinstance(item, dict)]


def object_of(value: object) -> Json:
    """An object field; {} for anything else."""
    return value if isinstance(value, dict) else {}


ROLES = frozenset(("user", "assistant", "system", "developer", "tool", "function", "model"))


def is_message(item: object, *beside: str) -> bool:
    """Whether this has a role and a content; or none, but one of the fields that may stand beside it."""
    if not isinstance(item, dict) or item.get("type", "message") != "message":
        return False
    content, role = item.get("content"), item.get("role")
    beside_it = content is None and not item.keys().isdisjoint(beside)
    return isinstance(role, str) and role in ROLES and (isinstance(content, (str, list)) or beside_it)


def list_of(value: object) -> list[Any]:
    """A list field; [] for anything else."""
    return value if isinstance(value, list) else []


def texts_of(blocks: Iterable[Any]) -> list[str]:
    """The texts of those content blocks that are of type text."""
    return [block["text"] for block in blocks if is_text(block)]


def paragraphs(blocks: object) -> str:
    """The texts of a list's objects, a blank line between."""
    texts = (block.get("text") for block in objects(blocks))
    return "\n\n".join(text for text in texts if isinstance(text, str))


def is_text(block: object) -> bool:
    """Whether this is a content block of type text with a text."""
    return isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)


def kinds(messages: Iterable[Json]) -> set[str]:
    """The types of the content blocks of messages."""
    blocks = (block for message in messages for block in objects(message.get("content")))
    return {block["type"] for block in blocks if isinstance(block.get("type"), str)}


def first(choices: object) -> Json:
    """The choice (or candidate) of index 0, which may be left out; {} if it is missing."""
    return next((choice for choice in objects(choices) if not choice.get("index")), {})


def further(choices: object) -> set[int]:
    """The indexes, else places, of the choices (or candidates) beside the one of index 0."""
    return {
        choice["index"] if isinstance(choice.get("index"), int) else place
        for place, choice in enumerate(objects(choices))
    } - {0}
