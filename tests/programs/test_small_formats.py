"""aider, ATIF, Claude.ai, LangChain, ShareGPT and files for fine-tuning, each trap by name."""

import orjson
import pytest

from in_process import run_in_process, run_ok
from program_copies import imported_export, settings, short, shown, view
from program_formats import (
    AIDER,
    ClaudeAi,
    atif,
    langchain,
    lined,
    listed,
    openai_jsonl,
    sharegpt,
    single,
    zipped,
)
from support import corpus_files, lines, session_path


def imported(home, data, name="file.json", *more):
    (home / name).write_bytes(data)
    return run_ok("import", str(home / name), *more, home=home)


def sessions(home, done):
    return [lines(session_path(home, id)) for id in done.text.split()]


def texts(records):
    """Each message of a session in short."""
    return [short(record) for record in records if record["type"] == "message"]


def test_a_history_without_blanks_at_line_ends(tmp_path):
    text = "\n".join(line.rstrip() for line in AIDER.splitlines())
    _, second = sessions(tmp_path, imported(tmp_path, text.encode()))
    assert texts(second) == ["two", "three"]


def test_a_run_that_goes_on_is_appended_to(tmp_path):
    ids = imported(tmp_path, AIDER.encode()).text
    before = session_path(tmp_path, ids.split()[1]).read_bytes()
    assert imported(tmp_path, AIDER.encode()).text == ids
    assert session_path(tmp_path, ids.split()[1]).read_bytes() == before
    assert imported(tmp_path, f"{AIDER}\n#### four  \n\nfive\n".encode()).text == ids
    assert session_path(tmp_path, ids.split()[1]).read_bytes().startswith(before)


def test_2026_11_27_another_conversation_of_an_id_gets_a_copy_of_its_own(tmp_path):
    def request(text):
        body = {"messages": [{"role": "user", "content": text}]}
        return lined([{"custom_id": "request-1", "body": body}])

    first, second = "openai-jsonl-request-1", "openai-jsonl-request-1-2"
    assert imported(tmp_path, request("one")).text == first
    for text, copy in (("two", second), ("one", first), ("two", second)):
        assert imported(tmp_path, request(text)).text == copy
        assert shown(tmp_path, copy) == [text]


def test_sub_agents_of_a_trajectory_as_branches(tmp_path):
    copies = sessions(tmp_path, imported(tmp_path, single(atif()), "t.json", "--branches"))
    assert [records[0]["id"] for records in copies] == ["atif-s1", "atif-s1-t2"]
    assert copies[1][0]["parent"]["session"] == "atif-s1"


def test_the_official_models_take_the_sample(tmp_path):
    official = pytest.importorskip("atif")
    value = official.Trajectory.model_validate(atif()[0]).to_json_dict()
    assert imported(tmp_path, orjson.dumps(value)).text == "atif-s1"
    assert len(texts(lines(session_path(tmp_path, "atif-s1")))) == 4


LANGCHAIN = ["one+image/png", "call A", "A=failed", "hm+two"]


def test_both_forms_of_langchain(tmp_path):
    copies = (sessions(tmp_path, imported(tmp_path, listed(langchain(form)))) for form in ("dict", "lc"))
    first, second = ([{**record, "id": None} for record in records[1:]] for (records,) in copies)
    assert first == second


def test_a_state_and_lines_of_langchain(tmp_path):
    state = {"thread_id": "t1", "values": {"messages": langchain("lc")}}
    done = imported(tmp_path, single([state]))
    assert done.text == "langchain-t1"
    assert texts(sessions(tmp_path, done)[0]) == LANGCHAIN
    history = {"messages": langchain()}
    done = imported(tmp_path, lined([history, history]), "x.jsonl")
    first, second = done.text.split()
    assert second == f"{first}-2"
    assert [texts(records) for records in sessions(tmp_path, done)] == [LANGCHAIN, LANGCHAIN]


def test_older_calls_of_langchain(tmp_path):
    calls = [{"id": "A", "function": {"name": "f", "arguments": '{"x":1}'}}]
    more = {"tool_calls": calls, "reasoning_content": "hm"}
    message = {"type": "ai", "data": {"content": "", "additional_kwargs": more}}
    invalid = [{"name": "g", "args": "{"}]
    odd = {"type": "ai", "data": {"content": [{"type": "hologram"}], "invalid_tool_calls": invalid}}
    (records,) = sessions(tmp_path, imported(tmp_path, listed([message, odd])))
    assert texts(records) == ["hm+call A", "call call_2"]


@pytest.mark.parametrize("dump", ["messages_to_dict", "dumpd"])
def test_what_langchain_itself_writes(dump, tmp_path):
    core = pytest.importorskip("langchain_core.messages")
    load = pytest.importorskip("langchain_core.load")
    messages = core.messages_from_dict(langchain())
    value = core.messages_to_dict(messages) if dump == "messages_to_dict" else load.dumpd(messages)
    (records,) = sessions(tmp_path, imported(tmp_path, orjson.dumps(value)))
    assert texts(records) == LANGCHAIN


def test_lines_of_sharegpt_and_a_list_are_the_same(tmp_path):
    left, right = (sessions(tmp_path, imported(tmp_path, write(sharegpt()))) for write in (lined, listed))
    assert [records[0]["id"] for records in left] == [records[0]["id"] for records in right]


