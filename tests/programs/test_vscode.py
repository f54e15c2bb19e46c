"""VS Code's chats: rounds of an answer, what is shown without them, and the log of changes."""

import orjson

from in_process import run_in_process
from program_copies import imported, settings, view
from program_formats import changes_of, single, vscode

ID = "11111111-2222-4333-8444-555555555555"
COPY = f"vscode-{ID}"
VIEW = ["one", "hm+see+call A+call B", "A=of A", "B=of B", "two", "three", "hm+look at a and b"]


def chat(home, data, name=f"{ID}.json"):
    path = home / ".config" / "Code" / "User" / "workspaceStorage" / "x" / "chatSessions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    (path.parent.parent / "workspace.json").write_text('{"folder": "file:///home/dev/my%20project"}')
    return path


def test_a_chat_has_the_rounds_of_its_answers(tmp_path):
    path = chat(tmp_path, single(vscode()))
    assert view(path, tmp_path, COPY) == VIEW


def test_a_log_makes_the_same_chat(tmp_path):
    path = chat(tmp_path, changes_of(vscode()), f"{ID}.jsonl")
    assert view(path, tmp_path, COPY) == VIEW


def test_a_log_may_set_push_cut_and_delete(tmp_path):
    changes = [
        {"kind": 0, "v": {"sessionId": ID, "requests": []}},
        {
            "kind": 2,
            "k": ["requests"],
            "v": [{"requestId": "q", "message": {"text": "a"}}, {"requestId": "r"}],
        },
        {"kind": 2, "k": ["requests"], "i": 1},
        {"kind": 1, "k": ["requests", 0, "message", "text"], "v": "one"},
        {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "two"}]},
        {"kind": 1, "k": ["requests", 0, "isHidden"], "v": True},
        {"kind": 3, "k": ["requests", 0, "isHidden"]},
    ]
    path = chat(tmp_path, b"".join(orjson.dumps(change) + b"\n" for change in changes), f"{ID}.jsonl")
    assert view(path, tmp_path, COPY) == ["one", "two"]


def test_a_change_of_what_is_not_there_is_reported(tmp_path):
    begun = {"kind": 0, "v": {"sessionId": ID, "requests": [{"message": {"text": "one"}}]}}
    wrong = [
        {"kind": 1, "k": ["requests", 5, "x"], "v": 1},
        {"kind": 9, "k": ["requests"]},
        {"kind": 1, "k": []},
    ]
    path = chat(tmp_path, b"".join(orjson.dumps(line) + b"\n" for line in [begun, *wrong]), f"{ID}.jsonl")
    done = run_in_process("verify", str(path), home=tmp_path)
    assert done.code == 1
    assert done.out.count(b"a change of what is not in the file: VS Code does not open it") == 3
    assert view(path, tmp_path, COPY) == ["one"]


def test_a_chat_says_its_directory_title_model_and_usage(tmp_path):
    path = chat(tmp_path, single(vscode()))
    records = imported(path, tmp_path, COPY)
    assert records[0]["cwd"] == "/home/dev/my project"
    assert settings(records)["title"] == "A title"
    (used,) = [record for record in records if "usage" in record]
    assert (used["parts"], used["model"]) == ([{"text": "two"}], "copilot/gpt-5")
    assert (used["usage"]["input"], used["usage"]["output"]) == (9, 4)


def test_what_is_not_in_the_file_is_counted_and_reported(tmp_path):
    path = chat(tmp_path, single(vscode()))
    done = run_in_process("import", str(path), "-v", home=tmp_path)
    for kind in (
        b"1 message that was rewound",
        b"1 attachment (file)",
        b"1 tool call without arguments and result",
    ):
        assert kind in done.err
    done = run_in_process("verify", str(path), home=tmp_path)
    why = b"request 3: the arguments and the result of copilot_readFile are not in the file"
    assert (done.code, why in done.out) == (1, True)


def test_a_summary_of_its_own_is_reported(tmp_path):
    made = vscode()
    made[0]["requests"][0]["result"]["metadata"]["toolCallRounds"][1]["summary"] = "in short"
    done = run_in_process("verify", str(chat(tmp_path, single(made))), home=tmp_path)
    assert b"request 1: a summary that is sent in place of what precedes it is not applied" in done.out


def test_chats_are_found_in_its_folders(tmp_path):
    chat(tmp_path, single(vscode()))
    empty = tmp_path / "Library" / "Application Support" / "Code" / "User" / "globalStorage"
    folder = empty / "emptyWindowChatSessions"
    folder.mkdir(parents=True)
    (folder / "other.json").write_bytes(single([{**vscode()[0], "sessionId": "other"}]))
    done = run_in_process("import", "--all", home=tmp_path)
    assert sorted(line["session"] for line in done.lines) == [COPY, "vscode-other"]
