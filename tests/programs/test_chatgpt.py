"""ChatGPT's exports: the branch that was shown last, each trap of the format by name."""

import subprocess
import sys
from base64 import b64encode

import orjson
import pytest

from in_process import run_in_process, run_ok
from program_copies import imported_export as imported
from program_copies import view
from program_files import played
from program_formats import ChatGpt, listed, saved, zipped
from support import lines, session_path


def talk(id="c1", text="one"):
    """A conversation with one prompt."""
    return played(ChatGpt(id), f"user a {text}")


@pytest.mark.parametrize("name", ["conversations.json", "export/conversations-000.json"])
def test_the_zip_itself(name, tmp_path):
    path = tmp_path / "export.zip"
    path.write_bytes(zipped({"chat.html": b"<html>", "user.json": b"{}", name: listed([talk().value])}))
    assert view(path, tmp_path, "chatgpt-c1") == ["one"]
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert run_in_process("import", str(path), home=tmp_path).code == 65


PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"


@pytest.mark.parametrize(("name", "data", "included"), [
    ("file-f1-barn.png", PNG, True), ("user-x/file_f1-sanitized.dat", PNG, True), ("file-f10-barn.png", PNG, False),
    ("file-f1-barn.png", b"<svg/>", False), ("file-f1-barn.png", PNG + bytes(17 << 20), False),
], ids=["uploaded", "made", "missing", "no image", "too large"])  # fmt: skip
def test_images_come_along_from_the_zip(name, data, included, tmp_path):
    asking = ChatGpt()
    pointer = "sediment://file_f1" if "file_" in name else "file-service://file-f1"
    image = {"content_type": "image_asset_pointer", "asset_pointer": pointer}
    asking.user("a", {"content_type": "multimodal_text", "parts": [image, "one"]})
    asking.called("b", "dalle.text2im", "a barn")
    asking.node("c", "tool", {"content_type": "multimodal_text", "parts": [image]}, name="dalle.text2im")
    path = tmp_path / "export.zip"
    path.write_bytes(zipped({"conversations.json": listed([asking.value]), name: data}))
    done = run_in_process("import", str(path), home=tmp_path)
    assert (b"not imported: 2 image" in done.err) == (not included)
    records = lines(session_path(tmp_path, "chatgpt-c1"))
    prompt, _, answer = (record["parts"] for record in records if record["type"] == "message")
    held = {"inlineData": {"mimeType": "image/png", "data": b64encode(PNG).decode()}}
    assert prompt == [held if included else {"text": f"[image: {pointer}]"}, {"text": "one"}]
    assert answer[0]["functionResponse"].get("parts") == ([held] if included else None)


def test_the_marks_of_sources_become_the_links_that_are_shown(tmp_path):
    mark, hidden = "\ue200cite\ue202turn0search1\ue201", "\ue200i\ue202turn0image2\ue201"
    asking = played(ChatGpt(), "user a one")
    references = [
        {"matched_text": mark, "alt": "([Barns](https://barns.example/))"}, {"matched_text": hidden, "alt": None},
        {"matched_text": " ", "type": "sources_footnote"},
    ]  # fmt: skip
    asking.model("b", f"Red barns. {mark} {hidden}Old ones.", content_references=references)
    path = tmp_path / "conversations.json"
    path.write_bytes(listed([asking.value]))
    assert view(path, tmp_path, "chatgpt-c1") == [
        "one", "Red barns. ([Barns](https://barns.example/)) Old ones.",
    ]  # fmt: skip


def test_shards_in_a_zip_and_as_files(tmp_path):
    shards = {f"conversations-{n:03d}.json": listed([talk(f"c{n}").value]) for n in range(3)}
    (tmp_path / "export.zip").write_bytes(zipped(shards))
    ids = run_in_process("import", str(tmp_path / "export.zip"), home=tmp_path).text.split()
    assert ids == ["chatgpt-c0", "chatgpt-c1", "chatgpt-c2"]
    for name, data in shards.items():
        (tmp_path / name).write_bytes(data)
    paths = [str(tmp_path / name) for name in shards]
    assert run_in_process("import", *paths, home=tmp_path).text.split() == ids


