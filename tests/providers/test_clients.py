"""Real clients against the fake provider: what we store is what the official client put together."""

import shutil
import subprocess
import sys
import time

import orjson
import pytest

import support
from answers import FORMATS
from codeh_history.providers import wire
from codeh_history.providers.protocol import Reply
from fake_provider import Canned, FakeProvider
from histories import requested, user
from length import by_length, sampled
from support import environ

WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
ASK = "What is the weather?"
MODELS = {**support.MODELS, "gemini": "gemini-2.5-flash"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch, FakeProvider() as running:
        patch.setenv(
            "SSL_CERT_DIR", str(tmp_path_factory.mktemp("none"))
        )  # clients load all, for plain HTTP
        yield running


def url_of(server, format):
    paths = {
        "gemini": f"/v1beta/models/{MODELS['gemini']}:streamGenerateContent?alt=sse", "openai-chat": "/v1/chat/completions",
        "openai-responses": "/v1/responses", "anthropic": "/v1/messages",
        "ollama": "/api/chat",
    }  # fmt: skip
    return server.url + paths[format]


def body_of(format, text, *, tools=False):
    """The request that `payload` prints."""
    declared = {"name": "get_weather", "description": "The weather", "parameters": WEATHER}
    return requested(
        format, [user(text)], model=MODELS[format], stream=True, tools=[declared] if tools else []
    ).body


# -- the official clients --------------------------------------------------------------------------


def gemini_client(server, body):
    from google import genai
    from google.genai import types

    client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=server.url))
    config = types.GenerateContentConfig(tools=body.get("tools"))
    chunks = client.models.generate_content_stream(
        model=MODELS["gemini"], contents=body["contents"], config=config
    )
    return [chunk.model_dump(mode="json", by_alias=True, exclude_none=True) for chunk in chunks]


def chat_client(server, body):
    import openai

    client = openai.OpenAI(api_key="none", base_url=f"{server.url}/v1", max_retries=0)
    fields = {key: value for key, value in body.items() if key != "stream"}
    with client.chat.completions.stream(**fields) as stream:
        for _ in stream:
            pass
        return stream.get_final_completion().to_dict(mode="json")


def responses_client(server, body):
    import openai

    client = openai.OpenAI(api_key="none", base_url=f"{server.url}/v1", max_retries=0)
    fields = {key: value for key, value in body.items() if key != "stream"}
    with client.responses.stream(**fields) as stream:
        for _ in stream:
            pass
        return stream.get_final_response().to_dict(mode="json")


def anthropic_client(server, body):
    import anthropic

    client = anthropic.Anthropic(api_key="none", base_url=server.url, max_retries=0)
    fields = {key: value for key, value in body.items() if key != "stream"}
    with client.messages.stream(**fields) as stream:
        return stream.get_final_message().to_dict(mode="json")


def ollama_client(server, body):
    import ollama

    stream = ollama.Client(host=server.url).chat(**body)
    return [line.model_dump(mode="json", exclude_none=True) for line in stream]


CLIENTS = {
    "gemini": gemini_client, "openai-chat": chat_client, "openai-responses": responses_client,
    "anthropic": anthropic_client, "ollama": ollama_client,
}  # fmt: skip


def summary_of(format, client):
    """What a client put together, in common terms: texts, thoughts, calls, finish, ids."""
    if format == "gemini":
        parts = [part for chunk in client for part in chunk["candidates"][0]["content"].get("parts", ())]
        calls = [
            (p["functionCall"].get("id"), p["functionCall"]["name"], p["functionCall"]["args"])
            for p in parts
            if "functionCall" in p
        ]
        texts = "".join(p.get("text", "") for p in parts if not p.get("thought"))
        last = client[-1]
        return texts, calls, last["candidates"][0]["finishReason"], last["responseId"]
    if format == "ollama":
        messages = [line["message"] for line in client]
        calls = [call["function"] for message in messages for call in message.get("tool_calls") or ()]
        texts = "".join(message.get("content") or "" for message in messages)
        return texts, [(None, f["name"], f["arguments"]) for f in calls], client[-1]["done_reason"], None
    if format == "openai-chat":
        choice = client["choices"][0]
        calls = [
            (c["id"], c["function"]["name"], orjson.loads(c["function"]["arguments"]))
            for c in choice["message"].get("tool_calls") or ()
        ]
        return choice["message"].get("content") or "", calls, choice["finish_reason"], client["id"]
    if format == "openai-responses":
        items = client["output"]
        texts = "".join(c["text"] for i in items if i["type"] == "message" for c in i["content"])
        calls = [
            (i["call_id"], i["name"], orjson.loads(i["arguments"]))
            for i in items
            if i["type"] == "function_call"
        ]
        return texts, calls, client["status"], client["id"]
    texts = "".join(block["text"] for block in client["content"] if block["type"] == "text")
    calls = [(b["id"], b["name"], b["input"]) for b in client["content"] if b["type"] == "tool_use"]
    return texts, calls, client["stop_reason"], client["id"]


