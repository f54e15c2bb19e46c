"""A provider's error in one form: its own words, and whether the same request may succeed later."""

from __future__ import annotations

from ..session.model import Any, Json
from . import detect, packages
from .json_text import excerpt
from .reply import Failure, Reply

# Parts of the types, codes and statuses of errors that pass: 408, 429 and 5xx have them.
_PASSING = (
    "overload", "rate_limit", "ratelimit", "too_many_requests", "insufficient_quota", "quota_exceeded",
    "server_error", "api_error", "service_unavailable", "unavailable", "resource_exhausted", "internal",
    "deadline", "timeout", "timed_out", "aborted", "capacity", "slow_down", "bad_gateway",
)  # fmt: skip


def passing(status: int) -> bool:
    """Whether an HTTP status says that the same request may succeed later."""
    return status in (408, 429) or 500 <= status <= 599


def failure(body: Json, *, event: str = "", provider: str | None = None, status: int = 0) -> Failure | None:
    """The error in an error body or event; None when it is neither.

    `event` is the name the stream gave it, `status` that of the HTTP head (0 when none was seen).
    """
    error = detect.error_in(body)
    if error is None and event == "error" and detect.recognise(body) is None:
        error = body
    if error is None:
        return None
    return described(error, provider or detect.provider_of_error(body), status=status)


def described(error: Any, provider: str, *, model: str | None = None, status: int = 0) -> Failure:
    """An error object (`{type, code, status, message}`, each optional) or text as a Failure."""
    fields = error if isinstance(error, dict) else {"message": error}
    named = dict.fromkeys(_word(fields.get(key)) for key in ("type", "status", "code", "error_type"))
    words = [word for word in named if word not in ("", "error")]
    numbers = [int(word) for word in words if word.isdecimal() and len(word) == 3]
    status = status if status >= 400 else next((number for number in numbers if 400 <= number < 600), 0)
    message = fields.get("message")
    if not isinstance(message, str) or not message.strip():
        message = "" if words and message is None else excerpt(str(error), 500)
    head = words[0] + (f" ({', '.join(words[1:])})" if words[1:] else "") if words else ""
    text = ": ".join(piece for piece in (head, message.strip()) if piece)
    signs = any(sign in word.lower() for word in words for sign in _PASSING)
    signs = signs or any(sign in text.lower() for sign in packages()[provider].PASSING)
    code = next((word for word in reversed(words) if not word.isdecimal()), words[0] if words else None)
    retry = passing(status) if status else signs
    return Failure(text=text, provider=provider, retry=retry, model=model, code=code)


def _word(value: object) -> str:
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""


def refused(status: int, text: str, provider: str) -> Failure:
    """An HTTP error whose body is no provider's."""
    head = f"HTTP {status}"
    return Failure(f"{head}: {text}" if text else head, provider, passing(status), code=str(status))


def concluded(reply: Reply, why: str = "") -> Reply | Failure:
    """The reply, or the failure that it is: one without content that did not end of itself.

    `why` is what the provider says about its end besides the finish reason.
    """
    everybody = packages().values()  # hosts of the common format pass on the words of others
    if reply.finish == "error":
        text, retry = "the provider broke off", True
    elif reply.parts or any(reply.finish in package.ENDED for package in everybody):
        return reply
    elif reply.finish is None:
        text, retry = "an answer without content", not why
    else:
        text = "an answer without content"
        retry = any(reply.finish in package.CHANCE for package in everybody)
    finish = ": ".join(word for word in (reply.finish, why) if word)
    text = f"{finish} ({text})" if finish else text
    return Failure(text, reply.provider, retry, model=reply.model, code=reply.finish)
