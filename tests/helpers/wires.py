"""A provider's stream split into events, and error events."""

import orjson

from answers import (
    gemini,
)


def error(type, message="words"):
    return orjson.dumps({"type": "error", "error": {"type": type, "message": message}})


SPLIT = gemini().split(b"\r\n\r\n")
