"""Reading a session: up to the size it had when opened, whatever program it is of, and no lock taken."""

import fcntl
import os

import pytest

from codeh_history.base.errors import BadData, NotFound
from codeh_history.store import read
from program_files import Claude, written

HEADER = b'{"type":"session","version":1,"id":"s"}\n'
LINE = b'{"type":"message","id":"a","kind":"user","role":"user","parts":[{"text":"x"}]}\n'


@pytest.fixture
def path(tmp_path):
    (tmp_path / "demo.jsonl").write_bytes(HEADER + LINE)
    return str(tmp_path / "demo.jsonl")


@pytest.fixture
def theirs(tmp_path):
    made = Claude()
    made.user("u1", "hi")
    return str(written(tmp_path / "claude.jsonl", made.lines))


def test_a_locked_session_is_read_all_the_same(path):
    assert not read.being_written(path)
    with open(path, "rb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        assert read.being_written(path)
        assert read.read_bytes(path) == HEADER + LINE
        fcntl.flock(writer, fcntl.LOCK_SH)
        assert not read.being_written(path)


def test_whole_it_may_be_read_from_a_byte_on(path):
    assert read.read_bytes(path, whole=True, start=len(HEADER)) == LINE
    assert read.read_bytes(path, whole=True, start=len(HEADER + LINE)) == b""


def test_another_programs_file_is_read_as_the_session_that_it_is(theirs):
    data = read.read_bytes(theirs)
    assert data.startswith(b'{"type":"session","version":1,')
    with read.opened(theirs) as (fd, size):
        assert os.pread(fd, size + 1, 0) == data
    assert [r.data["parts"] for r in read.read_log(data).records[1:]] == [[{"text": "hi"}]]
    assert [read.is_ours(name) for name in (theirs, theirs + "x")] == [False, False]


def test_ours_is_open_as_it_stands_and_let_go_of_again(path, theirs):
    before = len(os.listdir("/dev/fd"))
    assert read.is_ours(path)
    with read.opened(path) as (fd, size):
        assert os.pread(fd, size, 0) == HEADER + LINE
        assert os.fstat(fd).st_ino == os.stat(path).st_ino
    with read.opened(theirs):
        pass
    read.read_bytes(theirs)
    assert len(os.listdir("/dev/fd")) == before


def test_what_is_not_there_is_named_with_what_was_meant(path):
    with pytest.raises(NotFound, match=r"dmeo.jsonl: no such session \(did you mean demo\?\)$"):
        read.read_bytes(path.replace("demo", "dmeo"))
    with (
        pytest.raises(BadData, match="not a regular file; a session is one"),
        read.opened(os.path.dirname(path)),
    ):
        pass
