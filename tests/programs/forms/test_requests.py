"""A bare list of a provider's messages, or its request body, as a session: imported, and read where it stands."""

import re

import orjson
import pytest

from codeh_history import providers
from codeh_history.programs import forms
from in_process import run_in_process, run_ok
from support import MODELS, corpus_files, lines, session_path

CALL = {"id": "c1", "type": "function", "function": {"name": "sky", "arguments": '{"at":"noon"}'}}
IMAGE = "data:image/png;base64,iVBORw0KGgo="
CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": IMAGE}}]},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "grey"},
    {"role": "developer", "content": "Speak French."},
    {"role": "assistant", "content": "Gris.", "reasoning_content": "grey is gris"},
    {"role": "user", "name": "ann", "content": "Merci"},
]  # fmt: skip
RESPONSES = [
    {"role": "system", "content": "Be brief."},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look"}]},
    {"type": "function_call", "call_id": "c1", "name": "sky", "arguments": '{"at":"noon"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "grey"},
    {"role": "assistant", "content": "Grey."},
    {"role": "user", "content": "Thanks"},
]  # fmt: skip
ANTHROPIC = [
    {"role": "user", "content": "Look"},
    {"role": "assistant", "content": [{"type": "text", "text": "I will."},
                                      {"type": "tool_use", "id": "c1", "name": "sky", "input": {"at": "noon"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "grey"}]},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                                      {"type": "text", "text": "Grey."}]},
    {"role": "user", "content": [{"type": "text", "text": "Thanks"}]},
]  # fmt: skip
GEMINI = [
    {"role": "user", "parts": [{"text": "Look"}]},
    {"role": "model", "parts": [{"function_call": {"name": "sky", "args": {"at": "noon"}}}]},
    {"role": "function", "parts": [{"function_response": {"name": "sky", "response": {"output": "grey"}}}]},
    {"role": "model", "parts": [{"text": "Grey."}]},
    {"role": "user", "parts": [{"text": "Thanks"}]},
]  # fmt: skip
OLLAMA = [
    {"role": "user", "content": "Look", "images": [IMAGE.partition(",")[2]]},
    {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [
        {"function": {"name": "sky", "arguments": {"at": "noon"}}}]},
    {"role": "tool", "tool_name": "sky", "content": "grey"},
    {"role": "assistant", "content": "Grey."},
    {"role": "user", "content": "Thanks"},
]  # fmt: skip
LISTS = {
    "openai-chat": CHAT, "openai-responses": RESPONSES, "anthropic": ANTHROPIC, "gemini": GEMINI, "ollama": OLLAMA,
}  # fmt: skip


def written(home, value, form="json"):
    """A file with the list as one JSON value, pretty or not, or as JSON lines."""
    file = home.parent / f"msgs.{'jsonl' if form == 'lines' else 'json'}"
    pretty = orjson.OPT_INDENT_2 if form == "pretty" else 0
    lines = b"".join(orjson.dumps(item) + b"\n" for item in value) if form == "lines" else b""
    file.write_bytes(lines or orjson.dumps(value, option=pretty))
    return str(file)


def sent(home, session, to, *argv):
    done = run_ok("payload", session, "--to", to, "--model", MODELS[to], *argv, home=home)
    return orjson.loads(done.out)


@pytest.mark.parametrize(
    ("name", "form"),
    [*((name, form) for name in LISTS for form in ("json", "lines")), ("openai-chat", "pretty")],
)
def test_a_list_is_read_in_place_and_never_written(home, name, form):
    file = written(home, LISTS[name], form)
    with open(file, "rb") as opened:
        before = opened.read()
    for to in LISTS:
        body = orjson.dumps(sent(home, file, to)).decode()
        assert all(text in body for text in ("Look", "sky", "noon", "grey")), body
        assert ("Be brief." in body) == (name in {"openai-chat", "openai-responses"})
    verbs = "show, stats, verify, last, calls, curate, export --to markdown, search sky"
    for verb in verbs.split(", "):
        argv = verb.split()
        argv = [*argv, file] if argv[0] == "search" else [argv[0], file, *argv[1:]]
        assert run_in_process(*argv).code == (1 if verb == "calls" else 0), verb
    for argv in (("append", "-s", file, "-m", "x"), ("curate", "-i", file), ("clear", "-s", file)):
        assert run_in_process(*argv).code in {2, 65}, argv
    with open(file, "rb") as opened:
        assert opened.read() == before


