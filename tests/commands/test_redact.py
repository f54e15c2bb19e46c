"""`redact` removes a secret everywhere, or names what still has it and exits with 1."""

import os
from base64 import b64decode, b64encode
from subprocess import DEVNULL, PIPE

import orjson
import pytest

from codeh_history.filters.redact.redactor import Redactor
from codeh_history.filters.redact.run import rewritten
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse
from folding import swap
from in_process import run_in_process, run_ok
from secret_examples import HALVES, SECRET, delta, opened, redacted, user, written
from strategies import encode
from support import lines, run, start


def shown(path):
    """All texts of the session, deltas joined."""
    view = fold(parse(path.read_bytes()))
    parts = [part for m in view.all.values() for part in (*(m.own or ()), *(m.pending or ()))]
    return "".join(str(part.get("text", part)) for part in parts)


ABORT = {"type": "abort", "of": "m", "ts": None, "reason": "x"}
COMMIT = {"type": "commit", "of": "m", "ts": None}
STREAMS = {
    "pending": [], "aborted": [ABORT], "committed as it came": [COMMIT],
    "committed whole": [{**COMMIT, "parts": [{"text": f"it is {SECRET}."}]}], "undone": [{"type": "revert", "id": "r", "of": "m"}],
}  # fmt: skip


@pytest.mark.parametrize("end", STREAMS.values(), ids=STREAMS)
def test_a_secret_streamed_across_deltas_is_removed(end, tmp_path):
    first, second = delta("m", f"it is {HALVES[0]}"), delta("m", HALVES[1] + ".")
    path = written(tmp_path, opened("m"), first, user("u", "hi"), second, *end)
    assert redacted(tmp_path).code == 0
    pieces = [part["text"] for r in lines(path) if r["type"] == "delta" for part in r["parts"]]
    assert pieces == ["it is [redacted:github-token]", "."]
    assert HALVES[1].encode() not in path.read_bytes()
    again = redacted(tmp_path).err
    assert again == b"codeh-history: s: no secrets found (best effort: check it yourself)\n"


def test_a_secret_of_one_character_per_delta_is_removed(tmp_path):
    path = written(tmp_path, opened("m"), *(delta("m", letter) for letter in f"key {SECRET} end"), COMMIT)
    assert redacted(tmp_path).code == 0
    assert shown(path) == "key [redacted:github-token] end"


def test_a_secret_across_an_undone_update_and_its_deltas_is_removed(tmp_path):
    update = {"type": "update", "id": "U", "of": "m", "ts": None, "parts": [{"text": HALVES[0]}]}
    streams = [opened("m"), delta("m", "x " + HALVES[0]), update, delta("U", HALVES[1])]
    path = written(tmp_path, *streams)
    assert redacted(tmp_path).code == 0
    assert HALVES[1].encode() not in path.read_bytes()
    assert shown(path) == "[redacted:github-token]"
    path = written(tmp_path, *streams, {"type": "revert", "id": "r", "of": "U"})
    assert redacted(tmp_path).code == 0
    assert HALVES[1] not in shown(path)


def test_a_secret_across_an_update_is_removed_though_another_followed(tmp_path):
    first = {"type": "update", "id": "U", "of": "m", "ts": None, "parts": [{"text": HALVES[0]}]}
    second = {"type": "update", "id": "V", "of": "m", "ts": None, "parts": [{"text": "all new"}]}
    path = written(tmp_path, opened("m"), first, delta("m", HALVES[1]), second, delta("m", ", and more"))
    assert redacted(tmp_path).code == 0
    assert HALVES[1].encode() not in path.read_bytes()
    assert shown(path) == "all new, and more"


def test_a_secret_across_thoughts_and_adjacent_texts_is_removed(tmp_path):
    path = written(
        tmp_path, user("a", f"it is {HALVES[0]}", HALVES[1]), opened("m"),
        delta("m", HALVES[0], thought=True), delta("m", "hello "), delta("m", HALVES[0]), delta("m", HALVES[1]),
        {"type": "compaction", "id": "K", "ts": None, "policy": "x", "ops": [{"op": "insert", "after": "a", "message": user("i", *HALVES)}]},
    )  # fmt: skip
    assert redacted(tmp_path).code == 0
    assert HALVES[1].encode() not in path.read_bytes()
    assert b"hello" in path.read_bytes()


