"""Parts ↔ the content parts of a Responses input message, one at a time."""

from __future__ import annotations

from ...session.model import Any, Json, Part
from ..media import Media, media, parse_data_url
from ..openai import IMAGE_KINDS, IMAGES, item_of, response_of, result_media, result_text
from . import NAME

_OPEN_XML = "application/vnd.openxmlformats-officedocument."
_DOCUMENTS = {
    "application/pdf": "pdf", "application/rtf": "rtf", "application/msword": "doc",
    "application/vnd.ms-excel": "xls", "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.oasis.opendocument.text": "odt", f"{_OPEN_XML}wordprocessingml.document": "docx",
    f"{_OPEN_XML}spreadsheetml.sheet": "xlsx", f"{_OPEN_XML}presentationml.presentation": "pptx",
}  # fmt: skip
_DETAILS = ("auto", "low", "high", "original")


def written(part: Part) -> Json | None:
    """The content part that says this in a user's message; None where the format has none.

    Images png, jpeg, webp and gif, PDF, text and office files, inline or by URL; no sound.
    """
    item = item_of(part)
    if "text" in part:
        text = {"type": "input_text", "text": part["text"]}
        return {**item, **text} if item.get("type") == "input_text" else text
    if "native" in part:
        value = part["native"].get("value")
        return value if part["native"].get("provider") == NAME and is_content(value) else None
    found = media(part)
    block = _media(found, item) if found is not None else None
    if block is None or item.get("type") != block["type"]:
        return block
    return {**item, **block}


def is_content(value: Any) -> bool:
    """Whether a native value stands inside a message (an uploaded file), rather than being an item."""
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind.startswith("input_")


def _media(found: Media, item: Json) -> Json | None:
    kind = item.get("type")
    if found.mime in IMAGES or (found.url is not None and kind in IMAGE_KINDS):
        url = found.url or (found.data_url if found.data is not None else None)
        detail = item.get("detail") if item.get("detail") in _DETAILS else "auto"
        return {"type": "input_image", "image_url": url, "detail": detail} if url else None
    if not (found.mime in _DOCUMENTS or found.textual or (found.url is not None and kind == "input_file")):
        return None
    if found.url is not None:
        return {"type": "input_file", "file_url": found.url}
    if found.data is None:
        return None
    name = found.name or f"file.{_DOCUMENTS.get(found.mime, 'txt')}"  # its ending tells the API what it is
    return {"type": "input_file", "filename": name, "file_data": found.data_url}


def unwritten(part: Part, *, by_model: bool = False) -> str:
    """Why media cannot be sent, "" for a part that is none; a model's message takes none at all."""
    found = media(part)
    if found is None:
        return ""
    if found.data is None and found.url is None:
        return "no readable data, or an address that only its own provider can read"
    return "a model's message takes only text" if by_model else f"{found.mime or 'data'} cannot be sent"


def read_part(block: Any) -> Any:
    """The inverse of `written`: in our own terms where writing it gives the same again, else `native`."""
    plain: Any = _plain(block)
    if plain is not None:
        if written(plain) == block:
            return plain
        kept = {**plain, "item": _beside(block)}
        again = written(kept)  # type: ignore[arg-type]
        if again == block or _payload(again) == _payload(block) is not None:
            return kept
    return {"native": {"provider": NAME, "value": block}}


def _plain(block: Any) -> Json | None:
    if not isinstance(block, dict):
        return None
    kind = block.get("type")
    if kind in ("input_text", "output_text") and isinstance(block.get("text"), str):
        return {"text": block["text"]}
    url = block.get("image_url") if kind == "input_image" else None
    if kind == "input_file":
        url = block.get("file_data") or block.get("file_url")
    if not isinstance(url, str):
        return None
    inline = parse_data_url(url)
    if inline is None:
        return {"fileData": {"fileUri": url}}
    blob = {"mimeType": inline[0], "data": inline[1]}
    name = block.get("filename")
    return {"inlineData": {**blob, "displayName": name} if isinstance(name, str) else blob}


def _beside(block: Json) -> Json:
    """What a content part says beside its content."""
    content = ("text", "image_url", "file_data", "file_url", "filename")
    return {key: value for key, value in block.items() if key not in content}


def _payload(block: Any) -> object:
    """The content of inline media, however its type is spelled and whatever it is called."""
    for name in ("image_url", "file_data"):
        url = block.get(name) if isinstance(block, dict) else None
        inline = parse_data_url(url) if isinstance(url, str) else None
        if inline is not None:
            return (name, inline[1], block.get("detail") or "auto")
    return None


# -- results ------------------------------------------------------------------------------------------


def read_output(output: Any) -> Json:
    """The `response` (and media `parts`) of a function_call_output's output."""
    if not isinstance(output, list):
        return {"response": response_of(output if isinstance(output, str) else "")}
    read = [read_part(block) for block in output]
    text = "".join(part["text"] for part in read if "text" in part)
    others = [part for part in read if "text" not in part]
    response: Json = {"response": response_of(text)}
    return {**response, "parts": others} if others else response


def output_of(part: Part, held: list[Json]) -> Any:
    """A result's output: its text, or a list where media (as `held` says it) came with it.

    A list that was received is sent as it was, unless the result was changed since.
    """
    response: Any = part["functionResponse"]
    given = item_of(part).get("output") if len(part) > 1 else None
    if isinstance(given, list) and given:
        same = {key: response[key] for key in ("response", "parts") if key in response}
        if read_output(given) == same:
            return given
    text = result_text(response.get("response"))
    if not held:
        return text
    return [{"type": "input_text", "text": text}, *held] if text else held


def held_media(part: Part) -> list[Part]:
    """The media of a result, uploaded files included."""
    response: Any = part["functionResponse"]
    parts = response.get("parts")
    if not parts:
        return []
    natives: list[Any] = [
        held
        for held in (parts if isinstance(parts, list) else ())
        if isinstance(held, dict) and isinstance(held.get("native"), dict)
    ]
    return [*result_media(response), *natives]
