"""pi's files: what it would send next, each trap of the format by name."""

import pytest

from in_process import run_in_process
from program_copies import imported, shown, view
from program_files import SESSION, Pi, played
from support import corpus_files, lines

COPY = f"pi-{SESSION}"


def test_custom_messages_are_sent_custom_entries_are_not(tmp_path):
    file = Pi()
    file.line("custom_message", "a", customType="x", content="sent", display=False)
    file.line("custom", "b", customType="x", data={})
    done = run_in_process("import", "-v", str(file.write(tmp_path)), home=tmp_path)
    assert shown(tmp_path, COPY) == ["sent"]
    assert b"not imported: 1 custom (x)" in done.err


def test_a_lost_line_makes_it_forget_all_before_which_is_named_and_mended(tmp_path):
    file = Pi()
    for number in range(10):
        file.user(f"u{number}", f"q{number}")
    del file.lines[6]
    done = run_in_process("import", str(file.write(tmp_path)), home=tmp_path)
    assert "line 7: its parent u5… is not in the file: pi would send 4 of 9 messages" in done.err.decode()
    assert len(shown(tmp_path, COPY)) == 9


def test_entries_of_the_first_version_have_no_ids(tmp_path):
    file = played(Pi(version=None), "user a one; user b one; model c two")
    assert view(file.write(tmp_path), tmp_path) == ["one", "one", "two"]
    before = imported(file.write(tmp_path), tmp_path)
    file.user("d", "three")
    assert imported(file.write(tmp_path), tmp_path)[: len(before)] == before


def test_usage_title_and_origin_come_along(tmp_path):
    file = played(Pi(), 'model a one responseId="r"')
    file.line("session_info", "b", name="A title")
    header, meta, message = imported(file.write(tmp_path), tmp_path)
    assert header["imported"] | {"path": ""} == {"from": "pi", "id": SESSION, "path": "", "version": "3"}
    assert meta["set"] == {"title": "A title"}
    used = {"input": 8, "output": 2, "cached": 3, "cacheWrite": 4, "total": 10}
    assert used.items() <= message["usage"].items()
    assert message["response"] == "r"


REASONING = '{"type":"reasoning"}'
THOUGHT = {"text": "hm", "thought": True}
NATIVE = {"native": {"provider": "openai-responses", "value": {"type": "reasoning"}}}
THOUGHTS = [  # the API of an answer, our format, and the part
    ("anthropic-messages", "anthropic", {**THOUGHT, "thoughtSignature": REASONING}),
    ("openai-responses", "openai-responses", NATIVE),
    ("openai-completions", "openai-chat", THOUGHT),
    ("of-tomorrow", None, THOUGHT),
]


@pytest.mark.parametrize(("api", "provider", "part"), THOUGHTS)
def test_thoughts_go_back_to_their_own_provider(api, provider, part, tmp_path):
    file = Pi()
    file.model("a", [{"type": "thinking", "thinking": "hm", "thinkingSignature": REASONING}], api=api)
    (record,) = [r for r in imported(file.write(tmp_path), tmp_path) if r["type"] == "message"]
    assert record["parts"] == [part]
    assert record.get("provider") == provider


@pytest.mark.parametrize("file", corpus_files("sessions/pi-*.jsonl"), ids=lambda file: file.name)
def test_recorded_sessions(file, tmp_path):
    source = [r["message"] for r in lines(file) if r["type"] == "message"]
    copied = [r for r in imported(file, tmp_path) if r["type"] == "message"]
    sent = [m for m in source if m.get("stopReason") not in ("error", "aborted") and m["content"]]
    assert len(copied) == len(sent)
    texts = [b["text"] for m in sent if m["role"] == "user" for b in m["content"] if b["type"] == "text"]
    assert [p["text"] for r in copied if r["kind"] == "user" for p in r["parts"]] == texts


def test_2026_11_27_an_aborted_answer_has_usage(tmp_path):
    file = played(Pi(), "user a one; model b two")
    used = {"input": 100, "output": 7, "cacheRead": 20, "cacheWrite": 0, "totalTokens": 127}
    for id, counts in (("c", used), ("d", dict.fromkeys(used, 0))):
        file.model(id, "thr", usage=counts, stopReason="aborted")
    records = imported(file.write(tmp_path), tmp_path)
    assert shown(tmp_path, COPY) == ["one", "two"]
    (left_out,) = [record for record in records if record["type"] == "usage"]
    assert (left_out["of"], left_out["usage"]["input"], left_out["usage"]["output"]) == ("c", 120, 7)


def test_2026_11_27_what_follows_a_lost_entry_that_a_compaction_kept_is_sent(tmp_path):
    file = played(
        Pi(), "user a one; user b two; model c three; model d four; compacted e in_short b; user f five"
    )
    del file.lines[2]
    assert view(file.write(tmp_path), tmp_path) == ["S:in short", "three", "four", "five"]


def test_branches_are_sessions_of_their_own_with_their_parent(tmp_path):
    file = played(Pi(), "user a one; model b two; user c abandoned; model d too; user e three b")
    done = run_in_process("import", "--branches", str(file.write(tmp_path)), home=tmp_path)
    assert done.out.decode().split() == [COPY, f"{COPY}-c"]
    assert shown(tmp_path, f"{COPY}-c") == ["one", "two", "abandoned", "too"]
    assert lines(tmp_path / "sessions" / f"{COPY}-c.jsonl")[0]["parent"] == {"session": COPY, "at": "b"}


ENDS = [
    ({"output": "x", "exitCode": 0}, "```\nx\n```"),
    ({"exitCode": 2}, "(no output)\n\nCommand exited with code 2"),
    ({"cancelled": True, "exitCode": 2}, "(no output)\n\n(command cancelled)"),
    ({"truncated": True, "fullOutputPath": "/o"}, "(no output)\n\n[Output truncated. Full output: /o]"),
]


@pytest.mark.parametrize(("fields", "end"), ENDS, ids=["done", "failed", "cancelled", "cut"])
def test_a_command_that_the_user_ran_is_told_with_how_it_ended(tmp_path, fields, end):
    file = Pi()
    file.message("a", "bashExecution", [], command="ls", **fields)
    assert view(file.write(tmp_path), tmp_path) == [f"Ran `ls`\n{end}"]