def test_one_conversation_alone(tmp_path):
    path = tmp_path / "one.json"
    path.write_bytes(orjson.dumps(talk().value, option=orjson.OPT_INDENT_2))
    assert run_in_process("import", str(path), home=tmp_path).text == "chatgpt-c1"


def test_one_is_read_where_it_stands_many_are_to_be_imported(tmp_path):
    path = str(saved(tmp_path, [talk().value]))
    assert run_in_process("last", path, home=tmp_path).text == "one"
    run_ok("verify", path, home=tmp_path)
    path = str(saved(tmp_path, [talk().value, talk("c2").value]))
    assert b"more than one session of chatgpt" in run_in_process("last", path, home=tmp_path).err
    assert run_in_process("verify", "--json", path, home=tmp_path).lines[0]["sessions"] == 2


def test_a_newer_export_appends_what_is_new_and_a_regenerated_answer_is_a_rewind(tmp_path):
    talk = played(ChatGpt(), "user a one; model b two")
    imported(tmp_path, talk)
    before = session_path(tmp_path, "chatgpt-c1").read_bytes()
    imported(tmp_path, talk)
    assert session_path(tmp_path, "chatgpt-c1").read_bytes() == before
    imported(tmp_path, played(talk, "user c three; model d again a"))
    assert session_path(tmp_path, "chatgpt-c1").read_bytes().startswith(before)
    shown = run_in_process("curate", "chatgpt-c1", "--only", "kinds", home=tmp_path).lines
    assert [r["parts"][0]["text"] for r in shown if r["type"] == "message"] == ["one", "again"]


def test_a_torn_export_gives_what_came_before(tmp_path):
    path = tmp_path / "conversations.json"
    path.write_bytes(listed([talk().value, talk("c2").value])[:-30])
    done = run_in_process("import", str(path), home=tmp_path)
    assert done.text == "chatgpt-c1"
    assert b"unexpected end of JSON after 1 conversations; the rest is not read" in done.err
    path.write_bytes(path.read_bytes()[:300])
    assert run_in_process("import", str(path), home=tmp_path).code == 65


def test_2026_11_23_a_torn_shard_costs_no_conversation_of_the_others(tmp_path):
    shards = {
        f"conversations-{n:03d}.json": listed([talk(f"c{n}").value, talk(f"c{n + 1}").value])
        for n in (0, 2, 4)
    }
    shards["conversations-002.json"] = shards["conversations-002.json"][:-30]
    path = tmp_path / "export.zip"
    path.write_bytes(zipped(shards))
    done = run_in_process("import", str(path), home=tmp_path)
    assert done.text.split() == [f"chatgpt-c{number}" for number in (0, 1, 2, 4, 5)]
    assert b"unexpected end of JSON after 3 conversations; the rest is not read" in done.err


def test_deep_and_huge_conversations_are_refused_by_name(tmp_path):
    path, whole = tmp_path / "conversations.json", orjson.dumps(talk().value)
    deep = b'{"mapping":' + b"[" * 5000 + b"]" * 5000 + b"}"
    path.write_bytes(b"[" + b",".join([whole, deep, whole]) + b"]")
    done = run_in_process("import", str(path), home=tmp_path)
    assert b"nested deeper than 240" in done.err
    assert done.text == "chatgpt-c1\nchatgpt-c1"
    path.write_bytes(b"[" + whole.replace(b'"one"', b"1" * 6000) + b"]")
    assert run_in_process("import", str(path), home=tmp_path).code == 65


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told otherwise")
def test_an_export_is_read_in_bounded_memory(tmp_path):
    long = ChatGpt()
    for number in range(20):
        long.user(f"m{number}", "word " * 2000)
    data = orjson.dumps(long.value)
    path = tmp_path / "conversations.json"
    path.write_bytes(b"[" + b",".join([data] * 300) + b"]")
    code = """
import sys
from codeh_history.store.program_files import opened, sessions_in
with opened(sys.argv[1]) as file:
    print(sum(1 for _ in sessions_in(file, "chatgpt")))
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    count, kib = map(int, done.stdout.split())
    assert count == 300
    assert kib << 10 < path.stat().st_size
