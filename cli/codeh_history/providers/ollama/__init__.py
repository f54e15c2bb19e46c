"""The `ollama` format: Ollama's `/api/chat`, streamed as JSON lines."""

from __future__ import annotations

from ...session.model import Json

NAME = "ollama"
FIELD = "messages"
MODEL_IN_URL = False
END = "no line with done: true"
ENDED = ("stop",)
CHANCE = ()
PASSING = (  # its errors are plain texts; these have a status of 5xx
    "busy", "timed out", "terminated", "while running", "eof", "connection", "parsing tool call",
    "unavailable", "internal server error", "more system memory",
)  # fmt: skip


def recognises(body: Json) -> str | None:
    """The last line of a stream looks like a whole answer."""
    done = body.get("done")
    if not isinstance(done, bool) or not isinstance(body.get("message"), dict):
        return None
    return "either" if done else "event"


def fails(body: Json) -> bool:
    """An error is a text, at most with a URL to sign in."""
    return isinstance(body.get("error"), str) and body.keys() <= {"error", "signin_url"}


def tools(element: Json) -> None:
    """Return None: functions are declared as in Chat Completions, and there are no other tools."""
