"""Detect the provider of a JSON object, and convert any provider's error to a Failure.

The providers' packages decide; this module knows none of them by name.
"""

from __future__ import annotations

from typing import Any

from ..base.words import excerpt
from ..session.model import Json
from . import COMMON, packages
from .parts import name_of, object_of
from .protocol import Failure, Reply


def recognise(body: Json) -> tuple[str, str]:
    """The format of an answer or stream event, and its kind (see `Provider`); "" for anything else."""
    kinds = ((name, package.recognises(body)) for name, package in packages().items())
    return next(((name, kind) for name, kind in kinds if kind is not None), ("", ""))


def answer_id(event: Json) -> str | None:
    """The id of the answer that a stream event belongs to; None if it has none, as many do."""
    holder = object_of(event.get("message")) or object_of(event.get("response")) or event
    return name_of(holder.get("responseId") or holder.get("id"))


def error_in(body: Json) -> Any:
    """The error (an object or text) in an error body; None for any other body.

    Shapes: `{"error": {…}}` (all; text at some hosts), `{"type": "error", …}` (Anthropic nests the error,
    the Responses stream does not), `{"object": "error", …}` (some hosts of the chat format).
    """
    if body.get("object") == "response":
        return None  # its `status` tells whether it failed
    error = body.get("error")
    if isinstance(error, (dict, str)) and error:
        return error
    if body.get("type") == "error" or body.get("object") == "error":
        return body
    return None


def stands_alone(value: object, *, in_event: bool) -> bool:
    """Whether this is an answer, event or error, not a part of one; `in_event`, answers do not count."""
    if isinstance(value, list) and value:
        value = value[0]  # the first of an array of events
    if not isinstance(value, dict):
        return False
    kind = recognise(value)[1]
    return error_in(value) is not None or kind not in ("", "answer" if in_event else "")


# -- errors ---------------------------------------------------------------------------------------------

# Words in the types, codes and statuses of temporary errors (408, 429 and 5xx).
_PASSING = (
    "overload", "rate_limit", "ratelimit", "too_many_requests", "insufficient_quota", "quota_exceeded",
    "server_error", "api_error", "service_unavailable", "unavailable", "resource_exhausted", "internal",
    "deadline", "timeout", "timed_out", "aborted", "capacity", "slow_down", "bad_gateway",
)  # fmt: skip


def passing(status: int) -> bool:
    """Whether an HTTP status is temporary: the same request may succeed later."""
    return status in (408, 429) or 500 <= status <= 599


def failure(body: Json, *, event: str = "", provider: str | None = None, status: int = 0) -> Failure | None:
    """The failure in an error body or event; None for anything else.

    `event`: the event's name in the stream; `status`: the HTTP status (0: unknown).
    """
    error = error_in(body)
    if error is None and event == "error" and not recognise(body)[1]:
        error = body
    if error is None:
        return None
    if provider is None:  # a plain `{"error": {…}}` is attributed to the common format
        provider = next((name for name, package in packages().items() if package.fails(body)), COMMON)
    return failure_of(error, provider, status=status)


def failure_of(error: Any, provider: str, *, model: str | None = None, status: int = 0) -> Failure:
    """Convert an error object (`{type, code, status, message}`, each optional) or text to a Failure."""
    fields = error if isinstance(error, dict) else {"message": error}
    named = [fields.get(key) for key in ("type", "status", "code", "error_type")]
    texts = [str(word) for word in named if isinstance(word, str | int) and not isinstance(word, bool)]
    words = [word for word in dict.fromkeys(texts) if word not in ("", "error")]
    numbers = [int(word) for word in words if word.isdecimal() and len(word) == 3]
    status = status if status >= 400 else next((number for number in numbers if 400 <= number < 600), 0)
    message = fields.get("message")
    if not isinstance(message, str) or not message.strip():
        message = "" if words and message is None else excerpt(str(error), 500)
    head = f"{words[0]} ({', '.join(words[1:])})" if words[1:] else "".join(words)
    text = ": ".join(piece for piece in (head, message.strip()) if piece)
    temporary = any(sign in word.lower() for word in words for sign in _PASSING)
    temporary = temporary or any(sign in text.lower() for sign in packages()[provider].PASSING)
    code = next((word for word in reversed(words) if not word.isdecimal()), words[0] if words else None)
    retry = passing(status) if status else temporary
    return Failure(text=text, provider=provider, retry=retry, model=model, code=code)


def outcome_of(reply: Reply, why: str = "") -> Reply | Failure:
    """Return the reply, or a failure if it broke off or is empty without a normal end.

    `why`: the provider's explanation of the finish reason.
    """
    providers = packages().values()  # all: hosts of the common format pass on others' finish reasons
    if reply.finish == "error":
        text, retry = "the provider broke off", True
    elif reply.parts or any(reply.finish in package.ENDED for package in providers):
        return reply
    elif reply.finish is None:
        text, retry = "an answer without content", not why
    else:
        text = "an answer without content"
        retry = any(reply.finish in package.CHANCE for package in providers)
    finish = ": ".join(word for word in (reply.finish, why) if word)
    text = f"{finish} ({text})" if finish else text
    return Failure(text, reply.provider, retry, model=reply.model, code=reply.finish)
