"""Whatever arrives, in whatever pieces, one outcome; and only a complete answer is a Reply."""

import gzip

import orjson
import pytest

from answers import (
    HEAD,
    HTML,
    OVERLOADED,
    PRETTY,
    STREAMS,
    arrived,
    chunk,
    gemini,
    gemini_array,
    gemini_event,
    hi,
    short,
    sse,
)
from codeh_history.providers import wire
from wires import SPLIT, error

GOOGLE_502 = b"<!DOCTYPE html>\n<html lang=en>\n  <title>Error 502 (Server Error)!!1</title>\n  <p>That's an error.\n"
CREATED = '{"object":"response","status":"queued","id":"r","output":[]}'


BUSY = "Failure 75: UNAVAILABLE (503): The model is overloaded."
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
    "an event of text": (b"data: hello\n\n" + gemini(), WHOLE),
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
    "a page, then the answer": (HTML + hi(), "Reply Hi"),
    "a page, then the answer at once": (HTML.rstrip() + hi(), "Reply Hi"),
    "Google's page, then the stream": (GOOGLE_502 + gemini(), WHOLE),
    "gzip": (gzip.compress(hi()), "Unreadable: compressed with gzip: let curl decode it (curl --compressed)"),
    "gzip after a head": (HEAD + gzip.compress(hi()), "Unreadable: compressed with gzip"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), OUTCOMES.values(), ids=OUTCOMES)
def test_outcome(data, expected):
    found = short(wire.read(data))
    assert found == expected if expected.startswith("Reply") else found.startswith(expected)


@pytest.mark.parametrize(("data", "expected"), OUTCOMES.values(), ids=OUTCOMES)
def test_outcome_byte_by_byte(data, expected):
    outcome, _, _ = arrived([data[at : at + 1] for at in range(len(data))])
    assert outcome == wire.read(data)
