"""Whatever arrives, in whatever pieces: one outcome, and only a complete answer is a `Reply`."""

import gzip
import re

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers import (
    FORMATS,
    HEAD,
    HTML,
    OVERLOADED,
    PRETTY,
    SPLIT,
    STREAMS,
    arrived,
    chunk,
    complete_at,
    error,
    gemini,
    gemini_array,
    gemini_event,
    gemini_events,
    hi,
    short,
    sse,
)
from codeh_history.providers import framing, wire
from codeh_history.session.records import check_message, dumps
from codeh_history.session.view import join
from length import by_length

GOOGLE_502 = b"<!DOCTYPE html>\n<html lang=en>\n  <title>Error 502 (Server Error)!!1</title>\n  <p>That's an error.\n"
CREATED = '{"object":"response","status":"queued","id":"r","output":[]}'


BUSY = "Failure 75: UNAVAILABLE (503): The model is overloaded."
EVERY = by_length(7, 3, 1)  # of the places where a stream may be cut
WHOLE = "Reply Hello, +functionCall+é\u2028[x]"

OUTCOMES = {
    "nothing": (b"", "Nothing: nothing arrived"),
    "blank lines": (b"\n  \r\n", "Nothing: nothing arrived"),
    "a head and nothing": (HEAD, "Nothing: nothing arrived"),
    "only comments": (b": keep-alive\n\n: keep-alive\n\n", "Nothing: nothing arrived"),
    "[DONE] alone": (b"data: [DONE]\n\n", "Nothing: nothing arrived"),
    # JSON
    "a body": (hi(), "Reply Hi"),
    "a pretty body": (orjson.dumps(orjson.loads(hi()), option=orjson.OPT_INDENT_2), "Reply Hi"),
    "a body after a byte order mark": (b"\xef\xbb\xbf" + hi(), "Reply Hi"),
    "the same twice": (hi() + b"\n" + hi(), "Reply Hi"),
    "two": (hi() + hi("r2"), "Unreadable: more than one response (r1, r2); pass one at a time"),
    "two of one id": (
        hi() + hi().replace(b"Hi", b"Ho"), "Unreadable: more than one response (r1, r1); pass one at a time",
    ),
    "quotes and brackets in a text": (hi().replace(b"Hi", b'\\"}]{\\\\\\"\\\\'), 'Reply "}]{\\"\\'),
    "a cut body": (hi()[:-9], "Cut "),
    "an error": (OVERLOADED, BUSY),
    "an error in an array": (b"[" + PRETTY + b"]", BUSY),
    "an error, then the answer": (OVERLOADED + b"\n" + hi(), "Reply Hi"),
    "two errors, then the answer": (PRETTY + OVERLOADED + hi(), "Reply Hi"),
    "an answer, then an error": (hi() + OVERLOADED, BUSY),
    "NaN": (b'{"candidates":[{"avgLogprobs":NaN}]}', "Unreadable: not JSON"),
    "bad UTF-8": (hi().replace(b"Hi", b"H\xff"), "Unreadable: not JSON"),
    "too deep": (b'{"candidates":' + b"[" * 300 + b"]" * 300 + b"}", "Unreadable: not JSON (nested deeper"),
    "another's JSON": (b'{"detail":"Not Found"}', 'Unreadable: not a provider\'s answer: {"detail":"Not Found"}'),
    "an array of something": (b"[1, 2]", "Unreadable: not a provider's answer: [1, 2]"),
    "text": (b"Hello there.\n", "Unreadable: not a provider's answer: Hello there."),
    "words around it": (b"curl: (22) error: 503\n" + hi() + b"\n200\n", "Reply Hi"),
    # streams
    "a stream": (gemini(), WHOLE),
    "an array stream": (gemini_array(), WHOLE),
    "a stream with LF": (gemini().replace(b"\r\n", b"\n"), WHOLE),
    "a stream with CR": (gemini().replace(b"\r\n", b"\r"), WHOLE),
    "without the last line end": (gemini().rstrip(), WHOLE),
    "twice": (gemini() * 2, WHOLE),
    "array twice": (gemini_array() * 2, WHOLE),
    "without ids, twice": (gemini(None) * 2, WHOLE),
    "two streams": (gemini() + gemini("r2"), "Unreadable: more than one response (r1, r2); pass one at a time"),
    "cut": (SPLIT[0] + b"\r\n\r\n", "Cut Hel"),
    "cut in an event": (b"\r\n\r\n".join(SPLIT[:2]) + b'\r\n\r\ndata: {"cand', "Cut Hello, +functionCall"),
    "cut array": (gemini_array().partition(b"\n,")[0], "Cut Hel"),
    "an array that is not gemini's": (b"[" + hi() + b"," + b"7]", "Reply Hi"),
    "a raw error in a stream": (SPLIT[0] + b"\r\n\r\n" + PRETTY, BUSY),
    "a raw error on the next line": (SPLIT[0] + b"\r\n" + PRETTY, BUSY),
    "a raw error after STOP": (gemini() + PRETTY, BUSY),
    "a damaged event": (gemini().replace(b'"text":"lo, "', b'"text":"lo, ",}'), "Cut Helé\u2028[x]"),
    "an event without a comma": (gemini().replace(b'},{"functionCall', b'}{"functionCall'), "Cut Hel"),
    "an event that is cut in the midst": (gemini().replace(b'{"text":"lo, "},{"functionCall"', b'{"text":"lo, "}{"functionCall"').replace(b'{"a":1}}}],"role":"model"},"index":0}],"modelVersion":"gemini-x","responseId":"r1"}', b'{"a":'), "Cut Hel"),
    "an event of text": (b"data: hello\n\n" + gemini(), WHOLE),
    "an event that is no object": (b"data: 5\n\n" + gemini(), WHOLE),
    "a list in an event": (b"data: [5," + b",".join(map(orjson.dumps, gemini_events())) + b"]\n\n", WHOLE),
    "a cut name": (b"dat", "Cut "),
    "multi-line data": (gemini().replace(b'{"content"', b'\r\ndata: {"content"'), WHOLE),
    "comments, ids, retries": (
        b": OPENROUTER PROCESSING\n\nid: 1\nretry: 5\nunknown: field\n\n" + gemini(), WHOLE,
    ),
    "one event that is a whole answer": (
        sse({"object": "chat.completion", "choices": [{"message": {"content": "Hi"}}]}, done=True), "Reply Hi",
    ),
    "chunks without data:": (
        orjson.dumps(chunk({"role": "assistant", "content": "Hi"}, "stop")) + b"\ndata: [DONE]\n\n", "Reply Hi",
    ),
    "surrogate halves": (
        sse(gemini_event({"text": "x"}, finish="STOP")).replace(b'"x"', b'"\\ud83d\\ude00\\ud83d"'),
        "Reply 😀\ufffd",
    ),
    # errors in streams
    "an error event": (b"event: error\ndata: " + error("overloaded_error") + b"\n\n", "Failure 75: overloaded_error: words"),
    "an error event without its type": (
        b'event: error\ndata: {"message":"busy","code":"rate_limit_exceeded"}\n\n',
        "Failure 75: rate_limit_exceeded: busy",
    ),
    "half a stream, then an error event": (
        STREAMS["anthropic"]()[:900] + b"\n\nevent: error\ndata: " + error("overloaded_error") + b"\n\n",
        "Failure 75: overloaded_error: words",
    ),
    "response.failed": (
        sse({"type": "response.failed", "response": {"error": {"code": "server_error", "message": "oops"}}}),
        "Failure 75: server_error: oops",
    ),
    "an error of the Responses stream": (
        sse({"type": "error", "code": "context_length_exceeded", "message": "long", "sequence_number": 3}),
        "Failure 4: context_length_exceeded: long",
    ),
    "a queued response": (CREATED.encode(), "Failure 75: queued: the response r is not there yet"),
    # curl -i
    "a head": (HEAD + gemini(), WHOLE),
    "three heads": (
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 302 Found\r\nlocation: /x\r\n\r\n" + HEAD + gemini(), WHOLE,
    ),
    "a head that failed": (
        b"HTTP/1.1 503 Service Unavailable\r\n\r\nupstream connect error",
        "Failure 75: HTTP 503: not a provider's answer: upstream connect error",
    ),
    "a head that failed, no body": (b"HTTP/1.1 404 Not Found\r\n\r\n", "Failure 4: HTTP 404"),
    "a head that failed, an unknown body": (
        b'HTTP/1.1 403 Forbidden\r\n\r\n{"message":"no"}',
        'Failure 4: HTTP 403: not a provider\'s answer: {"message":"no"}',
    ),
    "the head decides": (
        b"HTTP/1.1 429 Too Many Requests\r\n\r\n" + b'{"error":{"message":"slow"}}', "Failure 75: slow",
    ),
    "heads of a retry": (b"HTTP/1.1 503 x\r\n\r\n" + OVERLOADED + HEAD + gemini(), WHOLE),
    # what else comes
    "an HTML page": (HTML, "Failure 75: HTTP 502: an HTML page: 502 Bad Gateway"),
    "Google's HTML page": (GOOGLE_502, "Failure 75: HTTP 502: an HTML page: Error 502 (Server Error)!!1"),
    "a page of no status": (b"<html><body>Sign in</body></html>", "Unreadable: an HTML page: Sign in"),
    "a page with JSON in it": (
        b'<html><title>502 Bad Gateway</title><img src="data:image/png;base64,AA"><script>x = {"a": 1};</script></html>\n',
        "Failure 75: HTTP 502: an HTML page: 502 Bad Gateway",
    ),
    "a page, then the answer": (HTML + hi(), "Reply Hi"),
    "a page, then the answer at once": (HTML.rstrip() + hi(), "Reply Hi"),
    "Google's page, then the stream": (GOOGLE_502 + gemini(), WHOLE),
    "gzip": (gzip.compress(hi()), "Unreadable: compressed with gzip: let curl decode it (curl --compressed)"),
    "gzip after a head": (HEAD + gzip.compress(hi()), "Unreadable: compressed with gzip"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), OUTCOMES.values(), ids=OUTCOMES)
