"""`append --from` and `ask`: what is on disk after every way an answer can arrive."""

import os
import signal
import subprocess
import time

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import TryAgain
from codeh_history.providers.wire import Reader
from codeh_history.store.resolve import Target
from codeh_history.talk.receive import answer as receiving
from in_process import run_in_process
from support import PROGRAM, environ, run, session_path

PARTS = {"content": {"parts": [{"text": "Hel"}], "role": "model"}}
FIRST = {"candidates": [PARTS], "responseId": "r1", "modelVersion": "gemini-2.5-flash"}
END = {
    "candidates": [{"content": {"parts": [{"text": "lo"}], "role": "model"}, "finishReason": "STOP"}],
    "responseId": "r1",
}
WHOLE = {
    "candidates": [{"content": {"parts": [{"text": "Hello"}], "role": "model"}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 2, "candidatesTokenCount": 1, "totalTokenCount": 3}, "responseId": "r1",
}  # fmt: skip
REFUSED = {"error": {"code": 400, "message": "contents is not specified", "status": "INVALID_ARGUMENT"}}
BUSY = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}


def sse(*events):
    return b"".join(b"data: " + orjson.dumps(event) + b"\r\n\r\n" for event in events)


@pytest.fixture
def home(tmp_path):
    run("append", "-s", "s", "-m", "hi", home=tmp_path)
    return tmp_path


def log(home):
    return [orjson.loads(line) for line in (home / "sessions" / "s.jsonl").read_bytes().splitlines()]


def texts(home):
    out = run("export", "s", "--to", "contents", home=home).out
    return [(c["role"], "".join(p.get("text", "") for p in c["parts"])) for c in orjson.loads(out)]


def receive(home, data, *flags):
    return run("append", "-s", "s", "--from", "auto", *flags, stdin=data, home=home)


def test_a_stream_is_pending_until_its_end(home):
    process = subprocess.Popen(
        [*PROGRAM, "append", "-s", "s", "--from", "auto"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ(None, home),
    )  # fmt: skip
    process.stdin.write(sse(FIRST))
    process.stdin.flush()
    deadline = time.monotonic() + 20
    while not any(r["type"] == "delta" for r in log(home)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [r["type"] for r in log(home)] == ["session", "message", "open", "delta"]
    assert texts(home) == [("user", "hi")]
    out, _ = process.communicate(sse(END))
    assert process.returncode == 0
    assert log(home)[-1]["parts"] == [{"text": "Hello"}]
    assert log(home)[-1]["of"] == out.decode().strip()
    assert texts(home) == [("user", "hi"), ("model", "Hello")]


def test_what_arrived_a_second_ago_is_on_disk(home, monkeypatch):
    """At each wait for more, a second after the last: all that came before is pending in the file."""
    reading, writing = os.pipe()
    path = home / "sessions" / "s.jsonl"
    events = [sse({"candidates": [{"content": {"parts": [{"text": f"<{n}>"}]}}]}) for n in range(5)]
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
    monkeypatch.setattr(receiving.time, "monotonic", lambda: float(next(clock)))
    answer = receiving.Receiving(Env(), Target(str(path), "test"), Reader(), fresh=False)
    with pytest.raises(TryAgain):
        receiving.follow(answer, reading, 1 << 20)
    assert seen == [0, 1, 2, 3, 4, 5]


def test_a_cut_leaves_what_came_in_its_last_second(home):
    first = sse({"candidates": [{"content": {"parts": [{"text": "one "}]}}]})
    with subprocess.Popen(
        [*PROGRAM, "append", "-s", "s", "--from", "auto"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environ(home=home),
    ) as process:  # fmt: skip
        assert process.stdin
        process.stdin.write(first)
        process.stdin.flush()
        while log(home)[-1]["type"] != "delta":
            time.sleep(0.01)
        process.stdin.write(sse({"candidates": [{"content": {"parts": [{"text": "two"}]}}]}))
        process.stdin.close()
        assert process.wait(30) == 75
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
def test_no_answer_is_no_model_message(home, data, code, words):
    result = receive(home, data)
    assert result.code == code or (code is None and result.code in (4, 65, 75))
    assert words in result.err
    assert result.err.count(b"\n") == 1
    assert texts(home) == [("user", "hi")]


def test_curls_retry_replaces_what_the_first_try_streamed(home):
    result = receive(home, sse(FIRST) + orjson.dumps(BUSY) + orjson.dumps(WHOLE))
    assert result.code == 0
    assert texts(home) == [("user", "hi"), ("model", "Hello")]


def test_an_answer_never_starts_a_session(tmp_path):
    result = run("append", "-s", "new", "--from", "auto", stdin=orjson.dumps(WHOLE), home=tmp_path)
    assert result.code == 3
    assert not (tmp_path / "sessions" / "new.jsonl").exists()


def test_a_reader_that_goes_away_loses_nothing(home):
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [*PROGRAM, "append", "-s", "s", "--from", "auto", "--echo"],
        stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE, env=environ(None, home),
    )  # fmt: skip
    os.close(writing)
    _, err = process.communicate(sse(FIRST, END))
    assert (process.returncode, err) == (141, b"")
    assert texts(home) == [("user", "hi"), ("model", "Hello")]


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_a_signal_keeps_what_arrived(home, number, code):
    process = subprocess.Popen(
        [*PROGRAM, "append", "-s", "s", "--from", "auto"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ(None, home),
    )  # fmt: skip
    process.stdin.write(sse(FIRST))
    process.stdin.flush()
    while not any(r["type"] == "delta" for r in log(home)):
        time.sleep(0.02)
    process.send_signal(number)
    _, err = process.communicate()
    assert (process.returncode, err) == (code, b"")
    assert log(home)[-1]["type"] == "abort"


def ask(home, via, *argv):
    return run("ask", "-s", "s", "--to", "gemini", "--via", via, *argv, home=home)


def test_a_body_larger_than_a_pipe_reaches_a_command_that_answers_first(home, tmp_path):
    (tmp_path / "big").write_text("x" * 3_000_000)
    (tmp_path / "answer").write_bytes(orjson.dumps(WHOLE))
    assert ask(home, f"cat {tmp_path}/answer; cat >/dev/null", "-F", str(tmp_path / "big")).code == 0


@pytest.mark.parametrize("said", [b"y\n", b": ping\n\n", b"\0"])
def test_what_is_no_answer_ends_too(home, said):
    run_in_process("append", "-s", "s", "-m", "hi", home=home)
    before = session_path(home, "s").read_bytes()
    done = run_in_process(
        "append", "--from", "auto", "-s", "s", "--max-bytes", "1k", home=home, stdin=said * 2000
    )
    assert done.code == 65
    assert b"more than 1000 bytes (--max-bytes)" in done.err
    assert session_path(home, "s").read_bytes() == before