def ours(outcome):
    assert isinstance(outcome, Reply), outcome
    calls = [part["functionCall"] for part in outcome.parts if "functionCall" in part]
    texts = "".join(part["text"] for part in outcome.parts if "text" in part and not part.get("thought"))
    return (
        texts,
        [(call.get("id"), call["name"], call["args"]) for call in calls],
        outcome.finish,
        outcome.id,
    )


def curl(url, body, *options):
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    command = ["curl", "-sSN", "--max-time", "60", "--data-binary", "@-", *options, url]
    return subprocess.run(command, input=orjson.dumps(body), capture_output=True, check=False)


@pytest.mark.parametrize("tools", by_length([True], [False, True], [False, True]))
@pytest.mark.parametrize("format", FORMATS)
def test_curl_and_client_agree(server, format, tools):
    """The server gives the same bytes to both (but for its ids); we read what curl printed."""
    body = body_of(format, ASK, tools=tools)
    printed = curl(url_of(server, format), body).stdout
    server.queue(Canned(printed, type="text/event-stream"))
    client = CLIENTS[format](server, body)
    assert ours(wire.read(printed)) == summary_of(format, client)
    assert bool(ours(wire.read(printed))[1]) == tools


INVALID = {
    "gemini": {"contents": []},
    "openai-chat": {"model": "gpt-5.1", "messages": []},
    "openai-responses": {"model": "gpt-5.1", "input": 7},
    "anthropic": {"model": "claude-x", "messages": []},
    "ollama": {"model": "llama3.2", "messages": [{"role": "user", "content": [1]}]},
}


@pytest.mark.parametrize("format", FORMATS)
def test_an_invalid_request_is_refused(server, format):
    done = curl(url_of(server, format), INVALID[format], "--fail-with-body")
    assert done.returncode == 22
    outcome = wire.read(done.stdout, format)
    assert not outcome.retry


def test_broken_connection_truncates_the_stream(server):
    whole = curl(url_of(server, "anthropic"), body_of("anthropic", "Why is the sky blue?")).stdout
    server.queue(Canned(whole, type="text/event-stream", cut=len(whole) // 2))
    done = curl(url_of(server, "anthropic"), body_of("anthropic", ASK))
    assert done.returncode == 18
    assert isinstance(wire.read(done.stdout), wire.Cut)


@pytest.mark.parametrize("format", sampled(FORMATS))
def test_curl_tries_again(server, format):
    """Half a stream (and once an error before it), then the whole, all on curl's stdout."""
    body = body_of(format, "Why is the sky blue?")
    whole = curl(url_of(server, format), body).stdout
    error = Canned(b'{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}', 503)
    stream = Canned(whole, type="text/event-stream")
    first = [error] if format == "gemini" else []
    server.queue(*first, Canned(whole, type="text/event-stream", cut=len(whole) // 2), stream)
    options = ("--retry", "3", "--retry-all-errors", "--retry-delay", "1", "--fail-with-body")
    done = curl(url_of(server, format), body, *options)
    assert done.returncode == 0
    assert len(done.stdout) > len(whole) + len(whole) // 3
    assert wire.read(done.stdout) == wire.read(whole)


def test_server_as_a_program(tmp_path):
    """As the demo starts it: the port in a file, pieces with delays between them."""
    port_file = tmp_path / "port"
    program = [sys.executable, __file__.replace("providers/test_clients.py", "helpers/fake_provider.py")]
    started = subprocess.Popen(
        [*program, "--port", "0", "--port-file", str(port_file), "--delay", "0.001"], env=environ()
    )
    try:
        while not port_file.exists():
            assert started.poll() is None
            time.sleep(0.01)
        url = f"http://127.0.0.1:{port_file.read_text().strip()}/v1/messages"
        text, calls, finish, _ = ours(
            wire.read(curl(url, body_of("anthropic", "Why is the sky blue?")).stdout)
        )
        assert text.startswith("Because")
        assert (calls, finish) == ([], "end_turn")
    finally:
        started.terminate()
        started.wait()
