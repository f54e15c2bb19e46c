"""What holds of every provider's bodies: body → session → body says the same, and any shape is read or named."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bodies import CANONICAL, again, canonical
from codeh_history import providers
from codeh_history.base.errors import BadData
from codeh_history.providers.body import Messages
from histories import PNG, call, conversations, inline, linked, model, requested, result, tool, user
from support import MODELS, corpus, corpus_files

RECORDED = [
    (format, path)
    for format in CANONICAL
    for path in corpus_files(f"exchanges/{format}/*.json")
    if not path.name.endswith(".expected.json")
]
formats = pytest.mark.parametrize("format", CANONICAL)


@pytest.mark.parametrize(("format", "path"), RECORDED, ids=[path.stem[-60:] for _, path in RECORDED])
def test_recorded_body_round_trips(format, path):
    body = orjson.loads(path.read_bytes())["request"]
    request = again(format, body)
    assert canonical(format, request.body) == canonical(format, body)
    assert request.notes == []


def test_number_of_recorded_bodies():
    corpus()
    counts = {format: sum(1 for name, _ in RECORDED if name == format) for format in CANONICAL}
    assert counts == {"anthropic": 70, "gemini": 71, "openai-chat": 58, "openai-responses": 71}


OPTIONS = {
    "system": st.just("be brief"), "max_tokens": st.just(9), "tools": st.just([{"name": "f", "input_schema": {"type": "object"}}]),
}  # fmt: skip


@formats
@given(messages=conversations(), options=st.fixed_dictionaries({}, optional=OPTIONS))
def test_every_request_round_trips(format, messages, options):
    body = requested(format, messages, model=MODELS[format], **options).body
    assert canonical(format, again(format, body).body) == canonical(format, body)


def test_body_in_snake_case_round_trips():
    body = {
        "system_instruction": {"parts": [{"text": "a"}, {"text": "b"}]},
        "contents": [
            {"parts": [{"text": "hi"}]},
            {"role": "model", "parts": [{"text": "ho", "thought_signature": "c2ln"}]},
        ],
        "generation_config": {"top_k": 1},
    }
    assert canonical("gemini", again("gemini", body).body) == canonical("gemini", body)
    read = providers.Format("gemini").imported(body)
    assert (read.system, read.settings["generationConfig"]) == ("a\n\nb", {"top_k": 1})


IMAGE, FILE = inline("image/png", PNG), inline("application/pdf", PNG)
HISTORY = [
    user("a", IMAGE, FILE, inline("text/csv", "YSxi"), linked("https://x.example/a.png")), model({"text": "hm", "thought": True, "thoughtSignature": "c2ln"}, "b", call("f", "1"), call("g", "2")),
    tool(result("f", "1"), result("g", "2", parts=[IMAGE])), user("c"),
]  # fmt: skip


ODD = (None, True, -1.5, "", "text", [], ["a"], [7], {}, {"a": None}, {"text": 1}, {"type": "later"})


def places(node, *way):
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        yield *way, key
        if isinstance(value, (dict, list)):
            yield from places(value, *way, key)


def changed(format, history=HISTORY):
    """The body of a history, with an odd value at each of its places in turn."""
    by = {"gemini": "gemini/gemini-3-pro"}.get(format, f"{format}/{MODELS[format]}")
    history = [{**m, **model(by=by), "parts": m["parts"]} if m["kind"] == "codeh" else m for m in history]
    more = (
        {"settings": {"thinking": {"type": "enabled", "budget_tokens": 1024}}}
        if format == "anthropic"
        else {}
    )
    around = {
        "system": "s",
        "tools": [{"name": "f", "input_schema": {"type": "object"}}],
        "max_tokens": 2048,
        **more,
    }
    body = orjson.dumps(
        {"model": MODELS[format], **requested(format, history, model=MODELS[format], **around).body}
    )
    for *way, last in places(orjson.loads(body)):
        for value in ODD:
            made = node = orjson.loads(body)
            for key in way:
                node = node[key]
            node[last] = value
            yield made


@formats
def test_odd_values_are_read_or_named(format):
    """No shape of a body makes reading raise anything but BadData, or gives what a record cannot hold."""
    for body in changed(format):
        try:
            again(format, body)
        except BadData:
            pass


@pytest.mark.parametrize("format", providers.FORMATS)
def test_odd_values_are_validated(format):
    """No shape of a body makes the rules raise."""
    begun = [user("a"), HISTORY[1] | {"parts": HISTORY[1]["parts"][:2]}]
    for body in (*changed(format), *changed(format, begun)):
        assert isinstance(providers.Format(format).problems(body), list)


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
        ({"messages": [CALL]}, "messages.0.tool_calls"), ({"messages": [{**CALL, "tool_calls": [{"function": {}}]}]}, "messages.0.tool_calls"),
    ],
    "openai-responses": [
        ({}, "input"), ({"input": [{"role": "user", "content": "hi"}, "x"]}, "input.1"), ({"input": [{"content": "x"}]}, "input.0"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("format", "body", "where"), [(format, *case) for format, cases in BAD.items() for case in cases]
)
def test_non_bodies_are_named(format, body, where):
    with pytest.raises(BadData) as caught:
        providers.Format(format).imported({"model": "m", **body})
    assert str(caught.value).startswith(where)


def test_results_in_a_row_are_one_message():
    read = Messages("openai-chat", {})
    for parts in ([result()], [result()], [{"native": {}}], [result()]):
        read.add_results(parts)
    assert [len(message["parts"]) for message in read.records] == [2, 1, 1]


def test_result_takes_its_function_from_the_call():
    read = Messages("openai-chat", {})
    read.call("1", "f")
    read.call(None, "g")
    read.call("2", "h")
    assert read.match_call("2", None) == {"id": "2", "name": "h"}
    assert read.match_call(None, None) == {"name": "f"}
    assert read.match_call(None, "x") == {"name": "x"}
    assert read.match_call("9", "") == {"id": "9", "name": "g"}
    assert read.match_call(None, None) == {"name": "unknown"}
    assert read.match_call("1", "other") == {"id": "1", "name": "f"}
