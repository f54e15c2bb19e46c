"""What a call asks and what a tool answered, as the values that providers take."""

from __future__ import annotations

import orjson

from ..session.model import Any, Json

FAILED = "The tool call failed."  # where a provider wants an error to say something


def arguments(part: Any) -> Json:
    """A call's arguments as an object; what is none, and a text kept verbatim, under `arguments`."""
    args = part["functionCall"].get("args")
    if isinstance(args, dict):
        verbatim = part.get("arguments")
        return {"arguments": verbatim} if not args and isinstance(verbatim, str) else args
    return {} if args is None else {"arguments": args}


def answer(response: Any) -> tuple[str, bool]:
    """A tool's response as text, and whether the call failed.

    The text is what `{"output": text}` or `{"error": text}` holds, else the response's compact JSON.
    """
    if isinstance(response, str):
        return response, False
    if not isinstance(response, dict):
        return ("" if response is None else orjson.dumps(response).decode()), False
    failed = response.get("error") not in (None, False)
    only = response.get("error" if failed else "output") if len(response) == 1 else None
    return (only if isinstance(only, str) else orjson.dumps(response).decode()), failed


def response_of(text: str, *, failed: bool) -> Json:
    """The inverse of `answer`, for text."""
    return {"error" if failed else "output": text}
