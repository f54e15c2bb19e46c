"""Reading a session, from its beginning or end, up to the size it had; whether it has changed."""

import fcntl
import os
from pathlib import Path
from tempfile import TemporaryFile
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.errors import BadData, InputOutput, NotFound
from codeh_history.session import records
from codeh_history.store import begun, file, read
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
    assert read.read_bytes(path, start=len(HEADER)) == LINE
    assert read.read_bytes(path, start=len(HEADER + LINE)) == b""


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


MOST = 20  # bytes of a line, here; what is read at once is no more


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    fd = os.open(tmp_path_factory.mktemp("file") / "f", os.O_RDWR | os.O_CREAT)
    yield fd
    os.close(fd)


def put(fd, data):
    os.ftruncate(fd, 0)
    os.pwrite(fd, data, 0)
    return len(data)


contents = st.lists(
    st.sampled_from([b"", b"a", b"bcd", b"e" * 19, b"f" * 20, b"g" * 21, b"h" * 60]), max_size=8
)


@given(lines=contents, ended=st.booleans(), step=st.integers(1, 64))
def test_blocks_are_all_of_the_file_and_end_with_a_line(scratch, lines, ended, step):
    data = b"\n".join(lines) + (b"\n" if ended and lines else b"")
    found = list(file.blocks(scratch, put(scratch, data), step))
    assert b"".join(found) == data
    assert all(found)
    assert all(block.endswith(b"\n") for block in found[:-1])


def test_what_is_appended_or_cut_off_meanwhile_is_no_error(scratch):
    size = put(scratch, b"a\nb\n")
    os.pwrite(scratch, b"c\n", size)
    assert file.pread_all(scratch, size) == b"a\nb\n"
    assert file.pread_all(scratch, 100) == b"a\nb\nc\n"
    assert file.pread_all(scratch, 2, 2) == b"b\n"
    assert file.pread_all(scratch, 0) == b""
    assert list(file.blocks(scratch, 100, 2)) == [b"a\n", b"b\n", b"c\n"]


def test_a_stream_begins_at_the_beginning_and_leaves_the_file_open(scratch):
    put(scratch, b"a\nb\n")
    for _ in range(2):
        with file.stream(scratch) as opened:
            assert opened.read() == b"a\nb\n"
    assert os.fstat(scratch).st_size == 4


def test_only_a_regular_file_is_opened_and_nothing_hangs(tmp_path):
    (tmp_path / "f").write_bytes(b"four")
    fd, size = file.open_regular(str(tmp_path / "f"))
    os.close(fd)
    assert size == 4
    os.mkfifo(tmp_path / "fifo")
    before = len(os.listdir("/dev/fd"))
    for name in ("fifo", "."):
        with pytest.raises(BadData, match=r"not a regular file; a session is one$"):
            file.open_regular(str(tmp_path / name), "; a session is one")
    assert len(os.listdir("/dev/fd")) == before
    with pytest.raises(FileNotFoundError):
        file.open_regular(str(tmp_path / "none"))
    with pytest.raises(InputOutput, match=r"f/below: Not a directory$"):
        file.open_regular(str(tmp_path / "f" / "below"))


@pytest.mark.parametrize(
    ("held", "shared", "locked"),
    [
        (None, True, False), (None, False, False), (fcntl.LOCK_SH, True, False), (fcntl.LOCK_SH, False, True),
        (fcntl.LOCK_EX, True, True), (fcntl.LOCK_EX, False, True),
    ],
)  # fmt: skip
def test_a_lock_is_told_by_what_can_stand_beside_it(tmp_path, held, *, shared, locked):
    path = tmp_path / "f"
    with path.open("wb") as owner:
        if held is not None:
            fcntl.flock(owner, held)
        assert file.is_locked(str(path), shared=shared) == locked
    assert not file.is_locked(str(path), shared=shared)  # and nothing of ours is left on it


