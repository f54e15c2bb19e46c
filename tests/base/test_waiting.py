"""Whoever waits for what is typed at a terminal says so; nobody else does."""

import os
import pty
import subprocess

import pytest

from support import environ, program, run

NOTE = b"codeh-history: reading from the terminal; end it with Ctrl-D\n"


def typed(home, *argv):
    """What a command says on stderr while a line is typed, and then Ctrl-D."""
    master, slave = pty.openpty()
    os.write(master, b'{"role":"user","parts":[{"text":"x"}]}\n\x04')
    try:
        return subprocess.run(
            [*program(), *argv],
            stdin=slave,
            capture_output=True,
            env=environ(None, home),
            timeout=20,
            check=False,
        ).stderr
    finally:
        os.close(master)
        os.close(slave)


@pytest.mark.parametrize(
    "argv",
    ["append -s s", "append -s s -F -", "append -s s --jsonl", "append -s s --from text", "append -s s --stream",
     "update -s s :1", "payload - --to gemini", "curate -"],
)  # fmt: skip
def test_it_says_so(home, argv):
    run("append", "-s", "s", "-m", "x", home=home)
    assert typed(home, *argv.split()).startswith(NOTE)


@pytest.mark.parametrize(
    "argv", ["append -s s -m x", "show s", "ask -s s -m x --to text --via cat", "config"]
)
def test_others_do_not(home, argv):
    run("append", "-s", "s", "-m", "x", home=home)
    assert NOTE not in typed(home, *argv.split())
