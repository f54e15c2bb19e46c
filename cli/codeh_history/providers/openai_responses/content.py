"""The content parts of a Responses input message, and the outputs of calls."""

from __future__ import annotations

from ...session.model import Any, Json, Part
from ..media import Media
from ..openai import response_of, result_media, result_text
from ..openai_content import IMAGE_KINDS, IMAGES, Content
from ..parts import item_of, listed
from . import NAME

_OPEN_XML = "application/vnd.openxmlformats-officedocument."
_DOCUMENTS = {
    "application/pdf": "pdf", "application/rtf": "rtf", "application/msword": "doc",
    "application/vnd.ms-excel": "xls", "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.oasis.opendocument.text": "odt", f"{_OPEN_XML}wordprocessingml.document": "docx",
    f"{_OPEN_XML}spreadsheetml.sheet": "xlsx", f"{_OPEN_XML}presentationml.presentation": "pptx",
}  # fmt: skip


class ResponsesContent(Content):
    """Images png, jpeg, webp and gif, PDF, text and office files, inline or by URL; no sound."""

    provider = NAME
    text = "input_text"
    texts = ("input_text", "output_text")
    urls = {  # noqa: RUF012 - never changed
        "input_image": ("image_url",), "input_file": ("file_data", "file_url"),
    }  # fmt: skip
    nested = False
    unknown = "data"
    details = ("auto", "low", "high", "original")
    detail = "auto"

    def is_native(self, value: Any) -> bool:
        """Whether it stands inside a message (an uploaded file), rather than being an item."""
        kind = value.get("type") if isinstance(value, dict) else None
        return isinstance(kind, str) and kind.startswith("input_")

    def media(self, held: Media, item: Json) -> Json | None:
        kind = item.get("type")
        if held.mime in IMAGES or (held.url is not None and kind in IMAGE_KINDS):
            url = held.url or (held.data_url if held.data is not None else None)
            detail = item.get("detail") if item.get("detail") in self.details else self.detail
            return {"type": "input_image", "image_url": url, "detail": detail} if url else None
        if held.mime.startswith("image/"):  # a picture in text (SVG) is refused as a file
            text = held.labelled_text()
            return None if text is None else {"type": "input_text", "text": text}
        if not (held.mime in _DOCUMENTS or held.textual or (held.url is not None and kind == "input_file")):
            return None
        if held.url is not None:
            return {"type": "input_file", "file_url": held.url}
        if held.data is None:
            return None
        name = held.name or f"file.{_DOCUMENTS.get(held.mime, 'txt')}"  # the API goes by its ending
        return {"type": "input_file", "filename": name, "file_data": held.data_url}


CONTENT = ResponsesContent()


def read_output(output: Any) -> Json:
    """The `response` (and media `parts`) of a function_call_output's output."""
    if not isinstance(output, list):
        return {"response": response_of(output if isinstance(output, str) else "")}
    parts = [CONTENT.read(block) for block in output]
    others = [part for part in parts if "text" not in part]
    response = response_of("".join(part["text"] for part in parts if "text" in part))
    return {"response": response, "parts": others} if others else {"response": response}


def write_output(part: Part, held: list[Json]) -> Any:
    """A result's output: its text, or a list where media (written as `held`) came with it.

    A list that was received is sent as it was, unless the result was changed since.
    """
    response: Any = part["functionResponse"]
    received = item_of(part).get("output") if len(part) > 1 else None
    if isinstance(received, list) and received:
        same = {key: response[key] for key in ("response", "parts") if key in response}
        if read_output(received) == same:
            return received
    text = result_text(response.get("response"))
    if not held:
        return text
    return [{"type": "input_text", "text": text}, *held] if text else held


def result_parts(part: Part) -> list[Any]:
    """The media of a result, then its uploaded files."""
    response: Any = part["functionResponse"]
    if "parts" not in response:
        return []
    held = [part for part in listed(response.get("parts")) if isinstance(part, dict)]
    return [*result_media(response), *(part for part in held if isinstance(part.get("native"), dict))]
