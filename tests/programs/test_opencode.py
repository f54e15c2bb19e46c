"""opencode's sessions, exported and in its database: what it would send next, each trap by name."""

import os

import orjson
import pytest

from in_process import run_in_process, run_ok
from opencode_files import SCHEMA, SESSION, OpenCode, opencode, tool
from program_copies import imported, shown, view
from program_databases import database
from program_files import played
from support import corpus_files, session_path

COPY = f"opencode-{SESSION}"


COMPACTION = {"type": "compaction", "auto": False}
VIEWS = {  # messages, a user's and a model's in turn, each with the fields of its `info` last
    "a parent that is no id is none": ([["one", {}], ["two", {"summary": True, "parentID": {}}]], ["one", "two"]),
    "a compaction keeps the tail that it names": (
        [["one", {}], ["two", {}], [{**COMPACTION, "tail_start_id": "msg_0002"}, {}], ["in short", {"summary": True}], ["three", {}]],
        ["S:in short", "two", "three"]),
    "a compaction that failed is none": (
        [["one", {}], ["two", {}], [COMPACTION, {}], ["in sh", {"summary": True, "error": {"name": "APIError"}}], ["three", {}]],
        ["one", "two", "three"]),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "sent"), VIEWS.values(), ids=VIEWS)
def test_what_is_sent(messages, sent, tmp_path):
    file = OpenCode()
    for number, (*parts, info) in enumerate(messages):
        (file.model if number % 2 else file.user)(*parts)["info"] |= info
    assert view(file.write(tmp_path), tmp_path) == sent


@pytest.mark.parametrize(("revert", "left"), [
    ({"messageID": "msg_0002", "partID": "prt_000201"}, ["one", "two"]),
    ({"messageID": "gone"}, ["one", "two+more", "three"]),
])  # fmt: skip
def test_a_revert_hides_what_comes_after(revert, left, tmp_path):
    file = played(OpenCode(revert=revert), "user one; model two more; user three")
    assert view(file.write(tmp_path), tmp_path) == left


def test_a_revert_to_a_message_with_a_part_that_has_no_id(tmp_path):
    file = played(OpenCode(revert={"messageID": "msg_0002"}), "user one; model two")
    del file.messages[1]["parts"][0]["id"]
    assert view(file.write(tmp_path), tmp_path) == ["one"]


def test_a_compaction_is_a_question_and_its_answer(tmp_path):
    file = played(OpenCode(), "user one; model two")
    file.user(COMPACTION)
    records = imported(played(file, "model in_short summary=true; user three").write(tmp_path), tmp_path)
    assert shown(tmp_path, COPY) == ["S:in short", "three"]
    assert next(r["covers"] for r in records if r["type"] == "summary") == ["msg_0001", "msg_0002"]


def test_2026_11_27_each_step_a_failed_answer_and_a_compaction_have_usage(tmp_path):
    def end(output):
        return {
            "type": "step-finish",
            "tokens": {"input": 10, "output": output, "cache": {"read": 0, "write": 0}},
        }

    file = played(OpenCode(), "user one")
    file.model(
        {"type": "step-start"},
        "two",
        end(1),
        {"type": "step-start"},
        "three",
        end(2),
        tokens=end(2)["tokens"],
    )
    file.model("fo", error={"name": "APIError"}, tokens=end(4)["tokens"])
    file.user(COMPACTION)
    file.model("in short", summary=True, tokens=end(8)["tokens"])
    assert view(file.write(tmp_path), tmp_path) == ["S:in short"]
    total = orjson.loads(run_ok("usage", "--json", home=tmp_path).out)["total"]
    assert (total["responses"], total["input"], total["output"]) == (4, 40, 15)


