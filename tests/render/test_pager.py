"""A terminal: its width, the pager, and progress that leaves nothing behind."""

import os
import re
import subprocess

import pytest
from rich.text import Text

import support
import terminal
from codeh_history.render.table import printed
from in_process import write_session
from strategies import encode
from support import environ, program, run

LINES = 60
STYLES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture
def long(home):
    support.run("append", "-s", "demo", "-m", "\n".join(f"line {n}" for n in range(LINES)))
    return home


def seen(*argv, keys=b"", unattended=False, **env):
    """What a command shows on a terminal of 24 lines while these keys are typed."""
    merged = environ({"NO_COLOR": "1", "TERM": "xterm-256color", **env})
    for name in ("COLUMNS", "LINES", "LESS"):
        merged.pop(name, None)
    stdin = subprocess.DEVNULL if unattended else None
    shown = terminal.shown([*program(), *argv], merged, stdin=stdin, keys=keys)
    return STYLES.sub("", shown.decode()).replace("\r\n", "\n")


def test_long_output_opens_the_pager(long):
    shown = seen("show", "demo", keys=b"q")
    assert "line 3\n" in shown
    assert f"line {LINES - 1}" not in shown


def test_the_pager_is_the_users(long):
    assert f"wc says {LINES + 2}\n" in seen("show", "demo", PAGER='echo "wc says $(wc -l)"')


@pytest.mark.parametrize(
    "env", [{"PAGER": ""}, {"PAGER": "cat"}, {"PAGER": "no-such-pager"}, {"TERM": "dumb"}]
)
def test_without_a_pager_everything_is_printed(env, long):
    assert f"line {LINES - 1}\n" in seen("show", "demo", **env)


@pytest.mark.parametrize(("argv", "unattended"), [(["--no-pager"], False), ([], True), (["-n", "1"], True)])
def test_an_unattended_terminal_gets_no_pager(argv, unattended, long):
    shown = seen("show", "demo", *argv, unattended=unattended, PAGER="echo paged; false")
    assert "paged" not in shown
    assert f"line {LINES - 1}\n" in shown


def test_short_output_needs_no_pager(home):
    support.run("append", "-s", "demo", "-m", "short")
    assert "paged" not in seen("show", "demo", PAGER="echo paged")


ERASED = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]|\r")
MIB = 1 << 20


def session(home, size, name="demo"):
    """A session of `size` bytes, in messages of at most a mebibyte."""
    turn = [{"role": "user", "parts": [{"text": "word " * (min(size, MIB) // 5)}]}]
    lines = [{"type": "session", "version": 1, "id": name, "created": "2026-01-01T00:00:00Z"}]
    write_session(home, encode([*lines, *turn * max(1, size // MIB)]), name)


def on_a_terminal(*argv, stdout=None):
    """All that a command writes to a terminal; stdout may be a file."""
    return terminal.shown([*program(), *argv], environ({"TERM": "xterm"}), stdout=stdout)


@pytest.mark.parametrize(
    ("words", "what", "size", "says"),
    [
        ("verify demo", b"verifying", 17, b"ok: 18 records"),
        ("redact demo -i --yes", b"redacting", 17, b"demo: no secrets found"),
        ("compact demo -i --budget 9M", b"compacting", 5, b"nothing to change"),
        ("gc", b"collecting", 17, b"nothing to remove"),
        ("status demo", b"reading", 17, b"tokens"),
        ("search absent|sky demo -l", b"searching", 17, b""),
        ("stats demo --cache", b"replaying", 1, b"cache requests"),
    ],
)  # fmt: skip
def test_the_bar_advances_and_disappears(words, what, size, says, home):
    session(home, size * MIB)
    shown = on_a_terminal(*words.split())
    first, last = shown.index(what), shown.rindex(what)
    assert ERASED.sub(b"", shown[:first]).strip() == b""  # nothing comes before it
    assert b"\x1b[2K" in shown[last:]
    assert says in shown[last:]
    assert shown.rindex(b"\x1b[?25h") > shown.rindex(b"\x1b[?25l")  # the cursor is back


def test_many_sessions_are_listed_with_a_bar_once(home):
    for number in range(1000):
        session(home, 20_000, f"s{number:04}")
        os.utime(home / "sessions" / f"s{number:04}.jsonl", (1, 1))
    with (home / "out").open("wb") as out:
        assert b"reading sessions" in on_a_terminal("list", "--jsonl", stdout=out)
    assert len((home / "out").read_bytes().splitlines()) == 1000


def test_small_work_and_pipes_show_no_bar(home):
    session(home, 10)
    assert on_a_terminal("verify", "demo").startswith(b"ok: 2 records, 1 message")
    session(home, 17 * MIB)
    assert run("verify", "demo", home=home).err == b""


def test_a_long_line_is_wrapped_unless_it_is_code():
    long = "word " * 20
    assert max(map(len, printed(Text(long), width=30, colour=False).decode().splitlines())) <= 30
    code = Text("x" * 100, no_wrap=True)
    assert printed(code, width=30, colour=False).decode().splitlines() == ["x" * 100]


def test_colour_can_be_disabled():
    text = Text("hi", style="red bold")
    assert b"31" in printed(text, width=30, colour=True)
    assert b"31" not in printed(text, width=30, colour=False)
    assert printed(text, Text("ho"), width=30, colour=False).decode().split("\n")[-2] == "ho"


def test_markup_and_emoji_in_a_text_are_text():
    assert printed(Text("[red]:smile: 1"), width=30, colour=True) == b"[red]:smile: 1\n"
