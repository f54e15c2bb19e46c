"""Gemini CLI's sessions: what it would send next, each trap of the format by name."""

import json

import pytest

from in_process import run_in_process, run_ok
from program_copies import imported, shown, view
from program_files import SESSION, Gemini, gemini_call, gemini_result, played
from support import corpus, corpus_files, lines, session_path

COPY = f"gemini-cli-{SESSION}"
CONTEXT = {"id": "c", "type": "user", "content": [{"text": "<session_context>here</session_context>"}]}


def test_a_result_in_its_call_and_in_a_message_counts_once(tmp_path):
    file = played(Gemini(), "user a go")
    file.model("b", "", toolCalls=[gemini_call("A", "of A")])
    file.user("c", [gemini_result("A", "of A"), {"text": "and more"}])
    path = file.write(tmp_path)
    assert view(path, tmp_path) == ["go", "call A", "A=of A", "and more"]
    text = run_in_process("verify", str(path), home=tmp_path).text
    assert "the result of A is already in the history: Gemini CLI sends it twice" in text


VIEWS = {  # what is sent of the lines that these steps write
    "a message that is written again takes the place of the first": (
        "user a one; model b tw; user c three; model b two", ["one", "two", "three"]),
    "a rewind takes the message and all after it": (
        "user a one; user b two; model c three; rewind b; user d four", ["one", "four"]),
    "a rewind to before a compression takes it back": ("user a one; snapshot s short; rewind s; user d three", ["three"]),
    "a later compression replaces the earlier": (
        "user a one; snapshot s short; user b two; snapshot t shorter; user c three",
        ["S:<state_snapshot>shorter</state_snapshot>", "three"]),
    "a rewind to before two compressions takes both back": (
        "user a one; snapshot s short; user b two; snapshot t shorter; user c three; rewind t; user d four", ["four"]),
}  # fmt: skip
CALLED = {"id": "b", "type": "gemini", "content": ""}
ODD_LINES = {  # lines after a header and a prompt
    "a result in a message alone": (
        [{**CALLED, "toolCalls": [gemini_call("A")]}, {"id": "c", "type": "user", "content": [gemini_result("A", "of A")]}],
        ["call A", "A=of A"]),
    "ids of calls as they are sent": (
        [{**CALLED, "toolCalls": [{**gemini_call("A", "of A"), "id": "other__A"}]}], ["call other__A", "A=of A"]),
    "a content, which is a checkpoint's and unknown in a chat": ([{"role": "user", "parts": [{"text": "two"}]}], []),
    "a torn line": ([b'{"id": "b", "type": "gem'], []),
}  # fmt: skip


@pytest.mark.parametrize(("script", "sent"), VIEWS.values(), ids=VIEWS)
def test_what_is_sent(script, sent, tmp_path):
    file = played(Gemini(), script)
    assert view(file.write(tmp_path), tmp_path) == sent
    del file.lines[0]  # a lost header costs only itself
    assert view(file.write(tmp_path / "headless"), tmp_path / "headless") == sent


@pytest.mark.parametrize(("added", "sent"), ODD_LINES.values(), ids=ODD_LINES)
def test_odd_lines_cost_only_themselves(added, sent, tmp_path):
    file = played(Gemini(), "user a one")
    file.lines += added
    assert view(file.write(tmp_path), tmp_path) == ["one", *sent]


def test_what_a_message_said_before_it_was_written_again_empty_is_counted(tmp_path):
    file = played(Gemini(), "user a one; model b two")
    file.model("b", "")
    done = run_in_process("import", str(file.write(tmp_path)), home=tmp_path)
    assert "1 message that was written again without its content" in done.err.decode()


def test_calls_that_are_written_after_the_text_are_an_update(tmp_path):
    file = played(Gemini(), "user a one; model b two")
    assert view(file.write(tmp_path), tmp_path) == ["one", "two"]
    before = session_path(tmp_path, COPY).read_bytes()
    file.model("b", "two", toolCalls=[gemini_call("A", "of A")])
    assert view(file.write(tmp_path), tmp_path) == ["one", "two+call A", "A=of A"]
    assert session_path(tmp_path, COPY).read_bytes().startswith(before)


def test_call_in_a_snapshot_with_a_problem_is_an_update(tmp_path):
    """As when a session is imported while a tool runs, and resumed later, which sends the result twice."""
    file = played(Gemini(), "user a one; model b two")
    assert view(file.write(tmp_path), tmp_path) == ["one", "two"]
    result = {"functionResponse": {"id": "A", "name": "shell", "response": {"output": "of A"}}}
    call = {**gemini_call("A"), "result": [result]}
    first, second = file.lines[-2:]
    answer = {"id": "r", "timestamp": second["timestamp"], "type": "user", "content": [result]}
    file.set(messages=[first, {**second, "toolCalls": [call]}, answer])
    assert view(file.write(tmp_path), tmp_path) == ["one", "two+call A", "A=of A"]


