"""Parts from what providers send, whatever shape it has, and calls and results as providers take them."""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from ..base.lazy import Pattern
from ..base.read_json import json_object, json_value
from ..session.model import Any, Json, Part
from ..session.pairing import is_failed_call
from ..session.records import check_message
from .json_text import value_of

FAILED = "The tool call failed."  # where a provider wants an error to say something
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


# -- calls and results ----------------------------------------------------------------------------------


def arguments(part: Any) -> Json:
    """A call's arguments as an object; what is none, and a text kept verbatim, under `arguments`."""
    args = part["functionCall"].get("args")
    if not args and isinstance(part.get("arguments"), str):
        return {"arguments": part["arguments"]}
    return args if isinstance(args, dict) else {} if args is None else {"arguments": args}


def answer(response: Any) -> tuple[str, bool]:
    """A tool's response as text, and whether the call failed.

    The text is what `{"output": text}` or `{"error": text}` holds, else the response's compact JSON.
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
    """Compact JSON, key order kept."""
    return orjson.dumps(value).decode()


def arguments_of(part: Part) -> str:
    """A call's arguments as the JSON text of an object; other values go under `arguments`.

    A text that they were read from (the part's `arguments`) is sent as it was where it says the same:
    it has numbers that a double cannot hold.
    """
    raw: Any = dict(part).get("arguments") if len(part) > 1 else None
    if isinstance(raw, str):
        value = json_value(raw)
        if isinstance(value, dict) and value == part["functionCall"].get("args"):
            return raw
    return json_text(arguments(part))


def result_media(response: Json) -> list[Any]:
    """The media parts that a functionResponse carries beside its response."""
    names = ("inlineData", "fileData")
    parts = objects(response.get("parts"))
    return [part for part in parts if any(isinstance(part.get(name), dict) for name in names)]


def result_text(response: object) -> str:
    """A tool's result as text: what `{"output": text}` holds, else its compact JSON.

    An error stays `{"error": …}`, so that a model sees that the call failed, unless its text says so.
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
