"""Write `tokens/prices.json` from the package genai-prices as it is installed: `make generate`.

A row a model, in the package's order, so that what a new version changes shows in `git diff`.
"""

import datetime as dt
import json
import os
from importlib.metadata import version

from genai_prices import types
from genai_prices.data import providers

from codeh_history.tokens import prices

PACKAGE = "genai-prices"
LICENSE = "MIT License, Copyright (c) Pydantic Services Inc. 2025 to present"
PER = 1_000_000  # prices of the table are for so many, whatever of
KEYS = {  # the package's name of a price: ours, and for how many the package's is
    "input_mtok": ("input", PER),
    "cache_read_mtok": ("cached", PER),
    "cache_write_mtok": ("cacheWrite", PER),
    "cache_write_1h_mtok": ("cacheWrite1h", PER),
    "output_mtok": ("output", PER),
    "output_reasoning_mtok": ("reasoning", PER),
    "input_audio_mtok": ("inputAudio", PER),
    "cache_audio_read_mtok": ("cachedAudio", PER),
    "output_audio_mtok": ("outputAudio", PER),
    "input_image_mtok": ("inputImage", PER),
    "cache_image_read_mtok": ("cachedImage", PER),
    "output_image_mtok": ("outputImage", PER),
    "web_searches_kcount": ("webSearches", 1000),
    "requests_kcount": ("requests", 1000),
}
# Which the package leaves out, by their maker's pages (ai.google.dev/gemini-api/docs/models).
WINDOWS = dict.fromkeys(
    ("gemini-2.5-flash-preview", "gemini-2.5-pro", "gemini-3-pro-preview", "gemini-3.1-pro-preview"),
    1_048_576,
)


def main():
    today = dt.datetime.now(dt.UTC).date().isoformat()
    source = f"{PACKAGE} {version(PACKAGE)}"
    if os.path.exists(prices.FILE):
        with open(prices.FILE, encoding="utf-8") as file:
            before = json.load(file)
        if before["source"] == source:  # the same version again is no newer
            today = before["date"]
    with open(prices.FILE, "w", encoding="utf-8") as file:
        file.write(text(source, today))


def text(source, date):
    """The whole file."""
    sellers = ",\n".join(map(_seller, providers))
    return f'{{"source":"{source}","license":"{LICENSE}","date":"{date}","sellers":[\n{sellers}\n]}}\n'


def _seller(provider):
    head = {
        "id": provider.id,
        "names": _clause(provider.provider_match),
        "makes": _clause(provider.model_match),
        "or": provider.fallback_model_providers,
    }
    rows = ",\n".join(f"  {_json(_model(model))}" for model in provider.models)
    return f'{_json(_without_empty(head))[:-1]},"models":[\n{rows}\n]}}'


def _model(model):
    match = _clause(model.match)
    return _without_empty(
        {
            "id": model.id,
            "match": None if match == {"equals": model.id} else match,
            "window": model.context_window or WINDOWS.get(model.id),
            "prices": _dated(model.prices),
            "variants": [_variant(variant) for variant in model.price_variants or []],
        }
    )


def _dated(price):
    if isinstance(price, types.ModelPrice):
        return _prices(price)
    return [{**_when(each.constraint), "prices": _prices(each.prices)} for each in price]


def _variant(variant):
    return {"for": variant.when, **_when(variant.constraint), "prices": _prices(variant.prices)}


def _when(constraint):
    if isinstance(constraint, types.StartDateConstraint):
        return {"from": constraint.start_date.isoformat()}
    if isinstance(constraint, types.TimeOfDateConstraint):
        assert {constraint.start_time.utcoffset(), constraint.end_time.utcoffset()} <= {
            None,
            dt.timedelta(),
        }
        return {"hours": [at.strftime("%H:%M:%S") for at in (constraint.start_time, constraint.end_time)]}
    return {}


def _prices(price):
    """What is known of prices for what a session can know; tiers as `[price, [above, price], …]`."""
    named = {KEYS[key]: value for key, value in vars(price).items() if key in KEYS and value is not None}
    return {name: _price(value, per) for (name, per), value in named.items()}


def _price(value, per):
    if isinstance(value, types.TieredPrices):
        return [_price(value.base, per), *([tier.start, _price(tier.price, per)] for tier in value.tiers)]
    number = value * PER / per
    return int(number) if number == int(number) else float(number)


def _clause(clause):
    if clause is None:
        return None
    ((name, value),) = vars(clause).items()
    if isinstance(value, list):
        return {name.rstrip("_"): [_clause(item) for item in value]}
    return {name: value}


def _without_empty(row):
    return {key: value for key, value in row.items() if value or key == "prices"}


def _json(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


if __name__ == "__main__":
    main()
