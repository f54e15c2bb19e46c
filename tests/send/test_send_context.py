"""What a request leaves out that its context prompt tells."""

import orjson
import pytest

from codeh_history import providers
from codeh_history.session.records import dumps
from support import run, session_path
from talks import call, result, talk


def stored(home, records):
    path = session_path(home, "demo")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(dumps(record) + b"\n" for record in records))
    return path


@pytest.mark.parametrize("provider", list(providers.FORMATS))
def test_payload_leaves_out_what_its_context_repeats(home, provider):
    old = {"type": "summary", "id": "S", "summary": "The user likes tea.", "covers": ["u0", "a0"]}
    stored(home, [*talk(14, pinned={5}), old])
    run("append", "-s", "demo", "-m", "And now?")
    done = run("payload", "demo", "--to", provider, "--model", "m", "--context", "--system", "Be brief.")
    assert done.code == 0, done.err
    body = orjson.loads(done.out)
    assert providers.load(provider).problems(body) == []
    whole = orjson.dumps(body).decode()
    for n in range(14):
        assert whole.count(f"q{n}\\n") + whole.count(f'q{n}"') == (0 if n == 0 else 1), n
    assert whole.count("The user likes tea.") == 1
    messages = orjson.dumps(
        next(body[key] for key in ("contents", "messages", "input") if key in body)[-4:]
    ).decode()
    sent = [n for n in range(14) if f'"q{n}"' in whole]
    assert sent == [1, 2, 5]  # the ten newest are told; older ones and the pin are sent
    assert "And now?" in messages
    before = whole.index("Be brief.")
    assert (
        before
        < whole.index("## Recent Conversation History")
        < whole.index("## Summary of Older Conversations")
    )
    assert "Assistant: r13" in whole


def test_payload_with_nothing_to_tell(home):
    stored(home, talk(1)[:1])
    plain = run("payload", "demo", "--to", "gemini").out
    assert run("payload", "demo", "--to", "gemini", "--context").out == plain


def test_context_keeps_the_open_tool_loop(home):
    stored(home, [*talk(2), talk(3)[4], call("c", "k"), result("r", "k")])
    body = orjson.loads(run("payload", "demo", "--to", "gemini", "--context").out)
    assert [content["role"] for content in body["contents"]] == ["user", "model", "user"]
