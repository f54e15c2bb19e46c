"""What is longer than the screen goes through the pager, but only where somebody can press a key."""

import os
import re
import subprocess

import pytest

import support
import terminal

LINES = 60
STYLES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture
def long(home):
    support.run("append", "-s", "demo", "-m", "\n".join(f"line {n}" for n in range(LINES)))
    return home


def seen(*argv, home, keys=b"", unattended=False, **env):
    """What a command shows on a terminal of 24 lines where these keys are typed."""
    master, slave = terminal.opened()
    merged = support.environ({"NO_COLOR": "1", "TERM": "xterm-256color", **env}, home)
    for name in ("COLUMNS", "LINES", "LESS"):
        merged.pop(name, None)
    process = subprocess.Popen(
        [*support.program(), *argv], stdin=subprocess.DEVNULL if unattended else slave, stdout=slave, stderr=slave,
        env=merged, start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    shown = b""
    for chunk in terminal.chunks(master):
        shown += chunk
        if keys and b":" in chunk[-12:]:  # less waits for a key
            os.write(master, keys)
            keys = b""
    assert process.wait(30) == 0
    return STYLES.sub("", shown.decode()).replace("\r\n", "\n")


def test_a_long_one_waits_in_the_pager(long):
    shown = seen("show", "demo", home=long, keys=b"q")
    assert "line 3\n" in shown
    assert f"line {LINES - 1}" not in shown


def test_the_pager_is_the_users(long):
    assert f"wc says {LINES + 2}\n" in seen("show", "demo", home=long, PAGER='echo "wc says $(wc -l)"')


@pytest.mark.parametrize(
    "env", [{"PAGER": ""}, {"PAGER": "cat"}, {"PAGER": "no-such-pager"}, {"TERM": "dumb"}]
)
def test_without_a_pager_all_is_printed(env, long):
    assert f"line {LINES - 1}\n" in seen("show", "demo", home=long, **env)


@pytest.mark.parametrize(("argv", "unattended"), [(["--no-pager"], False), ([], True), (["-n", "1"], True)])
def test_nothing_waits_where_nobody_is(argv, unattended, long):
    shown = seen("show", "demo", *argv, home=long, unattended=unattended, PAGER="echo paged; false")
    assert "paged" not in shown
    assert f"line {LINES - 1}\n" in shown


def test_a_short_one_needs_none(home):
    support.run("append", "-s", "demo", "-m", "short")
    assert "paged" not in seen("show", "demo", home=home, PAGER="echo paged")
