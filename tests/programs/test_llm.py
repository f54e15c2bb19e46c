"""llm's databases, both schemas, each trap by name."""

import os
import sqlite3

import pytest

from in_process import run_in_process
from program_databases import LLM, LLM_OLDER, database, filled, llm, llm_older
from support import corpus_files, lines, session_path


def written(folder, tables, schema=LLM):
    path = folder / "logs.db"
    path.write_bytes(database(schema)([tables]))
    return path


def records(home, id):
    return lines(session_path(home, id))


def kinds(home, id):
    return [record.get("kind", record["type"]) for record in records(home, id)]


def test_of_a_conversation_in_both_schemas_the_thread_is_read(tmp_path):
    older = llm_older()[0]
    older["conversations"][0]["id"] = "t1"
    for row in older["responses"]:
        row["conversation_id"] = "t1"
    other = {**older["responses"][1], "id": "r9", "conversation_id": "c9", "prompt": "alone"}
    older["responses"].append(other)
    both = {**older, **llm()[0]}
    done = run_in_process("import", str(written(tmp_path, both, {**LLM_OLDER, **LLM})), home=tmp_path)
    assert done.text.split() == ["llm-t1", "llm-c9"]
    assert len(records(tmp_path, "llm-t1")) == 6


def test_a_lost_message_is_named_and_what_follows_is_read(tmp_path):
    tables = llm()[0]
    del tables["messages"][1]
    done = run_in_process("import", str(written(tmp_path, tables)), home=tmp_path)
    assert b"message m1 is missing" in done.err
    assert kinds(tmp_path, "llm-t1") == ["session", "meta", "codeh", "tool", "codeh"]


def test_a_newer_database_appends_what_is_new(tmp_path):
    tables = llm()[0]
    run_in_process("import", str(written(tmp_path, tables)), home=tmp_path)
    before = session_path(tmp_path, "llm-t1").read_bytes()
    run_in_process("import", str(written(tmp_path, tables)), home=tmp_path)
    assert session_path(tmp_path, "llm-t1").read_bytes() == before
    tables["messages"].append({"hash": "m5", "parent_hash": "m4", "role": "user"})
    tables["parts"].append({"id": 99, "message_hash": "m5", "position": 0, "type": "text", "text": "more"})
    tables["threads"][0]["tip_message_hash"] = "m5"
    run_in_process("import", str(written(tmp_path, tables)), home=tmp_path)
    assert session_path(tmp_path, "llm-t1").read_bytes().startswith(before)
    assert records(tmp_path, "llm-t1")[-1]["parts"] == [{"text": "more"}]


def unchanged(folder):
    files = {}
    for entry in sorted(folder.iterdir()):
        info = entry.stat()
        files[entry.name] = (info.st_size, info.st_mtime_ns, entry.read_bytes())
    return files


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_database_that_its_program_has_open_is_neither_locked_nor_written(mode, tmp_path):
    """In WAL mode what was committed last is in the log beside the file, where a plain copy misses it."""
    folder = tmp_path / "llm"
    folder.mkdir()
    writer = sqlite3.connect(folder / "logs.db", isolation_level=None)
    writer.execute(f"PRAGMA journal_mode={mode}")
    writer.execute("PRAGMA wal_autocheckpoint=0")
    filled(writer, LLM, llm()[0])
    before = unchanged(folder)
    writer.execute("BEGIN EXCLUSIVE")
    writer.execute("INSERT INTO messages VALUES ('late', 'm4', 'user', NULL)")
    held = unchanged(folder)
    done = run_in_process("import", str(folder / "logs.db"), home=tmp_path)
    assert done.text == "llm-t1", done
    assert unchanged(folder) == held
    writer.execute("ROLLBACK")
    assert sorted(unchanged(folder)) == sorted(before)
    writer.close()


def test_a_folder_that_may_not_be_written(tmp_path):
    folder = tmp_path / "llm"
    folder.mkdir()
    writer = sqlite3.connect(folder / "logs.db")
    writer.execute("PRAGMA journal_mode=wal")
    filled(writer, LLM, llm()[0])
    writer.close()
    os.chmod(folder, 0o500)
    assert run_in_process("import", str(folder / "logs.db"), home=tmp_path / "home").text == "llm-t1"
    os.chmod(folder, 0o700)
    assert sorted(unchanged(folder)) == ["logs.db"]


def test_a_database_of_something_else_is_not_recognised(tmp_path):
    path = written(tmp_path, {}, {"messages": "hash parent_hash role", "threads": "id"})
    assert run_in_process("import", str(path), home=tmp_path).code == 65


@pytest.mark.parametrize("file", corpus_files("sessions/llm-*.db"), ids=lambda file: file.name)
def test_a_recorded_database(file, tmp_path):
    connection = sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)
    ids = run_in_process("import", str(file), home=tmp_path).text.split()
    assert len(ids) == connection.execute("SELECT count(*) FROM threads").fetchone()[0]
    texts = [r["parts"][0]["text"] for id in ids for r in records(tmp_path, id) if r["type"] == "message"]
    assert sorted(texts) == sorted(text for (text,) in connection.execute("SELECT text FROM parts"))
