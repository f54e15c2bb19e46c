"""`--calibrated`: what a provider really counted, against our own count."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.errors import Usage
from codeh_history.tokens.counter import open_counter
from codeh_history.tokens.formula import history_tokens
from codeh_history.views.calibration import QUANTILE, calibrated, for_model, quantile, ratios
from in_process import write_session
from strategies import encode, view_of

WORDS = "word " * 60


def sized(kind, number, text=WORDS, **more):
    role = "model" if kind == "codeh" else "user"
    message = {"type": "message", "id": f"m{number}", "kind": kind, "role": role}
    return {**message, "parts": [{"text": text}], **more}


def talk(*factors, model="m", used="m"):
    """A prompt and an answer for each factor: the provider counts that many times what we count."""
    records = []
    counter = open_counter("approx")
    for number, factor in enumerate(factors):
        records.append(sized("user", 2 * number))
        count = history_tokens(counter, view_of(records).messages, system=None, tools=[])
        usage = {"usage": {"input": round(count * factor)}, "model": model}
        records.append(sized("codeh", 2 * number + 1, **usage))
    return records


@given(st.lists(st.floats(0.1, 9), min_size=1, max_size=12), st.floats(0.01, 1))
def test_quantile_is_the_least_value_that_covers_the_share(values, share):
    values.sort()
    result = quantile(values, share)
    assert result in values
    assert sum(value <= result for value in values) >= len(values) * share - 1e-9
    assert sum(value < result for value in values) < len(values) * share + 1e-9


@pytest.mark.parametrize(
    ("count", "place"), [(1, 0), (2, 1), (19, 18), (20, 18), (21, 19), (40, 37), (100, 94)]
)
def test_factor_is_the_95th_percentile(count, place):
    assert quantile([float(number) for number in range(count)], QUANTILE) == place


def test_each_response_compares_our_count_with_the_providers():
    view, counter = view_of(talk(1.5, 2.0, 1.0)), open_counter("approx")
    assert ratios(view, counter, "m") == pytest.approx([1.5, 2.0, 1.0], rel=0.02)
    assert ratios(view, counter, "other") == []


def test_system_prompt_and_tools_are_counted():
    records = talk(1.0)
    alone = ratios(view_of(records), open_counter("approx"), "m")
    meta = {"type": "meta", "set": {"system": WORDS, "tools": [{"name": "read", "description": WORDS}]}}
    beside = ratios(view_of([meta, *records]), open_counter("approx"), "m")
    assert alone[0] / 4 < beside[0] < alone[0] / 2


@pytest.mark.parametrize(
    "usage", [None, {}, {"input": 0}, {"input": -1}, {"input": "7"}, {"input": True}, {"input": 1.5}, 7]
)
def test_usage_without_counts_is_ignored(usage):
    records = [sized("user", 0), sized("codeh", 1, model="m", usage=usage)]
    assert ratios(view_of(records), open_counter("approx"), "m") == []


@pytest.mark.parametrize(
    "more",
    [
        {"type": "summary", "id": "s", "summary": "x", "covers": ["m0"]},
        {"type": "compaction", "id": "k", "ops": [{"op": "drop", "ids": ["m0"], "why": "w"}]},
    ],
)
def test_compacted_session_is_ignored(more):
    assert ratios(view_of([*talk(1.0, 1.0), more]), open_counter("approx"), "m") == []


# -- over the sessions of a home ---------------------------------------------------------------------------


def test_all_readable_sessions_of_the_home_count(env, home):
    write_session(home, encode(talk(1.0, 2.0)), "a")
    write_session(home, encode(talk(3.0)), "b")
    write_session(home, encode(talk(9.0, model="another")), "c")
    os.mkfifo(home / "sessions" / "d.jsonl")
    model = for_model(env, view_of(talk(1.0)), open_counter("approx"), "m")
    assert (model["model"], model["counter"], model["ratios"]) == ("m", "approx", 3)
    assert [model[name] for name in ("least", "median", "most", "factor")] == pytest.approx(
        [1, 2, 3, 3], rel=0.02
    )
    with pytest.raises(Usage, match="no usage of unheard-of is recorded"):
        for_model(env, view_of([]), open_counter("approx"), "unheard-of")


def test_model_is_the_option_or_the_newest_of_the_session(env, home):
    newer = [{**record, "id": f"n{record['id']}"} for record in talk(3.0, model="new")]
    write_session(home, encode(talk(1.0) + newer), "a")
    view = view_of(
        [sized("user", 0), sized("codeh", 1, model="m"), sized("codeh", 2, model="new"), sized("user", 3)]
    )
    counter = open_counter("approx")
    for name, model in ((None, "new"), ("m", "m"), ("approx", "new"), ("o200k_base", "new")):
        assert for_model(env, view, counter, name)["model"] == model


def test_calibration_without_usage_is_an_error_if_requested(env):
    counter, nobody, somebody = open_counter("approx"), view_of([]), view_of([sized("codeh", 0, model="m")])

    def why(view):
        with pytest.raises(Usage) as error:
            calibrated(env, view, counter, None)
        return str(error.value)

    assert why(nobody).startswith("--calibrated: the session names no model")
    assert why(somebody) == "--calibrated: no usage of m is recorded in this home; leave it out"
    assert calibrated(env, somebody, counter, None, must_calibrate=False) is counter


def test_every_total_is_multiplied(env, home):
    write_session(home, encode(talk(2.0)), "a")
    view = view_of([sized("codeh", 0, model="m")])
    counter = calibrated(env, view, open_counter("approx"), None)
    assert counter.scale(1000) == pytest.approx(2000, rel=0.02)
