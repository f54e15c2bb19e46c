"""A file of any form is taken whole or refused by name; damage costs itself, and is told with its place."""

import orjson
import pytest

from codeh_history import providers
from codeh_history.store import program_files
from inside import inside
from support import MODELS, corpus, corpus_files, lines, run, session_path

HI = {"role": "user", "parts": [{"text": "hi"}]}


def test_damaged_lines_are_counted_and_named_and_cost_themselves(home, tmp_path):
    spoilt = tmp_path / "spoilt.jsonl"
    given = orjson.dumps(HI) + b'\nnot json\n{"type":"later","x":1}\n{"role":"model","parts":[{"te'
    spoilt.write_bytes(given)
    done = run("import", spoilt, home=home)
    assert done.code == 0
    assert b"spoilt.jsonl: 2 damaged lines skipped (line 2, byte 40:" in done.err
    assert [r["type"] for r in lines(session_path(home, "spoilt"))] == ["session", "message", "later"]
    assert spoilt.read_bytes() == given


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({**HI, "type": {}}, id="of no type"),
        pytest.param({"type": "revert"}, id="a revert of nothing"),
        pytest.param({"type": "compaction", "id": "K", "ops": 7}, id="a compaction without ops"),
    ],
)
def test_2026_11_23_what_says_that_it_is_a_record_is_looked_at_as_one(odd, tmp_path):
    """An element of an older form may have a type: what it lacked for that was a bug in every reader."""
    path = tmp_path / "array.json"
    path.write_bytes(orjson.dumps([HI, odd]))
    done = inside("show", str(path), home=tmp_path)
    assert (done.code, done.out.count(b"hi")) == (0, 1)
    assert b"1 element is not as expected, kept as found ([1]: " in done.err


WRONG = {
    "no JSON": b"hello", "a number": b"7", "an object": b'{"x":1}', "empty": b"",
    "lines of a program that uses our names": b'{"type":"session","version":3,"id":"p"}\n'
    b'{"type":"message","id":"a","message":{"role":"user","content":"hi"}}\n',
    "a message of another program": b'{"messages":[{"info":{"role":"user"},"parts":[]}]}',
}  # fmt: skip


@pytest.mark.parametrize("data", WRONG.values(), ids=WRONG)
def test_what_has_no_known_form_is_refused_by_name(home, data):
    done = run("import", "-", home=home, stdin=data)
    assert (done.code, done.out) == (65, b"")
    assert done.err.startswith(b"codeh-history: stdin: ")
    assert done.err.count(b"\n") == 1
    assert not (home / "sessions").exists()


@pytest.mark.parametrize("path", corpus_files("sessions/*"), ids=lambda path: path.name)
def test_what_other_programs_wrote_is_taken_whole_or_not_at_all(path, home):
    """None of their own formats is ours: no line of them may become a session without its messages."""
    before = path.read_bytes()
    done = inside("import", str(path), home=home)
    with program_files.opened(str(path)) as file:
        program = program_files.program_of(file)
    if program is not None:
        assert (done.code, path.read_bytes()) == (0, before)
        return
    assert done.code == 65
    assert path.name.encode() in done.err
    assert path.read_bytes() == before
    assert not (home / "sessions").exists()


def test_recorded_conversations_are_whole_clean_and_valid_for_every_provider(home, tmp_path):
    """20 support conversations with their tool calls, as the bodies they were sent in."""
    conversations = orjson.loads(corpus("sessions", "tau-airline-openai-chat.json").read_bytes())
    assert len(conversations) == 20
    for number, body in enumerate(conversations):
        file = tmp_path / f"c{number}.json"
        file.write_bytes(orjson.dumps(body))
        assert inside("import", str(file), home=home).text == f"c{number}"
        said = [m for m in body["messages"] if m["role"] not in ("system", "developer")]
        made = [r for r in lines(session_path(home, f"c{number}")) if r["type"] == "message"]
        assert len(made) == len(said)
        assert inside("verify", f"c{number}", home=home).code == 0
        for provider, model in MODELS.items():
            argv = (f"c{number}", "--to", provider, "--model", model, "--prefill", "--unanswered", "stub")
            sent = inside("payload", *argv, home=home)
            assert sent.code == 0, sent.err
            assert providers.load(provider).problems(orjson.loads(sent.out)) == []
            for call in (c for m in said for c in m.get("tool_calls") or ()):
                assert call["function"]["name"].encode() in sent.out
