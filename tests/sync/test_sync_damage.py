"""A copy in which bytes became zeros, as after a crash, is mended from the other: no fork is made of damage."""

import random

import pytest

from codeh_history.sync.damage import mended
from codeh_history.sync.log import Log, read
from inside import inside
from support import session_path

COUNT = 6
LINES = [
    b'{"type":"session","version":1,"id":"s","created":"2026-01-02T03:04:05.000Z"}\n',
    *(b'{"type":"message","id":"m%d","kind":"user","role":"user","parts":[{"text":"number %d"}]}\n' % (n, n)
      for n in range(COUNT)),
]  # fmt: skip
WHOLE = b"".join(LINES)


def zeroed(data, start, count):
    end = min(len(data), start + count)
    return data[:start] + bytes(end - start) + data[end:]


PLACES = {
    "inside a line": (len(WHOLE) // 2, 4), "the header": (0, 30), "over several lines": (150, 200), "the last line": (len(WHOLE) - 40, 39),
    "the last line and its newline": (len(WHOLE) - 40, 40), "a line and its newline": (len(LINES[0]), len(LINES[1])),
    "everything": (0, len(WHOLE)),
}  # fmt: skip


@pytest.mark.parametrize("damaged", ["folder", "home"])
@pytest.mark.parametrize("grown", ["neither", "folder", "home", "both"])
@pytest.mark.parametrize("place", PLACES)
def test_damage_makes_no_fork(tmp_path, place, grown, damaged):
    home, folder = tmp_path / "home", tmp_path / "folder"
    paths = {"home": session_path(home, "s"), "folder": folder / "s.jsonl"}
    for path in paths.values():
        path.parent.mkdir(parents=True)
        path.write_bytes(WHOLE)
    path = paths[damaged]
    path.write_bytes(zeroed(WHOLE, *PLACES[place]))
    if place == "everything" and (damaged == "home" or grown in ("both", damaged)):
        pytest.skip("a file of zeros is no session")
    wanted = WHOLE
    for name in paths if grown == "both" else [grown] if grown != "neither" else []:
        line = b'{"type":"message","id":"%b","kind":"user","role":"user","parts":[{"text":"new"}]}\n'
        torn = b"" if paths[name].read_bytes().endswith(b"\n") else b"\n"  # as `append` begins a line
        with paths[name].open("ab") as file:
            file.write(torn + line % name.encode())
        wanted += line % name.encode()
    for _ in range(2):
        done = inside("sync", f"dir:{folder}", home=home)
        assert done.code == 0, done.err
    assert done.err == b""
    if grown == "both":  # a fork of what was said, not of what was damaged
        copies = sorted(p.read_bytes() for p in home.glob("sessions/*.jsonl"))
        assert len(copies) == 2
        assert not any(b"\0" in copy for copy in copies)
        return
    assert (
        [p.name for p in folder.glob("*.jsonl")] == ["s.jsonl"] == [p.name for p in home.glob("sessions/*")]
    )
    assert {path.read_bytes() for path in paths.values()} == {wanted}


def test_damage_in_both_copies_is_mended_from_each_other():
    one, other = mended(read(zeroed(WHOLE, 100, 5)), read(zeroed(WHOLE, 400, 5)))
    assert one.data == other.data == WHOLE


def test_what_was_never_there_is_left_as_it_is():
    odd = b"\0\0\0 what is this \0\0\0\n"
    log = Log(read(b"".join(LINES[:3]) + odd + b"".join(LINES[3:])).lines)
    assert [each.data for each in mended(log, read(WHOLE))] == [log.data, WHOLE]
    other = WHOLE.replace(b"number 3", b"another")
    assert mended(read(zeroed(WHOLE, WHOLE.index(b"number 3"), 4)), read(other))[1].data == other


def test_zeros_anywhere():
    """As long as no line is damaged in both copies."""
    chance = random.Random(7)
    for _ in range(300):
        half = chance.randrange(1, len(LINES))
        cut = len(b"".join(LINES[:half]))
        first, second = chance.randrange(cut - 1), cut + chance.randrange(len(WHOLE) - cut)
        one = zeroed(WHOLE, first, min(chance.randrange(1, 200), cut - 1 - first))
        other = zeroed(WHOLE, second, min(chance.randrange(1, 200), len(WHOLE) - 1 - second))
        pair = mended(read(one), read(other))
        assert [each.data for each in pair] == [WHOLE, WHOLE], (one, other)
