"""What takes over a second shows on a terminal that it goes on, and leaves nothing of that behind."""

import os
import re
import subprocess

import orjson
import pytest

import terminal
from support import environ, program, run

ERASED = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]|\r")
MIB = 1 << 20


def session(home, size, name="demo"):
    """A session of so many bytes, in messages of a mebibyte at most."""
    path = home / "sessions" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    said = [{"role": "user", "parts": [{"text": "word " * (min(size, MIB) // 5)}]}]
    lines = [{"type": "session", "version": 1, "id": name, "created": "2026-01-01T00:00:00Z"}]
    path.write_bytes(b"".join(orjson.dumps(one) + b"\n" for one in [*lines, *said * max(1, size // MIB)]))


def on_a_terminal(*argv, home, out=None):
    """All that a command writes to a terminal; stdout may be a file."""
    master, slave = terminal.opened()
    with out.open("wb") if out else os.fdopen(os.dup(slave), "wb") as stdout:
        process = subprocess.Popen(
            [*program(), *argv], stdin=subprocess.DEVNULL, stdout=stdout, stderr=slave,
            env=environ({"TERM": "xterm"}, home),
        )  # fmt: skip
    os.close(slave)
    shown = b"".join(terminal.chunks(master))
    process.wait()
    return shown


@pytest.mark.parametrize(
    ("words", "what", "size", "says"),
    [
        ("verify demo", b"verifying", 17, b"ok: 18 records"),
        ("redact demo -i --yes", b"redacting", 9, b"demo: no secrets found"),
        ("compact demo -i --budget 9M", b"compacting", 5, b"nothing to change"),
        ("gc", b"collecting", 33, b"nothing to remove"),
        ("status demo", b"reading", 17, b"tokens"),
        ("search absent|sky demo -l", b"searching", 17, b""),
        ("stats demo --cache", b"replaying", 1, b"cache requests"),
    ],
)  # fmt: skip
def test_it_moves_and_is_gone_at_the_end(words, what, size, says, home):
    session(home, size * MIB)
    shown = on_a_terminal(*words.split(), home=home)
    first, last = shown.index(what), shown.rindex(what)
    assert ERASED.sub(b"", shown[:first]).strip() == b""  # nothing comes before it
    assert b"\x1b[2K" in shown[last:]
    assert says in shown[last:]
    assert shown.rindex(b"\x1b[?25h") > shown.rindex(b"\x1b[?25l")  # the cursor is back


def test_many_sessions_are_listed_with_a_bar_once(home):
    for number in range(1000):
        session(home, 20_000, f"s{number:04}")
        os.utime(home / "sessions" / f"s{number:04}.jsonl", (1, 1))
    assert b"reading sessions" in on_a_terminal("list", "--jsonl", home=home, out=home / "out")
    assert len((home / "out").read_bytes().splitlines()) == 1000


def test_what_is_small_and_what_is_no_terminal_shows_none(home):
    session(home, 10)
    assert on_a_terminal("verify", "demo", home=home).startswith(b"ok: 2 records, 1 message")
    session(home, 17 * MIB)
    assert run("verify", "demo", home=home).err == b""
