"""What `append` stores besides text: exchanges, calls, results, files; and that secrets are removed first."""

import base64
import hashlib
import os
import threading
import tracemalloc

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, Usage
from codeh_history.session.records import MAX_DEPTH
from codeh_history.talk.append import parts
from codeh_history.talk.append.jsonl import parse_exchange as checked
from codeh_history.talk.append.options import Options
from codeh_history.talk.append.parts import LARGE, Cleaning, attach, calls, response_of
from in_process import run_in_process
from support import session_path

ENTRY = {"userMessage": "q", "assistantResponse": "r"}


@pytest.mark.parametrize("more", [{}, {"source": "direct"}, {"toolsUsed": ["ls"]}, {"timestamp": "2026-01-01T00:00:00Z"},
                                  {"id": "c1"}, {"assistantResponse": ""}, {"later": [1]}, {"id": None}])  # fmt: skip
def test_entry_is_stored_unchanged(more):
    assert checked(orjson.dumps({**ENTRY, **more}), "f") == {**ENTRY, **more}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"{", "f: not JSON"), (b"[]", "f: expected a history entry (an object)"),
        (b"{}", "f: `userMessage` is missing, `assistantResponse` is missing; nothing was stored"),
        (orjson.dumps({**ENTRY, "userMessage": 7}), "f: `userMessage` must be text"),
        (orjson.dumps({**ENTRY, "userMessage": " \n"}), "f: `userMessage` is empty; nothing was stored"),
        (orjson.dumps({**ENTRY, "timestamp": "soon"}), "f: `timestamp` is not a time"),
        (orjson.dumps({**ENTRY, "toolsUsed": "ls"}), "f: `toolsUsed` must be a list of names"),
        (orjson.dumps({**ENTRY, "toolsUsed": [1]}), "f: `toolsUsed` must be a list of names"),
        (orjson.dumps({**ENTRY, "timestamp": 7}), "f: `timestamp` "), (b'"text"', "f: expected a history entry (an object)"),
        (orjson.dumps({**ENTRY, "id": ""}), "f: `id` must be text"), (orjson.dumps({**ENTRY, "id": 7}), "f: `id` must be text"),
    ],
)  # fmt: skip
def test_invalid_entry_is_reported_by_field(data, why):
    with pytest.raises(BadData) as error:
        checked(data, "f")
    assert str(error.value).startswith(why)


DEEP = '{"a":' * (MAX_DEPTH - 5) + "1" + "}" * (MAX_DEPTH - 5)


@pytest.mark.parametrize(
    ("names", "args", "ids"),
    [
        ([], [], []), (["a"], [], []), (["a"], ["{}"], ["i"]), (["a", "b"], ["{}", "{}"], []), (["a", "b"], [], ["i", "j"]),
        ([], [], ["i"]), (["a", "b"], [], ["", ""]),
    ],
)  # fmt: skip
def test_calls_need_all_arguments_and_ids_or_none(names, args, ids):
    values = {"call": names, "args": args, "call_id": ids, "result": "a" if ids and not names else None}
    Options(**{name: value for name, value in values.items() if value}).check()


def test_calls_keep_order_arguments_and_ids():
    assert calls(["a", "b"], ['{"x":1}', "{}"], ["i", ""]) == [
        {"functionCall": {"id": "i", "name": "a", "args": {"x": 1}}}, {"functionCall": {"name": "b", "args": {}}},
    ]  # fmt: skip
    assert calls(["a"], [], []) == [{"functionCall": {"name": "a", "args": {}}}]
    assert calls([], [], []) == []


@pytest.mark.parametrize(
    ("text", "response"),
    [
        ('{"a": 1}', {"a": 1}), (' \n{"a":1}\n', {"a": 1}), ("{}", {}), ("done", {"output": "done"}), ("", {"output": ""}),
        ("[1]", {"output": "[1]"}), ("7", {"output": "7"}), ("{a}", {"output": "{a}"}), ('{"a":1}{', {"output": '{"a":1}{'}),
        (DEEP, "as it is"), (f'{{"a":{DEEP}}}', {"output": f'{{"a":{DEEP}}}'}),
    ],
    ids=["object", "with blanks", "empty", "text", "nothing", "list", "number", "no JSON", "more behind", "deep", "too deep"],
)  # fmt: skip
def test_json_object_is_the_response_and_other_text_its_output(text, response):
    result = response_of(text)
    assert result == response or (response == "as it is" and "output" not in result)


SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" + "K1l2M3n4O5p6Q7r8"[:16]


def part(data, mime="text/plain"):
    return {"inlineData": {"mimeType": mime, "data": base64.b64encode(data).decode()}}


def test_secrets_are_counted_by_kind_and_never_shown(tmp_path):
    with (tmp_path / "err").open("wb") as err:
        cleaning = Cleaning(Env({}, stderr=err.fileno()))
        cleaning.report()
        plain = [{"text": "nothing here"}]
        assert cleaning.value(plain, "parts") is plain
        clean = cleaning.value([{"text": f"my token is {SECRET} and again {SECRET}"}], "parts")
        assert SECRET not in str(clean)
        assert "[redacted:" in str(clean)
        cleaning.report()
    note = (tmp_path / "err").read_text()
    assert note.count("\n") == 1
    assert "secret" in note
    assert SECRET not in note


def test_text_files_are_redacted_and_others_noted(tmp_path):
    with (tmp_path / "err").open("wb") as err:
        cleaning = Cleaning(Env({}, stderr=err.fileno()))
        clean = cleaning.file("a.txt", part(f"token={SECRET}\n".encode()))
        assert SECRET.encode() not in base64.b64decode(clean["inlineData"]["data"])
        assert (tmp_path / "err").read_text() == ""
        image = part(b"\x89PNG\xff\0", "image/png")
        assert cleaning.file("i.png", image) == image
    assert (tmp_path / "err").read_text() == (
        "codeh-history: i.png (image/png): stored unchanged: --redact reads only text\n"
    )


# -- files: each byte of one, in its message or, if it is large, in a block of its own --------------------

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def env(home):
    return Env({"CODEH_HOME": str(home)})


def stored(home, file):
    """The part of a file, wherever it is."""
    if not file.block:
        return file.part
    data = (home / "blocks" / file.block[:2] / file.block).read_bytes()
    assert hashlib.sha256(data).hexdigest() == file.block
    return orjson.loads(data)


def content(size):
    return PNG + bytes(number * 7 % 256 for number in range(size - len(PNG)))


@pytest.mark.parametrize("size", [9, 10, 11, 3000, LARGE, LARGE + 1])
def test_attachment_round_trips(env, home, tmp_path, size):
    (tmp_path / "i.png").write_bytes(content(size))
    (file,) = attach(env, [str(tmp_path / "i.png")], 2)
    assert file.entry == {"name": "i.png", "mimeType": "image/png", "bytes": size, "part": 2}
    assert bool(file.block) == (size > LARGE)
    blob = stored(home, file)["inlineData"]
    assert blob["mimeType"] == "image/png"
    assert base64.b64decode(blob["data"], validate=True) == content(size)


@pytest.mark.parametrize(("depth", "code"), [(150, 0), (205, 65), (300, 65)])
def test_2026_11_27_arguments_beside_a_large_file_nest_as_deep_as_others(home, tmp_path, depth, code):
    (tmp_path / "i.png").write_bytes(content(LARGE + 1))
    args = '{"a":' + "[" * depth + "]" * depth + "}"
    argv = ("append", "-s", "s", "--call", "f", "--args", args)
    assert run_in_process(*argv).code == code
    assert run_in_process(*argv, "--attach", str(tmp_path / "i.png")).code == code
    if code == 0:
        ref = orjson.loads(session_path(home, "s").read_bytes().splitlines()[-1])
        assert (ref["type"], ref["idless"]) == ("ref", [0])  # known without reading the block


def test_2026_11_27_a_file_is_in_memory_only_while_it_is_encoded(env, tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "LARGE", size := 4 << 20)  # without orjson, which reserves more than it uses
    (tmp_path / "f").write_bytes(b"\xff" * size)
    tracemalloc.start()
    try:
        attach(env, [os.fspath(tmp_path / "f")], 0)
        assert tracemalloc.get_traced_memory()[1] < 3.2 * size
    finally:
        tracemalloc.stop()


