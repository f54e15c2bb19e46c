"""Recorded exchanges with the real APIs: taken in any pieces, and sent on to every provider."""

import json

import orjson
import pytest

import answers
import support
from answers import FORMATS, arrived, expected_of, recorded_streams, without_nulls
from bodies import canonical
from codeh_history import providers
from codeh_history.filters.curate import passes
from codeh_history.filters.curate.passes import Settings
from codeh_history.programs import forms
from codeh_history.providers import wire
from codeh_history.providers.protocol import Failure, Reply
from codeh_history.providers.request import Options
from codeh_history.session.pairing import open_at_end
from codeh_history.session.view import join
from histories import model, requested, session, user
from support import corpus_files

MODEL = {**support.MODELS, "gemini": "gemini-2.5-pro"}
EXCHANGES = [
    path for path in corpus_files("exchanges/*/*.json") if not path.name.endswith(".expected.json")
]


def sent(view, to):
    after, _, _ = passes.curate(view, Settings(unanswered="stub"))
    tools = view.meta.get("tools") or ()
    options = Options(model=MODEL[to], system=view.meta.get("system"), tools=tools)
    return providers.Format(to).request(after.messages, options, [])


@pytest.mark.parametrize("path", EXCHANGES, ids=[f"{path.parent.name}-{path.stem}" for path in EXCHANGES])
def test_exchange_continues_with_any_provider(path):
    exchange = json.loads(path.read_text())
    maker = path.parent.name
    body = (
        exchange["request"].get("body", exchange["request"])
        if isinstance(exchange["request"], dict)
        else {}
    )
    records = forms.read(orjson.dumps(body), maker, "request")
    data = path.with_suffix(".sse").read_bytes() if path.with_suffix(".sse").exists() else None
    if data is None:
        response = exchange["response"]
        data = orjson.dumps(response.get("body", response) if isinstance(response, dict) else response)
    outcome = wire.read(data)
    if isinstance(outcome, wire.Reply):
        made = {"kind": "codeh", "role": "model", "provider": outcome.provider, "model": outcome.model}
        records = [*records, {**made, "parts": outcome.parts}]
    elif exchange["meta"]["status"] == 200:
        assert isinstance(outcome, wire.Failure), outcome
    view = session(records)
    if not open_at_end(view.messages):
        view = session([*records, {"kind": "user", "role": "user", "parts": [{"text": "go on"}]}])
    for to in providers.FORMATS:
        assert providers.Format(to).problems(sent(view, to).body) == [], to


ANSWERED = {  # of a whole response: its message, and what is said beside it
    "gemini": lambda it: (it["candidates"][0]["content"], it["responseId"], it["modelVersion"],
                          it["candidates"][0]["finishReason"], it["usageMetadata"]),
    "openai-chat": lambda it: (it["choices"][0]["message"], it["id"], it["model"], it["choices"][0]["finish_reason"], it.get("usage")),
    "openai-responses": lambda it: (it["output"], it["id"], it["model"], it["status"], it["usage"]),
    "anthropic": lambda it: ({"role": "assistant", "content": it["content"]}, it["id"], it["model"], it["stop_reason"], it["usage"]),
}  # fmt: skip
RESPONSES = [
    (format, path) for format in ANSWERED for path in [*answers.recorded(format), *recorded_streams(format)]
]


def whole(format, path):
    """A recorded response as it came, or as the official client put its stream together."""
    if path.suffix == ".json":
        return orjson.loads(path.read_bytes())["response"]
    response = expected_of(path)
    if format == "gemini":
        contents = [event["candidates"][0]["content"] for event in response]
        parts = join([], [part for content in contents for part in content.get("parts", ())])
        last = response[-1]["candidates"][0]
        return {**response[-1], "candidates": [{**last, "content": {**contents[0], "parts": parts}}]}
    for choice in response.get("choices", ()):
        for call in choice["message"].get("tool_calls") or ():
            call.pop("index", None)
    return response


@pytest.mark.parametrize(("format", "path"), RESPONSES, ids=[f"{f}-{path.stem}" for f, path in RESPONSES])
def test_recorded_response_goes_back_as_it_came(format, path):
    """To the model that made it, in its next request."""
    response = whole(format, path)
    outcome = wire.read(path.read_bytes() if path.suffix == ".sse" else orjson.dumps(response), format)
    if isinstance(outcome, Failure):
        assert outcome.retry == (response.get("status") == "queued")
        assert response.get("error") or outcome.retry or not response["candidates"][0]["content"]
        return
    message, *beside, usage = ANSWERED[format](response)
    assert [outcome.id, outcome.model, outcome.finish] == beside
    if usage:  # where the client lost it to a later chunk without, we have it
        assert without_nulls(outcome.usage["raw"]) == without_nulls(usage)
        both = outcome.usage["input"] + outcome.usage["output"]
        assert outcome.usage.get("total", both) == both
    made = model(*outcome.parts, by=f"{format}/{outcome.model}")
    body = requested(format, [user("a"), made], faithful=True, model=outcome.model).body
    field = providers.Format(format).package.FIELD
    sent = [*body[field][:1], *(message if isinstance(message, list) else [message])]
    assert without_nulls(canonical(format, body)) == without_nulls(canonical(format, {**body, field: sent}))


STREAMS = [path for format in FORMATS for path in recorded_streams(format)]
each = pytest.mark.parametrize("path", STREAMS, ids=lambda path: f"{path.parent.name}-{path.stem}")


@each
def test_stored_parts_equal_streamed_parts(path):
    """The parts on the way say as much as the whole: the same texts and calls, in the same order."""
    outcome, parts, _ = arrived([path.read_bytes()])
    assert isinstance(outcome, Reply)

    def plain_parts(some):
        plain = [
            {key: part[key] for key in ("text", "functionCall") if key in part} for part in join([], some)
        ]
        return [orjson.dumps(part) for part in plain if part and part.get("text") != ""]

    shown = [part for part in parts if not part.get("thought")]
    assert plain_parts(shown) == plain_parts([part for part in outcome.parts if not part.get("thought")])
