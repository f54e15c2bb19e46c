"""A file to import: its first bytes tell what it is, and none of them is lost, from a pipe either."""

import os
import threading
from contextlib import contextmanager

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import Usage
from codeh_history.commands.import_ import HEAD, opened
from codeh_history.sync.sealing import FIRST, is_bundle

SIZES = [0, 1, HEAD - 1, HEAD, HEAD + 1, 200_000]


def content(size):
    return bytes(number % 251 for number in range(size))


@contextmanager
def stdin(tmp_path, data, *, piped):
    """A program that has these bytes on stdin: a pipe, in small pieces, or a file."""
    if not piped:
        (tmp_path / "f").write_bytes(data)
        with (tmp_path / "f").open("rb") as file:
            yield Env({}, stdin=file.fileno())
        return
    reading, writing = os.pipe()

    def fill():
        with open(writing, "wb", buffering=0) as file:
            file.writelines(
                data[at : at + (100 if len(data) < 2000 else 50_000)]
                for at in range(0, len(data), 100 if len(data) < 2000 else 50_000)
            )

    writer = threading.Thread(target=fill)
    writer.start()
    yield Env({}, stdin=reading)
    writer.join()
    os.close(reading)


@pytest.mark.parametrize("piped", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_it_can_be_read_again_and_again(tmp_path, size, *, piped):
    with stdin(tmp_path, content(size), piped=piped) as env, opened(env, "-") as found:
        assert found.read(HEAD) == content(size)[:HEAD]
        found.seek(0)
        for _ in range(2):
            assert os.pread(found.fileno(), size + 1, 0) == content(size)
        assert found.read() == content(size)


def test_a_file_that_others_have_read_from_is_taken_from_there(tmp_path):
    (tmp_path / "f").write_bytes(b"read already" + content(2000))
    with (tmp_path / "f").open("rb") as file:
        os.lseek(file.fileno(), 12, os.SEEK_SET)
        with opened(Env({}, stdin=file.fileno()), "-") as found:
            assert os.pread(found.fileno(), 3000, 0) == content(2000)
            assert found.read() == content(2000)


def test_a_file_is_let_go_of_and_what_is_wrong_is_said_with_its_name(tmp_path):
    (tmp_path / "f").write_bytes(b"x")
    before = len(os.listdir("/dev/fd"))
    with opened(Env({}), str(tmp_path / "f")) as found:
        assert found.read() == b"x"
    assert len(os.listdir("/dev/fd")) == before
    with pytest.raises(Usage, match=r"none: no such file$"), opened(Env({}), str(tmp_path / "none")):
        pass


def test_a_bundle_is_told_by_its_first_member():
    head = FIRST.encode().ljust(257, b"\0") + b"ustar".ljust(255, b"\0")
    assert is_bundle(head)
    assert not is_bundle(head[:256])
    assert not is_bundle(b"other.json".ljust(257, b"\0") + head[257:])
    assert not is_bundle(head.replace(b"ustar", b"other"))
    assert not is_bundle(head.replace(b".json\0", b".jsonl"))
