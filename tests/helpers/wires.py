"""Streams of providers, cut."""

from __future__ import annotations

import orjson

from answers import (
    gemini,
)


def error(type: str, message: str = "words") -> bytes:
    return orjson.dumps({"type": "error", "error": {"type": type, "message": message}})


SPLIT = gemini().split(b"\r\n\r\n")