def test_the_stub_of_a_streamed_part_with_a_secret_is_kept(tmp_path):
    """The hashes of parts that a compaction replaced or inserted change."""
    insert = {"op": "insert", "after": "m", "message": user("i", f"a {SECRET}")}
    ops = [swap("m", 0, f"it is {SECRET}.", "stub"), insert]
    more = [swap("i", 0, f"a {SECRET}", "two")]
    path = written(
        tmp_path, opened("m"), delta("m", f"it is {HALVES[0]}"), delta("m", HALVES[1] + "."), COMMIT,
        {"type": "compaction", "id": "K", "ts": None, "policy": "x", "ops": ops},
        {"type": "compaction", "id": "L", "ts": None, "policy": "x", "ops": more},
    )  # fmt: skip
    assert redacted(tmp_path).code == 0
    view = fold(parse(path.read_bytes()))
    assert [m.parts for m in view.messages] == [[{"text": "stub"}], [{"text": "two"}]]


PLACES = {
    "title": {"type": "meta", "ts": None, "set": {"title": SECRET, "system": SECRET, "tools": [{"description": SECRET}]}},
    "tag": {"type": "meta", "ts": None, "set": {"tags": [SECRET]}},
    "summary": {"type": "summary", "id": "S", "summary": SECRET, "covers": ["a"]},
    "thought": user("a", parts=[{"text": SECRET, "thought": True, "thoughtSignature": "Eo8B" * 9}]),
    "references": user("a", "x", references=[{"number": 1, "id": SECRET, "title": SECRET, "url": "https://x/?q=" + SECRET, "text": SECRET}]),
    "usage": user("a", "x", usage={"raw": {"note": SECRET}}),
    "error": {"type": "message", "id": "e", "kind": "error", "parts": [{"text": f"401: {SECRET} is wrong"}]},
    "why": {"type": "compaction", "id": "K", "ts": None, "policy": "x", "ops": [{"op": "drop", "ids": ["a"], "why": SECRET}]},
    "with": {"type": "compaction", "id": "K", "ts": None, "policy": "x",
             "ops": [{"op": "replace", "id": "a", "part": 0, "block": "0" * 64, "with": {"text": SECRET}, "why": "x"}]},
    "summarize": {"type": "compaction", "id": "K", "ts": None, "policy": "x", "ops": [{"op": "summarize", "ids": ["a"], "summary": SECRET}]},
    "update": {"type": "update", "id": "U", "of": "a", "ts": None, "parts": [{"text": SECRET}]},
    "args": user("a", parts=[{"functionCall": {"id": "c", "name": "f", "args": {"cmd": f"echo {SECRET}", SECRET: 1}}}]),
    "response": user("a", parts=[{"functionResponse": {"id": "c", "name": "f", "response": {"output": orjson.dumps({"out": f"a\n{SECRET}"}).decode()}}}]),
    "beside a mimeType": user("a", parts=[{"functionResponse": {"name": "f", "response": {"mimeType": "text/x", "id": SECRET, "type": SECRET, "data": SECRET}}}]),
    "below a mimeType": user("a", parts=[{"functionResponse": {"name": "f", "response": {"mimeType": "text/x", "deep": {"id": SECRET, "data": SECRET}}}}]),
    "native": user("a", parts=[{"native": {"provider": "p", "value": {"type": "x", "text": SECRET}}}]),
    "unknown": {"type": "note", "of": "x", "body": {"deep": [SECRET]}},
    "percent": user("a", "https://x.example/?q=%22" + SECRET + "%22"),
    "base64": user("a", b64encode(f"please use {SECRET} for it".encode()).decode()),
    "text file": user("a", parts=[{"inlineData": {"mimeType": "text/plain", "data": b64encode(f"the key:\n{SECRET}\n".encode()).decode()}}]),
    "signature": user("a", parts=[{"text": "x", "thoughtSignature": SECRET}]),
}  # fmt: skip


@pytest.mark.parametrize("record", PLACES.values(), ids=PLACES)
def test_a_secret_is_removed_from_every_place(record, tmp_path):
    path = written(tmp_path, user("z", "hello"), record)
    assert redacted(tmp_path).code == 0
    left = path.read_bytes()
    assert SECRET.encode() not in left
    assert b64encode(SECRET.encode() * 3)[4:40] not in left
    for part in (part for r in lines(path) for part in r.get("parts", ())):
        assert SECRET.encode() not in b64decode(part.get("inlineData", {}).get("data", ""))
    assert b"[redacted:" in left or b64encode(b"the key:\n[redacted:")[:20] in left
    run_ok("show", "s", "--jsonl", home=tmp_path)