def test_usage_leaves_out_what_was_cached_and_thought(tmp_path):
    file = OpenCode()
    file.model({"type": "step-start"}, tool("A", "of A"), {"type": "step-start"}, "end")
    records = imported(file.write(tmp_path), tmp_path)
    first, _, last = [record for record in records if record["type"] == "message"]
    assert "usage" not in first
    used = {key: value for key, value in last["usage"].items() if key != "raw"}
    assert used == {"input": 21, "output": 7, "cached": 7, "cacheWrite": 3, "reasoning": 2}
    assert (last["provider"], last["model"]) == ("anthropic", "claude-opus-4-8")


def test_thoughts_are_signed_by_who_made_them(tmp_path):
    file = OpenCode()
    file.model({"type": "reasoning", "text": "hm", "metadata": {"anthropic": {"signature": "c2ln"}}}, "end")
    record = imported(file.write(tmp_path), tmp_path)[-1]
    assert record["parts"][0] == {"text": "hm", "thought": True, "thoughtSignature": "c2ln"}


def test_the_database_says_what_an_export_says_and_is_neither_written_nor_locked(tmp_path):
    file = played(OpenCode(), "user one")
    file.model("two", tool("A", "of A"))
    path = tmp_path / "opencode.db"
    connection = file.fill(path)  # its log is not in the file yet
    connection.execute("BEGIN IMMEDIATE")
    before = {name: name.read_bytes() for name in tmp_path.glob("opencode*")}
    assert view(path, tmp_path, COPY) == ["one", "two+call A", "A=of A"]
    assert before == {name: name.read_bytes() for name in before}
    stored = session_path(tmp_path, COPY).read_bytes()
    assert run_in_process("import", str(file.write(tmp_path)), home=tmp_path).text == COPY
    assert session_path(tmp_path, COPY).read_bytes() == stored
    connection.close()


def filled(path, *files):
    """A database with these sessions."""
    for number, file in enumerate(files):
        file.fill(path, keep=number > 0).close()
    return path


def other(text, **info):
    """Another session, with one prompt."""
    file = OpenCode(**{"id": "ses_other", **info})
    file.user(text)
    file.messages[0]["info"]["id"] = "msg_other"
    return file


def test_sub_agents_of_a_database_are_counted(tmp_path):
    path = filled(tmp_path / "opencode.db", played(OpenCode(), "user one"), other("two", parentID=SESSION))
    done = run_in_process("import", str(path), home=tmp_path)
    assert (done.text, b"not imported: 1 session of a sub-agent" in done.err) == (COPY, True)


def test_what_is_being_written_is_read_when_it_is_there(tmp_path):
    file = played(OpenCode(), "user one")
    begun = {"type": "text", "text": "tw", "time": {"start": 1}}
    running = (tool(call, status="running") for call in "AB")
    parts = file.model(begun, *running, finish="")["parts"]

    def now():
        return view(file.write(tmp_path), tmp_path)

    assert now() == ["one", "call A+call B"]
    parts[2]["state"] = tool("B", "of B", end=1)["state"]
    assert now() == ["one", "call A+call B", "B=of B"]
    parts[1]["state"] = tool("A", "of A", end=2)["state"]
    file.user("three")
    assert now()[-2:] == ["B=of B+A=of A", "three"]


def test_2026_11_23_what_came_later_and_was_undone_in_the_copy_does_not_come_back(tmp_path):
    """The next import brought it again, under the id that it had."""
    file = OpenCode()
    answer = file.model(tool("A", "of A"), tool("B", status="running"), finish="")
    imported(file.write(tmp_path), tmp_path)
    answer["parts"][1]["state"] = tool("B", "of B", end=2)["state"]
    path = file.write(tmp_path)
    assert view(path, tmp_path)[-1] == "A=of A+B=of B"
    run_in_process("undo", "-s", COPY, home=tmp_path)
    assert view(path, tmp_path)[-1] == "A=of A"
    assert view(played(file, "user two").write(tmp_path), tmp_path)[-2:] == ["A=of A", "two"]
    assert b"used before" not in run_in_process("verify", COPY, home=tmp_path).out


