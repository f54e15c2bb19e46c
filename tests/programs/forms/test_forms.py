"""Every form by its content; a file is taken whole or refused by name, and damage costs only itself."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history import providers
from codeh_history.programs import forms
from codeh_history.programs.forms import elements, history, legacy
from codeh_history.session.records import MAX_READ
from codeh_history.store import program_files
from in_process import run_in_process, run_ok
from support import MODELS, corpus, corpus_files, lines, run, session_path

HI = {"role": "user", "parts": [{"text": "hi"}]}


def test_damaged_lines_are_counted_and_named_and_cost_themselves(home, tmp_path):
    spoilt = tmp_path / "spoilt.jsonl"
    data = orjson.dumps(HI) + b'\nnot json\n{"type":"later","x":1}\n{"role":"model","parts":[{"te'
    spoilt.write_bytes(data)
    done = run("import", spoilt)
    assert done.code == 0
    assert b"spoilt.jsonl: 2 damaged lines skipped (line 2, byte 40:" in done.err
    assert [r["type"] for r in lines(session_path(home, "spoilt"))] == ["session", "message", "later"]
    assert spoilt.read_bytes() == data


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
    done = run_in_process("show", str(path), home=tmp_path)
    assert (done.code, done.out.count(b"hi")) == (0, 1)
    assert b"1 unexpected element kept unchanged ([1]: " in done.err


WRONG = {
    "no JSON": b"hello", "a number": b"7", "an object": b'{"x":1}', "empty": b"",
    "lines of a program that uses our names": b'{"type":"session","version":3,"id":"p"}\n'
    b'{"type":"message","id":"a","message":{"role":"user","content":"hi"}}\n',
    "a message of another program": b'{"messages":[{"info":{"role":"user"},"parts":[]}]}',
}  # fmt: skip


@pytest.mark.parametrize("data", WRONG.values(), ids=WRONG)
def test_what_has_no_known_form_is_refused_by_name(home, data):
    done = run("import", "-", stdin=data)
    assert (done.code, done.out) == (65, b"")
    assert done.err.startswith(b"codeh-history: stdin: ")
    assert done.err.count(b"\n") == 1
    assert not (home / "sessions").exists()


@pytest.mark.parametrize("path", corpus_files("sessions/*"), ids=lambda path: path.name)
def test_what_other_programs_wrote_is_taken_whole_or_not_at_all(path, home):
    """None of their own formats is ours: no line of them may become a session without its messages."""
    before = path.read_bytes()
    done = run_in_process("import", str(path))
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
        assert run_in_process("import", str(file)).text == f"c{number}"
        turns = [m for m in body["messages"] if m["role"] not in ("system", "developer")]
        made = [r for r in lines(session_path(home, f"c{number}")) if r["type"] == "message"]
        assert len(made) == len(turns)
        run_ok("verify", f"c{number}")
        for provider, model in MODELS.items():
            argv = (f"c{number}", "--to", provider, "--model", model, "--prefill", "--unanswered", "stub")
            sent = run_ok("payload", *argv)
            assert providers.Format(provider).problems(orjson.loads(sent.out)) == []
            for call in (c for m in turns for c in m.get("tool_calls") or ()):
                assert call["function"]["name"].encode() in sent.out


CHAT = {"role": "user", "content": "hi"}
ENTRY = {"userMessage": "hi", "assistantResponse": "ho"}
BLOCK = "0" * 64
FORMS = {
    "contents": ([HI], "contents"),
    "the oldest contents": ([CHAT], "contents"),
    "no contents": ([], "contents"),
    "refs": ([{"flowId": "f", "blockIds": [BLOCK], "role": "user"}], "refs"),
    "refs in a wrapper": ({"type": "llm2", "refs": [{"blockKeys": [BLOCK], "role": "user"}]}, "refs"),
    "persisted": ({"recentConversations": [ENTRY], "summaries": [], "lastSummarized": None}, "persisted"),
    "a Gemini body": ({"contents": [HI]}, "gemini"),
    "an Ollama body": ({"model": "llama-x", "options": {"seed": 1}, "messages": [CHAT]}, "ollama"),
    "an Anthropic body": ({"model": "claude-x", "max_tokens": 9, "messages": [CHAT]}, "anthropic"),
    "a chat body": ({"model": "gpt-x", "messages": [CHAT]}, "openai-chat"),
    "a Responses body": ({"model": "gpt-x", "input": "hi"}, "openai-responses"),
}


@pytest.mark.parametrize(("value", "form"), FORMS.values(), ids=FORMS)
def test_a_form_is_known_by_its_content(value, form):
    data = orjson.dumps(value)
    assert forms.read(data, "auto", "f") == forms.read(data, form, "f")
    assert forms.form_of(value) == form
    assert forms.read(b"\xef\xbb\xbf" + data, form, "f") == forms.read(data, form, "f")


HEAD = b'{"type":"session","version":1,"id":"s"}\n'
BARE = b'{"role":"user","parts":[{"text":"x"}]}\n'
SNAKE = b'{"role":"model","parts":[{"function_call":{"name":"f","args":{}}}]}\n'
CONTENT = orjson.loads(BARE)
REF = {"role": "user", "blockIds": ["a" * 64], "flowId": "f"}
NATIVE_ENTRY = {"id": "c", "timestamp": "2026-01-05T10:00:00.000Z", **ENTRY}


@pytest.mark.parametrize(("data", "types"), [
    (HEAD, ["session"]), (HEAD + BARE, ["session", "message"]), (BARE * 2, ["message", "message"]),
    (HEAD + b"torn\n" + BARE, ["session", "message"]), (HEAD + b"torn\n", None), (b"torn\n", None), (b"", None),
    (b"torn\n" + BARE, ["message"]), (SNAKE, None), (HEAD + SNAKE, ["session", "message"]), (b'{"type":"later","id":"x"}\n', None),
], ids=["a header", "a message", "bare ones", "damage in it", "all of it damaged", "only damage", "nothing",
        "damage and a bare one", "Gemini's names", "a header before these", "no type of ours"])  # fmt: skip
def test_lines_are_a_sessions_or_none(data, types):
    log = legacy.session(data)
    assert (log and [record.data["type"] for record in log.records]) == types


@pytest.mark.parametrize(("read", "value", "types"), [
    (legacy.refs, [REF, REF], ["ref", "ref"]), (legacy.refs, {"type": "llm2", "refs": [REF]}, ["ref"]),
    (legacy.refs, [], None), (legacy.refs, [CONTENT], None), (legacy.refs, {"refs": []}, None), (legacy.refs, {"refs": 7}, None), (legacy.refs, "x", None),
    (legacy.contents, [CONTENT, CONTENT], ["message", "message"]), (legacy.contents, [], []), (legacy.contents, [CONTENT, 7], ["message", "unread"]),
    (legacy.contents, [7, 8], None), (legacy.contents, [REF], None), (legacy.contents, {"contents": []}, None),
    (history.persisted, [NATIVE_ENTRY], ["message", "message"]), (history.persisted, {"recentConversations": [NATIVE_ENTRY]}, ["message", "message"]),
    (history.persisted, {"summaries": []}, None), (history.persisted, "x", None),
])  # fmt: skip
def test_a_value_is_of_its_form_or_none(read, value, types):
    made = read(value)
    kinds = made and [record["type"] for record, _ in made if record["type"] != "meta"]
    assert kinds == types


BLOCK_ID = "a" * 64


def records(value):
    return [record.data for record in forms.log_of_value(value, 9).records]


def damage(value):
    return [each.reason for each in forms.log_of_value(value, 9).damage]


def test_contents_of_the_very_first_files_have_parts_too():
    made = legacy.contents(
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho", "x": 1}]
    )
    messages = [record for record, _ in made or ()]
    assert [(each["role"], each["parts"]) for each in messages] == [
        ("user", [{"text": "hi"}]), ("model", [{"text": "ho"}]),
    ]  # fmt: skip
    assert messages[1]["x"] == 1
    assert "content" not in messages[1]


def test_references_inherit_the_flow_of_their_wrapper():
    refs = [
        {"blockIds": [BLOCK_ID], "role": "user"},
        {"blockKeys": [7], "role": "assistant", "flowId": "own"},
    ]
    around, *made = records({"type": "llm2", "refs": refs, "flowId": "all", "workspaceId": "w"})
    assert around["set"] == {"x-refs": {"type": "llm2", "refs": [], "flowId": "all", "workspaceId": "w"}}
    assert [(each["kind"], each["role"], each["blockIds"], each["flowId"], each["workspaceId"]) for each in made] == [
        ("user", "user", [BLOCK_ID], "all", "w"), ("codeh", "model", ["7"], "own", "w"),
    ]  # fmt: skip
    assert "workspaceId" not in records(refs)[0]


@pytest.mark.parametrize(("value", "at"), [
    ([{"role": "user", "parts": [{"text": "x"}]}, 7], "[1]: "), ([{"role": "user", "parts": [{"text": "x"}]}, {"role": "user"}], "[1]: "),
    ({"refs": [{"blockIds": [BLOCK_ID]}, {"role": "user"}]}, "refs[1]: "), ([{"blockIds": [BLOCK_ID]}, None], "[1]: "),
])  # fmt: skip
def test_an_element_that_is_none_is_named_and_kept(value, at):
    assert [reason.startswith(at) for reason in damage(value)] == [True]
    items = value["refs"] if isinstance(value, dict) else value
    kept = [each for each in records(value) if each["type"] == "unread"]
    assert [each["value"] for each in kept] == [items[int(at.split("[")[1][0])]]


@given(st.lists(st.sampled_from(["a", "b", {"x": 1}, 7]), max_size=8))
def test_ids_tell_equal_elements_apart_and_do_not_hang_on_others(items):
    ids = list(elements.bare_ids(items))
    assert len(set(ids)) == len(items)
    for item in items:
        own = [id for id, other in zip(ids, items, strict=True) if other == item]
        assert own == list(elements.bare_ids([item] * len(own)))


def test_what_nests_too_deep_is_named():
    deep = 1
    for _ in range(MAX_READ + 1):
        deep = [deep]
    plain = {"role": "user", "parts": [{"text": "x"}]}
    assert damage([plain, deep]) == [f"nested deeper than {MAX_READ}"]