def test_nobody_holds_a_lock_of_what_is_not_there_or_may_not_be_opened_so(tmp_path):
    assert not file.is_locked(str(tmp_path / "none"), shared=False)
    (tmp_path / "link").symlink_to("f")
    with (tmp_path / "f").open("wb") as owner:
        fcntl.flock(owner, fcntl.LOCK_EX)
        assert file.is_locked(str(tmp_path / "link"), shared=True)
        assert not file.is_locked(str(tmp_path / "link"), shared=True, flags=os.O_NOFOLLOW)


HEADER_LINE = b'{"type":"session","version":1,"id":"s","cwd":"/here"}\n'


@pytest.fixture(scope="module")
def unlocked(tmp_path_factory):
    fd = os.open(tmp_path_factory.mktemp("tail") / "f", os.O_RDWR | os.O_CREAT)
    yield fd
    os.close(fd)


@given(
    lines=st.lists(st.sampled_from([b"", b" ", b"\r", b"a", b"bcd ", b"e" * 20, b"f" * 50]), max_size=8),
    step=st.integers(1, 64), more=st.sampled_from([b"", b"later\n"]),
)  # fmt: skip
def test_backwards_are_the_same_lines(unlocked, lines, step, more):
    data = b"\n".join(lines)
    os.ftruncate(unlocked, 0)
    os.pwrite(unlocked, data + more, 0)
    expected = [line for line in lines if line.strip()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(begun, "_STEP", step)
        assert list(begun.lines_backwards(unlocked, len(data))) == expected[::-1]


@pytest.mark.parametrize(
    ("lines", "newest"),
    [
        (b"", None),
        (b'{"type":"meta","set":{}}\n', None),
        (b'{"type":"message","id":"a","ts":"2026-01-01T00:00:00Z","role":"user","parts":[]}\n', "2026-01-01T00:00:00Z"),
        (b'{"type":"message","ts":"T1"}\n{"type":"message","ts":"T2"}\n{"type":"clear","ts":"T3"}\n', "T2"),
        (b'{"type":"message","ts":"T1"}\n{"type":"open","ts":"T2"}\n', "T2"),
        (b'{"type":"message","ts":"T1"}\n{"type":"ref","ts":"T2"}\n', "T2"),
        (b'{"type":"message","ts":"T1"}\n{"type":"commit","of":"x","parts":[],"ts":"T2"}\n', "T2"),
        (b'{"type":"message","ts":"T1"}\n{"type":"update","of":"x","parts":[],"ts":"T2"}\n', "T1"),
        (b'{"type":"message","ts":"T1"}\n{"type":"meta","set":{"title":"a \\"message\\""},"ts":"T2"}\n', "T1"),
        (b'{"type":"message","ts":0}\n', "1970-01-01T00:00:00.000Z"),
        (b'{"role":"user","parts":[{"text":"x"}]}\n', ""),
        (b'{"type":"message","ts":"T1"}\n{"type":"message","ts":"T2', "T1"),
    ],
)  # fmt: skip
def test_the_newest_message_is_told_by_the_last_line_that_brings_one(tmp_path, lines, newest):
    (tmp_path / "s.jsonl").write_bytes(HEADER_LINE + lines)
    assert begun.times(str(tmp_path / "s.jsonl"))[:2] == ("", newest)


@pytest.mark.parametrize(
    ("message", "used"), [(b"", "2026-01-02"), (b"2026-01-01", "2026-01-02"), (b"2026-01-03", "2026-01-03")]
)
def test_a_session_is_used_by_beginning_it_too(tmp_path, message, used):
    header = b'{"type":"session","version":1,"id":"s","created":"2026-01-02"}\n'
    line = b'{"type":"message","ts":"%b"}\n' % message if message else b""
    (tmp_path / "s.jsonl").write_bytes(header + line)
    created, newest, _ = begun.times(str(tmp_path / "s.jsonl"))
    assert max(created, newest or "") == used


@pytest.mark.parametrize("first", [b"", b"torn {", b"[1]\n", b'{"cwd":"/a"'])
def test_a_first_line_that_is_no_header_has_no_time(tmp_path, first):
    (tmp_path / "s.jsonl").write_bytes(first)
    assert begun.times(str(tmp_path / "s.jsonl")) == ("", None, "")


@pytest.mark.parametrize(
    ("lines", "written"),
    [
        (b"", "T0"),
        (b'{"type":"message","ts":"T1"}\n{"type":"clear","ts":"T3"}\n', "T3"),
        (b'{"type":"message","ts":"T1"}\n{"type":"summary","createdAt":"T2"}\n{"type":"x"}\nno JSON', "T2"),
    ],
)  # fmt: skip
def test_the_newest_record_is_the_last_with_a_time(tmp_path, lines, written):
    header = b'{"type":"session","version":1,"id":"s","created":"T0"}\n'
    (tmp_path / "s.jsonl").write_bytes(header + lines)
    assert begun.times(str(tmp_path / "s.jsonl"))[2] == written


def longer(path):
    path.write_bytes(b"abc")


def same_length(path):
    path.write_bytes(b"zz")
    os.utime(path, ns=(5, 5))


def old_time(path):
    """Other bytes of the same length, and the time put back to what it was."""
    before = path.stat()
    path.write_bytes(b"zz")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def other_file(path):
    before = path.stat()
    path.with_suffix(".new").write_bytes(b"ab")
    os.utime(path.with_suffix(".new"), ns=(before.st_atime_ns, before.st_mtime_ns))
    path.with_suffix(".new").rename(path)


@pytest.mark.parametrize("change", [longer, same_length, old_time, other_file, Path.unlink])
def test_no_change_goes_unnoticed(tmp_path, change):
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"ab")
    os.utime(path, ns=(1, 1))
    before = read.stamp_of(str(path))
    assert before is not None
    assert before[1] == 2
    assert read.stamp_of(str(path)) == before
    change(path)
    assert read.stamp_of(str(path)) != before