@pytest.mark.parametrize("name", LISTS)
def test_a_list_on_stdin_is_a_session(home, name):
    for data in (orjson.dumps(LISTS[name]), b"".join(orjson.dumps(item) + b"\n" for item in LISTS[name])):
        shown = run_ok("curate", "-", stdin=data)
        assert b'"functionCall":{' in shown.out
        assert b'"text":"Look"' in shown.out


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_imported_and_is_the_same_then(home, name):
    file = written(home, LISTS[name])
    run_ok("import", file, "--into", "one")
    for to in LISTS:
        assert sent(home, "one", to) == sent(home, file, to)


def test_the_system_message_of_a_list_is_the_session_s(home):
    for name in ("openai-chat", "openai-responses"):
        file = written(home, LISTS[name])
        assert sent(home, file, "anthropic")["system"] == "Be brief."
        assert sent(home, file, "openai-responses")["instructions"] == "Be brief."
    image = {"type": "image", "source": {"type": "url", "url": "https://a.example/a.png"}}
    listed = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [image]}]
    instruction = sent(home, written(home, listed), "gemini")["systemInstruction"]
    assert instruction == {"parts": [{"text": "Be brief."}]}


def test_a_later_system_message_stays_where_it_stands(home):
    file = written(home, CHAT)
    later = {"role": "developer", "content": "Speak French."}
    for to, field in (("openai-chat", "messages"), ("openai-responses", "input")):
        assert later in sent(home, file, to)[field]
    two = [
        {"role": "system", "content": "One."},
        {"role": "system", "content": "Two."},
        {"role": "user", "content": "x"},
    ]
    assert sent(home, written(home, two), "openai-chat")["messages"] == two


