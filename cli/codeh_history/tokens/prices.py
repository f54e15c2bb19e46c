"""What a model's tokens cost and how many it holds: a dated table that comes with the program.

`prices.json` is made from the package genai-prices (`make generate`), whose rules these are: a seller is
named or known by the model's name, a model by clauses, and what it costs may depend on the day, the hour,
the number of input tokens and what was asked for. Prices are US dollars for a million.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from ..session.model import Json

FILE = os.path.join(os.path.dirname(__file__), "prices.json")
PER = 1_000_000

# What is counted → what it is a kind of: what has a price of its own is not paid again as that.
UNITS = {
    "input": {"input"},
    "cached": {"input", "read"},
    "cacheWrite": {"input", "write"},
    "cacheWrite1h": {"input", "write", "1h"},
    "inputAudio": {"input", "audio"},
    "cachedAudio": {"input", "read", "audio"},
    "inputImage": {"input", "image"},
    "cachedImage": {"input", "read", "image"},
    "output": {"output"},
    "reasoning": {"output", "reasoning"},
    "outputAudio": {"output", "audio"},
    "outputImage": {"output", "image"},
    "webSearches": {"search"},
    "requests": {"request"},
}
# Each unit, the finest first → those that are kinds of it.
_KINDS = {
    unit: [kind for kind in UNITS if UNITS[unit] < UNITS[kind]]
    for unit in sorted(UNITS, key=lambda unit: -len(UNITS[unit]))
}

_OWN = "ollama"  # models that run here have no price, whatever they are called
_FORMATS = {  # requests have these forms, whoever answers them → who does first of all
    "anthropic": "anthropic",
    "gemini": "google",
    "openai-chat": None,
    "openai-responses": None,
    "text": None,
}
_RESELLERS = ("zai", "aws", "openrouter")  # each with names of its own for other makers' models
_COMPACT_DATE = re.compile(r"-(20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)")


class Table:
    """Prices and windows as one file says them; `source` and `date` are what it was made from, and when."""

    def __init__(self, data: Json, own: Sequence[Json] = ()) -> None:
        self.source: str = data["source"]
        self.date: str = data["date"]
        self._data = data
        self._own = own
        self._sellers: dict[str, Json] = {seller["id"]: seller for seller in data["sellers"]}
        self._rows: dict[tuple[str, str | None], Json | None] = {}

    def and_own(self, prices: Mapping[str, Mapping[str, float]]) -> Table:
        """This table with prices of one's own, which come first: by model (`NAME*`: all that begin so).

        A model that is sold by somebody keeps its window.
        """
        rows = [
            {
                "match": {"starts_with": name[:-1]} if name.endswith("*") else {"equals": name},
                "prices": own,
                "variants": (),
            }
            for name, own in prices.items()
        ]
        return Table(self._data, rows)

    def price(
        self, model: str, provider: str | None, usage: Mapping[str, Any], at: str | None = None
    ) -> Decimal | None:
        """What a response cost in dollars; None where the table has no price for the model.

        `provider`: a format as records name it, or a seller. `usage`: counts by their names in `UNITS`, of
        which `input` and `output` include the others, and what prices may depend on besides (`speed`,
        `service_tier`, `processing`). `at`: a time as stored; without one the day of the table.
        """
        row = self.find(model, provider)
        prices = _prices(row, at or f"{self.date}T00:00:00", usage) if row else None
        if not prices:
            return None
        total, input = Decimal(), usage.get("input") or 0
        for unit, number in _apart({**usage, "requests": 1}, prices).items():
            total += _number(_tier(prices[unit], input)) * number
        return total / PER

    def window(self, model: str, provider: str | None = None) -> int | None:
        """How many tokens a model takes in; None where the table does not say."""
        row = self.find(model, provider)
        return row.get("window") if row else None

    def find(self, model: str, provider: str | None = None) -> Json | None:
        """The row of a model."""
        key = model.lower(), provider
        if key not in self._rows:
            own = next((row for row in self._own if _is(row, key[0])), None)
            ids = dict.fromkeys(self._candidates(*key))
            sellers = (self._sellers[id] for id in ids if id in self._sellers)
            sold = next((row for seller in sellers if (row := self._in(seller, key[0]))), None)
            self._rows[key] = {**(sold or {}), **own} if own else sold
        return self._rows[key]

    def _candidates(self, model: str, provider: str | None) -> Iterator[str]:
        """Who may have a model, the likeliest first."""
        name = (provider or "").lower().strip()
        if name == _OWN:
            return
        if name and name not in _FORMATS:
            if name in self._sellers:
                yield name
            else:
                yield from self._known_by("names", name)
            return
        if first := _FORMATS.get(name):
            yield first
        yield from self._known_by("makes", model)
        yield from _RESELLERS

    def _known_by(self, rule: str, name: str) -> list[str]:
        for id, seller in self._sellers.items():
            if rule in seller and _matches(seller[rule], name):
                return [id]
        return []

    def _in(self, seller: Json, model: str) -> Json | None:
        """A seller's row for a model, which may be another's that it sells, and its day written closely."""
        for name in dict.fromkeys((model, _COMPACT_DATE.sub(r"-\1-\2-\3", model))):
            for id in (seller["id"], *seller.get("or", ())):
                row = next((row for row in self._sellers[id]["models"] if _is(row, name)), None)
                if row is not None:
                    own = id == seller["id"]
                    return row if own else {**row, "variants": ()}  # which are its maker's offers alone
        return None


@cache
def table() -> Table:
    """The table that comes with the program."""
    import orjson

    from ..base.lazy import contents

    return Table(orjson.loads(contents("tokens/prices.json")))


def _is(row: Json, name: str) -> bool:
    return _matches(row["match"], name) if "match" in row else row["id"].lower() == name


def _matches(clause: Json, name: str) -> bool:
    """Whether a name is meant; names are in small letters."""
    kind, value = next(iter(clause.items()))
    if kind == "or":
        return any(_matches(inner, name) for inner in value)
    if kind == "and":
        return all(_matches(inner, name) for inner in value)
    if kind == "regex":
        return re.search(value, name) is not None
    text: str = value.lower()
    if kind == "starts_with":
        return name.startswith(text)
    if kind == "ends_with":
        return name.endswith(text)
    return text in name if kind == "contains" else name == text


def _prices(row: Json, at: str, usage: Mapping[str, Any]) -> Json:
    """The prices of a model at a time: of those that hold the last, then what was asked for besides."""
    dated = row["prices"]
    if isinstance(dated, list):
        dated = next((entry for entry in reversed(dated) if _holds(entry, at)), dated[0])["prices"]
    extra: Json = {}
    for variant in row.get("variants", ()):
        if _holds(variant, at) and all(usage.get(key) == value for key, value in variant["for"].items()):
            extra = {**variant["prices"], **extra}
    return {**dated, **extra} if extra else dated


def _holds(rule: Json, at: str) -> bool:
    """Whether a price holds at a time, which is UTC: from a day on, or between two hours of each day."""
    if "from" in rule:
        return bool(at[:10] >= rule["from"])
    if "hours" in rule:
        start, end = rule["hours"]
        hour = at[11:19]
        return bool(hour >= start or hour < end) if end < start else bool(start <= hour < end)
    return True


def _apart(usage: Mapping[str, Any], priced: Iterable[str]) -> dict[str, int]:
    """How many of each unit are left to pay when its kinds that have a price of their own are paid."""
    left: dict[str, int] = {}
    for unit, kinds in _KINDS.items():
        used = usage.get(unit)
        if used and unit in priced:
            for kind in kinds:
                used -= left.get(kind, 0)
            left[unit] = max(0, used)
    return left


def _tier(price: Any, input: int) -> float:
    """The price for a request of so many input tokens: a tier's holds for all of them."""
    if not isinstance(price, list):
        return price  # type: ignore[no-any-return]
    base, *tiers = price
    return next((above for start, above in reversed(tiers) if input > start), base)  # type: ignore[no-any-return]


def _number(price: float) -> Decimal:
    """The number that was written, not the nearest binary one."""
    return Decimal(repr(price))
