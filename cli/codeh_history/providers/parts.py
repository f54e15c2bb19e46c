"""Read providers' JSON tolerantly, make parts from it, and convert calls and results for requests."""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from ..base.lazy import Pattern
from ..base.read_json import json_object, json_value
from ..session.model import Any, Json, Part
from ..session.pairing import is_failed_call
from ..session.records import check_message
from .json_text import value_of

FAILED = "The tool call failed."  # for providers that refuse an empty error
_LONG_NUMBER = Pattern(r"(?<![\d.])\d{19}")  # may exceed 64 bits, and would lose digits
_EMPTY: tuple[Any, ...] = (None, "", [], {})


def native(provider: str, value: Any) -> Part:
    """A part that keeps a provider's own value unchanged."""
    return {"native": {"provider": provider, "value": value}}


def storable(part: Json, provider: str) -> Part:
    """The part itself, or a native part if a record could not hold it."""
    usable = check_message({"id": "", "role": "model", "parts": [part]}) is None
    return part if usable else native(provider, part)  # type: ignore[return-value]


def call(id: object, name: str, arguments: object, item: Json | None = None) -> Part:
    """A functionCall part; `item`: the provider's other fields.

    `arguments` is an object or its JSON text. Text that is not an object, or whose numbers would lose
    digits, is also kept verbatim in the part's field `arguments`; `args` is then what can be parsed, or {}.
    """
    function: Json = {**({"id": id} if name_of(id) else {}), "name": name, "args": arguments}
    part: Any = {"functionCall": function}
    if not isinstance(arguments, dict):
        text = arguments if isinstance(arguments, str) else json_text(arguments)
        value = value_of(text)
        function["args"] = object_of(value)
        whole = isinstance(value, dict) and not _LONG_NUMBER.search(text)
        if not whole and arguments is not None and text.strip():
            part["arguments"] = text
    if item:
        part["item"] = item
    return part  # type: ignore[no-any-return]


def has_value(value: Any) -> bool:
    """Whether a field is not empty (null, "", [] or {})."""
    return value not in _EMPTY


def without(value: Json, skipped: Iterable[str]) -> Json:
    """The non-empty fields, without the skipped ones."""
    skip = frozenset(skipped)
    return {key: field for key, field in value.items() if key not in skip and has_value(field)}


def text_of(value: object) -> str:
    """A text field; "" for anything else."""
    return value if isinstance(value, str) else ""


def item_of(part: Any) -> Json:
    """The provider's other fields, kept in a part's `item`; {} if there are none."""
    return object_of(part.get("item"))


def native_of(part: Any, provider: str) -> Any:
    """The value of a native part of this provider; None for any other part."""
    native = part.get("native")
    return native.get("value") if native is not None and native.get("provider") == provider else None


def name_of(value: object) -> str | None:
    """A non-empty string, such as an id, model or finish reason; None for anything else."""
    return value if isinstance(value, str) and value else None


def objects(value: object) -> list[Json]:
    """The objects of a list; [] for anything else."""
    return [item for item in list_of(value) if isinstance(item, dict)]


def object_of(value: object) -> Json:
    """An object field; {} for anything else."""
    return value if isinstance(value, dict) else {}


ROLES = frozenset(("user", "assistant", "system", "developer", "tool", "function", "model"))


def is_message(item: object, *others: str) -> bool:
    """Whether this has a role, and a content or one of the fields that may replace it (`others`)."""
    if not isinstance(item, dict) or item.get("type", "message") != "message":
        return False
    content, role = item.get("content"), item.get("role")
    beside_it = content is None and not item.keys().isdisjoint(others)
    return isinstance(role, str) and role in ROLES and (isinstance(content, (str, list)) or beside_it)


def list_of(value: object) -> list[Any]:
    """A list field; [] for anything else."""
    return value if isinstance(value, list) else []


def blocks_of(content: object) -> list[Any]:
    """The blocks of a content; a string is a text block, and anything else has none."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)


def texts_of(blocks: Iterable[Any]) -> list[str]:
    """The texts of the content blocks of type text."""
    return [block["text"] for block in blocks if is_text(block)]


def paragraphs(blocks: object) -> str:
    """Join the texts of a list's objects by blank lines."""
    texts = (block.get("text") for block in objects(blocks))
    return "\n\n".join(text for text in texts if isinstance(text, str))


def is_text(block: object) -> bool:
    """Whether this is a valid content block of type text."""
    return isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)


def kinds(messages: Iterable[Json]) -> set[str]:
    """The types of the content blocks of messages."""
    blocks = (block for message in messages for block in objects(message.get("content")))
    return {block["type"] for block in blocks if isinstance(block.get("type"), str)}


def first(choices: object) -> Json:
    """The choice (or candidate) with index 0, the default; {} if it is missing."""
    return next((choice for choice in objects(choices) if not choice.get("index")), {})


def further(choices: object) -> set[int]:
    """The indices, else positions, of the choices (or candidates) except index 0."""
    return {
        choice["index"] if isinstance(choice.get("index"), int) else place
        for place, choice in enumerate(objects(choices))
    } - {0}


# -- calls and results ----------------------------------------------------------------------------------


def arguments(part: Any) -> Json:
    """A call's arguments as an object; other values, and text kept verbatim, under `arguments`."""
    args = part["functionCall"].get("args")
    if not args and isinstance(part.get("arguments"), str):
        return {"arguments": part["arguments"]}
    return args if isinstance(args, dict) else {} if args is None else {"arguments": args}


def answer(response: Any) -> tuple[str, bool]:
    """A tool's response as text, and whether the call failed.

    The text is that of `{"output": text}` or `{"error": text}`, else the response's compact JSON.
    """
    if isinstance(response, str):
        return response, False
    if not isinstance(response, dict):
        return ("" if response is None else json_text(response)), False
    failed = response.get("error") not in (None, False)
    only = response.get("error" if failed else "output") if len(response) == 1 else None
    return (only if isinstance(only, str) else json_text(response)), failed


def response_of(text: str, *, failed: bool) -> Json:
    """The inverse of `answer`, for text."""
    return {"error" if failed else "output": text}


def json_text(value: object) -> str:
    """Compact JSON in the original key order."""
    return orjson.dumps(value).decode()


def arguments_of(part: Part) -> str:
    """A call's arguments as the JSON text of an object; other values go under `arguments`.

    The original text (the part's `arguments`) is used if it has the same value: it may have numbers that a
    double cannot represent.
    """
    raw: Any = dict(part).get("arguments") if len(part) > 1 else None
    if isinstance(raw, str):
        value = json_value(raw)
        if isinstance(value, dict) and value == part["functionCall"].get("args"):
            return raw
    return json_text(arguments(part))


def result_media(response: Json) -> list[Any]:
    """The media parts of a functionResponse."""
    names = ("inlineData", "fileData")
    parts = objects(response.get("parts"))
    return [part for part in parts if any(isinstance(part.get(name), dict) for name in names)]


def result_text(response: object) -> str:
    """A tool's result as text: that of `{"output": text}`, else its compact JSON.

    An error stays `{"error": …}`, so that the model sees the failure, unless its text states it.
    """
    if response is None or response == {}:
        return ""
    text, failed = answer(response)
    return text if not failed or is_failed_call(text) else json_text(response)


def parsed_response(text: str) -> Json:
    """The inverse of `result_text`."""
    if text == "":
        return {}
    if text.startswith("{"):
        value = json_object(text)
        if value is not None and result_text(value) == text:
            return value
    return {"error" if is_failed_call(text) else "output": text}
