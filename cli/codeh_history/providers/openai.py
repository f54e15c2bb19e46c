"""What both OpenAI formats share: ids, names, arguments and results as they are sent."""

from __future__ import annotations

import orjson

from ..base.read_json import json_object, json_value
from ..session.model import Any, Json, Part
from ..session.pairing import is_failed_call
from .names import Alphabet, CallIds

MAX_ID = 64
NAMES = Alphabet("a-zA-Z0-9_-", 64)
IMAGES = frozenset(("image/png", "image/jpeg", "image/webp", "image/gif"))
IMAGE_KINDS = ("image_url", "input_image")  # what either OpenAI format calls an image


def usage_paths(input: str, output: str) -> dict[str, str]:
    """Where either format's usage has its counts, by their names; see `usage.read`."""
    return {
        "input": input, "output": output, "cached": f"{input}_details.cached_tokens",
        "cacheWrite": f"{input}_details.cache_write_tokens",
        "reasoning": f"{output}_details.reasoning_tokens", "total": "total_tokens",
    }  # fmt: skip


def json_text(value: object) -> str:
    """Compact JSON, key order kept."""
    return orjson.dumps(value).decode()


def arguments_of(part: Part) -> str:
    """A call's arguments as the JSON text of an object; what is no object goes under `arguments`.

    A text that they were read from (the part's `arguments`) is sent as it was where it says the same:
    it has numbers that a double cannot hold.
    """
    args: Any = part["functionCall"].get("args")
    held: Any = part
    raw = held.get("arguments") if len(part) > 1 else None
    if isinstance(raw, str):
        value = json_value(raw)
        if isinstance(value, dict) and value == args:
            return raw
        if not isinstance(value, dict) and not args:
            return json_text({"arguments": raw})
    if args is None:
        return "{}"
    return json_text(args if isinstance(args, dict) else {"arguments": args})


def result_media(response: Any) -> list[Part]:
    """The media parts that a functionResponse carries beside its response."""
    parts = response.get("parts")
    if not parts:
        return []
    found: list[Any] = [
        part
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict)
        and any(isinstance(part.get(name), dict) for name in ("inlineData", "fileData"))
    ]
    return found


def result_text(response: object) -> str:
    """A tool's result as text: what `{"output": text}` holds, else its compact JSON.

    An error stays `{"error": …}`, so that a model sees that the call failed, unless its text says so.
    """
    if isinstance(response, dict) and len(response) == 1:
        text: object = response.get("output")
        if not isinstance(text, str) and is_failed_call(response.get("error")):
            text = response["error"]
        return text if isinstance(text, str) else json_text(response)
    if isinstance(response, str):
        return response
    return json_text(response) if response is not None and response != {} else ""


def response_of(text: str) -> Json:
    """The inverse of `result_text`."""
    if text == "":
        return {}
    if text.startswith("{"):
        value = json_object(text)
        if value is not None and result_text(value) == text:
            return value
    return {"error" if is_failed_call(text) else "output": text}


def _digest(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def call_ids(*, faithful: bool) -> CallIds:
    """The ids of a request's calls, each different from every other."""
    return CallIds(str if faithful else _fit, faithful=faithful)


def _fit(id: str) -> str:
    """An id longer than OpenAI takes, or with control characters, becomes a hash of it."""
    return id if 0 < len(id) <= MAX_ID and id.isprintable() else f"call_{_digest(id)[:32]}"


def item_of(part: Part) -> Json:
    """What a provider's own item said beside the part, `{}` if nothing was kept."""
    held: Any = part
    item = held.get("item")
    return item if isinstance(item, dict) else {}