def test_outcome(data, expected):
    outcome = short(wire.read(data))
    assert outcome == expected if expected.startswith("Reply") else outcome.startswith(expected)


@pytest.mark.parametrize(("data", "expected"), OUTCOMES.values(), ids=OUTCOMES)
def test_outcome_byte_by_byte(data, expected):
    outcome, _, _ = arrived([data[at : at + 1] for at in range(len(data))])
    assert outcome == wire.read(data)


@pytest.mark.parametrize("name", STREAMS)
def test_all_streams_give_the_same_reply(name):
    outcome, parts, reader = arrived([STREAMS[name]()])
    assert isinstance(outcome, wire.Reply)
    called = [part["functionCall"]["args"] for part in outcome.parts if "functionCall" in part]
    assert called == [{"a": 1}]
    text = "".join(part["text"] for part in outcome.parts if "text" in part)
    assert text == "Hello, é\u2028[x]"
    assert "".join(part["text"] for part in parts if "text" in part) == text
    assert [p["functionCall"] for p in parts if "functionCall" in p] == [
        p["functionCall"] for p in outcome.parts if "functionCall" in p
    ]
    counts = {key: outcome.usage[key] for key in ("input", "output")}
    assert counts == {"input": 7, "output": 3}
    id = None if name == "ollama" else "r1"
    assert (reader.begun, reader.response_id, reader.model) == (True, id, outcome.model)


