"""What holds of every request format: laws for any history, and silence about what the APIs accepted."""

from itertools import groupby

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history import providers
from codeh_history.providers.turns import EMPTY_MESSAGE
from histories import (
    PNG,
    call,
    conversations,
    inline,
    model,
    reasoning,
    requested,
    result,
    sendable,
    tool,
    user,
)
from sdk_models import mistakes
from support import MODELS, corpus, corpus_files

OLDER = {
    "anthropic": ["claude-sonnet-4-5", "claude-3-5-sonnet-20241022"], "gemini": [None, "gemini-2.5-flash", "models/gemini-3.6-flash"],
    "openai-chat": ["o3", "deepseek-chat"], "openai-responses": ["o3"], "ollama": [],
}  # fmt: skip
OWN = {
    "anthropic": {
        "cache": st.booleans(),
        "settings": st.just({"thinking": {"type": "enabled", "budget_tokens": 1024}}),
    }
}
HISTORIES = conversations()
formats = pytest.mark.parametrize("format", providers.FORMATS)


def options(format):
    """What a request is asked for: a model, and now and then what stands around the messages."""
    around = {
        "system": st.just("s"),
        "tools": st.just([{"name": "f", "parameters": {}}]),
        "max_tokens": st.just(2048),
    }
    models = st.sampled_from([MODELS[format], *OLDER[format]])
    return st.fixed_dictionaries({"model": models}, optional={**around, **OWN.get(format, {})})


def items(format, request):
    return request.body[providers.Format(format).package.FIELD]


def blocks(format, request, least=0):
    """How many blocks each item of a request has."""
    contents = [
        item.get("content", item.get("parts", item.get("output"))) for item in items(format, request)
    ]
    return [max(least, len(content)) if isinstance(content, list) else 1 for content in contents]


@formats
@given(messages=HISTORIES, data=st.data())
def test_client_accepts_the_request_of_any_history(format, messages, data):
    """The same each time, and each block with the message that it comes from."""
    chosen = data.draw(options(format))
    request = requested(format, messages, **chosen)
    assert mistakes(format, request.body) == []
    ends = items(format, request)[-1].get("role") == "user"
    body = {**request.body, "model": chosen["model"]} if ends and chosen["model"] else request.body
    assert [p for p in providers.Format(format).problems(body) if "prefill" not in p.reason] == []
    traced = requested(format, messages, trace=True, **chosen)
    assert orjson.dumps(traced.body) == orjson.dumps(request.body)
    assert [len(ids) for ids in traced.sources] == blocks(format, traced)
    allowed = {"", *(message.id for message in sendable(messages).messages)}
    assert {id for ids in traced.sources for id in ids} <= allowed


@formats
@given(messages=HISTORIES, data=st.data())
def test_faithful_request_never_raises(format, messages, data):
    chosen = {**data.draw(options(format)), "cache": False}
    request = requested(format, messages, faithful=True, trace=True, **chosen)
    providers.Format(format).problems(request.body)
    assert [len(ids) for ids in request.sources] == blocks(format, request, least=1)


@formats
@given(messages=HISTORIES)
def test_plain_messages_give_the_same_body_by_the_fast_path(format, messages):
    """A message that is one text is not made a turn; with an unknown key beside the text, it is."""
    slow = [
        {**m, "parts": [{**m["parts"][0], "later": 1}]} if [[*p] for p in m["parts"]] == [["text"]] else m
        for m in messages
    ]
    model = MODELS[format]
    assert requested(format, messages, model=model).body == requested(format, slow, model=model).body


IMAGE, GIF, SOUND = inline("image/png", PNG), inline("image/gif", PNG), inline("audio/x-wav", PNG)


@pytest.mark.parametrize("end", [8, 6], ids=["a prompt last", "a model last"])
@formats
def test_each_block_names_its_source_message(format, end):
    by = f"{format}/{MODELS[format]}"
    contents = [{"text": "a", "item": {"id": "i"}}, {"text": "b", "item": {"id": "i"}}]
    messages = [
        user("m0", IMAGE), model("m1", call("f", "1"), call("g", "2"), by=by),
        tool(result("g", "2", parts=[IMAGE, GIF, SOUND]), result("f", "1", parts=[SOUND])), user("m3"),
        model(*contents, by=by), model("m5", by=by), user(SOUND, "m6"), user("m7"),
    ]  # fmt: skip
    fields = {"model": MODELS[format], "system": "s"}
    request = requested(format, messages[:end], "a summary", trace=True, **fields)
    assert [len(ids) for ids in request.sources] == blocks(format, request)
    in_order = [id for id, _ in groupby(id for ids in request.sources for id in ids)]
    assert in_order == ["", *(f"m{number}" for number in range(end))]
    assert requested(format, messages[:end], "a summary", **fields).sources == []


@formats
def test_history_of_thoughts_alone_gives_a_request(format):
    """A turn of another's thoughts is left out; no provider takes a request without messages."""
    thoughts = [model({"text": "t", "thought": True}, by="other")]
    sent = items(format, requested(format, thoughts, model="m", system="s"))
    assert [EMPTY_MESSAGE in str(item) for item in sent][-1:] == [True]
    assert items(format, requested(format, [], model="m")) == []


