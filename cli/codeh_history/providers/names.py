"""Fit ids and names into a provider's alphabet and length, and make call ids unique."""

from __future__ import annotations

from collections.abc import Callable

TYPE_CHECKING = False  # a request loads no `typing`
if TYPE_CHECKING:
    from .turns import Turn


LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
WORD = LETTERS + "0123456789_"


class Alphabet:
    """The names or ids that a provider accepts: at most `limit` characters of `rest`, the first of `first`.

    Both sets must contain letters and `_`, and `rest` also digits.
    """

    def __init__(self, rest: str, limit: int, *, first: str | None = None) -> None:
        self._rest = rest
        self._first = first or rest
        self._limit = limit

    def takes(self, text: object) -> bool:
        """Whether the provider accepts this text."""
        if not isinstance(text, str) or not 0 < len(text) <= self._limit:
            return False
        return text[0] in self._first and not text.strip(self._rest)

    def fit(self, text: str) -> str:
        """Return the text, changed if the provider does not accept it.

        A changed text ends in a hash of the original, so that different texts stay different.
        """
        if self.takes(text):
            return text
        import hashlib

        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
        prefix = "".join(sign if sign in self._rest else "_" for sign in text[: self._limit - 12])
        name = f"{prefix}_{digest}"
        return name if self.takes(name) else f"_{name}"


class CallIds:
    """Assigns the call ids to send, the same to a call and its result.

    `fit` changes an id into one that the provider accepts. A repeated id gets a number, unless `faithful`.
    An id depends only on earlier calls. `reuse`: an id may be repeated after the calls were answered.
    """

    def __init__(self, fit: Callable[[str], str], *, faithful: bool, reuse: bool = False) -> None:
        self._fit = fit
        self._reuse = reuse
        self._faithful = faithful
        self.taken: set[str] = set()
        self._count: dict[str, int] = {}  # repeated ids: how often
        self._row: list[str] = []  # ids sent for the calls of the last model turns

    def calls(self, turn: Turn) -> list[str]:
        """Assign ids to the calls of a model turn."""
        if not turn.calls:
            return []
        first = turn.calls[0].number
        if self._reuse and not first:
            self.taken.clear()
            self._count.clear()
        sent = self._row[first:] = [self.new(call.id) for call in turn.calls]
        return sent

    def results(self, turn: Turn) -> list[str]:
        """The ids assigned to the calls that these results answer."""
        return [
            self._row[number] if (number := answer.number) >= 0 else self._fit(answer.id)
            for answer in turn.answers
        ]

    def new(self, id: str) -> str:
        """Assign an id that no other call has."""
        fit = self._fit(id)
        while fit in self.taken and not self._faithful:
            self._count[id] = count = self._count.get(id, 1) + 1
            fit = self._fit(f"{id}_{count}")
        self.taken.add(fit)
        return fit
