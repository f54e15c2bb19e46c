"""Prices and context windows of models: a dated table that is part of the program.

`prices.json` is generated from the package genai-prices (`make generate`) and follows its rules: the seller
is named, or recognised by the model's name; models are matched by clauses; prices may depend on the day,
the hour, the number of input tokens and the requested service. Prices are in US dollars per million.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from ..base.options import PROVIDERS
from ..session.model import Json

FILE = os.path.join(os.path.dirname(__file__), "prices.json")
PER = 1_000_000

# Unit → its kinds. A token is charged once, as the most specific unit that has a price.
UNITS = {
    "input": (
        "cached", "cacheWrite", "cacheWrite1h", "inputAudio", "cachedAudio", "inputImage", "cachedImage",
    ),
    "cached": ("cachedAudio", "cachedImage"), "cacheWrite": ("cacheWrite1h",), "cacheWrite1h": (),
    "inputAudio": ("cachedAudio",), "cachedAudio": (), "inputImage": ("cachedImage",), "cachedImage": (),
    "output": ("reasoning", "outputAudio", "outputImage"),
    "reasoning": (), "outputAudio": (), "outputImage": (), "webSearches": (), "requests": (),
}  # fmt: skip

_LOCAL_PROVIDER = "ollama"  # local models are free, whatever their names
_USUAL_SELLERS = {"anthropic": "anthropic", "gemini": "google"}  # of request formats
_RESELLERS = ("zai", "aws", "openrouter")  # resellers with their own names for other makers' models
_COMPACT_DATE = re.compile(r"-(20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)")


class Table:
    """Prices and windows from one file; `source` and `date`: the package and day it was generated from."""

    def __init__(self, data: Json, own: Sequence[Json] = ()) -> None:
        self.source: str = data["source"]
        self.date: str = data["date"]
        self._data = data
        self._own = own
        self._sellers: dict[str, Json] = {seller["id"]: seller for seller in data["sellers"]}
        self._rows: dict[tuple[str, str | None], Json] = {}

    def with_own_prices(self, prices: Mapping[str, Mapping[str, float]]) -> Table:
        """Return this table with the user's prices taking precedence, by model (`NAME*` for a prefix).

        A model that is also in the table keeps its window.
        """
        rows: list[Json] = []
        for name, own in prices.items():
            match = {"starts_with": name[:-1]} if name.endswith("*") else {"equals": name}
            rows.append({"match": match, "prices": own, "variants": ()})
        return Table(self._data, rows)

    def price(
        self, model: str, provider: str | None, usage: Mapping[str, Any], at: str | None = None
    ) -> Decimal | None:
        """Return the cost of a response in dollars, or None if the model has no price.

        `provider`: a format as in records, or a seller. `usage`: counts by their names in `UNITS`, where
        `input` and `output` include the others, and the request's variant (`speed`, `service_tier`,
        `processing`). `at`: a stored time, by default the day of the table.
        """
        prices = _prices(self._find(model, provider), at or f"{self.date}T00:00:00", usage)
        counts = {**usage, "requests": 1}

        def charged(unit: str) -> int:
            count = (counts.get(unit) or 0) if unit in prices else 0
            return max(0, count - sum(map(charged, UNITS[unit]))) if count else 0

        costs = [
            Decimal(repr(_tier(prices[unit], usage.get("input") or 0))) * charged(unit)  # exact
            for unit in UNITS
            if unit in prices
        ]
        return sum(costs, Decimal()) / PER if prices else None

    def window(self, model: str, provider: str | None = None) -> int | None:
        """Return a model's context window in tokens, or None if unknown."""
        return self._find(model, provider).get("window")

    def _find(self, model: str, provider: str | None) -> Json:
        """Return the row of a model, updated by the user's; empty if neither has one."""
        key = model.lower(), provider
        if key not in self._rows:
            own = next((row for row in self._own if _is_row_of(row, key[0])), {})
            self._rows[key] = {**next(self._sold(*key), {}), **own}
        return self._rows[key]

    def _sold(self, model: str, provider: str | None) -> Iterator[Json]:
        """Yield a model's rows, the likeliest seller's first; also by its name with the date expanded."""
        names = dict.fromkeys((model, _COMPACT_DATE.sub(r"-\1-\2-\3", model)))
        for seller in self._candidates(model, (provider or "").lower().strip()):
            for name in names:
                for maker in (seller, *self._sellers[seller].get("or", ())):
                    for row in self._sellers[maker]["models"]:
                        if _is_row_of(row, name):  # only the maker offers variants
                            yield row if maker == seller else {**row, "variants": ()}

    def _candidates(self, model: str, provider: str) -> list[str]:
        """Return the possible sellers of a model, most likely first."""
        if provider == _LOCAL_PROVIDER:
            return []
        if provider and provider not in PROVIDERS:
            return [provider] if provider in self._sellers else self._matching("names", provider)
        sellers = [_USUAL_SELLERS.get(provider, ""), *self._matching("makes", model), *_RESELLERS]
        return [seller for seller in sellers if seller in self._sellers]

    def _matching(self, rule: str, name: str) -> list[str]:
        sellers = self._sellers.items()
        return [id for id, seller in sellers if rule in seller and _matches(seller[rule], name)][:1]


@cache
def table() -> Table:
    """Return the table that is part of the program."""
    import orjson

    from ..base.lazy import contents

    return Table(orjson.loads(contents("tokens/prices.json")))


def _is_row_of(row: Json, name: str) -> bool:
    return _matches(row["match"], name) if "match" in row else row["id"].lower() == name


def _matches(clause: Json, name: str) -> bool:
    """Return whether a clause matches a lower-case name."""
    ((kind, value),) = clause.items()
    if kind in ("or", "and"):
        return (any if kind == "or" else all)(_matches(inner, name) for inner in value)
    if kind == "regex":
        return re.search(value, name) is not None
    text = value.lower()
    tests = {"starts_with": name.startswith, "ends_with": name.endswith, "contains": name.__contains__}
    return tests.get(kind, name.__eq__)(text)


def _prices(row: Json, at: str, usage: Mapping[str, Any]) -> Json:
    """Return a model's prices at a time: the latest ones, updated by those of the requested variants."""
    dated = row.get("prices", {})
    if isinstance(dated, list):
        dated = next((entry for entry in reversed(dated) if _applies(entry, at)), dated[0])["prices"]
    prices: Json = dict(dated)
    for variant in reversed(row.get("variants", ())):  # the first one takes precedence
        if _applies(variant, at) and variant["for"].items() <= usage.items():
            prices |= variant["prices"]
    return prices


def _applies(rule: Json, at: str) -> bool:
    """Return whether a price applies at a UTC time: from a day on, or between two times of a day."""
    start, end = rule.get("hours", ("", "~"))
    hour = at[11:19]
    between = start <= hour < end if start < end else (hour >= start or hour < end)
    return bool(at[:10] >= rule.get("from", "") and between)


def _tier(price: Any, input: int) -> Any:
    """Return the price for a request of this many input tokens; a tier's price applies to all tokens."""
    if not isinstance(price, list):
        return price
    base, *tiers = price
    return next((above for start, above in reversed(tiers) if input > start), base)
