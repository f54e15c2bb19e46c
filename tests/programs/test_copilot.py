"""Copilot CLI's files: what it would send next, each trap of the format by name."""

import orjson

from in_process import run_in_process
from program_copies import imported, view
from program_files import SESSION, Copilot, played
from support import lines, session_path

COPY = f"copilot-cli-{SESSION}"


def verified(path, home):
    return run_in_process("verify", str(path), home=home)


def test_of_older_versions_reminders_are_left_out_and_the_output_is_counted(tmp_path):
    reminder = "<system_reminder>\n<sql_tables>Available tables: todos</sql_tables>\n</system_reminder>"
    file = Copilot()
    file.user("one")["data"]["transformedContent"] += f"\n\n{reminder}"
    file.model("two", outputTokens=7, apiCallId="other")
    path = file.write(tmp_path)
    assert view(path, tmp_path) == ["one", "two"]
    (used,) = [record["usage"] for record in imported(path, tmp_path) if "usage" in record]
    assert used == {"output": 7, "raw": {"outputTokens": 7}}


def test_results_are_found_wherever_they_stand(tmp_path):
    file = played(Copilot(), "user go")
    for call in "EDA":
        file.result(call, f"of {call}")
    file.model("", *"ABDE")
    played(file, 'user hurry_up delivery="steering"; result B of_B; result C of_no_call')
    path = file.write(tmp_path)
    called, results = "call A+call B+call D+call E", ["A=of A", "D=of D", "E=of E"]
    assert view(path, tmp_path) == ["go", called, *results, "hurry up", "B=of B"]
    done = verified(path, tmp_path)
    assert done.code == 1
    assert b"line 10: a result that answers no call: Copilot CLI drops it" in done.out


def test_a_failed_call_and_one_that_says_nothing(tmp_path):
    file = played(Copilot(), "user go")
    file.model("", "A", "B")
    file.event("tool.execution_complete", toolCallId="A", success=False, error={"message": "no such file"})
    file.event("tool.execution_complete", toolCallId="B", success=False)
    parts = [part for line in imported(file.write(tmp_path), tmp_path) for part in line.get("parts", ())]
    responses = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
    assert responses == [{"error": "no such file"}, {"error": "Tool execution failed"}]


def test_sub_agents_are_branches_with_their_call_as_origin(tmp_path):
    file = played(Copilot(), "user go")
    call = file.model("", "T")
    file.event("subagent.started", toolCallId="T", agentDescription="Count", agent="agent-1")
    file.user("count", agent="agent-1")
    file.model("three", agent="agent-1")
    older = file.model("of an older version")
    older["data"]["parentToolCallId"] = "T"
    file.result("T", "three")
    path = file.write(tmp_path)
    done = run_in_process("import", str(path), "--branches", home=tmp_path)
    assert done.code == 0, done.err
    header, *records = lines(session_path(tmp_path, f"{COPY}-agent-1"))
    assert header["parent"] == {"session": COPY, "at": call["id"]}
    assert header["imported"]["agent"] is True
    assert [record["parts"] for record in records if record["type"] == "message"] == [
        [{"text": "count"}], [{"text": "three"}],
    ]  # fmt: skip
    assert session_path(tmp_path, f"{COPY}-T").exists()


def test_a_sub_agent_whose_event_stands_before_the_session_starts_has_its_parent_and_directory(tmp_path):
    path = played(Copilot(), 'user count agent="agent-1"').write(tmp_path)
    start, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*rest, start]))
    renamed = path.parent.with_name("copied")
    path.parent.rename(renamed)
    done = run_in_process("import", str(renamed / path.name), "--branches", home=tmp_path)
    assert done.code == 0, done.err
    agent = lines(session_path(tmp_path, done.text.split()[-1]))[0]
    assert agent["parent"]["session"] == COPY
    assert agent["cwd"] == orjson.loads(start)["data"]["context"]["cwd"]


