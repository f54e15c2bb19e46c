"""Which answer, and which key, is there already: the same one in any spelling, and nothing else."""

import itertools
import time

import orjson
import pytest

import answers
from answers import chunk, sse
from codeh_history.talk.receive import answer as receiving
from in_process import run_in_process, write_session
from receiving import HEADER, PROMPT, receive, texts_of_model, with_prompt
from support import lines, session_path


def completion(text, id="chatcmpl-42", **more):
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return orjson.dumps({"id": id, "object": "chat.completion", "model": "m", "choices": [choice], **more})


def streamed(text, id="chatcmpl-42"):
    first = chunk({"role": "assistant", "content": text[:2]}, id=id)
    return sse(first, chunk({"content": text[2:]}, "stop", id=id), done=True)


ANSWERS = {"json": completion, "sse": streamed}


@pytest.fixture
def home(tmp_path):
    return with_prompt(tmp_path)


def ask(home, answer, *flags):
    (home / "answer").write_bytes(answer)
    via = f"cat > /dev/null; cat {home}/answer"
    return run_in_process(
        "ask", "-s", "s", "--to", "openai-chat", "--model", "m", "--via", via, *flags, home=home
    )


# -- response ids ------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ANSWERS)
@pytest.mark.parametrize("other", ANSWERS)
def test_different_response_with_a_known_id_is_stored(home, form, other):
    receive(home, ANSWERS[form]("Hello"))
    result = receive(home, ANSWERS[other]("Goodbye"), "--echo")
    assert (result.code, result.out, result.err) == (0, b"Goodbye\n", b"")
    assert texts_of_model(home) == ["Hello", "Goodbye"]


def test_pending_response_repeated_in_full_is_stored_once(home, monkeypatch):
    """It took so long that it had to be kept on disk; at its end it turns out to be there already."""
    first = receive(home, streamed("Hello"))
    seconds = itertools.count()
    monkeypatch.setattr(receiving, "CHUNK", 40)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(seconds)))
    second = receive(home, streamed("Hello"))
    assert (second.code, second.out) == (0, first.out)
    types = [line["type"] for line in lines(session_path(home, "s"))]
    assert types.count("open") == 2
    assert types[-1] == "revert"
    assert texts_of_model(home) == ["Hello"]


@pytest.mark.parametrize("form", ANSWERS)
@pytest.mark.parametrize("other", ANSWERS)
def test_repeated_response_is_stored_once(home, form, other):
    first = receive(home, ANSWERS[form]("Hello"))
    second = receive(home, ANSWERS[other]("Hello"))
    assert (second.code, second.out) == (0, first.out)
    assert texts_of_model(home) == ["Hello"]
    assert receive(home, ANSWERS[other]("Hello"), "--echo").out == b"Hello\n"


def test_equal_text_with_other_usage_is_another_response(home):
    receive(home, completion("Yes.", usage={"prompt_tokens": 7, "completion_tokens": 1}))
    receive(home, completion("Yes.", usage={"prompt_tokens": 19, "completion_tokens": 1}))
    assert texts_of_model(home) == ["Yes.", "Yes."]


def test_equal_text_of_another_provider_is_another_response(home):
    receive(home, completion("Hi", id="r1"))
    receive(home, answers.hi("r1"))
    assert texts_of_model(home) == ["Hi", "Hi"]


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_ask_stores_and_shows_a_repeated_response_to_its_prompt(home, answer):
    for number in (1, 2, 3):
        done = ask(home, answer("Yes."), "-m", f"Is it {number}?", "--echo")
        assert (done.code, done.out, done.err) == (0, b"Yes.\n", b"")
    assert texts_of_model(home) == ["Yes."] * 3


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_undone_response_that_is_repeated_is_shown_once(home, answer):
    first = receive(home, answer("Hello"))
    run_in_process("undo", "-s", "s", home=home)
    again = receive(home, answer("Hello"))
    assert again.out != first.out
    assert receive(home, answer("Hello")).out == again.out
    assert texts_of_model(home) == ["Hello"]


def test_response_repeated_after_clear_is_shown(home):
    receive(home, completion("Hello"))
    run_in_process("clear", "-s", "s", home=home)
    run_in_process("append", "-s", "s", "-m", "hi again", home=home)
    again = receive(home, completion("Hello"))
    assert receive(home, completion("Hello")).out == again.out
    assert texts_of_model(home) == ["Hello"]


def test_edited_shortened_or_persisted_response_is_recognised(home):
    first = receive(home, completion("Hello"))
    run_in_process("persist", "-s", "s", "-i", "--all", home=home)
    assert b"blockIds" in session_path(home, "s").read_bytes()
    assert receive(home, completion("Hello")).out == first.out
    run_in_process("update", first.text, "-s", "s", "-m", "Hullo", home=home)
    assert receive(home, completion("Hello")).out == first.out
    assert texts_of_model(home) == ["Hullo"]


