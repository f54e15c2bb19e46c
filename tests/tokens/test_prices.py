"""Prices and windows: those of the package that the table is made from; what it does not know has no price."""

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from genai_prices import Usage, calc_price
from genai_prices.data import providers
from price_table import KEYS, WINDOWS, text

from codeh_history.tokens import prices
from codeh_history.tokens.prices import FILE, table

UNITS = {  # ours → the package's
    "input": "input_tokens", "cached": "cache_read_tokens", "cacheWrite": "cache_write_tokens",
    "cacheWrite1h": "cache_write_1h_tokens", "output": "output_tokens", "reasoning": "output_reasoning_tokens",
    "webSearches": "web_searches",
}  # fmt: skip


def _prices(model):
    dated = model.prices if isinstance(model.prices, list) else [model]
    return [{key: value for key, value in vars(each.prices).items() if value is not None} for each in dated]


MODELS = [(provider.id, model) for provider in providers for model in provider.models]
CONTEXTS = [
    {},
    {},
    {"processing": "batch"},
    {"service_tier": "priority"},
    {"service_tier": "flex"},
    {"speed": "fast"},
]
PRICED = [
    (seller, model)
    for seller, model in MODELS
    if any(name in KEYS for one in _prices(model) for name in one)
]
DAY = "2026-06-01T12:00:00.000Z"
MILLION = {"input": 1_000_000}


def test_price_table_equals_the_installed_package():
    with open(FILE, encoding="utf-8") as file:
        assert file.read() == text(table().source, table().date), "`make generate` writes it anew"


@pytest.mark.parametrize("seed", range(5))
def test_costs_equal_the_package(seed):
    chance = random.Random(seed)
    compared = 0
    for provider, model in chance.sample(PRICED, 200):
        usage, context = _usage(chance), chance.choice(CONTEXTS)
        at = datetime(2023, 1, 1, tzinfo=UTC) + timedelta(seconds=chance.randrange(4 * 365 * 86400))
        expected = theirs(model.id, provider, usage, at, context)
        price = table().price(model.id, provider, {**usage, **context}, f"{at:%Y-%m-%dT%H:%M:%S}.000Z")
        assert price == expected, (provider, model.id, usage, context, at)
        compared += expected is not None
    assert compared > 150


@pytest.mark.parametrize("name", [
    "claude-sonnet-4-5-20250929", "claude-opus-4-6", "gpt-5.2-20251211", "gpt-4o-2024-08-06", "o3-mini", "GPT-5", "grok-4",
    "gemini-2.5-pro", "gemini-3-pro-preview", "kimi-k2-0905-preview", "deepseek-chat", "mistral-large-latest",
    "command-r-plus", "no-such-model", "claude-9-imaginary",
])  # fmt: skip
def test_model_without_a_provider_is_matched_by_name(name):
    usage = {"input": 300_000, "output": 1000}
    assert table().price(name, None, usage, DAY) == theirs(
        name, None, usage, datetime(2026, 6, 1, 12, tzinfo=UTC), {}
    )


def test_context_windows_equal_the_package():
    for provider in providers:
        for model in provider.models:
            match = provider.find_model(model.id, all_providers=providers)
            assert table().window(model.id, provider.id) == (
                match and (match.context_window or WINDOWS.get(match.id))
            )


@pytest.mark.parametrize("model, provider, expected", [
    ("claude-sonnet-4-5-20250929", "anthropic", 200_000),
    ("claude-sonnet-4-5-20250929", None, 200_000),
    ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic", 200_000),
    ("gpt-5", "openai-responses", 400_000),
    ("openai/gpt-5", "openai-chat", 400_000),
    ("gemini-2.5-pro", "gemini", 1_048_576),
    ("gpt-5", "ollama", None),
    ("my-own-model", None, None),
    ("", None, None),
])  # fmt: skip
def test_context_window_is_known_for_any_format(model, provider, expected):
    assert table().window(model, provider) == expected


