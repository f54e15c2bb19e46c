"""Recorded exchanges with the real APIs: each goes in, and out again to every provider."""

import json

import orjson
import pytest

import support
from codeh_history import providers
from codeh_history.filters.curate import passes
from codeh_history.filters.curate.passes import Settings
from codeh_history.programs import forms
from codeh_history.providers import wire
from codeh_history.providers.base import Options
from codeh_history.session.fold import fold
from codeh_history.session.pairing import open_at_end
from codeh_history.session.records import lines_of, parse
from support import corpus, run

MODEL = {**support.MODELS, "gemini": "gemini-2.5-pro"}


def exchanges():
    try:
        root = corpus() / "exchanges"
    except pytest.skip.Exception:
        return [
            pytest.param(
                None, None, id="no-corpus", marks=pytest.mark.skip(reason="no recorded exchanges here")
            )
        ]
    index = json.loads((root / "index.json").read_text())
    return [pytest.param(root / entry["file"], entry, id=entry["file"]) for entry in index]


def view_of(records):
    given = [
        {"id": f"m{n}", **r} if r.get("type", "message") == "message" else r for n, r in enumerate(records)
    ]
    lines = b"".join(orjson.dumps({"type": "message", **r}) + b"\n" for r in given)
    log = parse(lines_of(lines))
    assert log.damage == []
    return fold(log)


def sent(view, to):
    after, _, _ = passes.curate(view, Settings(unanswered="stub"))
    tools = view.meta.get("tools") or ()
    options = Options(model=MODEL[to], system=view.meta.get("system"), tools=tools)
    return providers.load(to).request(after.messages, options, [])


@pytest.mark.parametrize(("path", "entry"), exchanges())
def test_an_exchange_goes_on_with_any_provider(path, entry):
    exchange = json.loads(path.read_text())
    maker = entry["file"].split("/", 1)[0]
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
    elif entry["status"] == 200:
        assert isinstance(outcome, wire.Failure), outcome
    view = view_of(records)
    if not open_at_end(view.messages):
        view = view_of([*records, {"kind": "user", "role": "user", "parts": [{"text": "go on"}]}])
    for to in providers.FORMATS:
        assert providers.load(to).problems(sent(view, to).body) == [], to


def sessions():
    try:
        root = corpus() / "sessions"
    except pytest.skip.Exception:
        return [
            pytest.param(None, id="no-corpus", marks=pytest.mark.skip(reason="no sessions of others here"))
        ]
    return [pytest.param(path, id=path.name) for path in sorted(root.iterdir())]


@pytest.mark.parametrize("path", sessions())
def test_another_programs_session_is_read_without_harm_and_never_written(path, tmp_path):
    copy = tmp_path / "theirs.jsonl"
    copy.write_bytes(path.read_bytes())
    for argv in (["show", str(copy)], ["verify", str(copy)], ["curate", str(copy)]):
        result = run(*argv)
        assert result.code in (0, 1, 3, 65), result.err
    refused = run("append", "-s", str(copy), "-m", "hi")
    assert refused.code == 65
    assert refused.err.count(b"\n") == 1
    assert copy.read_bytes() == path.read_bytes()
