"""Prices and context windows of models: a dated table that is part of the program.

`prices.json` is generated from the package genai-prices (`make generate`) and follows its rules: the seller
is named, or recognised by the model's name; models are matched by clauses; prices may depend on the day,
the hour, the number of input tokens and the requested service. Prices are in US dollars per million.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from ..session.model import Json

FILE = os.path.join(os.path.dirname(__file__), "prices.json")
PER = 1_000_000

# Unit → categories. A unit that adds categories to another's is a kind of it; a token is charged once.
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
# Each unit, most specific first → the units that are kinds of it.
_KINDS = {
    unit: [kind for kind in UNITS if UNITS[unit] < UNITS[kind]]
    for unit in sorted(UNITS, key=lambda unit: -len(UNITS[unit]))
}

_LOCAL_PROVIDER = "ollama"  # local models are free, whatever their names
_SELLER_OF_FORMAT = {  # request format → its usual seller
    "anthropic": "anthropic",
    "gemini": "google",
    "openai-chat": None,
    "openai-responses": None,
    "text": None,
}
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
        self._rows: dict[tuple[str, str | None], Json | None] = {}

    def with_own_prices(self, prices: Mapping[str, Mapping[str, float]]) -> Table:
        """Return this table with the user's prices taking precedence, by model (`NAME*` for a prefix).

        A model that is also in the table keeps its window.
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
        """Return the cost of a response in dollars, or None if the model has no price.

        `provider`: a format as in records, or a seller. `usage`: counts by their names in `UNITS`, where
        `input` and `output` include the others, and the request's variant (`speed`, `service_tier`,
        `processing`). `at`: a stored time, by default the day of the table.
        """
        row = self.find(model, provider)
        prices = _prices(row, at or f"{self.date}T00:00:00", usage) if row else None
        if not prices:
            return None
        total, input = Decimal(), usage.get("input") or 0
        for unit, number in _billed_units({**usage, "requests": 1}, prices).items():
            total += Decimal(repr(_tier(prices[unit], input))) * number  # exact, unlike binary floats
        return total / PER

    def window(self, model: str, provider: str | None = None) -> int | None:
        """Return a model's context window in tokens, or None if unknown."""
        row = self.find(model, provider)
        return row.get("window") if row else None

    def find(self, model: str, provider: str | None = None) -> Json | None:
        """Return the row of a model, or None."""
        key = model.lower(), provider
        if key not in self._rows:
            own = next((row for row in self._own if _is_row_of(row, key[0])), None)
            sellers = (self._sellers[id] for id in self._candidates(*key) if id in self._sellers)
            sold = next((row for seller in sellers if (row := self._row_of_seller(seller, key[0]))), None)
            self._rows[key] = {**(sold or {}), **own} if own else sold
        return self._rows[key]

    def _candidates(self, model: str, provider: str | None) -> list[str]:
        """Return the possible sellers of a model, most likely first."""
        name = (provider or "").lower().strip()
        if name == _LOCAL_PROVIDER:
            return []
        if name and name not in _SELLER_OF_FORMAT:
            return [name] if name in self._sellers else self._seller_whose("names", name)
        usual = _SELLER_OF_FORMAT.get(name)
        return [*([usual] if usual else []), *self._seller_whose("makes", model), *_RESELLERS]

    def _seller_whose(self, rule: str, name: str) -> list[str]:
        sellers = self._sellers.items()
        return [id for id, seller in sellers if rule in seller and _matches(seller[rule], name)][:1]

    def _row_of_seller(self, seller: Json, model: str) -> Json | None:
        """Return a seller's row for a model, or its maker's; also try the name with its date expanded."""
        for name in dict.fromkeys((model, _COMPACT_DATE.sub(r"-\1-\2-\3", model))):
            for id in (seller["id"], *seller.get("or", ())):
                for row in self._sellers[id]["models"]:
                    if _is_row_of(row, name):  # only the maker offers variants
                        return row if id == seller["id"] else {**row, "variants": ()}
        return None


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
    """Return a model's prices at a time: the latest ones, updated by those of the requested variants."""
    dated = row["prices"]
    if isinstance(dated, list):
        dated = next((entry for entry in reversed(dated) if _applies(entry, at)), dated[0])["prices"]
    extra: Json = {}
    for variant in row.get("variants", ()):
        if _applies(variant, at) and all(usage.get(key) == value for key, value in variant["for"].items()):
            extra = {**variant["prices"], **extra}
    return {**dated, **extra} if extra else dated


def _applies(rule: Json, at: str) -> bool:
    """Return whether a price applies at a UTC time: from a day on, or between two times of a day."""
    if "from" in rule:
        return bool(at[:10] >= rule["from"])
    if "hours" in rule:
        start, end = rule["hours"]
        hour = at[11:19]
        return bool(hour >= start or hour < end) if end < start else bool(start <= hour < end)
    return True


def _billed_units(usage: Mapping[str, Any], priced: Iterable[str]) -> dict[str, int]:
    """Return the count of each unit to charge, without its kinds that have prices of their own."""
    left: dict[str, int] = {}
    for unit, kinds in _KINDS.items():
        if usage.get(unit) and unit in priced:
            left[unit] = max(0, usage[unit] - sum(left.get(kind, 0) for kind in kinds))
    return left


def _tier(price: Any, input: int) -> float:
    """Return the price for a request of this many input tokens; a tier's price applies to all tokens."""
    if not isinstance(price, list):
        return price  # type: ignore[no-any-return]
    base, *tiers = price
    return next((above for start, above in reversed(tiers) if input > start), base)  # type: ignore[no-any-return]