CALL, RESULT, LONG = call("f", "c"), result("f", "c"), "x" * 65
FAULTS = {  # what is wrong with a history; where each format finds it in a faithful request
    "nothing": ([user("a"), model(CALL), tool(RESULT)], {}),
    "a lost result": (
        [user("a"), model(CALL), user("b")],
        {"gemini": "1", "openai-chat": "1.tool_calls", "openai-responses": "1", "anthropic": "1.content.0"}),
    "a result of no call": (
        [user("a"), model("b"), tool(RESULT)],
        {"gemini": "2.parts.0", "openai-chat": "2", "openai-responses": "2", "anthropic": "2.content.0"}),
    "a late result": (
        [user("a"), model(CALL), user("b"), tool(RESULT)],
        {"gemini": "3.parts.0", "openai-chat": "1.tool_calls 3", "anthropic": "3.content.0"}),
    "a second result": (
        [user("a"), model(CALL), tool(RESULT, RESULT)],
        {"gemini": "2", "openai-chat": "3.tool_call_id", "openai-responses": "3.call_id", "anthropic": "2.content.1"}),
    "a long id": (
        [user("a"), model(call("f", LONG)), tool(result("f", LONG))],
        {"openai-chat": "1.tool_calls.0.id", "openai-responses": "1.call_id 2.call_id"}),
    "one id twice": (
        [user("a"), model(CALL, CALL), tool(RESULT, RESULT)],
        {"openai-chat": "1.tool_calls.1.id 3.tool_call_id", "openai-responses": "2.call_id 4.call_id",
         "anthropic": "1.content.1 2.content.1"}),
    "messages of nothing": (
        [user(), model()],
        {"gemini": "0.parts 1.parts", "openai-chat": "0.content 1.content", "openai-responses": "0.content 1.content",
         "anthropic": "0"}),
    "reasoning alone": (
        [user("a"), model(reasoning("rs_1"), "b", by="openai-responses/gpt-5.1"), user("c")],
        {"openai-responses": "1"}),
}  # fmt: skip


@formats
@pytest.mark.parametrize(("messages", "places"), FAULTS.values(), ids=FAULTS)
def test_faithful_request_keeps_the_faults_of_its_history(format, messages, places):
    body = requested(format, messages, faithful=True, model=MODELS[format]).body
    field = providers.Format(format).package.FIELD
    paths = [f"{field}.{place}" for place in places.get(format, "").split()]
    assert [problem.path for problem in providers.Format(format).problems(body)] == paths


WHOLE = {  # a response with these counts
    "gemini": lambda counts: {
        "candidates": [{"content": {"parts": [{"text": "a"}]}}],
        "usageMetadata": counts,
    },
    "openai-chat": lambda counts: {"choices": [{"message": {"content": "a"}}], "usage": counts},
    "openai-responses": lambda counts: {"status": "completed", "output": [], "usage": counts},
    "anthropic": lambda counts: {"content": "a", "usage": counts},
}
USAGE = [
    ("gemini", {"promptTokenCount": 100, "cachedContentTokenCount": 60, "toolUsePromptTokenCount": 5, "candidatesTokenCount": 7,
                "thoughtsTokenCount": 20, "totalTokenCount": 132},
     {"input": 105, "cached": 60, "output": 27, "reasoning": 20, "total": 132}),
    ("gemini", {"thoughtsTokenCount": 4}, {"output": 4, "reasoning": 4}),
    ("gemini", {"promptTokenCount": "4", "totalTokenCount": True}, {}),
    ("openai-chat", {"prompt_tokens": 100, "completion_tokens": 40, "total_tokens": 140,
                     "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 8},
                     "completion_tokens_details": {"reasoning_tokens": 30}},
     {"input": 100, "output": 40, "total": 140, "cached": 60, "cacheWrite": 8, "reasoning": 30}),
    ("openai-chat", {"prompt_tokens": 3, "prompt_tokens_details": []}, {"input": 3}),
    ("openai-responses", {"input_tokens": 100, "output_tokens": 40, "total_tokens": 140,
                          "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 8},
                          "output_tokens_details": {"reasoning_tokens": 30}},
     {"input": 100, "output": 40, "total": 140, "cached": 60, "cacheWrite": 8, "reasoning": 30}),
    ("anthropic", {"input_tokens": 3, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 4},
     {"input": 123, "cached": 100, "cacheWrite": 20, "output": 4}),
    ("anthropic", {"input_tokens": 3, "output_tokens": 40, "output_tokens_details": {"thinking_tokens": 30}},
     {"input": 3, "output": 40, "reasoning": 30}),
    ("anthropic", {"input_tokens": 3, "cache_read_input_tokens": None, "output_tokens": 4}, {"input": 3, "output": 4}),
]  # fmt: skip


@pytest.mark.parametrize(("format", "raw", "counts"), USAGE)
def test_usage_is_normalised(format, raw, counts):
    usage = providers.Format(format).response(WHOLE[format](raw)).usage
    assert usage == {**counts, "raw": {key: value for key, value in raw.items() if value is not None}}


ACCEPTED = [
    (format, path) for format in providers.FORMATS for path in corpus_files(f"exchanges/{format}/*.json")
    if not path.name.endswith(".expected.json")
]  # fmt: skip


@pytest.mark.parametrize(("format", "path"), ACCEPTED, ids=[path.stem[-60:] for _, path in ACCEPTED])
def test_accepted_request_has_no_problems(format, path):
    recorded = orjson.loads(path.read_bytes())
    named = (
        {"model": recorded["meta"]["path"].rsplit("/", 1)[-1].split(":")[0]} if format == "gemini" else {}
    )
    if recorded["meta"]["status"] == 200:
        assert providers.Format(format).problems({**recorded["request"], **named}) == []


def test_some_requests_are_accepted():
    corpus()
    assert len(ACCEPTED) >= 240
