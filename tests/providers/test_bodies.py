"""What holds of every provider's bodies: body → session → body says the same, and any shape is read or named."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bodies import CANONICAL, again, canonical
from codeh_history import providers
from codeh_history.base.errors import BadData
from histories import PNG, call, conversations, model, requested, result, tool, user
from strategies import json_values
from support import MODELS, corpus, corpus_files

RECORDED = [
    (format, path)
    for format in CANONICAL
    for path in corpus_files(f"exchanges/{format}/*.json")
    if not path.name.endswith(".expected.json")
]
formats = pytest.mark.parametrize("format", CANONICAL)


@pytest.mark.parametrize(("format", "path"), RECORDED, ids=[path.stem[-60:] for _, path in RECORDED])
def test_a_recorded_body_comes_back_the_same(format, path):
    body = orjson.loads(path.read_bytes())["request"]
    request = again(format, body)
    assert canonical(format, request.body) == canonical(format, body)
    assert request.notes == []


def test_so_many_are_recorded():
    corpus()
    counts = {format: sum(1 for name, _ in RECORDED if name == format) for format in CANONICAL}
    assert counts == {"anthropic": 70, "gemini": 71, "openai-chat": 58, "openai-responses": 71}


OPTIONS = {
    "system": st.just("be brief"), "max_tokens": st.just(9), "tools": st.just([{"name": "f", "input_schema": {"type": "object"}}]),
}  # fmt: skip


@formats
@given(messages=conversations(), options=st.fixed_dictionaries({}, optional=OPTIONS))
def test_every_request_comes_back(format, messages, options):
    body = requested(format, messages, model=MODELS[format], **options).body
    assert canonical(format, again(format, body).body) == canonical(format, body)


IMAGE, FILE = ({"inlineData": {"mimeType": mime, "data": PNG}} for mime in ("image/png", "application/pdf"))
HISTORY = [
    user("a", IMAGE, FILE), model({"text": "hm", "thought": True, "thoughtSignature": "c2ln"}, "b", call("f", "1"), call("g", "2")),
    tool(result("f", "1"), result("g", "2", parts=[IMAGE])), user("c"),
]  # fmt: skip


@formats
@given(data=st.data())
def test_any_value_anywhere_is_read_or_named(format, data):
    """No shape of a body makes reading raise anything but BadData, or gives what a record cannot hold."""
    by = {"gemini": "gemini/gemini-3-pro"}.get(format, f"{format}/{MODELS[format]}")
    body = requested(
        format, [{**m, **model(by=by)} if m["kind"] == "codeh" else m for m in HISTORY], system="s"
    ).body
    body = node = orjson.loads(orjson.dumps(body))
    while True:
        key = data.draw(st.sampled_from(list(node) if isinstance(node, dict) else list(range(len(node)))))
        if not isinstance(node[key], (dict, list)) or not node[key] or data.draw(st.booleans()):
            break
        node = node[key]
    node[key] = data.draw(json_values)
    try:
        again(format, body)
    except BadData:
        pass


CALL = {"role": "assistant", "tool_calls": [7]}
BAD = {
    "anthropic": [
        ({}, "messages"), ({"messages": "hi"}, "messages"), ({"messages": ["hi"]}, "messages.0"),
        ({"messages": [{"role": "user", "content": {"a": 1}}]}, "messages.0"),
        *(({"messages": [{"role": role, "content": "x"}]}, "messages.0: not a message") for role in ("tool", [], {}, None, 1)),  # 2026-11-23
    ],
    "gemini": [
        ({}, "contents"), ({"contents": "hi"}, "contents"), ({"contents": ["hi"]}, "contents.0"),
        ({"contents": [{"role": "assistant", "parts": []}]}, "contents.0"), ({"contents": [{"role": "user", "parts": "hi"}]}, "contents.0"),
    ],
    "openai-chat": [
        ({}, "messages"), ({"messages": [7]}, "messages.0"), ({"messages": [{"role": "model"}]}, "messages.0"),
        ({"messages": [CALL]}, "messages.0.tool_calls.0"), ({"messages": [{**CALL, "tool_calls": [{"function": {}}]}]}, "messages.0.tool_calls.0"),
    ],
    "openai-responses": [
        ({}, "input"), ({"input": [{"role": "user", "content": "hi"}, "x"]}, "input.1"), ({"input": [{"content": "x"}]}, "input.0"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("format", "body", "where"), [(format, *case) for format, cases in BAD.items() for case in cases]
)
def test_what_is_no_body_is_named(format, body, where):
    with pytest.raises(BadData) as caught:
        providers.load(format).imported({"model": "m", **body})
    assert str(caught.value).startswith(where)
