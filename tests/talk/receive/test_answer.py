"""`append --from` and `ask`: what is on disk after every way an answer can arrive."""

import os
import signal
import time

import orjson
import pytest

from answers import gemini_event, sse
from codeh_history.base.env import Env
from codeh_history.base.errors import InputOutput, TryAgain
from codeh_history.providers.wire import Reader
from codeh_history.store.resolve import Target
from codeh_history.talk.receive import answer as receiving
from in_process import run_in_process, run_ok
from receiving import receive, texts_of_model, with_prompt
from support import lines, piped, session_path, until

RECEIVE = ("append", "-s", "s", "--from", "auto")
FIRST = gemini_event({"text": "Hel"})
END = gemini_event({"text": "lo"}, finish="STOP")
WHOLE = gemini_event(
    {"text": "Hello"}, finish="STOP", usageMetadata={"promptTokenCount": 2, "candidatesTokenCount": 1}
)
REFUSED = {"error": {"code": 400, "message": "contents is not specified", "status": "INVALID_ARGUMENT"}}
BUSY = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}


@pytest.fixture
def home(tmp_path):
    return with_prompt(tmp_path)


def log(home):
    return lines(session_path(home, "s"))


def arrives(process, home, data):
    """Write this to the process, and wait until something of it is pending on disk."""
    process.stdin.write(data)
    until(lambda: any(record["type"] == "delta" for record in log(home)))


def test_a_stream_is_pending_until_its_end(home):
    process = piped(*RECEIVE, home=home)
    arrives(process, home, sse(FIRST))
    assert [r["type"] for r in log(home)] == ["session", "message", "open", "delta"]
    assert texts_of_model(home) == []
    out, _ = process.communicate(sse(END))
    assert process.returncode == 0
    assert log(home)[-1]["parts"] == [{"text": "Hello"}]
    assert log(home)[-1]["of"] == out.decode().strip()
    assert texts_of_model(home) == ["Hello"]


def test_an_answer_that_cannot_be_stored_is_shown(home, monkeypatch):
    def refused(*_):
        raise InputOutput("s: full; nothing was stored; retry with --key")

    monkeypatch.setattr(receiving.Receiving, "append", refused)
    (home / "answer").write_bytes(orjson.dumps(WHOLE))
    done = run_in_process("ask", "-s", "s", "--to", "gemini", "--via", f"cat {home}/answer", home=home)
    assert (done.code, done.text) == (74, "Hello")
    assert b"s: full; no answer was stored; the prompt is stored: " in done.err


TEXT = {"role": "assistant", "content": "half"}
OUTPUT = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "half"}]}
BLOCKS = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "half"}]}


LIMIT, FILTER = "ends at its token limit", "the provider stopped the answer"


def incomplete(reason):
    details = {"reason": reason}
    return {"object": "response", "status": "incomplete", "incomplete_details": details, "output": [OUTPUT]}


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        (gemini_event({"text": "half"}, finish="MAX_TOKENS"), LIMIT), (gemini_event({"text": "half"}, finish="RECITATION"), FILTER),
        ({"choices": [{"message": TEXT, "finish_reason": "length"}]}, LIMIT), ({"choices": [{"message": TEXT, "finish_reason": "content_filter"}]}, FILTER),
        (incomplete("max_output_tokens"), LIMIT), (incomplete("content_filter"), FILTER),
        ({**BLOCKS, "stop_reason": "max_tokens"}, LIMIT), ({**BLOCKS, "stop_reason": "refusal"}, FILTER),
        ({"model": "m", "message": TEXT, "done": True, "done_reason": "length"}, LIMIT),
    ],
)  # fmt: skip
def test_an_answer_that_was_cut_short_is_stored_and_says_so(home, answer, note):
    done = receive(home, orjson.dumps(answer))
    assert (done.code, texts_of_model(home)) == (0, ["half"])
    assert f"{note} (" in done.err.decode()