def test_usage_is_that_of_the_response_and_of_sub_agents_and_compactions(tmp_path):
    file = played(Copilot(), 'user go; model one; model two agent="agent-1"')
    used = {"model": "claude-opus-4-8", "inputTokens": 100, "outputTokens": 5}
    file.event("session.compaction_complete", success=True, summaryContent="x", compactionTokensUsed=used)
    imported(file.write(tmp_path), tmp_path)
    records = lines(session_path(tmp_path, COPY))
    spent = [(record["type"], record["usage"]["input"]) for record in records if "usage" in record]
    assert sorted(spent) == [("message", 9), ("usage", 9), ("usage", 100)]


def test_2026_11_26_an_empty_answer_is_counted_and_its_usage_kept(tmp_path):
    """As published files have them, of a model that only thought."""
    file = played(Copilot(), "user go")
    file.model("", outputTokens=461, apiCallId="other")
    done = run_in_process("import", str(file.write(tmp_path)), home=tmp_path)
    assert b"1 empty message" in done.err
    (used,) = [record["usage"] for record in lines(session_path(tmp_path, COPY)) if "usage" in record]
    assert used["output"] == 461


def test_the_title_is_the_name_in_the_file_beside_it(tmp_path):
    file = played(Copilot(), "user one")
    folder = tmp_path / ".copilot" / "session-state" / SESSION
    path = file.write(folder)
    (folder / "workspace.yaml").write_text(f'id: {SESSION}\nname: "Sheep: counted"\n')
    imported(path, tmp_path)
    meta = [record for record in lines(session_path(tmp_path, COPY)) if record["type"] == "meta"]
    assert [record["set"]["title"] for record in meta] == ["Sheep: counted"]


def test_the_branch_is_that_of_the_session_and_of_what_resumed_it(tmp_path):
    file = Copilot()
    file.lines[0]["data"]["context"] |= {"branch": "main", "headCommit": "abc"}
    file.user("one")
    file.model("two")
    file.event("session.resume", context={"cwd": "/work", "branch": "other"})
    file.user("three")
    records = [record for record in imported(file.write(tmp_path), tmp_path) if record["type"] == "message"]
    assert [record.get("git") for record in records] == [
        {"branch": "main", "commit": "abc"}, None, {"branch": "other"},
    ]  # fmt: skip


def test_a_fork_names_its_parent(tmp_path):
    parent = "22222222-2222-4333-8444-555555555555"
    file = played(Copilot(), "user one")
    file.event(
        "session.info", infoType="fork", message=f'Forked from "one" ({parent}) before event x as "y" (z).'
    )
    imported(file.write(tmp_path), tmp_path)
    assert lines(session_path(tmp_path, COPY))[0]["parent"]["session"] == f"copilot-cli-{parent}"


def test_a_file_that_was_not_kept_is_counted(tmp_path):
    file = Copilot()
    file.user("one", attachments=[{"type": "directory", "path": "/work/src"}])
    file.model("", "A")
    gone = {"type": "image", "mimeType": "image/png", "byteLength": 9, "omittedReason": "too_large"}
    file.result("A", "Viewed.", binaryResultsForLlm=[gone])
    done = run_in_process("import", str(file.write(tmp_path)), "-v", home=tmp_path)
    assert b"1 attachment that is not sent (directory)" in done.err
    assert b"1 file that was left out of the session" in done.err


def test_reasoning_is_as_its_provider_stored_it(tmp_path):
    file = played(Copilot(), "user one")
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    blocks = [thinking, {"type": "redacted_thinking", "data": "x"}]
    file.model(
        "two", reasoningText="hm", reasoningBlocks={"provider": "anthropic-messages", "blocks": blocks}
    )
    (answer,) = [line for line in imported(file.write(tmp_path), tmp_path) if line.get("kind") == "codeh"]
    assert answer["parts"][0] == {"text": "hm", "thought": True, "thoughtSignature": "s"}
    assert answer["parts"][1]["native"] == {"provider": "anthropic", "value": blocks[1]}


def test_2026_11_26_a_result_whose_call_is_not_named_in_text_is_refused(tmp_path):
    file = played(Copilot(), "user go")
    file.model("", "A")
    file.result("A", "of A")["data"]["toolCallId"] = None
    done = verified(file.write(tmp_path), tmp_path)
    assert done.code == 1
    assert b"line 5: an event whose `toolCallId` is invalid: Copilot CLI does not open the file" in done.out
