"""What can go wrong, each with the exit code that tells scripts (docs/commands.md)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

Lost = dict[str, str]  # blocks that could not be read, and why, where that is no failure


class HistoryError(Exception):
    """A failure that the user can act on: one line, `WHERE: reason`, and what to do."""

    exit_code = 65

    @property
    def code(self) -> int:
        """The exit code of the command that fails so."""
        return self.exit_code


class NegativeAnswer(HistoryError):
    """The question has the answer "no" or "none"; with an empty text nothing is printed."""

    exit_code = 1


class Usage(HistoryError):
    """The command line does not say what to do."""

    exit_code = 2


class NotFound(HistoryError):
    """No such session or message, or more than one; `paths`: the sessions that were meant, perhaps."""

    exit_code = 3

    def __init__(self, text: str, paths: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.paths = paths


class ProviderRefused(HistoryError):
    """The provider refused: the request must change."""

    exit_code = 4


class BudgetUnreachable(HistoryError):
    """No reduction fits the budget."""

    exit_code = 5


class SummarizerFailed(HistoryError):
    """The summariser gave nothing usable; nothing changed."""

    exit_code = 6


class BadData(HistoryError):
    """Input or a session is not what it should be."""

    exit_code = 65


class InputOutput(HistoryError):
    """Reading or writing failed; the message says when a record was stored all the same."""

    exit_code = 74


class TryAgain(HistoryError):
    """The same command may succeed later: cut, overloaded, nothing arrived, locked."""

    exit_code = 75


def reason(error: HistoryError | OSError, path: str = "") -> str | None:
    """Why something failed, for a line that names the path already."""
    return error.strerror if isinstance(error, OSError) else str(error).removeprefix(f"{path}: ")


def one_line(error: Exception) -> str:
    """A library's error on one line, without a full stop."""
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__


class Interrupted(BaseException):
    """A signal ended the command; the exit code is 128 + its number.

    Not a failure: a loop that continues after a failed session ends here.
    """

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.exit_code = 128 + signum
