"""The end of a session without reading all of it: the same lines as from the beginning."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.store import tail

HEADER = b'{"type":"session","version":1,"id":"s","cwd":"/here"}\n'


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    fd = os.open(tmp_path_factory.mktemp("tail") / "f", os.O_RDWR | os.O_CREAT)
    yield fd
    os.close(fd)


@given(
    lines=st.lists(st.sampled_from([b"", b" ", b"\r", b"a", b"bcd ", b"e" * 20, b"f" * 50]), max_size=8),
    step=st.integers(1, 64), more=st.sampled_from([b"", b"later\n"]),
)  # fmt: skip
def test_backwards_are_the_same_lines_each_at_its_place(scratch, lines, step, more):
    data = b"\n".join(lines)
    os.ftruncate(scratch, 0)
    os.pwrite(scratch, data + more, 0)
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    expected = [(at, line) for at, line in zip(starts, lines, strict=True) if line.strip()]
    assert list(tail.lines_backwards(scratch, len(data), step)) == expected[::-1]


@given(step=st.integers(1, 64), long=st.sampled_from([0, 20, 21, 22, 50]), last=st.booleans())
def test_of_a_line_too_long_only_its_beginning_comes(scratch, step, long, last):
    lines = [b"a", b"x" + b"y" * long, *([] if last else [b"z"])]
    os.ftruncate(scratch, 0)
    os.pwrite(scratch, b"\n".join(lines), 0)
    found = [line for _, line in tail.lines_backwards(scratch, os.fstat(scratch).st_size, step, 21)][::-1]
    cut = [line if len(line) <= 21 else found[1] for line in lines]
    assert found == cut
    assert len(found[1]) <= 21
    assert not any(line.startswith(b"{") for line in found)


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
    (tmp_path / "s.jsonl").write_bytes(HEADER + lines)
    assert tail.times(str(tmp_path / "s.jsonl")) == ("", newest)


@pytest.mark.parametrize(
    ("message", "used"), [(b"", "2026-01-02"), (b"2026-01-01", "2026-01-02"), (b"2026-01-03", "2026-01-03")]
)
def test_a_session_is_used_by_beginning_it_too(tmp_path, message, used):
    header = b'{"type":"session","version":1,"id":"s","created":"2026-01-02"}\n'
    line = b'{"type":"message","ts":"%b"}\n' % message if message else b""
    (tmp_path / "s.jsonl").write_bytes(header + line)
    created, newest = tail.times(str(tmp_path / "s.jsonl"))
    assert max(created, newest or "") == used


@pytest.mark.parametrize("first", [b"", b"torn {", b"[1]\n", b'{"cwd":"/a"'])
def test_a_first_line_that_is_none_says_nothing(scratch, first):
    os.ftruncate(scratch, 0)
    os.pwrite(scratch, first, 0)
    assert tail.first_line(scratch) == {}
