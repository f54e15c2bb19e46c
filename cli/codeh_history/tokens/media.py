"""The cost of media in tokens: images by dimensions, audio and video by duration, documents by pages.

Only headers are read; if one lacks the data, the largest image or an estimate from the file's size is used.
Rules (providers' documentation, checked against recorded usage): Anthropic prices patches of 28 by 28 after
scaling to a long edge of 1568, or 2576 from 4.7 on; OpenAI tiles of 512 by 512 after scaling to 2048 and a
short side of 768, its small and newest models patches of 32 by 32; Gemini 2 tiles of 768 by 768, Gemini 3
the same for every image.
"""

from __future__ import annotations

import re
from math import ceil

PAGE_BYTES = 50_000  # assumed bytes of a page, if the pages cannot be counted
_AUDIO_BYTES = 16_000  # bytes per second: 128 kbit/s
_VIDEO_BYTES = 250_000  # bytes per second: 2 Mbit/s
_MAX_SECONDS = 24 * 3600.0

_PDF_PAGE = rb"/Type\s*/Page(?![a-zA-Z])"
_PDF_COUNT = rb"/Count\s+(\d{1,6})"
_BITRATES = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0)

_PAGE_TOKENS = {  # text and image of a page
    "anthropic": 2000, "anthropic-4.7": 2000, "openai": 1000, "openai-patches": 1000, "gemini": 258,
    "gemini-3": 532,
}  # fmt: skip
_TOKENS_PER_SECOND = {"audio": 32, "video": 295}  # video: a frame of 263 and its audio
_MAX_IMAGE_TOKENS = {
    "anthropic": 1568, "anthropic-4.7": 4784, "openai": 1105, "openai-patches": 2940, "gemini": 1548,
    "gemini-3": 1102,
}  # fmt: skip
_PATCHES = {  # side, longest edge, tokens at most, tokens per patch
    "anthropic": (28, 1568, 1568, 1.0), "anthropic-4.7": (28, 2576, 4784, 1.0),
    "openai-patches": (32, 1 << 16, 12_000, 1.2),
}  # fmt: skip
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
    """Return whether files of this type are sent as text."""
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
    """Return the cost of an inline file; 0 by the rule `none`."""
    if rule == "none":
        return 0
    kind = mime.partition("/")[0]
    if kind in _TOKENS_PER_SECOND:
        return ceil(seconds(decoded(data), mime) * _TOKENS_PER_SECOND[kind])
    if mime == "application/pdf":
        return pages(decoded(data)) * _PAGE_TOKENS[rule]
    if kind == "image":
        size = dimensions(data)
        return image_tokens(*size, rule) if size else _MAX_IMAGE_TOKENS[rule]
    return _PAGE_TOKENS[rule] * max(1, len(data) * 3 // 4 // PAGE_BYTES)


def dimensions(data: str) -> tuple[int, int] | None:
    """Return the width and height of a base64 image, from its header."""
    return image_size(decoded(data, 4096)) or image_size(decoded(data, 1 << 20))


def linked_file_tokens(mime: str, rule: str) -> int:
    """Return the cost of a linked file, estimated from its type."""
    if rule == "none":
        return 0
    kind = mime.partition("/")[0]
    if kind in _TOKENS_PER_SECOND:
        return _FILE_SECONDS * _TOKENS_PER_SECOND[kind]
    return _MAX_IMAGE_TOKENS[rule] if kind == "image" else _FILE_PAGES * _PAGE_TOKENS[rule]


def image_tokens(width: int, height: int, rule: str) -> int:
    """Return the cost of an image of these dimensions."""
    if rule == "gemini-3":
        return _MAX_IMAGE_TOKENS[rule]
    if rule == "gemini":
        return 258 if max(width, height) <= 384 else 258 * ceil(width / 768) * ceil(height / 768)
    if rule == "openai":
        for limit, edge in ((2048, max), (768, min)):
            scale = min(1.0, limit / max(1, edge(width, height)))
            width, height = max(1, int(width * scale)), max(1, int(height * scale))
        return 85 + 170 * ceil(width / 512) * ceil(height / 512)
    side, longest, most, each = _PATCHES[rule]
    scale = min(1.0, longest / max(width, height, 1))
    patches = ceil(width * scale / side) * ceil(height * scale / side)
    return max(1, min(ceil(patches * each), most))


def without_media(value: object, media: list[tuple[str, str]]) -> object:
    """Return a JSON value without its base64 media; append that to `media` (type, data)."""
    if isinstance(value, dict):
        return {key: without_media(inner, media) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_media(inner, media) for inner in value]
    if not isinstance(value, str) or len(value) < _MIN_MEDIA_LENGTH:
        return value
    if value.startswith("data:"):
        head, _, data = value.partition(";base64,")
        mime = head[5:].lower() if data else ""
    else:
        mime, data = next((m for head, m in _BASE64_HEADS.items() if value.startswith(head)), ""), value
    if not mime:
        return value
    media.append((mime, data))
    return ""


# -- headers of files --------------------------------------------------------------------------------------


def image_size(data: bytes) -> tuple[int, int] | None:
    """Return the width and height of a PNG, JPEG, GIF or WebP image, or None."""
    size: tuple[int, int] | None = None
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        size = _big_endian(data, 16, 4), _big_endian(data, 20, 4)
    elif data[:3] == b"GIF":
        size = _little_endian(data, 6, 2), _little_endian(data, 8, 2)
    elif data[:2] == b"\xff\xd8":
        size = _jpeg(data)
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        size = _webp(data)
    return size if size and min(size) > 0 else None


def _jpeg(data: bytes) -> tuple[int, int] | None:
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return _big_endian(data, place + 7, 2), _big_endian(data, place + 5, 2)
        place += 1 if marker == 0xFF else 2 + max(2, _big_endian(data, place + 2, 2))
    return None


def _webp(data: bytes) -> tuple[int, int] | None:
    chunk = data[12:16]
    if chunk == b"VP8X":
        return 1 + _little_endian(data, 24, 3), 1 + _little_endian(data, 27, 3)
    if chunk == b"VP8 ":
        return _little_endian(data, 26, 2) & 0x3FFF, _little_endian(data, 28, 2) & 0x3FFF
    bits = _little_endian(data, 21, 4)
    return (1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)) if chunk == b"VP8L" else None