def pruned(home, *meanwhile):
    """What a copy shows of a result before it is pruned and after, and this is done to the copy."""
    file = played(OpenCode(), "user go")
    answer = file.model(tool("A", "sk-ant-api03-" + "Ab3" * 31 + "AA"))
    path = file.write(home)
    before = view(path, home)
    for command in meanwhile:
        assert run_in_process(*command.split(), "-s", COPY, home=home).code in (0, 1)
    answer["parts"][0]["state"]["time"]["compacted"] = 9
    file.write(home)
    after = view(path, home)
    size = len(imported(path, home))
    assert len(imported(path, home)) == size
    return before, after


@pytest.mark.parametrize("persisted", [(), ("persist -i --all",)], ids=["lines", "blocks"])
def test_2026_11_23_what_is_pruned_after_it_was_imported_is_pruned_in_the_copy(persisted, tmp_path):
    """An output that the program no longer sends was kept, for its message was known."""
    before, _ = pruned(tmp_path, *persisted)
    assert before[2].startswith("A=sk-ant")
    run_in_process("hydrate", "-i", COPY, home=tmp_path)
    assert shown(tmp_path, COPY) == ["go", "call A", "A=[Old tool result content cleared]"]


@pytest.mark.parametrize(("done", "shows"), [
    ("redact -i --yes", "A=[redacted:anthropic-key]"), ("update :3 -m mine", "mine"), ("append -m more", "A=sk-ant"),
])  # fmt: skip
def test_what_was_done_to_a_copy_stays(done, shows, tmp_path):
    _, after = pruned(tmp_path, done)
    assert after[2].startswith(shows)


def test_a_database_is_found_and_read_again_when_only_its_log_grew(tmp_path):
    path = tmp_path / "elsewhere.db"
    connection = played(OpenCode(), "user one").fill(path)

    def actions():
        for name in tmp_path.glob("elsewhere*"):
            os.utime(name, (1, 1))
        done = run_in_process("import", "--all", home=tmp_path, env={"OPENCODE_DB": str(path)})
        return [line["action"] for line in done.lines]

    assert actions() == ["imported"]
    assert actions() == []
    size = path.stat().st_size
    other("two").fill(path, keep=True)
    assert (actions(), path.stat().st_size) == (["imported"], size)
    connection.close()


@pytest.mark.parametrize("file", corpus_files("sessions/opencode-*"), ids=lambda path: path.stem)
def test_recorded_sessions(file, tmp_path):
    assert view(file, tmp_path) == [
        '"ping TOOLCALL please"', "call call_mock_1", "call_mock_1=hi\n", "Pong, streamed ✓.",
    ]  # fmt: skip


def test_list_shows_each_session_of_a_database(tmp_path):
    path = str(filled(tmp_path / "any.name", played(OpenCode(), "user one"), other("two")))
    env = {"OPENCODE_DB": path}
    rows = run_in_process("list", "--all-programs", "--jsonl", home=tmp_path, env=env).lines
    assert {(row["id"], row["path"], row["messages"]) for row in rows} == {
        (COPY, path, 1), ("opencode-ses_other", path, 1),
    }  # fmt: skip


def test_of_an_export_that_ends_too_early_what_stands_before_is_read(tmp_path):
    path = played(OpenCode(), "user one; model two; user three").write(tmp_path)
    path.write_bytes(path.read_bytes()[: path.read_bytes().index(b"three")])
    done = run_in_process("import", str(path), home=tmp_path)
    assert b"unexpected end of JSON; what precedes it is read" in done.err
    assert run_in_process("last", done.text, home=tmp_path).text == "two"
    path.write_bytes(b'{"info": {"id": "ses')
    assert run_in_process("import", str(path), home=tmp_path).code == 65


