"""What another library or the system says failed, as an error of ours."""

from __future__ import annotations

from .env import Env
from .errors import BadData, HistoryError, InputOutput, TryAgain


def understood(error: Exception, env: Env) -> HistoryError | None:
    """The error that whoever called can act on; None for a bug of ours."""
    if isinstance(error, OSError):
        return InputOutput(f"{error.filename or 'input or output'}: {error.strerror or error}")
    if "ecursion" in str(error):  # of orjson or of Python
        return BadData("JSON nested deeper than 200 levels: neither stored nor sent; nothing was changed")
    if "start new thread" in str(error):
        return TryAgain("the system lets no further thread begin (ulimit -u, memory); try again")
    if "surrogates not allowed" in str(error):  # what the system gives for bytes that are not UTF-8
        return BadData(str(env.unsaid("an argument, or a file's name, is not UTF-8")))
    return None


def one_line(error: Exception) -> str:
    """What a library's error says, on one line and without a full stop."""
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__
