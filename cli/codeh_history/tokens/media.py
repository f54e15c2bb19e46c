"""The cost of media in tokens: images by dimensions, audio and video by duration, documents by pages.

Only headers are read; if one lacks the data, the largest image or an estimate from the file's size is used.
Rules (providers' documentation, checked against recorded usage): Anthropic prices patches of 28 by 28 after
scaling to a long edge of 1568, or 2576 from 4.7 on; OpenAI tiles of 512 by 512 after scaling to 2048 and a
short side of 768, its small and newest models patches of 32 by 32; Gemini 2 tiles of 768 by 768, Gemini 3
the same for every image. Video is a frame per second and its audio.
"""

from __future__ import annotations

import re
import struct
from math import ceil
from typing import NamedTuple

from ..base.mime import decoded_size

PAGE_BYTES = 50_000  # assumed bytes of a page, if the pages cannot be counted
_BYTES_PER_SECOND = {"audio": 16_000, "video": 250_000}  # assumed: 128 kbit/s and 2 Mbit/s
_MAX_SECONDS = 24 * 3600.0
_FILE_SECONDS = 60  # assumed duration of linked audio and video
_FILE_PAGES = 10

_PDF_PAGE = rb"/Type\s*/Page(?![a-zA-Z])"
_PDF_COUNT = rb"/Count\s+(\d{1,6})"
_BITRATES = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0)


class _Rule(NamedTuple):
    page: int  # tokens of a page: its text and its image
    image: int  # tokens of an image of unknown size
    patches: tuple[int, int, int, float] | None = None  # side, longest edge, most tokens, tokens each
    tiles: tuple[int, int] | None = None  # tokens of an image, and of each of its tiles
    per_second: tuple[int, int] = (32, 263 + 32)  # tokens of audio, of video


_RULES = {
    "anthropic": _Rule(2000, 1568, (28, 1568, 1568, 1.0)),
    "anthropic-4.7": _Rule(2000, 4784, (28, 2576, 4784, 1.0)),
    "openai": _Rule(1000, 1105, tiles=(85, 170)),
    "openai-5": _Rule(1000, 910, tiles=(70, 140)),
    "gpt-4o-mini": _Rule(1000, 36_835, tiles=(2833, 5667)),
    "openai-patches": _Rule(1000, 2940, (32, 1 << 16, 12_000, 1.2)),
    "gpt-4.1-mini": _Rule(1000, 2489, (32, 1 << 16, 2489, 1.62)),
    "gpt-4.1-nano": _Rule(1000, 3779, (32, 1 << 16, 3779, 2.46)),
    "o4-mini": _Rule(1000, 2642, (32, 1 << 16, 2642, 1.72)),
    "gemini": _Rule(258, 1548),
    "gemini-3": _Rule(532, 1102, per_second=(25, 64 + 25)),
}
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


def decoded(data: str) -> bytes:
    """Decode base64 or its URL-safe form; invalid data is empty."""
    from base64 import b64decode

    try:
        return b64decode(data + "==", b"-_")
    except ValueError:
        return b""


def file_tokens(mime: str, data: str | None, rule: str) -> int:
    """Return the cost of a file, estimated from its type if it is linked (None); 0 by the rule `none`."""
    if rule == "none":
        return 0
    kind = mime.partition("/")[0]
    if kind in _BYTES_PER_SECOND:
        length = _FILE_SECONDS if data is None else seconds(decoded(data), mime)
        return ceil(length * _RULES[rule].per_second[kind == "video"])
    if kind == "image":
        size = dimensions(data or "")
        return image_tokens(*size, rule) if size else _RULES[rule].image
    count = _FILE_PAGES
    if data is not None:
        pdf = mime == "application/pdf"
        count = pages(decoded(data)) if pdf else max(1, decoded_size(data) // PAGE_BYTES)
    return count * _RULES[rule].page


def dimensions(data: str) -> tuple[int, int] | None:
    """Return the width and height of a base64 image, from its header."""
    return image_size(decoded(data[:4096])) or image_size(decoded(data[: 1 << 20]))


def image_tokens(width: int, height: int, rule: str) -> int:
    """Return the cost of an image of these dimensions."""
    costs = _RULES[rule]
    if costs.patches is not None:
        side, longest, most, each = costs.patches
        scale = min(1.0, longest / max(width, height, 1))
        count = ceil(width * scale / side) * ceil(height * scale / side)
        return max(1, min(ceil(count * each), most))
    if costs.tiles is not None:
        for limit, edge in ((2048, max), (768, min)):
            scale = min(1.0, limit / max(1, edge(width, height)))
            width, height = max(1, int(width * scale)), max(1, int(height * scale))
        return costs.tiles[0] + costs.tiles[1] * ceil(width / 512) * ceil(height / 512)
    if rule == "gemini":
        return 258 if max(width, height) <= 384 else 258 * ceil(width / 768) * ceil(height / 768)
    return costs.image  # the same for every image


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
    try:
        width, height = _size_in_header(data)
    except struct.error:  # the header is cut off
        return None
    return (width, height) if min(width, height) > 0 else None


def _size_in_header(data: bytes) -> tuple[int, int]:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return struct.unpack_from(">II", data, 16)
    if data.startswith(b"GIF"):
        return struct.unpack_from("<HH", data, 6)
    if data.startswith(b"RIFF"):
        if data[12:16] == b"VP8X":
            low, high, height, height_high = struct.unpack_from("<HBHB", data, 24)
            return 1 + (high << 16 | low), 1 + (height_high << 16 | height)
        lossless = data[12:16] == b"VP8L"
        (bits,) = struct.unpack_from("<I", data, 21 if lossless else 26)
        if lossless:
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        return bits & 0x3FFF, bits >> 16 & 0x3FFF
    place = 2
    while data.startswith(b"\xff\xd8"):  # JPEG: segments up to the frame
        start, marker, length, height, width = struct.unpack_from(">BBHxHH", data, place)
        if start != 0xFF:
            break
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return width, height
        place += 1 if marker == 0xFF else 2 + max(2, length)
    return 0, 0


def seconds(data: bytes, mime: str) -> float:
    """Return the duration of audio or video (WAV, MP3, MP4, M4A), or an estimate from its size."""
    length = _seconds_in_header(data)
    if not 0 < length < _MAX_SECONDS:
        length = len(data) / _BYTES_PER_SECOND["video" if mime.startswith("video/") else "audio"]
    return max(length, 0.1)


def _seconds_in_header(data: bytes) -> float:
    try:
        if data.startswith(b"RIFF"):
            return float((len(data) - 44) / struct.unpack_from("<I", data, 28)[0])
        if data[4:8] == b"ftyp":
            scale, length = struct.unpack_from(">II", data, data.index(b"mvhd") + 16)
            return float(length / scale)
        place = 0
        if data.startswith(b"ID3"):
            place = 10 + (data[6] << 21 | data[7] << 14 | data[8] << 7 | data[9])
        head, rate = struct.unpack_from(">HB", data, place)
        if head & 0xFFE6 == 0xFFE2:  # MP3
            return (len(data) - place) * 8 / (_BITRATES[rate >> 4] * 1000)
    except (struct.error, ValueError, IndexError, ZeroDivisionError):
        pass  # the header is cut off or incomplete
    return 0


def pages(data: bytes) -> int:
    """Return the number of pages of a PDF, from its page objects, its page tree, or its size."""
    pages = len(re.findall(_PDF_PAGE, data))
    if not pages:
        pages = max((int(count) for count in re.findall(_PDF_COUNT, data)), default=0)
    return pages or max(1, len(data) // PAGE_BYTES)
