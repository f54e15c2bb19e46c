"""A file of one of our forms imported again: only what is new, nothing twice, and nothing over something else."""

import orjson
import pytest

from in_process import run_in_process, run_ok
from support import lines, session_path

SUMMARY = {
    "id": "s1", "createdAt": "2026-01-03T00:00:00.000Z", "periodStart": "2026-01-01T00:00:00.000Z",
    "periodEnd": "2026-01-01T00:00:00.000Z", "summary": "Of a.", "conversationCount": 1,
}  # fmt: skip


def entry(day):
    time = f"2026-01-0{day}T00:00:00.000Z"
    exchange = {"userMessage": f"ask {day}", "assistantResponse": f"say {day}", "toolsUsed": []}
    return {"id": f"c{day}", "timestamp": time, **exchange}


def history(*days, summaries=(), last=None):
    return {
        "recentConversations": [entry(day) for day in days], "summaries": list(summaries), "lastSummarized": last,
    }  # fmt: skip


def content(role, text):
    return {"role": role, "parts": [{"text": text}]}


CONTENTS = [content("user", "a"), content("model", "b"), content("user", "a"), content("model", "c")]
CHAT = [
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "x"}, {"role": "assistant", "content": "b"},
]  # fmt: skip
GROWING = {
    "contents": (CONTENTS[:2], CONTENTS), "chat": (CHAT[:2], CHAT), "persisted": (history(1), history(1, 2)),
    "body": ({"model": "m", "messages": CHAT[:3]}, {"model": "m", "messages": CHAT}),
}  # fmt: skip


def write(folder, value, name="data.json"):
    (folder / name).write_bytes(orjson.dumps(value))
    return str(folder / name)


@pytest.mark.parametrize(("before", "after"), GROWING.values(), ids=GROWING)
@pytest.mark.parametrize("into", [[], ["--into", "data"]], ids=["named", "into"])
def test_again_is_nothing_and_grown_is_only_what_is_new(home, tmp_path, before, after, into):
    path = session_path(home, "data")
    assert run_ok("import", write(tmp_path, before), *into).out == b"data\n"
    first = path.read_bytes()
    assert run_ok("import", write(tmp_path, before), *into).out == b"data\n"
    assert path.read_bytes() == first
    run_ok("import", write(tmp_path, after), *into)
    grown = path.read_bytes()
    assert grown.startswith(first)
    run_ok("import", write(tmp_path, after), "--into", "whole")
    shown = [run_ok("export", name).out for name in ("data", "whole")]
    assert shown[0] == shown[1]
    run_ok("import", write(tmp_path, after), *into)
    assert path.read_bytes() == grown
    assert [file.name for file in sorted((home / "sessions").iterdir())] == ["data.jsonl", "whole.jsonl"]


OTHER = {
    "another": [content("user", "z")], "an earlier message differs": [content("user", "z"), *CONTENTS[1:]],
    "the last differs": [*CONTENTS[:3], content("model", "z")], "another history": history(3),
}  # fmt: skip


@pytest.mark.parametrize("value", OTHER.values(), ids=OTHER)
def test_other_content_of_that_name_is_refused_and_names_the_way_out(home, tmp_path, value):
    run_ok("import", write(tmp_path, CONTENTS))
    before = session_path(home, "data").read_bytes()
    for into in ([], ["--into", "data"]):
        done = run_in_process("import", write(tmp_path, value), *into)
        assert (done.code, b"--into NEW" in done.err) == (65, True)
    assert session_path(home, "data").read_bytes() == before


def test_an_entry_that_says_something_else_is_other_content(home, tmp_path):
    run_ok("import", write(tmp_path, history(1, 2)))
    changed = history(1, 2, 3)
    changed["recentConversations"][1]["assistantResponse"] = "other"
    assert run_in_process("import", write(tmp_path, changed)).code == 65


def test_a_window_that_rolled_on_is_followed(home, tmp_path):
    run_ok("import", write(tmp_path, history(1, 2)))
    rolled = history(2, 3, summaries=[SUMMARY], last=SUMMARY["createdAt"])
    run_ok("import", write(tmp_path, rolled))
    assert orjson.loads(run_ok("export", "data", "--to", "persisted").out) == rolled
    (summary,) = [record for record in lines(session_path(home, "data")) if record["type"] == "summary"]
    assert summary["covers"] == ["c1", "c1-answer"]
    assert b"ask 1" in run_ok("expand", "s1", "-s", "data").out


def test_what_was_done_here_stays(home, tmp_path):
    """Undone, redacted and edited messages do not come back; what was said here is not mixed with the file."""
    secret = "sk-proj-" + "a1B2" * 12
    run_ok("import", write(tmp_path, [content("user", secret), *CONTENTS[:2]]))
    run_ok("undo", "data")
    run_ok("redact", "data", "-i", "--yes")
    before = session_path(home, "data").read_bytes()
    run_ok("import", write(tmp_path, [content("user", secret), *CONTENTS[:2]]))
    assert session_path(home, "data").read_bytes() == before
    grown = [content("user", secret), *CONTENTS[:2], content("user", "more")]
    run_ok("import", write(tmp_path, grown))
    assert secret.encode() not in session_path(home, "data").read_bytes()
    assert [m["parts"][0]["text"] for m in orjson.loads(run_ok("export", "data").out)][1:] == ["a", "more"]
    run_ok("append", "-s", "data", "-m", "from here")
    run_ok("import", write(tmp_path, grown))
    done = run_in_process("import", write(tmp_path, [*grown, content("model", "z")]))
    assert (done.code, b"--into NEW" in done.err) == (65, True)


@pytest.mark.parametrize("key", ["conversationHistory", "data"])
@pytest.mark.parametrize("option", [0, orjson.OPT_INDENT_2])
def test_a_history_among_a_plugin_s_settings_is_found(home, tmp_path, key, option):
    file = tmp_path / "data.json"
    plugin = {"apiKey": "sk-secret", "settings": {"messages": True}, key: history(1, 2)}
    file.write_bytes(orjson.dumps(plugin, option=option))
    run_ok("import", str(file))
    assert orjson.loads(run_ok("export", "data", "--to", "persisted").out) == history(1, 2)
    assert b"sk-secret" not in session_path(home, "data").read_bytes()
    assert b"ask 2" in run_ok("show", str(file)).out


def test_a_json_beside_its_imported_session_is_imported_again(home):
    (home / "sessions").mkdir(parents=True)
    older = home / "sessions" / "old.json"
    older.write_bytes(orjson.dumps(CONTENTS[:2]))
    assert run_ok("show", "old").err == b""
    run_ok("import", str(older))
    older.write_bytes(orjson.dumps(CONTENTS))
    for name in ("old", "ol"):
        assert run_ok("last", name).out == b"b\n"
    run_ok("import", str(older))
    assert run_ok("last", "old").out == b"c\n"
