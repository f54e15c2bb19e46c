"""More than one answer in one input, or more than fits: 65, and all that came is there, pending."""

import itertools
import os
import subprocess
import threading

import orjson
import pytest

import answers
from answers import gemini_event, sse
from fake_answers import Answer, Request
from fake_formats import FORMATS as FAKE_FORMATS
from in_process import run_in_process
from receiving import receive, texts_of_model, with_prompt
from support import lines, session_path, start

WORDS = {"a": "Apples are red, and most of them round.", "b": "Bananas bend: nobody knows the reason."}


STREAMS = ("gemini", "openai-chat", "openai-responses", "anthropic")


def events(name, id):
    """The events of a response; those of Anthropic's say whose they are by their order alone."""
    return [
        event
        for event in FAKE_FORMATS[name][2](Answer(Request("m"), id, WORDS[id]))
        if event.get("type") != "ping"
    ]


def gemini(id):
    return events("gemini", id)


def alternating(one, other):
    return [event for pair in itertools.zip_longest(one, other) for event in pair if event is not None]


@pytest.fixture
def home(tmp_path):
    return with_prompt(tmp_path)


def pending(home):
    """What is pending, message by message."""
    view = run_in_process("status", "s", "--json", home=home).lines[0]["pending"]
    shown = {r["id"]: r for r in run_in_process("show", "s", "--jsonl", home=home).lines}
    return [shown[p["id"]].get("pending") or shown[p["id"]]["parts"] for p in view]


def words(parts):
    return "".join(part.get("text", "") for part in parts)


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize(("late", "done"), [(0, True), (0, False), (1, True), (2, False)])
def test_interleaved_streams_are_refused(home, name, late, done):
    one, other = events(name, "a"), events(name, "b")
    mixed = [*one[:late], *alternating(one[late:], other)]
    result = receive(home, sse(*mixed, done=done, named=name in ("openai-responses", "anthropic")))
    assert (result.code, result.out) == (65, b"")
    assert b"; pass one at a time" in result.err
    assert (b"pending as" in result.err) == any(map(words, pending(home)))
    assert texts_of_model(home) == []


def test_reading_stops_at_the_first_event_of_another_response(home):
    receive(home, sse(*alternating(gemini("a"), gemini("b"))))
    assert [words(parts) for parts in pending(home)] == ["Bananas bend: nobody "]


def test_last_of_two_complete_responses_is_pending(home):
    result = receive(home, answers.hi("r1") + answers.hi("r2").replace(b"Hi", b"Ho"))
    assert result.code == 65
    assert [words(parts) for parts in pending(home)] == ["Ho"]
    first = lines(session_path(home, "s"))[2]["id"]
    assert first.encode() in result.err
    run_in_process("commit", first, "-s", "s", home=home)
    assert run_in_process("last", "s", home=home).out == b"Ho\n"


def test_incomplete_second_response_is_pending(home):
    result = receive(home, sse(*gemini("a"), *gemini("b")[:1]))
    assert result.code == 65
    assert [words(parts) for parts in pending(home)] == ["Bananas bend: nobody "]


def test_repeated_half_of_a_response_adds_nothing(home):
    assert receive(home, sse(*gemini("a"), *gemini("a")[:2])).code == 0
    assert run_in_process("last", "s", home=home).text == WORDS["a"]


def test_response_before_an_error_is_stored(home):
    result = receive(home, answers.hi() + answers.OVERLOADED)
    assert (result.code, b"pending as" in result.err) == (75, True)
    assert [words(parts) for parts in pending(home)] == ["Hi"]


def test_endless_stream_is_ended(home):
    reading, writing = os.pipe()

    def pour():
        try:
            for number in itertools.count():
                os.write(writing, sse(gemini_event({"text": f"{number} ".ljust(1000, "x")})))
        except BrokenPipeError:
            os.close(writing)

    thread = threading.Thread(target=pour)
    thread.start()
    with os.fdopen(reading, "rb") as stdin:
        argv = "append -s s --from auto --max-bytes 5m".split()
        process = start(*argv, home=home, stdin=stdin, stderr=subprocess.PIPE)
    _, err = process.communicate()
    thread.join()
    assert (process.returncode, b"--max-bytes" in err) == (65, True)
    (parts,) = pending(home)
    assert 4_300_000 < len(words(parts)) < 5_100_000
    longest = max(map(len, session_path(home, "s").read_bytes().splitlines()))
    assert longest < 4_500_000  # on disk as it came


def test_ask_ends_an_endless_command(home):
    event = sse(gemini_event({"text": "x" * 1000})).decode()
    (home / "event").write_text(event)
    via = f"cat >/dev/null; while cat {home}/event; do :; done"
    result = run_in_process(
        "ask", "-s", "s", "--to", "gemini", "--via", via, "--id", "--max-bytes", "20k", home=home
    )
    assert (result.code, b"pending as" in result.err) == (65, True)


def test_endless_body_is_read_in_bounded_memory(home):
    body = b'{"candidates":[{"content":{"parts":[{"text":"' + b"x" * 50_000
    result = receive(home, body, "--max-bytes", "20k")
    assert (result.code, b"--max-bytes" in result.err) == (65, True)


# -- choices -----------------------------------------------------------------------------------------


def choice(text, within="message", **index):
    return {**index, within: {"role": "assistant", "content": text}, "finish_reason": "stop"}


def candidate(text, **index):
    return {**index, "content": {"parts": [{"text": text}], "role": "model"}, "finishReason": "STOP"}


CHOICES = {
    "chat": orjson.dumps({"id": "r", "choices": [choice("Two", index=1), choice("One", index=0)]}),
    "chat without indexes": orjson.dumps({"id": "r", "choices": [choice("One"), choice("Two")]}),
    "chat stream": sse(
        {"id": "r", "choices": [choice("Two", "delta", index=1)]},
        {"id": "r", "choices": [choice("One", "delta", index=0)]},
        done=True,
    ),
    "gemini": orjson.dumps(
        {"responseId": "r", "candidates": [candidate("One"), candidate("Two", index=1)]}
    ),
    "gemini stream": sse(
        {"responseId": "r", "candidates": [candidate("Two", index=1)]},
        {"responseId": "r", "candidates": [candidate("One", index=0)]},
    ),
}


@pytest.mark.parametrize("data", CHOICES.values(), ids=CHOICES)
def test_the_first_choice_is_stored_and_the_others_are_named(home, data):
    result = receive(home, data)
    assert result.code == 0
    assert b"the first of 2 choices is stored; the others are not" in result.err
    assert lines(session_path(home, "s"))[-1]["parts"] == [{"text": "One"}]
