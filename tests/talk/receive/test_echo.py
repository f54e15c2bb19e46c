"""The text of an answer as it arrives: all of it to a pipe, nothing that acts to a terminal, and never at the cost of storing."""

import os
import shlex

import pytest

import terminal
from codeh_history.base.env import Env
from codeh_history.base.errors import Interrupted
from codeh_history.talk.receive.answer import Echo
from support import program, run
from terminal_output import of_process, on_terminal


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        ([], b""), (["a"], b"a\n"), (["a\n"], b"a\n"), (["a", "", "b\n", ""], b"ab\n"), (["\x1b[31m"], b"\x1b[31m\n"),
        (["ü\ud800"], b"\xc3\xbc?\n"), ([""], b""), ([{"text": "why", "thought": True}, "a"], b"a\n"),
        ([{"functionCall": {"name": "f", "args": {}}}], b""),
    ],
)  # fmt: skip
def test_pipe_gets_the_text_and_a_final_newline(pipe, pieces, shown):
    reading, writing = pipe
    echo = Echo(Env({}, stdout=writing))
    for piece in pieces:
        echo.parts([{"text": piece} if isinstance(piece, str) else piece])
    echo.end()
    os.close(writing)
    assert os.read(reading, 999) == shown


def test_control_characters_do_not_reach_a_terminal():
    master, slave = terminal.opened()
    echo = Echo(Env({}, stdout=slave))
    echo.text("a\x1b[31mb\n")
    os.close(slave)
    shown = b"".join(terminal.chunks(master))
    assert b"\x1b" not in shown
    assert shown.startswith(b"a")
    assert shown.rstrip().endswith(b"b")


def test_closed_stdout_is_remembered_without_an_error(pipe):
    echo = Echo(Env({}, stdout=pipe[1]))
    os.close(pipe[0])
    echo.text("a")
    assert isinstance(echo.broken, Interrupted)
    echo.text("b")
    echo.end()


def test_failed_output_is_remembered():
    with open(os.devnull, "rb") as unwritable:
        echo = Echo(Env({}, stdout=unwritable.fileno()))
        echo.text("a")
        assert "stdout: " in str(echo.broken)
        echo.text("b")


def test_other_signals_end_it():
    class Ended(Env):
        def write(self, data):
            raise Interrupted(15)

    with pytest.raises(Interrupted):
        Echo(Ended({})).text("a")


LONG = "Because air scatters blue light more than red light, which is called Rayleigh scattering."


@pytest.mark.parametrize(
    "verb", [["ask", "-m", "why?"], ["append", "--role", "model", "--stream"], ["append", "--from", "text"]]
)
def test_response_is_wrapped_on_a_terminal_and_stored_verbatim(verb, home):
    run("append", "-s", "demo", "-m", "why?")
    via = f"cat > /dev/null; for word in {LONG}; do printf '%s ' $word; done"
    if verb[0] == "ask":
        shown = on_terminal(*verb, "-s", "demo", "--to", "text", "--via", via, home=home, columns=40)
    else:
        line = f"printf '{LONG}' | {shlex.join([*program(), *verb, '-s', 'demo'])}"
        shown = of_process(["sh", "-c", line], home, 40, {})
    lines = [line for line in shown.splitlines() if not line.startswith("codeh-history:")]
    assert lines[0] == "Because air scatters blue light more"
    assert all(len(line) <= 40 for line in lines)
    assert " ".join(lines).split() == LONG.split()
    assert run("last", "demo").text.strip() == LONG
    again = run("ask", "-s", "other", "-m", "why?", "--to", "text", "--via", via)
    assert again.out.decode().rstrip() == LONG
