"""A command that is asked for a summary: hostile ones, what it is given, and providers' answers."""

import os

import orjson
import pytest

from codeh_history.tokens.counter import open_counter
from summarizing import GOOD, LONG, digest, session, summarize
from support import lines, run

# -- what the command is given ----------------------------------------------------------------------


def test_every_request_fits_its_budget_however_long_the_batch(home):
    path = session(home, "demo", 51)
    path.write_bytes(path.read_bytes().replace(LONG.encode(), b"word after word " * 400, 6))
    script = (
        f"n=$(ls {home}/prompts | wc -l); cat > {home}/prompts/$n; echo 'The user asked short questions.'"
    )
    (home / "prompts").mkdir()
    done = run("summarize", "demo", "-i", "--via", script, "--budget", "1k")
    assert done.code == 0, done.err
    prompts = [(home / "prompts" / name).read_text() for name in sorted(os.listdir(home / "prompts"))]
    counts = open_counter(None).counts(prompts)
    assert len(prompts) > 5
    assert max(counts) <= 1000
    assert sum(counts) > 6 * 1200  # all of it was sent
    assert any("the following summaries of" in prompt for prompt in prompts)


def test_summaries_of_parts_that_stay_long_are_exit_6(home):
    session(home, "demo", 51)
    long = "tail -n +13 | tr ' ' '\\n' | sort | tr '\\n' ' ' | cut -c1-300"
    done = summarize("demo", "--via", long, "--budget", "300", "--no-gate")
    assert done.code == 6
    assert b"do not get shorter" in done.err


def test_inline_thoughts_of_a_local_model_are_not_a_summary(home):
    path = session(home, "demo", 51)
    thought = "<think>\nThe user wants /etc/x, 4711.\n</think>\n\nThe user asked short questions."
    assert summarize("demo", "--via", f"cat >/dev/null; printf '%b' '{thought}'").code == 0
    assert lines(path)[-1]["summary"] == "The user asked short questions."


def test_the_environment_names_a_command(home):
    path = session(home, "demo", 51)
    assert summarize("demo", env={"CODEH_SUMMARIZER": GOOD}).code == 0
    assert lines(path)[-1]["by"] == "command"


# -- providers --------------------------------------------------------------------------------------

ANSWERS = {
    "gemini": {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "The user asked."}]}, "finishReason": "STOP"}]
    },
    "openai-chat": {
        "id": "x", "object": "chat.completion", "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "The user asked."}, "finish_reason": "stop"}],
    },
    "openai-responses": {
        "id": "x", "object": "response", "status": "completed", "model": "m",
        "output": [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "The user asked."}]}
        ],
    },
    "anthropic": {
        "id": "x", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
        "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "The user asked."}],
        "usage": {"input_tokens": 1, "output_tokens": 1},
    },
}  # fmt: skip


@pytest.mark.parametrize("provider", ANSWERS)
def test_a_provider_is_sent_a_body_and_its_answer_is_read(home, provider):
    from codeh_history import providers

    path = session(home, "demo", 51)
    (home / "answer").write_bytes(orjson.dumps(ANSWERS[provider]))
    command = f"cat > {home}/body; cat {home}/answer"
    done = summarize("demo", "--via", command, "--to", provider, "--model", "m")
    assert done.code == 0, done.err
    body = orjson.loads((home / "body").read_bytes())
    assert providers.Format(provider).problems(body) == []
    assert "Key topics" in (home / "body").read_text()
    assert lines(path)[-1]["summary"] == "The user asked."
    assert lines(path)[-1]["by"] == f"{provider}/m"


SSE = b"""event: message
data: {"id":"x","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"The user "}}]}

data: {"id":"x","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"asked."},"finish_reason":"stop"}]}

"""


CHAT = orjson.dumps(ANSWERS["openai-chat"])
ERROR = '{"error":{"message":"It failed.","code":"%s"}}'


@pytest.mark.parametrize(
    "answer, reason",
    [
        (SSE + b"data: [DONE]\n\n", ""),
        (SSE, ""),
        (SSE.replace(b'"stop"', b"null"), "may succeed later"),
        (b"", "may succeed later"),
        (ERROR % "model_not_found", "change the request"),
        (ERROR % "rate_limit_exceeded", "may succeed later"),
        (b"<html><title>502 Bad Gateway</title></html>", "502"),
        (b"The user asked.", "not a provider's answer"),
        (orjson.dumps(ANSWERS["anthropic"]), "anthropic"),
        (CHAT.replace(b'"stop"', b'"length"'), "(length)"),
        (CHAT.replace(b'"stop"', b'"content_filter"'), "content_filter"),
        (CHAT.replace(b"The user asked.", b"I'm sorry, but I can't."), "refusal"),
    ],
)
def test_what_a_provider_may_answer(home, answer, reason):
    path = session(home, "demo", 51)
    before, code = digest(path), 6 if reason else 0
    (home / "answer").write_bytes(answer.encode() if isinstance(answer, str) else answer)
    for status in (0, 22) if code else (0,):
        command = f"cat >/dev/null; cat {home}/answer; exit {status}"
        done = summarize("demo", "--via", command, "--to", "openai-chat", "--model", "m")
        assert done.code == code, done.err
        assert reason in done.err.decode() or (status and "ended with 22" in done.err.decode())
    assert (digest(path) == before) == (code != 0)
