"""What media costs: images by dimensions, audio and video by duration, documents by pages.

Only headers are read; if they say nothing, the largest image or an estimate from the decoded size is used.
Rules (providers' documentation, checked against recorded usage): Anthropic prices patches of 28 by 28 after
scaling to a long edge of 1568, OpenAI tiles of 512 by 512 after scaling to 2048 and a short side of 768,
Gemini tiles of 768 by 768.
"""

from __future__ import annotations

from math import ceil

from . import headers

_PAGE_TOKENS = {"anthropic": 2000, "openai": 1000, "gemini": 258}  # a page: its text and its image
_AUDIO_TOKENS = 32  # tokens per second
_VIDEO_TOKENS = 295  # tokens per second: a frame of 263 and its audio
_MAX_IMAGE_TOKENS = {"anthropic": 1568, "openai": 1105, "gemini": 1548}
_FILE_SECONDS = 60  # assumed duration of linked audio and video
_FILE_PAGES = 10
_BASE64_HEADS = {
    "iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp",
    "JVBERi0": "application/pdf",
}  # fmt: skip
_TEXTS = ("application/json", "application/xml", "application/javascript", "application/yaml")
_MIN_MEDIA_LENGTH = 256  # shorter strings are never treated as media


def mime_and_data(blob: object) -> tuple[str, str]:
    """Return the MIME type and base64 of an `inlineData`, "" if missing."""
    fields = blob if isinstance(blob, dict) else {}
    mime, data = fields.get("mimeType"), fields.get("data")
    return (mime.lower() if isinstance(mime, str) else ""), (data if isinstance(data, str) else "")


def is_text(mime: str) -> bool:
    """Return whether providers are sent the text of such a file."""
    return mime.startswith("text/") or mime.partition(";")[0] in _TEXTS


def decoded(data: str, limit: int | None = None) -> bytes:
    """Decode base64 or its URL-safe form; `limit`: only that many characters."""
    from base64 import b64decode

    text = data if limit is None else data[: limit - limit % 4]
    try:
        return b64decode(text.translate({45: 43, 95: 47}) + "=" * (-len(text) % 4))
    except ValueError:
        return b""


def inline_tokens(mime: str, data: str, rule: str) -> int:
    """Return what an inline file costs; 0 by the rule `none`."""
    if rule == "none":
        return 0
    if mime.startswith("audio/"):
        return ceil(headers.seconds(decoded(data), mime) * _AUDIO_TOKENS)
    if mime.startswith("video/"):
        return ceil(headers.seconds(decoded(data), mime) * _VIDEO_TOKENS)
    if mime == "application/pdf":
        return headers.pages(decoded(data)) * _PAGE_TOKENS[rule]
    if mime.startswith("image/"):
        size = dimensions(data)
        return image_tokens(*size, rule) if size else _MAX_IMAGE_TOKENS[rule]
    return _PAGE_TOKENS[rule] * max(1, len(data) * 3 // 4 // headers.PAGE_BYTES)


def dimensions(data: str) -> tuple[int, int] | None:
    """Return the width and height of a base64 image, from its header."""
    return headers.dimensions(decoded(data, 4096)) or headers.dimensions(decoded(data, 1 << 20))


def linked_file_tokens(mime: str, rule: str) -> int:
    """Return what a linked file costs, estimated from its type."""
    if rule == "none":
        return 0
    if mime.startswith("audio/"):
        return _FILE_SECONDS * _AUDIO_TOKENS
    if mime.startswith("video/"):
        return _FILE_SECONDS * _VIDEO_TOKENS
    if mime.startswith("image/"):
        return _MAX_IMAGE_TOKENS[rule]
    return _FILE_PAGES * _PAGE_TOKENS[rule]


def image_tokens(width: int, height: int, rule: str) -> int:
    """Return what an image of these dimensions costs."""
    if rule == "openai":
        return _tiles(width, height)
    if rule == "gemini":
        return 258 if max(width, height) <= 384 else 258 * ceil(width / 768) * ceil(height / 768)
    scale = min(1.0, 1568 / max(width, height, 1))
    patches = ceil(width * scale / 28) * ceil(height * scale / 28)
    return max(1, min(patches, 1568))


def _tiles(width: int, height: int) -> int:
    scale = min(1.0, 2048 / max(width, height, 1))
    width, height = max(1, int(width * scale)), max(1, int(height * scale))
    scale = min(1.0, 768 / min(width, height))
    return 85 + 170 * ceil(max(1, int(width * scale)) / 512) * ceil(max(1, int(height * scale)) / 512)


def without_media(value: object, media: list[tuple[str, str]]) -> object:
    """Return a JSON value without its base64 media, which is appended to `media` (type, data)."""
    if isinstance(value, dict):
        return {key: without_media(inner, media) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_media(inner, media) for inner in value]
    if isinstance(value, str) and len(value) >= _MIN_MEDIA_LENGTH:
        mime, data = _sniff(value)
        if mime:
            media.append((mime, data))
            return ""
    return value


def _sniff(text: str) -> tuple[str, str]:
    """Return the type and base64 of a data URL or of bare base64 media; the type is "" for other text."""
    if text.startswith("data:"):
        head, _, data = text.partition(";base64,")
        return (head[5:].lower(), data) if data else ("", "")
    return next((mime for head, mime in _BASE64_HEADS.items() if text.startswith(head)), ""), text
