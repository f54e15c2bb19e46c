"""`append --attach`: a file is a part of its message, byte for byte, and a large one is a block of its own."""

import base64
import hashlib
import os
import threading

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput, Usage
from codeh_history.talk.append.parts import LARGE, attach

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def env(home):
    return Env({"CODEH_HOME": str(home)})


def stored(home, file):
    """The part of a file, wherever it is."""
    if file.block is None:
        return file.part
    data = (home / "blocks" / file.block[:2] / file.block).read_bytes()
    assert hashlib.sha256(data).hexdigest() == file.block
    return orjson.loads(data)


def content(size):
    return PNG + bytes(number * 7 % 256 for number in range(size - len(PNG)))


@pytest.mark.parametrize("size", [9, 10, 11, 3000, LARGE, LARGE + 1])
def test_each_byte_comes_back(env, home, tmp_path, size):
    (tmp_path / "i.png").write_bytes(content(size))
    (file,) = attach(env, [str(tmp_path / "i.png")], 2)
    assert file.about == {"name": "i.png", "mimeType": "image/png", "bytes": size, "part": 2}
    assert (file.block is not None) == (size > LARGE)
    blob = stored(home, file)["inlineData"]
    assert blob["mimeType"] == "image/png"
    assert base64.b64decode(blob["data"], validate=True) == content(size)


def test_with_a_large_one_among_them_all_are_blocks_in_their_order(env, home, tmp_path):
    sizes = [20, LARGE + 1, 30]
    for number, size in enumerate(sizes):
        (tmp_path / f"{number}.png").write_bytes(content(size))
    files = attach(env, [str(tmp_path / f"{number}.png") for number in range(3)], 1)
    assert [file.about["part"] for file in files] == [1, 2, 3]
    assert [file.about["bytes"] for file in files] == sizes
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
def test_what_a_text_is_is_told_by_all_of_it(env, tmp_path, data, mime):
    (tmp_path / "a.md").write_bytes(data)
    (file,) = attach(env, [str(tmp_path / "a.md")], 0)
    assert file.about["mimeType"] == mime


def test_a_pipe_is_read_to_its_end(env, tmp_path):
    os.mkfifo(tmp_path / "p.txt")
    writer = threading.Thread(target=lambda: (tmp_path / "p.txt").write_bytes(b"piped " * 5000))
    writer.start()
    (file,) = attach(env, [str(tmp_path / "p.txt")], 0)
    writer.join()
    assert base64.b64decode(file.part["inlineData"]["data"]) == b"piped " * 5000


def test_what_cannot_be_attached_is_named(env, home, tmp_path):
    (tmp_path / "empty").touch()
    for name, error, why in (
        ("none", Usage, "no such file"), ("empty", BadData, "the file is empty"), (".", InputOutput, "Is a directory"),
    ):  # fmt: skip
        with pytest.raises(error, match=rf"{why}$"):
            attach(env, [str(tmp_path / name)], 0)
    assert not (home / "blocks").exists()


def test_a_name_that_is_no_text_is_stored_as_one(env, tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"\xff.txt")
    with open(path, "wb") as file:
        file.write(b"x")
    (attached,) = attach(env, [os.fsdecode(path)], 0)
    assert attached.about["name"] == "?.txt"


def test_what_is_cleaned_is_stored_cleaned(env, home, tmp_path):
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
    assert [file.about["bytes"] for file in files] == [5, 4]
    assert [base64.b64decode(file.part["inlineData"]["data"]) for file in files] == [b"clean", b"text"]
    assert not (home / "blocks").exists()