@pytest.mark.parametrize("name", ["gemini", "openai-chat", "openai-responses", "anthropic"])
def test_the_lines_between_events_may_be_missing(name):
    data = STREAMS[name]().replace(b"\r\n", b"\n")
    assert wire.read(data.replace(b"\n\n", b"\n")) == wire.read(data)


@pytest.mark.parametrize("name", ["gemini", "openai-chat", "openai-responses", "anthropic"])
def test_a_damaged_byte_between_events_loses_nothing(name):  # 2026-11-27
    data = STREAMS[name]().replace(b"\r\n", b"\n")
    for event in re.finditer(rb"(?<=\n\n)", data[:-1]):
        damaged = data[: event.start() - 1] + b"X" + data[event.start() :]
        assert wire.read(damaged) == wire.read(data)


@pytest.mark.parametrize("name", ["gemini", "openai-chat", "anthropic"])
def test_an_event_without_its_opening_brace_is_damage(name):  # 2026-11-27
    data = STREAMS[name]()
    for event in [*re.finditer(rb"data: \{", data)][1:]:
        damaged = data[: event.end() - 1] + b"X" + data[event.end() :]
        assert isinstance(wire.read(damaged), wire.Cut)


@pytest.mark.parametrize("name", ["gemini", "openai-chat"])
def test_lines_without_their_ends_are_read(name):
    """As `iter_lines()` of Python's HTTP clients gives them."""
    data = STREAMS[name]()
    assert wire.read(b"".join(data.splitlines())) == wire.read(data)


