"""ChatGPT's exports: the branch that was shown last, each trap of the format by name."""

import subprocess
import sys
from base64 import b64encode

import orjson
import pytest

from in_process import run_in_process, run_ok
from program_copies import imported_export as imported
from program_files import played
from program_formats import ChatGpt, listed, saved, zipped
from support import lines, session_path


def records(home, id):
    return lines(session_path(home, f"chatgpt-{id}"))


def texts(home, id="c1"):
    """Each message of a session in short."""
    found = []
    for record in records(home, id):
        for part in record.get("parts", ()):
            call, response = part.get("functionCall"), part.get("functionResponse")
            if call:
                found.append(f"{call['name']}({orjson.dumps(call['args']).decode()})")
            elif response:
                found.append(f"{response['name']}={response['response']['output']}")
            else:
                found.append(f"({part['text']})" if part.get("thought") else part["text"])
    return found


def test_the_current_node_tells_the_branch_not_children_nor_time(tmp_path):
    talk = played(ChatGpt(), "user a one; said b first_answer; said c second_answer a; user d more b")
    talk.about["update_time"] = 0
    talk.tree["d"]["message"]["create_time"] = 1.0
    done = imported(tmp_path, talk)
    assert texts(tmp_path) == ["one", "first answer", "more"]
    assert b"not imported: 1 message of an abandoned branch" in done.err


def test_abandoned_branches_as_sessions_of_their_own(tmp_path):
    script = "user a one; said b first_answer; said c second_answer a; user d more; said e third_answer a"
    talk = played(ChatGpt(), script)
    path = saved(tmp_path, [talk.value])
    done = run_in_process("import", str(path), "--branches", home=tmp_path)
    assert done.text.split() == ["chatgpt-c1", "chatgpt-c1-c", "chatgpt-c1-b"]
    assert b"abandoned" not in done.err
    assert texts(tmp_path, "c1-c") == ["one", "second answer", "more"]
    assert records(tmp_path, "c1-b")[0]["parent"] == {"session": "chatgpt-c1", "at": "a"}


def test_nodes_without_children(tmp_path):
    talk = played(ChatGpt(), "user a one; said b two")
    for node in talk.tree.values():
        del node["children"]
    imported(tmp_path, talk)
    assert texts(tmp_path) == ["one", "two"]


def test_a_lost_current_node_is_named_and_the_last_leaf_is_read(tmp_path):
    talk = played(ChatGpt(), "user a one; said b two")
    talk.about["current_node"] = "gone"
    value = {**talk.value, "current_node": "gone"}
    done = run_in_process("import", str(saved(tmp_path, [value])), home=tmp_path)
    assert b"its current node, gone, is missing (read up to b)" in done.err
    assert texts(tmp_path) == ["one", "two"]


def test_a_lost_parent_is_named_and_mended_by_the_children_above_it(tmp_path):
    talk = ChatGpt()
    for id in "abcd":
        talk.user(id, id)
    del talk.tree["b"]
    done = imported(tmp_path, talk)
    assert b"the parent of c, b, is not in the export (treated as following a)" in done.err
    assert texts(tmp_path) == ["a", "c", "d"]


def test_hidden_and_system_nodes_are_counted(tmp_path):
    talk = ChatGpt()
    talk.node("s", "system", "be good")
    talk.node("h", "user", "hidden", is_visually_hidden_from_conversation=True)
    talk.node("e", "user", {"content_type": "user_editable_context", "user_profile": "x"})
    talk.user("a", "one")
    talk.node("u", "assistant", {"content_type": "hologram", "x": 1})
    done = imported(tmp_path, talk)
    assert texts(tmp_path) == ["one"]
    for kind in (b"system message", b"hidden message", b"user_editable_context", b"content (hologram)"):
        assert b"not imported: 1 " + kind in done.err


def test_thoughts_are_of_the_answer_that_follows(tmp_path):
    talk = ChatGpt()
    talk.user("a", "one")
    thoughts = [{"summary": "Title", "content": "hm"}, {"summary": "Only a title", "content": ""}]
    talk.said("t", {"content_type": "thoughts", "thoughts": thoughts})
    talk.said("r", {"content_type": "reasoning_recap", "content": "Thought for 1s"})
    talk.said("b", "two")
    imported(tmp_path, talk)
    assert texts(tmp_path) == ["one", "(**Title**\n\nhm)", "(Only a title)", "two"]
    said = records(tmp_path, "c1")[-1]
    assert (said["id"], said["model"], len(said["parts"])) == ("t", "gpt-5", 3)


