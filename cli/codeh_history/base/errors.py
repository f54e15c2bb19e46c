"""The errors of commands, with their exit codes (docs/commands.md)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

Lost = dict[str, str]  # ids of tolerated missing blocks → the reasons


class HistoryError(Exception):
    """A failure that the user can act on, described in one line: `WHERE: reason`, and advice."""

    exit_code = 65

    @property
    def code(self) -> int:
        """The exit code of a command that fails with this error."""
        return self.exit_code


class NegativeAnswer(HistoryError):
    """The result is "no" or "none"; an empty message prints nothing."""

    exit_code = 1


class Usage(HistoryError):
    """The command line is wrong."""

    exit_code = 2


class NotFound(HistoryError):
    """No such session or message, or an ambiguous name; `paths`: candidate sessions, if any."""

    exit_code = 3

    def __init__(self, text: str, paths: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.paths = paths


class ProviderRefused(HistoryError):
    """The provider refused the request; it must change."""

    exit_code = 4


class BudgetUnreachable(HistoryError):
    """The session cannot be reduced to the budget."""

    exit_code = 5


class SummarizerFailed(HistoryError):
    """The summariser returned nothing usable; the session is unchanged."""

    exit_code = 6


class BadData(HistoryError):
    """Invalid input, or an invalid session."""


class NotASession(BadData):
    """None of a file's lines is a record."""


class InputOutput(HistoryError):
    """Reading or writing failed; the message mentions a record that was stored before."""

    exit_code = 74


class Unsynced(InputOutput):
    """A record was stored, but a failed sync leaves its durability unknown."""


class TryAgain(HistoryError):
    """The same command may succeed later: response truncated or missing, overloaded, locked."""

    exit_code = 75


def reason(error: HistoryError | OSError, path: str = "") -> str | None:
    """Return why an operation failed, without the path."""
    return error.strerror if isinstance(error, OSError) else str(error).removeprefix(f"{path}: ")


def one_line(error: Exception) -> str:
    """Return a library's error message on one line, without a full stop."""
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__


class Interrupted(BaseException):
    """A signal ended the command; the exit code is 128 plus its number.

    It is no Exception, so that loops that tolerate failures of single sessions end too.
    """

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.exit_code = 128 + signum
