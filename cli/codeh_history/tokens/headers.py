"""Dimensions, durations and pages from file headers; None or an estimate if they are not stated."""

from __future__ import annotations

import re

PAGE_BYTES = 50_000  # for documents whose pages cannot be counted
_AUDIO_BYTES = 16_000  # bytes per second: 128 kbit/s
_VIDEO_BYTES = 250_000  # bytes per second: 2 Mbit/s
_MAX_SECONDS = 24 * 3600.0

_PDF_PAGE = rb"/Type\s*/Page(?![a-zA-Z])"
_PDF_COUNT = rb"/Count\s+(\d{1,6})"
_BITRATES = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0)


def dimensions(data: bytes) -> tuple[int, int] | None:
    """Return the width and height of a PNG, JPEG, GIF or WebP image, or None."""
    size: tuple[int, int] | None = None
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        size = _big_endian(data, 16, 4), _big_endian(data, 20, 4)
    elif data[:3] == b"GIF":
        size = _little_endian(data, 6, 2), _little_endian(data, 8, 2)
    elif data[:2] == b"\xff\xd8":
        size = _jpeg(data)
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        size = _webp(data)
    return size if size and min(size) > 0 else None


def _jpeg(data: bytes) -> tuple[int, int] | None:
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return _big_endian(data, place + 7, 2), _big_endian(data, place + 5, 2)
        if marker == 0xFF:
            place += 1
        else:
            place += 2 + max(2, _big_endian(data, place + 2, 2))
    return None


def _webp(data: bytes) -> tuple[int, int] | None:
    chunk = data[12:16]
    if len(data) < 30:
        return None
    if chunk == b"VP8X":
        return 1 + _little_endian(data, 24, 3), 1 + _little_endian(data, 27, 3)
    if chunk == b"VP8 ":
        return _little_endian(data, 26, 2) & 0x3FFF, _little_endian(data, 28, 2) & 0x3FFF
    if chunk == b"VP8L":
        bits = _little_endian(data, 21, 4)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    return None


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
    """Return the pages of a PDF, from its page objects, its page tree, or its size."""
    pages = len(re.findall(_PDF_PAGE, data))
    if not pages:
        pages = max((int(count) for count in re.findall(_PDF_COUNT, data)), default=0)
    return pages or max(1, len(data) // PAGE_BYTES)


def _big_endian(data: bytes, place: int, size: int) -> int:
    return int.from_bytes(data[place : place + size], "big")


def _little_endian(data: bytes, place: int, size: int) -> int:
    return int.from_bytes(data[place : place + size], "little")