def test_a_message_to_a_tool_is_a_call_and_what_the_tool_says_its_one_result(tmp_path):
    talk = played(ChatGpt(), "user a one; called b python print(1); result c python 1; result d python 2")
    talk.called("e", "web.run", '{"q":"x"}')
    talk.node(
        "f", "tool", {"content_type": "tether_quote", "title": "T", "url": "U", "text": "Q"}, name="web"
    )
    talk.said("g", "two")
    imported(tmp_path, talk)
    expected = [
        "one",
        'python({"input":"print(1)"})',
        "python=1\n\n2",
        'web.run({"q":"x"})',
        "web.run=T\nU\nQ",
    ]
    assert texts(tmp_path) == [*expected, "two"]
    run_ok("payload", "chatgpt-c1", "--to", "openai-chat", "--model", "m", "--prefill", home=tmp_path)


def test_images_and_sounds_are_named_by_their_pointers(tmp_path):
    talk = ChatGpt()
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://f1"}
    sound = {
        "content_type": "real_time_user_audio_video_asset_pointer",
        "audio_asset_pointer": {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://f2"},
    }
    said = {"content_type": "audio_transcription", "text": "spoken", "direction": "in"}
    talk.user("a", {"content_type": "multimodal_text", "parts": [image, sound, said, "one", None, {}]})
    imported(tmp_path, talk)
    assert texts(tmp_path) == ["[image: file-service://f1]", "[audio: sediment://f2]", "spoken", "one"]


def test_titles_models_and_times_come_along(tmp_path):
    talk = played(ChatGpt(), "user a one; said b two")
    imported(tmp_path, talk)
    header, meta, one, two = records(tmp_path, "c1")
    assert header["created"] == "2026-01-01T00:00:00.500Z"
    assert meta["set"] == {"title": "A title"}
    assert (one["ts"], two["model"]) == ("2026-01-01T00:00:01.000Z", "gpt-5")


@pytest.mark.parametrize("name", ["conversations.json", "export/conversations-000.json"])
def test_the_zip_itself(name, tmp_path):
    talk = ChatGpt()
    talk.user("a", "one")
    path = tmp_path / "export.zip"
    path.write_bytes(zipped({"chat.html": b"<html>", "user.json": b"{}", name: listed([talk.value])}))
    assert run_in_process("import", str(path), home=tmp_path).text == "chatgpt-c1"
    assert texts(tmp_path) == ["one"]
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert run_in_process("import", str(path), home=tmp_path).code == 65


PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"


@pytest.mark.parametrize(("name", "data", "found"), [
    ("file-f1-barn.png", PNG, True), ("user-x/file_f1-sanitized.dat", PNG, True), ("file-f10-barn.png", PNG, False),
    ("file-f1-barn.png", b"<svg/>", False), ("file-f1-barn.png", PNG + bytes(17 << 20), False),
], ids=["uploaded", "made", "missing", "no image", "too large"])  # fmt: skip
def test_images_come_along_from_the_zip(name, data, found, tmp_path):
    talk = ChatGpt()
    pointer = "sediment://file_f1" if "file_" in name else "file-service://file-f1"
    image = {"content_type": "image_asset_pointer", "asset_pointer": pointer}
    talk.user("a", {"content_type": "multimodal_text", "parts": [image, "one"]})
    talk.called("b", "dalle.text2im", "a barn")
    talk.node("c", "tool", {"content_type": "multimodal_text", "parts": [image]}, name="dalle.text2im")
    path = tmp_path / "export.zip"
    path.write_bytes(zipped({"conversations.json": listed([talk.value]), name: data}))
    done = run_in_process("import", str(path), home=tmp_path)
    assert (b"not imported: 2 image" in done.err) == (not found)
    asked, _, answer = (
        record["parts"] for record in records(tmp_path, "c1") if record["type"] == "message"
    )
    held = {"inlineData": {"mimeType": "image/png", "data": b64encode(PNG).decode()}}
    assert asked == [held if found else {"text": f"[image: {pointer}]"}, {"text": "one"}]
    assert answer[0]["functionResponse"].get("parts") == ([held] if found else None)


def test_shards_in_a_zip_and_as_files(tmp_path):
    shards = {}
    for number in range(3):
        talk = ChatGpt(f"c{number}")
        talk.user("a", f"text {number}")
        shards[f"conversations-{number:03d}.json"] = listed([talk.value])
    (tmp_path / "export.zip").write_bytes(zipped(shards))
    ids = run_in_process("import", str(tmp_path / "export.zip"), home=tmp_path).text.split()
    assert ids == ["chatgpt-c0", "chatgpt-c1", "chatgpt-c2"]
    for name, data in shards.items():
        (tmp_path / name).write_bytes(data)
    paths = [str(tmp_path / name) for name in shards]
    assert run_in_process("import", *paths, home=tmp_path).text.split() == ids


def test_one_conversation_alone(tmp_path):
    talk = ChatGpt()
    talk.user("a", "one")
    path = tmp_path / "one.json"
    path.write_bytes(orjson.dumps(talk.value, option=orjson.OPT_INDENT_2))
    assert run_in_process("import", str(path), home=tmp_path).text == "chatgpt-c1"


def test_one_is_read_where_it_stands_many_are_to_be_imported(tmp_path):
    one, two = ChatGpt("c1"), ChatGpt("c2")
    one.user("a", "one")
    two.user("b", "two")
    path = str(saved(tmp_path, [one.value]))
    assert run_in_process("last", path, home=tmp_path).text == "one"
    run_ok("verify", path, home=tmp_path)
    path = str(saved(tmp_path, [one.value, two.value]))
    assert b"more than one session of chatgpt" in run_in_process("last", path, home=tmp_path).err
    assert run_in_process("verify", "--json", path, home=tmp_path).lines[0]["sessions"] == 2


def test_a_newer_export_appends_what_is_new_and_a_regenerated_answer_is_a_rewind(tmp_path):
    talk = played(ChatGpt(), "user a one; said b two")
    imported(tmp_path, talk)
    before = session_path(tmp_path, "chatgpt-c1").read_bytes()
    imported(tmp_path, talk)
    assert session_path(tmp_path, "chatgpt-c1").read_bytes() == before
    talk.user("c", "three")
    talk.said("d", "again", "a")
    imported(tmp_path, talk)
    assert session_path(tmp_path, "chatgpt-c1").read_bytes().startswith(before)
    shown = run_in_process("curate", "chatgpt-c1", "--only", "kinds", home=tmp_path).lines
    assert [r["parts"][0]["text"] for r in shown if r["type"] == "message"] == ["one", "again"]


def test_a_torn_export_gives_what_came_before(tmp_path):
    one, two = ChatGpt("c1"), ChatGpt("c2")
    one.user("a", "one")
    two.user("b", "two")
    path = tmp_path / "conversations.json"
    path.write_bytes(listed([one.value, two.value])[:-30])
    done = run_in_process("import", str(path), home=tmp_path)
    assert done.text == "chatgpt-c1"
    assert b"unexpected end of JSON after 1 conversations; the rest is not read" in done.err
    path.write_bytes(path.read_bytes()[:300])
    assert run_in_process("import", str(path), home=tmp_path).code == 65


def test_2026_11_23_a_torn_shard_costs_no_conversation_of_the_others(tmp_path):
    shards = {}
    for number in (0, 2, 4):
        one, two = ChatGpt(f"c{number}"), ChatGpt(f"c{number + 1}")
        one.user("a", f"text {number}")
        two.user("b", f"text {number + 1}")
        shards[f"conversations-{number:03d}.json"] = listed([one.value, two.value])
    shards["conversations-002.json"] = shards["conversations-002.json"][:-30]
    path = tmp_path / "export.zip"
    path.write_bytes(zipped(shards))
    done = run_in_process("import", str(path), home=tmp_path)
    assert done.text.split() == [f"chatgpt-c{number}" for number in (0, 1, 2, 4, 5)]
    assert b"unexpected end of JSON after 3 conversations; the rest is not read" in done.err


def test_deep_and_huge_conversations_are_refused_by_name(tmp_path):
    talk = ChatGpt()
    talk.user("a", "one")
    path = tmp_path / "conversations.json"
    deep = b'{"mapping":' + b"[" * 5000 + b"]" * 5000 + b"}"
    path.write_bytes(b"[" + orjson.dumps(talk.value) + b"," + deep + b"," + orjson.dumps(talk.value) + b"]")
    done = run_in_process("import", str(path), home=tmp_path)
    assert b"nested deeper than 240" in done.err
    assert done.text == "chatgpt-c1\nchatgpt-c1"
    path.write_bytes(orjson.dumps([talk.value])[:-1].replace(b'"one"', b"1" * 6000) + b"]")
    assert run_in_process("import", str(path), home=tmp_path).code == 65


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told otherwise")
def test_an_export_is_read_in_bounded_memory(tmp_path):
    talk = ChatGpt()
    for number in range(20):
        talk.user(f"m{number}", "word " * 2000)
    one = orjson.dumps(talk.value)
    path = tmp_path / "conversations.json"
    path.write_bytes(b"[" + b",".join([one] * 300) + b"]")
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