@pytest.mark.parametrize("name", STREAMS)
def test_a_truncated_stream_is_never_a_reply(name):
    data = STREAMS[name]()
    whole = wire.read(data)
    for end in range(0, len(data), EVERY):
        outcome = wire.read(data[:end])
        if isinstance(outcome, wire.Reply):
            assert end >= complete_at(data)
            assert (outcome.parts, outcome.finish) == (whole.parts, whole.finish)
        else:
            assert isinstance(outcome, (wire.Cut, wire.Nothing)), (end, outcome)


@pytest.mark.parametrize("name", FORMATS)
def test_done_is_the_end_of_one_format_only(name):
    """`[DONE]` in place of a stream's last event; some hosts send it with other formats too."""
    data = STREAMS[name]()
    last = data.rstrip().rfind(b"\n", 0, -1) if name != "openai-chat" else data.rfind(b"data: [DONE]")
    outcome = wire.read(data[:last] + b"\n\ndata: [DONE]\n\n")
    assert isinstance(outcome, wire.Reply if name == "openai-chat" else wire.Cut)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "ollama"])
def test_interleaved_responses_are_refused(name):
    first, second = (STREAMS[name](id).replace(b"\r", b"").partition(b"\n\n")[0] for id in ("r1", "r2"))
    outcome = wire.read(b"\n\n".join([first, second, STREAMS[name]("r1")]))
    assert outcome == wire.Unreadable("interleaved responses (r1, r2); pass one at a time")


RETRIES = {
    "the same again": b"",
    "an error between": OVERLOADED + b"\n",
    "a pretty error between": PRETTY,
    "a head between": HEAD,
    "a failed head and an error between": b"HTTP/1.1 503 x\r\na: b\r\n\r\n" + PRETTY + HEAD,
}


@pytest.mark.parametrize("id", ["r1", "r2"])
@pytest.mark.parametrize("between", RETRIES)
@pytest.mark.parametrize("name", STREAMS)
def test_half_a_stream_then_the_whole(name, between, id):
    """Wherever the first was cut, the second is the answer; each kind of retry takes every tenth place."""
    first, second = STREAMS[name](), STREAMS[name](id)
    whole = wire.read(second)
    kind = list(RETRIES).index(between) + len(RETRIES) * (id == "r2")
    for end in range(kind, len(first.rstrip(b"]\r\n")), 2 * len(RETRIES) * by_length(2, 1, 1)):
        outcome, parts, reader = arrived([first[:end], RETRIES[between] + second])
        assert outcome == whole, end
        if (
            name != "ollama" or b"\n" not in first[end - 1 : end + 1]
        ):  # between lines only the last one tells
            assert "".join(part.get("text", "") for part in parts) == "Hello, é\u2028[x]"
        assert reader.restarts <= 1


@pytest.mark.parametrize("name", [*STREAMS][:-1])  # each of Ollama's lines may be an answer
def test_half_a_stream_then_the_whole_on_the_next_line(name):  # 2026-11-27
    data = STREAMS[name]()
    whole = wire.read(data)
    for end in range(0, len(data) - 1, EVERY):
        assert wire.read(data[:end] + b"\n" + data) == whole, end


@pytest.mark.parametrize("name", STREAMS)
def test_half_a_stream_then_an_error_or_a_page(name):
    data = STREAMS[name]()
    for end in range(0, complete_at(data) - 9, EVERY):
        outcome = wire.read(data[:end] + PRETTY)
        assert isinstance(outcome, wire.Failure), end
        assert "The model is overloaded." in outcome.text
        outcome = wire.read(data[:end] + HTML)
        assert isinstance(outcome, wire.Cut) or "502 Bad Gateway" in short(outcome), end


def test_half_a_long_body_then_the_whole():
    """Also where the second begins after a colon, so that it looks like a part of the first."""
    long = {"text": "é" * 3000}
    body = orjson.dumps(gemini_event(long, {"functionCall": {"name": "f", "args": {}}}, finish="STOP"))
    array = sse(gemini_event(long), gemini_event(finish="STOP"), end=b"\n")
    array = b"[" + b",\r\n".join(line[6:] for line in array.split(b"\n") if line) + b"]"
    for data in (body, array, sse(orjson.loads(body))):
        whole = wire.read(data)
        for end in (*range(1, 90, EVERY), 2001, 2002, *range(6090, len(data) - 9, EVERY)):
            assert wire.read(data[:end] + data) == whole, end
            assert wire.read(data[:end] + OVERLOADED + data) == whole, end
            outcome = wire.read(data[:end] + data + b"\n200")  # unsure after a colon: never a mixture
            assert isinstance(outcome, (wire.Cut, wire.Unreadable)) or outcome == whole, end


