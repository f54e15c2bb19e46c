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
from program_files import Claude, played, written

HEADER = b'{"type":"session","version":1,"id":"s"}\n'
LINE = b'{"type":"message","id":"a","kind":"user","role":"user","parts":[{"text":"x"}]}\n'


@pytest.fixture
def path(tmp_path):
    (tmp_path / "demo.jsonl").write_bytes(HEADER + LINE)
    return str(tmp_path / "demo.jsonl")


@pytest.fixture
def theirs(tmp_path):
    made = played(Claude(), "user u1 hi")
    return str(written(tmp_path / "claude.jsonl", made.lines))


def test_a_locked_session_is_read_all_the_same(path):
    assert not read.being_written(path)
    with open(path, "rb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        assert read.being_written(path)
        starts = (0, len(HEADER), len(HEADER + LINE))
        assert [read.read_bytes(path, start) for start in starts] == [HEADER + LINE, LINE, b""]
        fcntl.flock(writer, fcntl.LOCK_SH)
        assert not read.being_written(path)


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
    blocks = list(file.blocks(scratch, put(scratch, data), step))
    assert b"".join(blocks) == data
    assert all(blocks)
    assert all(block.endswith(b"\n") for block in blocks[:-1])


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


@given(
    lines=st.lists(st.sampled_from([b"", b" ", b"\r", b"a", b"bcd ", b"e" * 20, b"f" * 50]), max_size=8),
    step=st.integers(1, 64), more=st.sampled_from([b"", b"later\n"]),
)  # fmt: skip
def test_backwards_are_the_same_lines(scratch, lines, step, more):
    data = b"\n".join(lines)
    put(scratch, data + more)
    expected = [line for line in lines if line.strip()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(begun, "_STEP", step)
        assert list(begun.lines_backwards(scratch, len(data))) == expected[::-1]


BEGUN = b'{"type":"session","version":1,"id":"s","created":"T0"}\n'
ONE, TWO = b'{"type":"message","ts":"T1"}\n', b'{"type":"message","ts":"T2"}\n'


@pytest.mark.parametrize(
    ("data", "times"),
    [
        (b"", ("", None, "")),
        (b"torn {", ("", None, "")),
        (b"[1]\n", ("", None, "")),
        (b'{"cwd":"/a"', ("", None, "")),
        (HEADER, ("", None, "")),
        (HEADER + b'{"type":"meta","set":{}}\n', ("", None, "")),
        (BEGUN, ("T0", None, "T0")),
        (BEGUN + ONE + TWO + b'{"type":"clear","ts":"T3"}\n', ("T0", "T2", "T3")),
        (HEADER + ONE + b'{"type":"open","ts":"T2"}\n', ("", "T2", "T2")),
        (HEADER + ONE + b'{"type":"ref","ts":"T2"}\n', ("", "T2", "T2")),
        (HEADER + ONE + b'{"type":"commit","of":"x","parts":[],"ts":"T2"}\n', ("", "T2", "T2")),
        (HEADER + ONE + b'{"type":"update","of":"x","parts":[],"ts":"T2"}\n', ("", "T1", "T2")),
        (HEADER + ONE + b'{"type":"meta","set":{"title":"a \\"message\\""},"ts":"T2"}\n', ("", "T1", "T2")),
        (HEADER + ONE + b'{"type":"summary","createdAt":"T2"}\n{"type":"x"}\nno JSON', ("", "T1", "T2")),
        (
            HEADER + b'{"type":"message","ts":0}\n',
            ("", "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"),
        ),
        (HEADER + b'{"role":"user","parts":[{"text":"x"}]}\n', ("", "", "")),
        (HEADER + ONE + TWO[:-3], ("", "T1", "T1")),
    ],
)
def test_when_a_session_was_begun_and_its_last_message_and_record_written(tmp_path, data, times):
    (tmp_path / "s.jsonl").write_bytes(data)
    assert begun.times(str(tmp_path / "s.jsonl")) == times


def same_times(path, like):
    os.utime(path, ns=(like.st_atime_ns, like.st_mtime_ns))


def old_time(path):
    """Other bytes of the same length, and the time put back to what it was."""
    before = path.stat()
    path.write_bytes(b"zz")
    same_times(path, before)


def other_file(path):
    path.with_suffix(".new").write_bytes(b"ab")
    same_times(path.with_suffix(".new"), path.stat())
    path.with_suffix(".new").rename(path)


@pytest.mark.parametrize(
    "change", [lambda path: path.write_bytes(b"abc"), old_time, other_file, Path.unlink]
)
def test_no_change_goes_unnoticed(tmp_path, change):
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"ab")
    os.utime(path, ns=(1, 1))
    before = read.stamp_of(str(path))
    assert before[1] == 2
    assert read.stamp_of(str(path)) == before
    change(path)
    assert read.stamp_of(str(path)) != before


def test_missing_sessions_have_no_stamp(tmp_path):
    (tmp_path / "a").write_bytes(b"ab")
    paths = [str(tmp_path / "a"), str(tmp_path / "b")]
    stamps = read.stamps_of(paths)
    assert list(stamps) == paths
    assert stamps[paths[0]] == read.stamp_of(paths[0])
    assert stamps[paths[1]] is None
    assert read.stamps_of([]) == {}
    assert list(read.loaded_together(paths)) == paths
    assert list(read.loaded_together([])) == []


def test_only_a_file_has_bytes(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    os.mkfifo(tmp_path / "fifo")
    sizes = [read.size_of(str(tmp_path / name)) for name in ("a", "none", "fifo", ".")]
    assert sizes == [3, 0, 0, 0]


SIZES = st.sampled_from([b'{"type":"clear","id":"a"}', b"x" * 50, b"y" * 300, b"", b"{}"])


@given(st.lists(SIZES, max_size=9), st.booleans(), st.integers(1, 40))
def test_lines_too_long_cost_only_themselves(parts, ended, step):
    """What is parsed without them has the same offsets and the same damage, however the file is read."""
    data = b"\n".join(parts) + b"\n" * ended
    patches = mock.patch.multiple(file, LONGEST=40), mock.patch.multiple(records, LONGEST=40)
    with patches[0], patches[1], TemporaryFile() as opened:
        opened.write(data)
        opened.flush()
        read = b"".join(file.blocks(opened.fileno(), len(data), step, skip=True))
        assert len(read) <= len(data) + 20 * len(parts)
        assert b"x" * 41 not in read
        short, whole = (records.parse(each) for each in (read, data))
    lines, damage = (
        [[(line.offset, line.raw) for line in log.records] for log in (short, whole)],
        [[(bad.line, bad.offset, bad.reason) for bad in log.damage] for log in (short, whole)],
    )
    assert (lines[0], damage[0]) == (lines[1], damage[1])
    assert short.size == whole.size == len(data)