def test_a_stream_without_content_does_not_claim_that_something_arrived(home):
    done = receive(home, sse({"candidates": [{"finishReason": "SAFETY", "index": 0}]}))
    assert (done.code, b"stays pending" in done.err) == (4, False)


def test_text_is_on_disk_within_a_second(home, monkeypatch):
    """At each wait for more, a second after the last: all that came before is pending in the file."""
    reading, writing = os.pipe()
    path = home / "sessions" / "s.jsonl"
    events = [sse(gemini_event({"text": f"<{n}>"})) for n in range(5)]
    clock = iter(range(1000))
    seen = []

    def wait(*_):
        seen.append(sum(b"<%d>" % n in path.read_bytes() for n in range(5)))
        if events:
            os.write(writing, events.pop(0))
        else:
            os.close(writing)
        return [reading], [], []

    monkeypatch.setattr(receiving.select, "select", wait)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    answer = receiving.Receiving(Env(), Target(str(path), "test"), Reader(), fresh=False)
    with pytest.raises(TryAgain):
        receiving.follow(answer, reading, 1 << 20)
    assert seen == [0, 1, 2, 3, 4, 5]


def test_truncated_stream_keeps_its_last_second(home):
    process = piped(*RECEIVE, home=home)
    arrives(process, home, sse(gemini_event({"text": "one "})))
    process.communicate(sse(gemini_event({"text": "two"})))
    assert process.returncode == 75
    deltas = [line["parts"] for line in log(home) if line["type"] == "delta"]
    assert deltas == [[{"text": "one "}], [{"text": "two"}]]
    assert log(home)[-1]["type"] == "abort"


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (orjson.dumps(REFUSED), 4, b"contents is not specified"),
        (orjson.dumps(BUSY), 75, b"overloaded"),
        (b"", 75, b"nothing arrived"),
        (b"<html><title>502</title>", None, b"HTML"),
        (b"hello", 65, b""),
        (orjson.dumps(WHOLE)[:-9], 75, b""),
    ],
    ids=["refused", "busy", "nothing", "html", "text", "torn"],
)
def test_failed_response_stores_no_model_message(home, data, code, words):
    result = receive(home, data)
    assert result.code == code or (code is None and result.code in (4, 65, 75))
    assert words in result.err
    assert result.err.count(b"\n") == 1
    assert texts_of_model(home) == []


def test_retry_by_curl_replaces_the_first_attempt(home):
    result = receive(home, sse(FIRST) + orjson.dumps(BUSY) + orjson.dumps(WHOLE))
    assert result.code == 0
    assert texts_of_model(home) == ["Hello"]


def test_response_never_creates_a_session(tmp_path):
    assert receive(tmp_path, orjson.dumps(WHOLE)).code == 3
    assert not session_path(tmp_path, "s").exists()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_signal_keeps_received_text(home, number, code):
    process = piped(*RECEIVE, home=home)
    arrives(process, home, sse(FIRST))
    process.send_signal(number)
    _, err = process.communicate()
    assert (process.returncode, err) == (code, b"")
    assert log(home)[-1]["type"] == "abort"


def test_a_body_larger_than_a_pipe_reaches_a_command_that_answers_first(home, tmp_path):
    (tmp_path / "big").write_text("x" * 3_000_000)
    (tmp_path / "answer").write_bytes(orjson.dumps(WHOLE))
    via = ("--to", "gemini", "--via", f"cat {tmp_path}/answer; cat >/dev/null")
    run_ok("ask", "-s", "s", *via, "-F", tmp_path / "big", home=home)


@pytest.mark.parametrize("data", [b"y\n", b": ping\n\n", b"\0"])
def test_endless_non_response_is_ended(home, data):
    before = session_path(home, "s").read_bytes()
    done = receive(home, data * 2000, "--max-bytes", "1k")
    assert done.code == 65
    assert b"more than 1000 bytes (--max-bytes)" in done.err
    assert session_path(home, "s").read_bytes() == before