def test_a_result_that_is_masked_later_is_an_update(tmp_path):
    """It made a second copy of the session."""
    file = played(Gemini(), "user a one")
    file.model("b", "", toolCalls=[gemini_call("A", "of A")])
    played(file, "user c two")
    assert view(file.write(tmp_path), tmp_path) == ["one", "call A", "A=of A", "two"]
    file.model("b", "", toolCalls=[gemini_call("A", "masked")])
    assert view(file.write(tmp_path), tmp_path) == ["one", "call A", "A=masked", "two"]


def test_a_rewind_to_nothing_takes_nothing(tmp_path):
    path = played(Gemini(), "user a one; rewind zzz").write(tmp_path)
    assert view(path, tmp_path) == ["one"]
    done = run_in_process("verify", str(path), home=tmp_path)
    assert (done.code, b"which does not exist: Gemini CLI forgets" in done.out) == (1, True)


def test_what_a_compression_replaced_lies_under_its_summary(tmp_path):
    file = played(Gemini(), "user a one; model b two")
    snapshot = {"id": "s", "type": "user", "content": [{"text": "<state_snapshot>short</state_snapshot>"}]}
    file.set(messages=[CONTEXT, snapshot, {"id": "t", "type": "gemini", "content": "Got it."}])
    file.user("d", "three")
    records = imported(file.write(tmp_path), tmp_path)
    assert shown(tmp_path, COPY) == ["S:<state_snapshot>short</state_snapshot>", "Got it.", "three"]
    assert next(r["covers"] for r in records if r["type"] == "summary") == ["a", "b"]


def masked(file, text):
    """Write the history again, as after masking: with new ids, and the context and this text in one message."""
    first = {"id": "m", "type": "user", "content": [*CONTEXT["content"], {"text": text}]}
    messages = [first, {"id": "n", "type": "gemini", "content": "two"}]
    file.lines += messages
    file.set(messages=messages)


@pytest.mark.parametrize("flags", [(), ("--branches",)])
def test_2026_11_27_a_prompt_in_one_message_with_the_context_is_imported(flags, tmp_path):
    file = Gemini()
    file.user("a", "one")
    file.model(
        "b", "two", tokens={"input": 100, "output": 7, "cached": 0, "thoughts": 0, "tool": 0, "total": 107}
    )
    masked(file, "one")
    path = file.write(tmp_path)
    run_ok("import", path, *flags, home=tmp_path)
    assert shown(tmp_path, COPY) == ["one", "two"]
    text = run_in_process("verify", str(path), home=tmp_path).text
    assert "line 6: a prompt in one message with the program's context: Gemini CLI forgets it" in text
    total = json.loads(run_ok("usage", COPY, "--json", home=tmp_path).out)["total"]
    assert (total["responses"], total["input"], total["output"]) == (1, 100, 7)


def test_2026_11_27_a_summary_in_one_message_with_the_context_is_a_summary(tmp_path):
    file = played(Gemini(), "user a one; snapshot s short; user b three")
    path = file.write(tmp_path)
    imported(path, tmp_path)
    masked(file, "<state_snapshot>short</state_snapshot>")
    imported(file.write(tmp_path), tmp_path)
    assert shown(tmp_path, COPY) == ["S:<state_snapshot>short</state_snapshot>", "two"]


def test_2026_11_27_a_result_that_a_compression_kept_is_read_again(tmp_path):
    file = played(Gemini(), "user a one")
    file.model("b", "", toolCalls=[gemini_call("A", "of A")])
    file.user("c", [gemini_result("A", "of A")])
    played(file, "user d two")
    imported(file.write(tmp_path), tmp_path)
    snapshot = {"id": "s", "type": "user", "content": [{"text": "<state_snapshot>short</state_snapshot>"}]}
    call = {"functionCall": {"id": "ls__A", "name": "ls", "args": {"p": "."}}}
    kept = [
        {"id": "k", "type": "gemini", "content": [call]},
        {"id": "l", "type": "user", "content": [gemini_result("A", "of A")]},
    ]
    file.set(messages=[snapshot, {"id": "t", "type": "gemini", "content": "Got it."}, *kept])
    path = file.write(tmp_path)
    assert run_ok("import", path, home=tmp_path).text == COPY
    short = "S:<state_snapshot>short</state_snapshot>"
    assert shown(tmp_path, COPY) == [short, "Got it.", "call A", "A=of A"]
    assert run_in_process("verify", str(path), home=tmp_path).code == 0  # what a summary covers is not sent


def test_usage_includes_what_was_cached_and_thoughts_are_output(tmp_path):
    file = Gemini()
    tokens = {"input": 100, "output": 7, "cached": 20, "thoughts": 13, "tool": 0, "total": 120}
    file.model("a", "one", tokens=tokens)
    record = imported(file.write(tmp_path), tmp_path)[-1]
    usage = {key: value for key, value in record["usage"].items() if key != "raw"}
    assert usage == {"input": 100, "output": 20, "cached": 20, "reasoning": 13, "total": 120}
    assert record["model"] == "gemini-3-pro"