def test_response_is_recognised_in_any_json_spelling(home):
    spaced = (
        rb'{"type": "message", "id": "a", "kind": "codeh", "role": "model", "\u0072esponseId" :'
        rb' "chatcmpl\u002d42", "provider": "openai-chat", "parts": [{"text": "Hello"}]}'
    )
    write_session(home, PROMPT + spaced + b"\n")
    assert receive(home, completion("Hello")).text == "a"
    assert receive(home, completion("Hello!")).text != "a"


def test_truncated_stream_with_a_known_id_stays_pending(home):
    receive(home, streamed("Hello"))
    cut = receive(home, sse(chunk({"role": "assistant", "content": "Go"}, id="chatcmpl-42")))
    assert cut.code == 75
    pending = [r for r in lines(session_path(home, "s")) if r["type"] == "delta"][-1]
    assert pending["parts"] == [{"text": "Go"}]
    assert pending["of"].encode() in cut.err


# -- keys --------------------------------------------------------------------------------------------

KEY = "jéb/1\\\n😀"
SPELLED = [
    '"key":"jéb/1\\\\\\n😀"',
    '"key" : "jéb/1\\\\\\n😀"',
    '"key"\t:\t"j\\u00e9b\\/1\\u005c\\n\\ud83d\\ude00"',
    '"\\u006b\\u0065\\u0079":"\\u006A\\u00E9b/1\\u005C\\u000a\\uD83D\\uDE00"',
]


@pytest.mark.parametrize("spelled", SPELLED)
@pytest.mark.parametrize("before", [0, (1 << 20) - 40, 3 << 20], ids=["near", "across", "far"])
def test_key_is_recognised_in_any_json_spelling(home, spelled, before):
    padding = orjson.dumps({"type": "x-padding", "text": "x" * before}) + b"\n"
    line = f'{{ "type": "message", {spelled}, "id":"k1", "role":"user", "parts": [{{"text":"once"}}] }}\n'
    write_session(home, HEADER + padding + line.encode())
    again = run_in_process("append", "-s", "s", "-m", "once", "--key", KEY, home=home)
    assert (again.code, again.text) == (0, "k1")
    other = run_in_process("append", "-s", "s", "-m", "other", "--key", KEY, home=home)
    assert (other.code, b"k1" in other.err) == (65, True)


def test_undone_key_in_another_spelling_is_free(home):
    line = b'{"type": "message", "key": "k", "id": "k1", "role": "user", "parts": [{"text": "once"}]}\n'
    write_session(home, HEADER + line + b'{"type" : "\\u0072evert", "id": "r", "of": "k1"}\n')
    again = run_in_process("append", "-s", "s", "-m", "once", "--key", "k", home=home)
    assert again.text != "k1"
    assert run_in_process("append", "-s", "s", "-m", "once", "--key", "k", home=home).text == again.text


def test_key_with_reordered_content_is_recognised(home):
    call = b'{"functionCall": {"args": {"b": 2, "a": 1}, "name": "f"}}'
    write_session(
        home, HEADER + b'{"type":"message","id":"c","role":"model","key":"k","parts":[%b]}\n' % call
    )
    args = ("--call", "f", "--args", '{"a":1,"b":2}', "--key", "k")
    assert run_in_process("append", "-s", "s", *args, home=home).text == "c"


def test_key_of_a_bare_message_is_recognised(home):
    write_session(home, HEADER + b'{"role":"user","parts":[{"text":"once"}],"key":"k"}\n')
    assert len(run_in_process("append", "-s", "s", "-m", "once", "--key", "k", home=home).text) == 20
    assert len(lines(session_path(home, "s"))) == 2


def test_key_in_call_arguments_is_ignored(home):
    call = b'{"functionCall":{"name":"f","args":{"key":"k"}}}'
    write_session(home, HEADER + b'{"type":"message","id":"c","role":"model","parts":[%b]}\n' % call)
    assert run_in_process("append", "-s", "s", "-m", "once", "--key", "k", home=home).text != "c"


def test_a_pending_message_is_stored_once_under_its_key(home):
    argv = ("append", "-s", "s", "-m", "once", "--pending", "--key", "k")
    first, second = run_in_process(*argv, home=home), run_in_process(*argv, home=home)
    assert (second.code, second.text) == (0, first.text)
    run_in_process("update", first.text, "-s", "s", "-m", "more", home=home)
    assert run_in_process(*argv, home=home).text == first.text