def test_kilo_is_known_by_its_version_and_its_tables(tmp_path):
    for version, program in (("7.7.7", "kilo"), ("1.18.33", "opencode")):
        file = played(OpenCode(version=version), "user one; model two")
        assert imported(file.write(tmp_path), tmp_path)[0]["imported"]["from"] == program
    path = tmp_path / "kilo.db"
    path.write_bytes(database({**SCHEMA, "kilo_board": "id"})([file.tables]))
    assert imported(path, tmp_path)[0]["imported"]["from"] == "kilo"
    assert orjson.loads(run_in_process("verify", str(path), "--json", home=tmp_path).out)


# -- the older tree of files --------------------------------------------------------------------------------


def test_the_tree_says_what_an_export_says(tmp_path):
    file = OpenCode()
    file.__dict__.update(info=opencode()[0]["info"], messages=opencode()[0]["messages"])
    tree = imported(file.write_session(tmp_path / "storage"), tmp_path)
    run_in_process("rm", COPY, "--yes", home=tmp_path)
    assert imported(file.write(tmp_path), tmp_path)[1:] == tree[1:]


def test_a_tree_is_found_and_read_again_when_a_message_changed(tmp_path):
    data, file = tmp_path / "data" / "opencode", played(OpenCode(), "user one")

    def actions(tick):
        for path in (file.write_session(data / "storage"), *data.glob("storage/message/*/*")):
            os.utime(path, (tick, tick if "message" in path.parts else 1))
        done = run_in_process("import", "--all", home=tmp_path, env={"XDG_DATA_HOME": str(data.parent)})
        return [line["action"] for line in done.lines]

    assert actions(1) == ["imported"]
    assert actions(1) == []
    file.model("two")
    assert actions(2) == ["updated"]
    assert shown(tmp_path, COPY) == ["one", "two"]


def test_beside_a_database_the_tree_takes_nothing_back(tmp_path):
    file = played(OpenCode(), "user one")
    tree = file.write_session(tmp_path / "opencode" / "storage")
    path = filled(tmp_path / "opencode" / "opencode.db", played(file, "model two"))
    assert view(path, tmp_path, COPY) == ["one", "two"]
    assert view(tree, tmp_path) == ["one", "two"]


def test_of_a_tree_a_file_that_cannot_be_read_costs_itself(tmp_path):
    file = played(OpenCode(), "user 0 more; user 1 more; user 2 more; user 3 more")
    tree, parts = file.write_session(tmp_path / "storage"), tmp_path / "storage" / "part"
    (parts / "msg_0001" / "prt_000100.json").write_bytes(b'{"type":"te')
    (parts / "msg_0002" / "prt_000200.json").write_bytes(b"[]")
    secret, link = tmp_path / "secret.json", parts / "msg_0003" / "prt_000300.json"
    secret.write_bytes(b'{"type":"text","text":"secret"}')
    link.unlink()
    link.symlink_to(secret)
    (parts / "msg_0004").rename(tmp_path / "elsewhere")
    (parts / "msg_0004").symlink_to(tmp_path / "elsewhere")
    done = run_in_process("import", str(tree), home=tmp_path)
    assert done.err.count(b"prt_") == 3, done
    assert shown(tmp_path, COPY) == ["more", "more", "more"]


@pytest.mark.parametrize("id", ["ses_../../../secret", "ses_..", "ses_/etc", "ses_\0"])
def test_the_name_of_a_session_leads_nowhere_else(id, tmp_path):
    file = played(OpenCode(), "user one")
    tree = file.write_session(tmp_path / "storage")
    tree.write_bytes(orjson.dumps(file.info | {"id": id}))
    done = run_in_process("import", str(tree), home=tmp_path)
    assert b"no messages" in done.err, done


@pytest.mark.parametrize("folder", ["opencode", "opencode/storage", "."])
def test_a_folder_of_sessions_is_imported(folder, tmp_path):
    played(OpenCode(), "user one").write_session(tmp_path / "opencode" / "storage")
    assert run_in_process("import", str(tmp_path / folder), home=tmp_path).text == COPY
    nowhere = run_in_process("import", str(tmp_path / "opencode" / "storage" / "part"), home=tmp_path)
    assert (nowhere.code, nowhere.text) == (65, "")