@pytest.mark.parametrize(
    ("call", "names"),
    [
        ('{"name": "f", "arguments": {}}', ["f"]),
        ('[{"name": "f", "arguments": {}}, {"name": "g", "parameters": {}}]', ["f", "g"]),
        ('{"function": {"name": "f", "arguments": "{}"}, "id": "A"}', ["f"]),
        ("no call at all", []),
    ],
)
def test_calls_of_sharegpt(call, names, tmp_path):
    turns = [{"from": "human", "value": "one"}, {"from": "function_call", "value": call}]
    (records,) = sessions(tmp_path, imported(tmp_path, listed([{"conversations": turns}])))
    called = [part["functionCall"] for part in records[-1]["parts"] if "functionCall" in part]
    assert [call["name"] for call in called] == names
    assert names or records[-1]["parts"] == [{"text": call}]


def test_the_preferred_answer_of_a_preference_is_imported(tmp_path):
    (tmp_path / "x.jsonl").write_bytes(lined(openai_jsonl()[2:3] * 2))
    done = run_in_process("import", str(tmp_path / "x.jsonl"), home=tmp_path)
    assert b"not imported: 1 message of an answer not preferred" in done.err
    first, second = done.text.split()
    assert second == f"{first}-2"
    assert texts(lines(session_path(tmp_path, first))) == ["which", "good"]
    (tmp_path / "x.jsonl").write_bytes(lined(openai_jsonl()[2:3]))  # a file of one
    assert run_in_process("import", str(tmp_path / "x.jsonl"), home=tmp_path).text == first


def test_of_a_batch_the_requests_are_imported_and_the_answers_named(tmp_path):
    batch = openai_jsonl()[3:]
    answer = batch[1]
    for name, values in {"a": [answer, *batch[::2]], "b": [*batch[::2], answer], "c": batch}.items():
        (tmp_path / name).write_bytes(lined(values))
        done = run_in_process("import", str(tmp_path / name), home=tmp_path / f"home-{name}")
        assert b": the answer of a batch, not imported" in done.err
        assert done.text.split() == ["openai-jsonl-q1", "openai-jsonl-q2"]
    records = lines(session_path(tmp_path / "home-c", "openai-jsonl-q1"))
    assert texts(records) == ["one"]
    assert settings(records)["model.openai-chat"] == "gpt-5"


def test_answers_alone_are_refused(tmp_path):
    theirs = {"custom_id": "q4", "result": {"type": "succeeded", "message": {"role": "assistant"}}}
    (tmp_path / "x.jsonl").write_bytes(lined([openai_jsonl()[4], theirs]))
    done = run_in_process("import", str(tmp_path / "x.jsonl"), home=tmp_path)
    assert done.code == 65
    assert b": the answer of a batch, not imported; give its requests" in done.err


def test_a_line_that_is_damaged_costs_itself(tmp_path):
    one, two, *_ = (orjson.dumps(value) for value in openai_jsonl())
    data = b"\n".join([one, b'{"messages": [', b'{"messages": [{"role": "wizard", "content": "x"}]}', two])
    (tmp_path / "x.jsonl").write_bytes(data)
    done = run_in_process("import", str(tmp_path / "x.jsonl"), home=tmp_path)
    assert b"line 2: not JSON" in done.err
    assert [len(texts(lines(session_path(tmp_path, id)))) for id in done.text.split()] == [4, 0, 2]


def test_names_do_not_hang_on_order_or_growth(tmp_path):
    """A conversation without an id is known by its opening, so that its line may move and grow."""
    values = openai_jsonl()[:2]
    ids = [records[0]["id"] for records in sessions(tmp_path, imported(tmp_path, lined(values)))]
    values[1]["messages"].append({"role": "user", "content": "more"})
    copies = sessions(tmp_path, imported(tmp_path, listed(values[::-1])))
    assert [records[0]["id"] for records in copies] == ids[::-1]
    assert texts(copies[0]) == ["one", "again", "more"]


def test_one_request_body_is_still_a_request(tmp_path):
    (tmp_path / "request.json").write_bytes(orjson.dumps({"model": "m", **openai_jsonl()[1]}))
    assert run_in_process("import", str(tmp_path / "request.json"), home=tmp_path).text == "request"


@pytest.mark.parametrize("file", corpus_files("sessions/tau-*.json"), ids=lambda file: file.name)
def test_recorded_conversations(file, tmp_path):
    ids = run_in_process("import", str(file), home=tmp_path).text.split()
    recorded = orjson.loads(file.read_bytes())
    assert len(set(ids)) == len(recorded)
    for id, conversation in zip(ids, recorded, strict=True):
        messages = [r for r in lines(session_path(tmp_path, id)) if r["type"] == "message"]
        assert len(messages) == sum(m["role"] != "system" for m in conversation["messages"])
    before = session_path(tmp_path, ids[0]).read_bytes()
    run_in_process("import", str(file), home=tmp_path)
    assert session_path(tmp_path, ids[0]).read_bytes() == before


def test_the_zip_of_claude_ai_and_a_newer_export(tmp_path):
    talk = ClaudeAi()
    talk.message("a", "human", "one")
    path = tmp_path / "data.zip"
    path.write_bytes(zipped({"users.json": b"[]", "conversations.json": listed([talk.value])}))
    assert view(path, tmp_path) == ["one"]
    before = session_path(tmp_path, "claude-ai-c1").read_bytes()
    assert imported_export(tmp_path, talk).text == "claude-ai-c1"
    assert session_path(tmp_path, "claude-ai-c1").read_bytes() == before
    talk.message("b", "assistant", "two")
    imported_export(tmp_path, talk)
    assert shown(tmp_path, "claude-ai-c1") == ["one", "two"]