@pytest.mark.parametrize("model, provider", [
    ("deepseek-r1:8b", "ollama"), ("gpt-4o", "ollama"), ("local-model", "openai-chat"), ("qwen3:8b", None),
    ("gpt-4o", "a proxy of ours"), ("<synthetic>", "anthropic"),
])  # fmt: skip
def test_local_and_unknown_models_have_no_price(model, provider):
    assert table().price(model, provider, MILLION, DAY) is None


@pytest.mark.parametrize("usage, expected", [
    pytest.param({"input": 100}, 100, id="input"),
    pytest.param({"input": 100, "cached": 60}, 40 + 6, id="what was read from the cache is not paid twice"),
    pytest.param({"input": 100, "cached": 60, "cacheWrite": 30}, 10 + 6 + 60, id="nor what was written to it"),
    pytest.param({"input": 100, "cacheWrite": 100, "cacheWrite1h": 40}, 60 * 2 + 40 * 4, id="for five minutes or an hour"),
    pytest.param({"input": 10, "cached": 60}, 6, id="more cached than there was"),
    pytest.param({"output": 10, "reasoning": 4}, 100, id="reasoning has no price of its own"),
    pytest.param({"input": 1001}, 3003, id="a tier holds for all tokens"),
    pytest.param({"input": 1000}, 1000, id="above so many, not from"),
    pytest.param({"input": 100, "speed": "fast"}, 700, id="what was asked for besides"),
    pytest.param({}, 0, id="nothing"),
    pytest.param({"input": None, "output": 3}, 30, id="what is not said"),
])  # fmt: skip
def test_units_are_billed_once(usage, expected):
    assert _made().price("m", "s", usage, DAY) == Decimal(expected) / prices.PER


@pytest.mark.parametrize("at, expected", [
    ("2026-01-31T12:00:00.000Z", 1), ("2026-02-01T12:00:00.000Z", 2), ("2026-03-01T16:29:59.999Z", 2),
    ("2026-03-01T16:30:00.000Z", 3), ("2026-03-01T02:59:59.999Z", 3), ("2026-03-01T03:00:00.000Z", 2),
])  # fmt: skip
def test_prices_depend_on_date_and_hour(at, expected):
    assert _made().price("dated", "s", MILLION, at) == expected


def _made():
    """A seller's two models: a token of `m` costs a millionth, more for what is more."""
    usual = {"input": [1, [1000, 3]], "cached": 0.1, "cacheWrite": 2, "cacheWrite1h": 4, "output": 10}
    rows = [
        {"id": "m", "prices": usual, "variants": [{"for": {"speed": "fast"}, "prices": {"input": 7}}]},
        {"id": "dated", "prices": [
            {"prices": {"input": 1}}, {"from": "2026-02-01", "prices": {"input": 2}},
            {"hours": ["16:30:00", "03:00:00"], "prices": {"input": 3}},
        ]},
    ]  # fmt: skip
    return prices.Table({"source": "", "date": "2026-02-02", "sellers": [{"id": "s", "models": rows}]})


def theirs(model, provider, usage, at, context):
    """What the package says, None where it has no such model."""
    named = Usage(**{UNITS[name]: number for name, number in usage.items()})
    try:
        return calc_price(
            named, model, provider_id=provider, genai_request_timestamp=at, price_context=context
        ).total_price
    except LookupError:
        return None


def _usage(chance):
    """Counts as responses have them; half of the prompts are long."""
    cached, write, hour = (chance.randrange(chance.choice([1, 200_000])) for _ in range(3))
    reasoning = chance.randrange(50_000)
    return {
        "input": cached + write + hour + chance.randrange(1, 300_000), "cached": cached, "cacheWrite": write + hour,
        "cacheWrite1h": hour, "output": reasoning + chance.randrange(50_000), "reasoning": reasoning,
        "webSearches": chance.randrange(3),
    }  # fmt: skip