def seconds(data: bytes, mime: str) -> float:
    """Return the duration of audio or video (WAV, MP3, MP4, M4A), or an estimate from its size."""
    length = _stated_seconds(data)
    if length is None or not 0 < length < _MAX_SECONDS:
        length = len(data) / (_VIDEO_BYTES if mime.startswith("video/") else _AUDIO_BYTES)
    return max(length, 0.1)


def _stated_seconds(data: bytes) -> float | None:
    if data[:4] == b"RIFF" and len(data) >= 44:
        rate = _little_endian(data, 28, 4)
        return (len(data) - 44) / rate if rate else None
    if data[4:8] == b"ftyp":
        return _mp4(data)
    return _mp3(data)


def _mp4(data: bytes) -> float | None:
    place = data.find(b"mvhd")
    if place < 0 or len(data) < place + 24:
        return None
    scale, length = _big_endian(data, place + 16, 4), _big_endian(data, place + 20, 4)
    return length / scale if scale else None


def _mp3(data: bytes) -> float | None:
    place = 0
    if data[:3] == b"ID3" and len(data) >= 10:
        place = 10 + (data[6] << 21 | data[7] << 14 | data[8] << 7 | data[9])
    if len(data) < place + 4 or data[place] != 0xFF or data[place + 1] & 0xE6 != 0xE2:
        return None
    rate = _BITRATES[data[place + 2] >> 4]
    return (len(data) - place) * 8 / (rate * 1000) if rate else None


def pages(data: bytes) -> int:
    """Return the number of pages of a PDF, from its page objects, its page tree, or its size."""
    pages = len(re.findall(_PDF_PAGE, data))
    if not pages:
        pages = max((int(count) for count in re.findall(_PDF_COUNT, data)), default=0)
    return pages or max(1, len(data) // PAGE_BYTES)


def _big_endian(data: bytes, place: int, size: int) -> int:
    return int.from_bytes(data[place : place + size], "big")


def _little_endian(data: bytes, place: int, size: int) -> int:
    return int.from_bytes(data[place : place + size], "little")
