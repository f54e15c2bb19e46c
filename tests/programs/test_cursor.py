"""Cursor's transcripts and databases: what they hold, and what they lack."""

import orjson

from in_process import run_in_process
from program_copies import imported, settings, view
from program_databases import database
from program_files import cursor as transcript
from program_files import written
from program_formats import cursor

SCHEMA = {"blobs": "id data", "meta": "key value"}
ID = "11111111-2222-4333-8444-555555555555"


def stored(folder, tables):
    path = folder / "chats" / "bucket" / ID / "store.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(database(SCHEMA)([tables]))
    return path


def test_a_database_has_messages_in_the_order_of_their_rows(tmp_path):
    tables = cursor()[0]
    image = tables["blobs"][2]["data"]["content"].pop()
    assert image["type"] == "image"
    path = stored(tmp_path, tables)
    assert view(path, tmp_path, f"cursor-{ID}") == ["one", "hm+call A", "A=of A", "two"]
    assert run_in_process("verify", str(path), home=tmp_path).code == 0


def test_a_database_says_title_model_time_and_what_is_not_read(tmp_path):
    path = stored(tmp_path, cursor()[0])
    done = run_in_process("import", str(path), "-v", home=tmp_path)
    for kind in (b"1 value without a public form", b"1 context message", b"1 message of system"):
        assert kind in done.err
    records = imported(path, tmp_path, f"cursor-{ID}")
    assert settings(records)["title"] == "A title"
    (called,) = [r for r in records if r.get("model") and "functionCall" in r["parts"][-1]]
    assert (called["model"], called["ts"]) == ("composer-2.5", "2026-01-01T00:00:00.000Z")


def test_metadata_may_be_plain_json(tmp_path):
    tables = cursor()[0]
    tables["meta"][0]["value"] = {"agentId": "plain", "workspacePath": "/work"}
    assert imported(stored(tmp_path, tables), tmp_path, "cursor-plain")[0]["cwd"] == "/work"


def test_a_database_without_readable_messages_is_reported(tmp_path):
    tables = cursor()[0]
    tables["blobs"] = tables["blobs"][-1:]
    done = run_in_process("verify", str(stored(tmp_path, tables)), home=tmp_path)
    assert (done.code, b"none of its 1 values is a message in a public form" in done.out) == (1, True)


def test_a_failed_result_and_results_of_parts(tmp_path):
    tables = cursor()[0]
    blob = next(
        b for b in tables["blobs"] if isinstance(b["data"], dict) and b["data"].get("role") == "tool"
    )
    blob["data"]["content"] = [
        {"type": "tool-result", "toolCallId": "A", "toolName": "Shell", "isError": True,
         "result": [{"type": "text", "text": "no such"}, {"type": "text", "text": "file"}]},
    ]  # fmt: skip
    records = imported(stored(tmp_path, tables), tmp_path, f"cursor-{ID}")
    (response,) = [
        p["functionResponse"] for r in records for p in r.get("parts", ()) if "functionResponse" in p
    ]
    assert response["response"] == {"error": "no such\nfile"}


def test_a_transcript_has_no_results_and_verify_reports_that(tmp_path):
    path = written(tmp_path / f"{ID}.jsonl", transcript())
    assert view(path, tmp_path, f"cursor-{ID}") == ["one", "see+call call_1", "three", "four"]
    done = run_in_process("verify", str(path), home=tmp_path)
    why = "a transcript has no results: those of 1 call are not in it"
    assert (done.code, done.text) == (1, f"{path}: {why}")


def test_a_transcript_that_grew_adds_only_what_is_new(tmp_path):
    lines = transcript()
    path = written(tmp_path / f"{ID}.jsonl", lines[:2])
    imported(path, tmp_path)
    written(path, lines)
    assert run_in_process("import", str(path), home=tmp_path).code == 0
    assert view(path, tmp_path, f"cursor-{ID}") == ["one", "see+call call_1", "three", "four"]


def test_antigravity_is_refused_with_what_can_be_done(tmp_path):
    path = tmp_path / "c.db"
    path.write_bytes(
        database({"steps": "idx payload", "gen_metadata": "idx data"})([{"steps": [{"idx": 1}]}])
    )
    for verb in ("import", "verify", "show"):
        done = run_in_process(verb, str(path), home=tmp_path)
        assert done.code == 65
        assert b"Antigravity stores conversations in a form that is not public" in done.err
        assert b"history.jsonl" in done.err


def test_kilo_is_known_by_its_version_and_its_tables(tmp_path):
    from opencode_files import SCHEMA as TABLES
    from opencode_files import OpenCode

    for version, program in (("7.7.7", "kilo"), ("1.18.33", "opencode")):
        file = OpenCode(version=version)
        file.user("one")
        file.said("two")
        records = imported(file.write(tmp_path), tmp_path)
        assert records[0]["imported"]["from"] == program
    path = tmp_path / "kilo.db"
    path.write_bytes(database({**TABLES, "kilo_board": "id"})([file.tables]))
    assert imported(path, tmp_path)[0]["imported"]["from"] == "kilo"
    assert orjson.loads(run_in_process("verify", str(path), "--json", home=tmp_path).out)
