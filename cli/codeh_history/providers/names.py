"""Ids and names within a provider's alphabet and length."""

from __future__ import annotations

from collections.abc import Callable

TYPE_CHECKING = False  # a request loads no `typing`
if TYPE_CHECKING:
    from .turns import Turn


LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
WORD = LETTERS + "0123456789_"


class Alphabet:
    """What a provider takes as a name or an id: at most `limit` of these characters, `first` at the start.

    Both hold letters and `_`, and `rest` digits.
    """

    def __init__(self, rest: str, limit: int, *, first: str | None = None) -> None:
        self._rest = rest
        self._first = first or rest
        self._limit = limit

    def takes(self, text: object) -> bool:
        """Whether the text can be sent as it is."""
        if not isinstance(text, str) or not 0 < len(text) <= self._limit:
            return False
        return text[0] in self._first and not text.strip(self._rest)

    def fit(self, text: str) -> str:
        """The text itself, or one made of it; no two texts become the same.

        A changed one ends in a hash of what it was, so it depends on nothing but itself.
        """
        if self.takes(text):
            return text
        import hashlib

        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
        kept = "".join(sign if sign in self._rest else "_" for sign in text[: self._limit - 12])
        name = f"{kept}_{digest}"
        return name if self.takes(name) else f"_{name}"


class CallIds:
    """Call ids as they are sent, the same on a call and its result.

    `fit` makes an id one that the provider takes. One that was sent before gets a number, so that calls can
    be told apart, unless `faithful`. An id depends only on what stands before it. With `again` ids may come
    again after the model was answered.
    """

    def __init__(self, fit: Callable[[str], str], *, faithful: bool, again: bool = False) -> None:
        self._fit = fit
        self._again = again
        self._faithful = faithful
        self.taken: set[str] = set()
        self._count: dict[str, int] = {}  # of the ids that came more than once
        self._row: list[str] = []  # those sent for the calls of the last model turns

    def calls(self, turn: Turn) -> list[str]:
        """The ids of a model turn's calls."""
        if not turn.calls:
            return []
        first = turn.calls[0].number
        if self._again and not first:
            self.taken.clear()
            self._count.clear()
        sent = self._row[first:] = [self.new(call.id) for call in turn.calls]
        return sent

    def results(self, turn: Turn) -> list[str]:
        """For each result the id of the call it answers."""
        return [
            self._row[number] if (number := answer.number) >= 0 else self._fit(answer.id or "")
            for answer in turn.answers
        ]

    def new(self, id: str) -> str:
        """The id to send for this one, which no other call has."""
        fit = self._fit(id)
        while fit in self.taken and not self._faithful:
            self._count[id] = count = self._count.get(id, 1) + 1
            fit = self._fit(f"{id}_{count}")
        self.taken.add(fit)
        return fit