def test_the_command_that_removes_a_secret_confirms_itself_only_without_a_terminal(tmp_path):
    path = written(tmp_path, user("u", SECRET))
    master, slave = os.openpty()
    try:
        typed = start("redact", "s", home=tmp_path, stdin=slave, stdout=DEVNULL, stderr=PIPE)
        assert b"s is unchanged: `redact s -i` removes it (" in typed.communicate()[1]
    finally:
        os.close(master)
        os.close(slave)
    done = run("redact", "s", home=tmp_path)
    assert b"s is unchanged: `redact s -i --yes` removes it (" in done.err
    assert SECRET.encode() in path.read_bytes()


def test_it_reports_what_happened_to_each_match(tmp_path):
    path = written(tmp_path, user("u", f"{SECRET} and {SECRET}"))
    kinds = "(2 github-token; best effort: check the result)"
    err = run_in_process("redact", "s", home=tmp_path).err.decode()
    assert err == f"codeh-history: s: 2 found; s is unchanged: `redact s -i --yes` removes them {kinds}\n"
    elsewhere = run_in_process("redact", str(path), home=tmp_path / "other").err.decode()
    assert elsewhere == f"codeh-history: s: 2 found and replaced in the output {kinds}\n"
    assert redacted(tmp_path).err.decode() == f"codeh-history: s: 2 removed {kinds}\n"


@pytest.mark.parametrize("key", ["id", "type", "of"])
def test_a_secret_in_a_referenced_id_is_reported(key, tmp_path):
    written(tmp_path, {"type": "note", "id": "n", "of": "x", key: SECRET})
    result = redacted(tmp_path)
    assert result.code == 1
    assert f"1 github-token left in `{key}`, which other records refer to".encode() in result.err
    assert SECRET.encode() not in result.err
    assert run_in_process("redact", "s", home=tmp_path).code == 1


def test_a_learned_secret_is_found_without_context(tmp_path):
    """A password beside its name in one message and alone in the next."""
    first, second = user("a", "DB_PASSWORD=a1B2c3D4e5F6g7"), user("b", "it was a1B2c3D4e5F6g7, I think")
    path = written(tmp_path, first, second)
    assert redacted(tmp_path).code == 0
    assert b"a1B2c3D4e5F6g7" not in path.read_bytes()
    assert b"a1B2" not in run_in_process("redact", "s", home=tmp_path).out


def test_it_cannot_be_undone_and_says_so(tmp_path):
    written(tmp_path, user("a", SECRET))
    assert b"cannot be undone" in run_in_process("redact", "s", "-i", home=tmp_path).err
    help = run("redact", "--help", home=tmp_path).out.decode()
    assert "reversibl" not in help
    assert "cannot be undone" in " ".join(help.split())


# -- other places ---------------------------------------------------------------------------------------


def test_rewritten_lines_are_the_same_a_second_time():
    data = encode([opened("m"), delta("m", HALVES[0]), delta("m", HALVES[1]), user("a", SECRET)])
    once = rewritten(lines_of(data), lines_of(data), Redactor())
    again = rewritten(once, once, Redactor())
    assert again == once


# -- append ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 100_000])
def test_append_redacts_what_is_attached(size, tmp_path):
    file = tmp_path / "k.txt"
    file.write_text(f"password: {SECRET}\n" + "hello world\n" * (size // 12))
    home = tmp_path / "home"
    run_ok("append", "-s", "s", "-m", "see", "--attach", str(file), "--redact")
    stored = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert SECRET.encode() not in stored
    assert b64encode(b"password: " + SECRET.encode())[:50] not in stored
    run_ok("show", "s", "--json")
    body = orjson.loads(run_in_process("payload", "-s", "s", "--to", "gemini").out)
    data = body["contents"][-1]["parts"][-1]["inlineData"]["data"]
    assert b64decode(data).startswith(b"password: [redacted:")


def test_append_says_that_it_cannot_scan_other_files(tmp_path):
    file = tmp_path / "x.pdf"
    file.write_bytes(b"%PDF-1.4\n" + bytes(range(256)) * 4)
    result = run_ok(
        "append", "-s", "s", "-m", "see", "--attach", str(file), "--redact", home=tmp_path / "home"
    )
    assert b"x.pdf" in result.err
    assert b"unchanged" in result.err