def test_a_body_is_no_stream():
    reader = wire.Reader()
    assert reader.feed(hi() + b"\n") == [{"text": "Hi"}]
    assert (reader.begun, reader.done, reader.response_id) == (False, True, "r1")


@st.composite
def cut_streams(draw):
    before = draw(st.sampled_from([b"", b"\xef\xbb\xbf", HEAD, PRETTY, HTML, HEAD + OVERLOADED + HEAD]))
    stream = STREAMS[draw(st.sampled_from(list(STREAMS)))]()
    data = before + stream[draw(st.integers(0, len(stream))) :] + stream
    ends = sorted(draw(st.lists(st.integers(0, len(data)), max_size=12)))
    return data, [data[at:end] for at, end in zip([0, *ends], [*ends, len(data)], strict=True)]


@given(cut_streams())
def test_result_is_independent_of_chunking(cut):
    data, chunks = cut
    outcome, parts, reader = arrived(chunks)
    whole, all_parts, once = arrived([data])
    assert outcome == whole
    assert join([], parts) == join([], all_parts)
    assert reader.restarts == once.restarts


# -- hostile input ---------------------------------------------------------------------------------

_KEYS = ("type", "text", "name", "id", "index", "content", "arguments", "message", "error", "input_tokens")
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=5)
    | st.sampled_from(["text", "message", "output_text", "tool_use", "function_call", "error", "STOP"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


def _places(value):
    places = []
    items = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, inner in items:
        places += [(value, key), *_places(inner)]
    return places


@given(st.data())
def test_arbitrary_json_does_not_raise(data):
    """A valid stream with any values put in any places of its events."""
    name = data.draw(st.sampled_from(["gemini", "openai-chat", "openai-responses", "anthropic"]))
    stream = STREAMS[name]().replace(b"\r\n", b"\n").split(b"\n")
    at = data.draw(st.sampled_from([n for n, line in enumerate(stream) if line.startswith(b"data: {")]))
    event = orjson.loads(stream[at][6:])
    for _ in range(data.draw(st.integers(1, 3))):
        where, key = data.draw(st.sampled_from(_places(event)))
        where[key] = data.draw(_json)
        if not _places(event):
            break
    stream[at] = b"data: " + orjson.dumps(event)
    storable(wire.read(b"\n".join(stream)))
    storable(wire.read(orjson.dumps(event)))


def storable(outcome):
    """Its parts make a record that is read again as it was written."""
    if isinstance(outcome, (wire.Reply, wire.Cut)):
        usage = outcome.usage if isinstance(outcome, wire.Reply) else None
        record = {"id": "m", "role": "model", "parts": outcome.parts, "usage": usage}
        assert check_message(record) is None
        assert orjson.loads(dumps(record)) == record


def test_item_in_a_damaged_event_is_not_detected_as_another_format():
    damaged = b'{"type":"response.output_item.done","x":"\xff","item":{"type":"message","content":[{"type":"output_text"}]}}'
    outcome = wire.read(
        b'data: {"type":"response.created","response":{"id":"r"}}\n\ndata: ' + damaged + b"\n\n"
    )
    assert isinstance(outcome, wire.Cut)


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
@pytest.mark.parametrize("text", ["a: ", "a, ", "a: [", "a"])
def test_a_body_cut_inside_a_text_like_json_and_its_retry(text, end):
    cut = b'{"candidates":[{"content":{"parts":[{"text":"' + text.encode() + end.encode()
    assert wire.read(cut + hi()) == wire.read(hi())


def test_a_long_body_cut_inside_a_text_is_searched_once():
    """Each escaped quote once looked like the start of a string that never ends."""
    body = orjson.dumps(orjson.loads(hi().replace(b"Hi", b'\\"' * 200_000)), option=orjson.OPT_INDENT_2)
    assert wire.read(body[:200_000] + body) == wire.read(body)


def test_an_event_of_many_data_lines_is_parsed_a_few_times(monkeypatch):
    parsed = []
    value_of = framing.value_of
    monkeypatch.setattr(framing, "value_of", lambda data: (parsed.append(len(data)), value_of(data))[1])
    text = b",\n".join(b'data: {"type":"text","text":"a"}' for _ in range(500))
    body = (
        b'data: {"model":"m","role":"assistant","type":"message","content":[\n' + text + b"\ndata: ]}\n\n"
    )
    reply = wire.read(body)
    assert len(reply.parts) == 500
    assert len(parsed) < 20