def test_what_the_program_forgets_or_never_sent(tmp_path):
    file = Gemini()
    file.set(messages=[CONTEXT])
    file.user("a", "/path/to/barn is what?")
    file.message("b", "info", "saved")
    file.set(summary="A title")
    done = run_in_process("import", "-v", str(file.write(tmp_path)), home=tmp_path)
    assert shown(tmp_path, COPY) == ["/path/to/barn is what?"]
    assert b"not imported: 1 context message" in done.err
    assert b"not imported: 1 info message" in done.err
    assert b"A title" in session_path(tmp_path, COPY).read_bytes()


def test_2026_11_23_a_result_that_is_none_is_not_written(tmp_path):
    """A text in the place of a result was read unchanged, and ended `rescue` with a bug."""
    file = played(Gemini(), "user a one")
    file.user("b", [{"functionResponse": "of nothing"}])
    file.model("c", "two")
    out = tmp_path / "out.jsonl"
    run_ok("rescue", str(file.write(tmp_path)), "--output", str(out), home=tmp_path)
    assert view(out, tmp_path) == ["one", "two"]


@pytest.mark.parametrize("indent", [None, 2])
def test_the_older_form_is_one_object(indent, tmp_path):
    file, path = played(Gemini(), "user a one; model b two"), tmp_path / "session-old.json"
    path.write_text(json.dumps({**file.lines[0], "messages": file.lines[1:]}, indent=indent))
    assert view(path, tmp_path) == ["one", "two"]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_checkpoint_holds_contents(indent, tmp_path):
    call = {"functionCall": {"name": "ls", "args": {}, "id": "A"}, "thoughtSignature": "c2ln"}
    parts = [{"text": "one"}, call, gemini_result("A", "of A"), {"text": "one"}]
    history = [{"role": "model" if part is call else "user", "parts": [part]} for part in parts]
    path = tmp_path / "checkpoint-tag.json"
    path.write_text(json.dumps({"history": history, "authType": "x"}, indent=indent))
    records = imported(path, tmp_path)
    assert records[0]["id"] == "gemini-cli-checkpoint-tag"
    assert shown(tmp_path, records[0]["id"]) == ["one", "call A", "A=of A", "one"]
    assert records[2]["parts"] == [call]


def test_a_sub_agents_file_names_its_parent(tmp_path):
    file = Gemini()
    file.lines[0]["kind"] = "subagent"
    file.user("a", "one")
    header = imported(file.write(tmp_path / "chats" / "of-this", "x.jsonl"), tmp_path)[0]
    assert header["parent"] == {"session": "gemini-cli-of-this", "at": None}


@pytest.mark.parametrize("file", corpus_files("sessions/gemini-cli-*"), ids=lambda path: path.stem)
def test_recorded_sessions(file, tmp_path):
    texts = view(file, tmp_path)
    assert texts[0] == "ping TOOLCALL please"
    assert texts[-1].endswith("Pong from gemini ✓.")
    assert sum("=" in text for text in texts) == 1


def test_recorded_cases(tmp_path):
    cases = json.loads(corpus("gemini-session-cases.json").read_bytes())
    for number, case in enumerate(case for case in cases if case["kind"] == "session-file"):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(case["input_text"].encode())
        records = imported(path, tmp_path / str(number))
        ids = [record["id"] for record in records if record["type"] == "message"]
        kept = case["name"] == "rewind-unknown-id-clears-all"
        skipped = case["name"] in ("context-only-not-listable", "info-and-error-not-listable")
        theirs = case["expected_gemini"]["message_ids"]
        assert ids == (["1", "2"] if kept else [] if skipped else theirs), case


def test_what_was_rewound_is_a_branch(tmp_path):
    file = played(Gemini(), "user a one; model b two; user c not_so")
    file.model("d", "no", toolCalls=[gemini_call("A", "of A")])
    path = played(file, "rewind c; user e other; rewind b; model f three").write(tmp_path)
    assert view(path, tmp_path, COPY) == ["one", "three"]
    done = run_in_process("import", "--branches", str(path), home=tmp_path)
    assert b"rewound" not in done.err
    main, later, first = done.text.split()
    assert (main, shown(tmp_path, later)) == (COPY, ["one", "two", "other"])
    assert shown(tmp_path, first) == ["one", "two", "not so", "no+call A", "A=of A"]
    assert lines(session_path(tmp_path, first))[0]["parent"] == {"session": COPY, "at": "a"}
    path = str(played(file, "model g four").write(tmp_path))
    assert run_in_process("import", "--branches", path, home=tmp_path).text == done.text
