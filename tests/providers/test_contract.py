"""What holds of every request format: laws for any history, and silence about what the APIs accepted."""

from itertools import groupby

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history import providers
from codeh_history.providers.turns import EMPTY_MESSAGE
from codeh_history.session.pairing import open_at_end
from histories import (
    PNG,
    call,
    conversations,
    inline,
    model,
    prefix,
    requested,
    result,
    sendable,
    session,
    tool,
    user,
    without_cache,
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
    return request.body[providers.load(format).package.FIELD]


def blocks(format, request, least=0):
    """How many blocks each item of a request has."""
    contents = [
        item.get("content", item.get("parts", item.get("output"))) for item in items(format, request)
    ]
    return [max(least, len(content)) if isinstance(content, list) else 1 for content in contents]


@formats
@given(messages=HISTORIES, data=st.data())
def test_any_history_is_a_request_that_the_client_takes(format, messages, data):
    """The same each time, and each block with the message that it comes from."""
    chosen = data.draw(options(format))
    request = requested(format, messages, **chosen)
    assert mistakes(format, request.body) == []
    ends = items(format, request)[-1].get("role") == "user"
    body = {**request.body, "model": chosen["model"]} if ends and chosen["model"] else request.body
    assert [p for p in providers.load(format).problems(body) if "prefill" not in p.reason] == []
    traced = requested(format, messages, trace=True, **chosen)
    assert orjson.dumps(traced.body) == orjson.dumps(request.body)
    assert [len(ids) for ids in traced.sources] == blocks(format, traced)
    known = {"", *(message.id for message in sendable(messages).messages)}
    assert {id for ids in traced.sources for id in ids} <= known


@formats
@given(messages=HISTORIES, data=st.data())
def test_a_faithful_request_of_anything_raises_nothing(format, messages, data):
    chosen = {**data.draw(options(format)), "cache": False}
    request = requested(format, messages, faithful=True, trace=True, **chosen)
    providers.load(format).problems(request.body)
    assert [len(ids) for ids in request.sources] == blocks(format, request, least=1)


@formats
@given(messages=conversations(whole=True), data=st.data())
def test_a_request_is_a_prefix_of_the_next(format, messages, data):
    chosen, before = data.draw(options(format)), b""
    for end in range(1, len(messages) + 1):
        view = session(messages[:end])
        if view.messages[-1].role == "user" and not open_at_end(view.messages):
            array = prefix(without_cache(items(format, requested(format, messages[:end], **chosen))))
            assert array.startswith(before)
            before = array


@formats
@given(messages=HISTORIES)
def test_plain_messages_take_the_short_way_to_the_same_body(format, messages):
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
def test_each_block_has_the_message_that_it_comes_from(format, end):
    by = f"{format}/{MODELS[format]}"
    contents = [{"text": "a", "item": {"id": "i"}}, {"text": "b", "item": {"id": "i"}}]
    messages = [
        user("m0", IMAGE), model("m1", call("f", "1"), call("g", "2"), by=by),
        tool(result("g", "2", parts=[IMAGE, GIF, SOUND]), result("f", "1", parts=[SOUND])), user("m3"),
        model(*contents, by=by), model("m5", by=by), user(SOUND, "m6"), user("m7"),
    ]  # fmt: skip
    given = {"model": MODELS[format], "system": "s"}
    request = requested(format, messages[:end], "a summary", trace=True, **given)
    assert [len(ids) for ids in request.sources] == blocks(format, request)
    in_order = [id for id, _ in groupby(id for ids in request.sources for id in ids)]
    assert in_order == ["", *(f"m{number}" for number in range(end))]
    assert requested(format, messages[:end], "a summary", **given).sources == []


@formats
def test_a_history_of_thoughts_alone_still_asks(format):
    """Two formats leave out a turn of another's thoughts; of the others' it leaves a request that asks."""
    thoughts = [model({"text": "t", "thought": True}, by="other")]
    sent = items(format, requested(format, thoughts, model="m"))
    assert [EMPTY_MESSAGE in str(item) for item in sent] == (
        [] if format in ("gemini", "anthropic") else [True]
    )
    assert items(format, requested(format, [], model="m")) == []


ACCEPTED = [
    (format, path) for format in providers.FORMATS for path in corpus_files(f"exchanges/{format}/*.json")
    if not path.name.endswith(".expected.json")
]  # fmt: skip


@pytest.mark.parametrize(("format", "path"), ACCEPTED, ids=[path.stem[-60:] for _, path in ACCEPTED])
def test_nothing_is_said_of_an_accepted_request(format, path):
    recorded = orjson.loads(path.read_bytes())
    named = (
        {"model": recorded["meta"]["path"].rsplit("/", 1)[-1].split(":")[0]} if format == "gemini" else {}
    )
    if recorded["meta"]["status"] == 200:
        assert providers.load(format).problems({**recorded["request"], **named}) == []


def test_there_are_accepted_requests():
    corpus()
    assert len(ACCEPTED) >= 240