def test_one_large_attachment_moves_all_parts_to_blocks(env, home, tmp_path):
    sizes = [20, LARGE + 1, 30]
    for number, size in enumerate(sizes):
        (tmp_path / f"{number}.png").write_bytes(content(size))
    files = attach(env, [str(tmp_path / f"{number}.png") for number in range(3)], 1)
    assert [file.entry["part"] for file in files] == [1, 2, 3]
    assert [file.entry["bytes"] for file in files] == sizes
    assert all(file.block for file in files)
    for file, size in zip(files, sizes, strict=True):
        assert base64.b64decode(stored(home, file)["inlineData"]["data"]) == content(size)
    small = attach(env, [str(tmp_path / "0.png"), str(tmp_path / "2.png")], 0)
    assert not any(file.block for file in small)


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (b"text", "text/markdown"), (b"caf\xc3\xa9 " * 20_000, "text/markdown"), (b"a" * (LARGE - 1) + "ü".encode(), "text/markdown"),
        (b"a" * (LARGE - 2) + "日".encode() * 3, "text/markdown"), (b"a" * (LARGE + 5) + b"\xff", "application/octet-stream"),
        (b"a" * (LARGE + 5) + b"\0", "application/octet-stream"), (b"a" * (LARGE + 5) + b"\xc3", "application/octet-stream"),
        (b"a" * (LARGE - 1) + b"\xffa", "application/octet-stream"), ("é".encode() * LARGE, "text/markdown"),
    ],
    ids=["short", "long", "cut at the end", "cut inside", "no text later", "NUL later", "half a character", "no text", "all cut"],
)  # fmt: skip
def test_text_is_detected_by_its_whole_content(env, tmp_path, data, mime):
    (tmp_path / "a.md").write_bytes(data)
    (file,) = attach(env, [str(tmp_path / "a.md")], 0)
    assert file.entry["mimeType"] == mime


def test_a_pipe_is_read_to_its_end(env, tmp_path):
    os.mkfifo(tmp_path / "p.txt")
    writer = threading.Thread(target=lambda: (tmp_path / "p.txt").write_bytes(b"piped " * 5000))
    writer.start()
    (file,) = attach(env, [str(tmp_path / "p.txt")], 0)
    writer.join()
    assert base64.b64decode(file.part["inlineData"]["data"]) == b"piped " * 5000


def test_unattachable_files_are_named(env, home, tmp_path):
    (tmp_path / "empty").touch()
    for name, error, why in (
        ("none", Usage, "no such file"), ("empty", BadData, "the file is empty"), (".", OSError, "Is a directory"),
    ):  # fmt: skip
        with pytest.raises(error, match=why):
            attach(env, [str(tmp_path / name)], 0)
    assert not (home / "blocks").exists()


def test_non_utf8_file_name_is_stored_as_text(env, tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"\xff.txt")
    with open(path, "wb") as file:
        file.write(b"x")
    (attached,) = attach(env, [os.fsdecode(path)], 0)
    assert attached.entry["name"] == "?.txt"


def test_redacted_content_is_stored(env, home, tmp_path):
    """Before it comes to a block, which would keep the secret."""
    seen = []

    class Clean:
        def file(self, name, part):
            seen.append(name)
            new = base64.b64encode(b"clean").decode()
            return {"inlineData": {**part["inlineData"], "data": new}} if name == "s.txt" else part

    (tmp_path / "s.txt").write_bytes(b"secret " * LARGE)
    (tmp_path / "t.txt").write_bytes(b"text")
    files = attach(env, [str(tmp_path / "s.txt"), str(tmp_path / "t.txt")], 0, Clean())
    assert seen == ["s.txt", "t.txt"]
    assert [file.entry["bytes"] for file in files] == [5, 4]
    assert [base64.b64decode(file.part["inlineData"]["data"]) for file in files] == [b"clean", b"text"]
    assert not (home / "blocks").exists()