def test_sessions_that_are_not_there_have_none(tmp_path):
    (tmp_path / "a").write_bytes(b"ab")
    paths = [str(tmp_path / "a"), str(tmp_path / "b")]
    found = read.stamps_of(paths)
    assert list(found) == paths
    assert found[paths[0]] == read.stamp_of(paths[0])
    assert found[paths[1]] is None
    assert read.stamps_of([]) == {}
    assert list(read.loaded_together(paths)) == paths
    assert list(read.loaded_together([])) == []


def test_only_a_file_has_bytes(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    os.mkfifo(tmp_path / "fifo")
    sizes = [read.size_of(str(tmp_path / name)) for name in ("a", "none", "fifo", ".")]
    assert sizes == [3, 0, 0, 0]


@given(
    st.lists(
        st.sampled_from([b'{"type":"clear","id":"a"}', b"x" * 50, b"y" * 300, b"", b"{}"]), max_size=9
    ),
    st.booleans(),
    st.integers(1, 40),
)
def test_lines_too_long_cost_only_themselves(parts, ended, step):
    """What is parsed without them has the same offsets and the same damage, however the file is read."""
    data = b"\n".join(parts) + b"\n" * ended
    with (
        mock.patch.multiple(file, LONGEST=40),
        mock.patch.multiple(records, LONGEST=40),
        TemporaryFile() as opened,
    ):
        opened.write(data)
        opened.flush()
        read = b"".join(file.blocks(opened.fileno(), len(data), step, skip=True))
        assert len(read) <= len(data) + 20 * len(parts)
        assert b"x" * 41 not in read
        short, whole = (records.parse(records.lines_of(each)) for each in (read, data))
    assert [(line.offset, line.raw) for line in short.records] == [
        (line.offset, line.raw) for line in whole.records
    ]
    assert [(bad.line, bad.offset, bad.reason) for bad in short.damage] == [
        (bad.line, bad.offset, bad.reason) for bad in whole.damage
    ]
    assert short.size == whole.size == len(data)