FORMS = {
    "plain texts": ([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}], "contents"),
    "plain texts and a system message": ([{"role": "system", "content": "x"}], "openai-chat"),
    "text blocks, which two formats have": ([{"role": "user", "content": [{"type": "text", "text": "x"}]}], "openai-chat"),
    "a text block with Anthropic's mark": (
        [{"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]}], "anthropic"),
    "a name": ([{"role": "user", "content": "hi", "name": "ann"}], "openai-chat"),
    "null content and a call": ([{"role": "assistant", "content": None, "tool_calls": [CALL]}], "openai-chat"),
    "no content and a call": ([{"role": "assistant", "tool_calls": [CALL]}], "openai-chat"),
    "a call by itself": ([{"type": "function_call", "call_id": "c", "name": "n", "arguments": "{}"}], "openai-responses"),
    "reasoning": ([{"role": "user", "content": "x"}, {"type": "reasoning", "summary": []}], "openai-responses"),
    "redacted thinking": ([{"role": "assistant", "content": [{"type": "redacted_thinking", "data": "x"}]}], "anthropic"),
    "contents": ([{"role": "user", "parts": [{"text": "x"}]}], "contents"),
    "contents without a role": ([{"parts": [{"text": "x"}]}], "gemini"),
    "contents in the other spelling": ([{"role": "user", "parts": [{"inline_data": {}}]}], "gemini"),
    "nothing": ([], "contents"),
    "numbers": ([1, 2], None), "texts": (["a", "b"], None), "objects": ([{"x": 1}], None),
    "another program's messages": ([{"info": {"role": "user"}, "parts": [{"type": "text", "text": "x"}]}], "contents"),
    "lines of requests": ([{"messages": [{"role": "user", "content": "x"}]}], None),
}  # fmt: skip


@pytest.mark.parametrize(("value", "form"), FORMS.values(), ids=FORMS)
def test_a_list_s_form_is_told_by_its_content(value, form):
    assert forms.form_of(value) == form


@pytest.mark.parametrize(
    "odd", [7, None, "x", [], {"x": 1}, {"role": "robot", "content": "x"}, {"role": "user"}]
)
@pytest.mark.parametrize("name", LISTS)
def test_an_element_that_is_not_a_message_is_reported_and_skipped(home, name, odd):
    elements = [*LISTS[name][:-1], odd, LISTS[name][-1]]
    file = written(home, elements)
    at = f"[{len(elements) - 2}]: "
    shown = run_in_process("show", file)
    assert (shown.code, at in shown.err.decode()) == (0, True), shown.err
    assert run_in_process("show", file, "--strict").code == 65
    done = run_in_process("import", file, "--into", "one")
    assert at in done.err.decode()
    assert [r["value"] for r in lines(session_path(home, "one")) if r["type"] == "unread"] == [odd]
    to = "anthropic"
    assert sent(home, "one", to) == sent(home, written(home, LISTS[name]), to)


@pytest.mark.parametrize(
    "value", [{"messages": [7]}, {"messages": {"a": 1}}, {"input": 7}, {"contents": 7}, [7]]
)
def test_what_only_looks_like_messages_is_told_not_read_as_nothing(home, value):
    file = written(home, value)
    assert run_in_process("show", file).err
    assert run_in_process("show", file, "--strict").code == 65
    assert run_in_process("verify", file).code == 1
    assert run_in_process("import", file).code == 65


def test_a_torn_line_of_messages_is_told_with_its_place(home):
    file = written(home, CHAT, "lines")
    with open(file, "ab") as opened:
        opened.write(b'{"role":"user","con')
    shown = run_ok("show", file)
    assert re.search(rb"line 8, byte \d+: not JSON", shown.err)
    assert run_in_process("import", file, "--strict").code == 65


def test_long_lines_of_messages_are_read_as_short_ones(home):
    """Past 8 MiB a session is read in pieces."""
    many = [{"role": "user", "content": "x" * 9_000_000}, *CHAT[2:4], {"role": "user", "content": "y"}]
    file = written(home, many, "lines")
    for argv in (("verify", file), ("list", "--json"), ("search", "-c", "grey", file)):
        assert run_in_process(*argv).code == 0, argv
    assert run_in_process("last", file).text == "y"


RECORDED = [path for path in corpus_files("exchanges/*/*.json") if not path.name.endswith(".expected.json")]


def test_recorded_requests_messages_come_back_the_same(home):
    come_back_the_same(home, RECORDED[::9])


@pytest.mark.slow
def test_all_recorded_requests_messages_come_back_the_same(home):
    come_back_the_same(home, RECORDED)


def come_back_the_same(home, paths):
    """A request's messages as a bare list, and as lines: the same request again; and once more from its own."""
    if not paths:
        pytest.skip("no recorded requests here")
    argv = ("--raw", "--prefill", "--unanswered", "stub")
    tried = 0
    for path in paths:
        name = path.parent.name
        field = providers.Format(name).package.FIELD
        array = (orjson.loads(path.read_bytes()).get("request") or {}).get(field)
        if not isinstance(array, list):
            continue
        tried += 1
        first = sent(home, written(home, array), name, *argv)[field]
        assert sent(home, written(home, array, "lines"), name, *argv)[field] == first, path
        assert sent(home, written(home, first), name, *argv)[field] == first, path
    assert tried > len(paths) // 2


def test_an_answer_that_is_only_a_refusal_is_read(tmp_path):
    chat = [CHAT[1], {"role": "assistant", "content": None, "refusal": "I cannot."}, CHAT[-1]]
    (tmp_path / "x.json").write_bytes(orjson.dumps(chat))
    shown = run_ok("show", tmp_path / "x.json", "--jsonl", home=tmp_path).out.splitlines()
    assert [orjson.loads(line)["parts"][0]["text"] for line in shown] == ["Look", "I cannot.", "Merci"]
