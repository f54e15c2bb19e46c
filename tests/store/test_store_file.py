"""The bytes of a session's file: up to the size that it had, in blocks of whole lines, too long ones left out."""

import fcntl
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.errors import BadData, InputOutput
from codeh_history.store import file

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


@given(lines=contents, ended=st.booleans(), step=st.integers(1, MOST))
def test_blocks_are_all_of_the_file_but_of_a_line_too_long_its_length(scratch, lines, ended, step):
    data = b"\n".join(lines) + (b"\n" if ended and lines else b"")
    size = put(scratch, data)
    found = list(file.blocks(scratch, size, step, longest=MOST))
    rest = data
    expected = [line if len(line) <= MOST else len(line) for line in rest.split(b"\n")]
    got = []
    for number, block in enumerate(found):
        if isinstance(block, int):
            got.append(block)
        else:
            assert block
            assert block.endswith(b"\n") or number == len(found) - 1
            got += block.removesuffix(b"\n").split(b"\n")
    if rest.endswith(b"\n"):
        expected.pop()
    if rest:
        assert got == expected
    else:
        assert got == []


@given(lines=contents, step=st.integers(1, MOST))
def test_a_line_too_long_leaves_a_blank_one_and_is_told_by_its_place_in_the_file(scratch, lines, step):
    data = b"".join(line + b"\n" for line in lines)
    found = file.records_in(scratch, put(scratch, data), MOST, step)
    assert found == b"".join((line if len(line) <= MOST else b"") + b"\n" for line in lines)
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    gaps = {start: len(line) for start, line in zip(starts, lines, strict=True) if len(line) > MOST}
    assert getattr(found, "gaps", {}) == gaps


def test_what_is_appended_or_cut_off_meanwhile_is_no_error(scratch):
    size = put(scratch, b"a\nb\n")
    os.pwrite(scratch, b"c\n", size)
    assert file.records_in(scratch, size, MOST) == file.pread_all(scratch, size) == b"a\nb\n"
    assert file.pread_all(scratch, 100) == b"a\nb\nc\n"
    assert file.pread_all(scratch, 2, 2) == b"b\n"
    assert file.pread_all(scratch, 0) == b""
    assert list(file.blocks(scratch, 100, 2, longest=MOST)) == [b"a\n", b"b\n", b"c\n"]


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
