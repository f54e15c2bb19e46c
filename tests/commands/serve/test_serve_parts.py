"""The parts of `serve`: lines, the order of requests, what a command line is about, what is held of its output."""

from __future__ import annotations

import base64
import os
import signal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.env import Env
from codeh_history.commands.serve.lines import Lines, TooLong
from codeh_history.commands.serve.order import Order, Turn
from codeh_history.commands.serve.output import Held, Json, Passed, Room
from codeh_history.commands.serve.scope import scope_of
from codeh_history.commands.serve.worker import Worker
from codeh_history.main import run
from codeh_history.store.paths import path_of

# -- the order ------------------------------------------------------------------------------------------------

TURNS = st.lists(
    st.tuples(st.one_of(st.none(), st.sets(st.sampled_from("abc"), max_size=2)), st.booleans()), max_size=12
)


def conflict(first: Turn, second: Turn) -> bool:
    """Whether the second has to wait for the first."""
    if not first.holds or (second.sessions is not None and not second.sessions):
        return False  # what is about no session waits for none
    if first.sessions is None or second.sessions is None:
        return True
    return bool(set(first.sessions) & set(second.sessions))


@given(TURNS, st.data())
def test_each_waits_for_those_before_it_that_it_must_wait_for_and_for_no_other(
    drawn: list[tuple[set[str] | None, bool]], data: st.DataObject
) -> None:
    order, turns, ready, over = Order(), [], set[Turn](), set[Turn]()
    waiting = [Turn(sessions, holds=holds) for sessions, holds in drawn]
    while waiting or ready:
        if waiting and (not ready or data.draw(st.booleans())):
            turn = waiting.pop(0)
            order.add(turn)
            turns.append(turn)
            if not turn.before:
                ready.add(turn)
        else:
            turn = data.draw(st.sampled_from(sorted(ready, key=turns.index)))
            ready.remove(turn)
            over.add(turn)
            ready.update(order.end(turn))
        for place, turn in enumerate(turns):
            if turn not in over:
                free = not any(conflict(each, turn) and each not in over for each in turns[:place])
                assert (turn in ready) == free
    assert over == set(turns)


# -- what a command line is about --------------------------------------------------------------------------------

ANY = None
SCOPES: list[tuple[list[str], set[str] | None]] = [
    (["append", "-s", "new", "-m", "x"], {"new"}),
    (["append", "--session=new", "-m", "- x"], {"new"}),
    (["append", "-snew", "-m-s", "-q"], {"new"}),
    (["append", "-qs", "new"], {"new"}),
    (["append", "-m", "x"], {"env"}),
    (["append", "-s", "@", "-m", "x"], ANY),
    (["append", "-s", "@.", "-m", "x"], ANY),
    (["append", "-s", "a/b", "-m", "x"], ANY),
    (["append", "-s", "new", "--wrong"], ANY),
    (["append", "--help"], ANY),
    (["ask", "-s", "new", "-m", "x", "--via", "cat"], {"new"}),
    (["show", "demo"], {"demo"}),
    (["show", "-n", "3", "demo"], {"demo"}),
    (["show", "--", "demo"], {"demo"}),
    (["show", "dem"], ANY),  # a prefix
    (["show", "begun"], {"begun"}),  # one that is being made
    (["show", "HOME/sessions/demo.jsonl"], {"demo"}),
    (["show", "HOME/sessions/../sessions/demo.jsonl"], {"demo"}),
    (["show", "old"], {"old"}),  # an older form
    (["payload", "-", "--to", "gemini"], set()),
    (["expand", "ID", "demo"], {"demo"}),
    (["expand", "ID", "-s", "demo"], {"demo"}),
    (["search", "x", "demo"], {"demo"}),
    (["search", "x"], ANY),
    (["update", ":1", "-m", "x", "-s", "demo"], {"demo"}),
    (["fork", "demo", "--into", "new"], {"demo", "new"}),
    (["fork", "demo"], {"demo"}),
    (["set", "title=x"], {"env"}),
    (["compact", "demo", "-i", "--budget", "9k"], {"demo"}),
    (["compact", "demo", "--calibrated"], ANY),
    (["summarize", "demo"], {"demo"}),
    (["summarize", "--all"], ANY),
    (["export", "--all", "--to", "html", "--output", "x"], ANY),
    (["list"], ANY),
    (["list", "-s", "demo"], ANY),
    (["usage", "demo"], ANY),
    (["rm", "demo"], ANY),
    (["import", "x", "--into", "new"], ANY),
    (["redact", "demo"], ANY),
    (["gc"], ANY),
    (["sync", "postgres://localhost/x", "demo"], ANY),
    (["config"], ANY),
    (["no-such-verb", "-s", "demo"], ANY),
]


@pytest.mark.parametrize(("argv", "expected"), SCOPES, ids=[" ".join(argv) for argv, _ in SCOPES])
def test_the_sessions_of_a_command_line(home: Path, argv: list[str], expected: set[str] | None) -> None:
    sessions = home / "sessions"
    sessions.mkdir(parents=True)
    for name in ("demo.jsonl", "old.json", "env.jsonl"):
        (sessions / name).touch()
    env = Env({"CODEH_HOME": str(home), "CODEH_SESSION": "env"})
    argv = [word.replace("HOME", str(home)) for word in argv]
    root = sessions.resolve()
    found, endless = scope_of(argv, env, "/", {str(root / "begun")})
    assert found == (None if expected is None else {str(root / name) for name in expected})
    assert not endless


def test_a_session_on_a_server_is_certain_where_it_is_written_or_was() -> None:
    env = Env({"CODEH_HOME": "/none", "CODEH_STORE": "postgres://localhost/x"})
    [session] = scope_of(["append", "-s", "a", "-m", "x"], env, "/", ()).sessions or ()
    assert session == path_of(env, "a")
    assert scope_of(["last", "a"], env, "/", ()).sessions is None
    assert scope_of(["last", "a"], env, "/", {session}).sessions == {session}


def test_a_path_is_of_the_requests_directory_and_what_follows_has_no_end(home: Path) -> None:
    home.mkdir()
    env = Env({"CODEH_HOME": "."})
    (home / "x.jsonl").touch()
    scope = scope_of(["show", "-f", "./x.jsonl"], env, str(home), ())
    assert scope == (frozenset({str(home.resolve() / "x")}), True)
    scope = scope_of(["append", "-s", "y"], env, str(home), ())
    assert scope == (frozenset({str(home.resolve() / "sessions" / "y")}), False)


# -- lines ---------------------------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), max_size=6), st.data())
def test_lines_are_those_that_came_however_they_came(parts: list[bytes], data: st.DataObject) -> None:
    whole, lines, found = b"\n".join(parts), Lines(8), list[bytes | None]()

    def take(line: bytes | None) -> bool:
        if line is not None:
            found.append(line)
        return line is not None

    def next_is_there() -> bool:
        try:
            return take(lines.next())
        except TooLong:
            found.append(None)
            return True

    while whole:
        cut = data.draw(st.integers(1, len(whole)))
        lines.add(whole[:cut])
        whole = whole[cut:]
        while next_is_there():
            pass
    try:
        take(lines.last())
    except TooLong:
        found.append(None)
    expected = [line if len(line) <= 8 else None for line in parts]
    assert found == (expected[:-1] if expected and expected[-1] == b"" else expected)
    assert lines.number == len(found)


# -- output --------------------------------------------------------------------------------------------------------


def test_output_is_held_as_far_as_there_is_room() -> None:
    room = Room(each=10, together=15)
    first, second, third = (Held(name, room) for name in ("stdout", "stdout", "stderr"))
    first.add(b"12345")
    first.add(b"67890")
    assert not first.lost
    second.add(b"123456")  # more than all together
    assert (second.lost, second.end()) == (True, {"stdout": ""})
    third.add(b"12345")
    assert third.end("more") == {"stderr": "12345more"}
    first.add(b"1")
    assert (first.lost, room.left) == (True, 15)
    first.add(b"again")
    assert (first.end(), room.left) == ({"stdout": ""}, 15)


def test_what_is_no_utf_8_is_base64() -> None:
    output = Held("stdout", Room(10, 10))
    output.add(b"\xff")
    assert output.end() == {"stdout64": "/w=="}


@given(
    st.lists(st.one_of(st.binary(max_size=6), st.text(max_size=6).map(str.encode)), max_size=6), st.data()
)
def test_events_are_what_came_with_no_character_cut(pieces: list[bytes], data: st.DataObject) -> None:
    events: list[Json] = []
    output = Passed("stdout", events.append)
    whole = left = b"".join(pieces)
    while left:
        cut = data.draw(st.integers(1, len(left)))
        output.add(left[:cut])
        left = left[cut:]
    assert output.end() == {"stdout": ""}
    told = b"".join(
        base64.b64decode(str(each["data64"])) if "data64" in each else str(each["data"]).encode()
        for each in events
    )
    assert told == whole
    try:
        whole.decode()
    except UnicodeDecodeError:
        return
    assert not [each for each in events if "data64" in each]


# -- workers -------------------------------------------------------------------------------------------------------


def test_a_signal_to_a_worker_that_has_just_begun_is_its_own(home: Path) -> None:
    """It is a fork of the server, whose own signals come through a pipe that both hold."""
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    place = os.open(".", os.O_RDONLY)
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    fd = signal.set_wakeup_fd(wake)
    try:
        for _ in range(20):
            worker = Worker(run, {}, place)
            worker.signal(signal.SIGTERM)
            assert worker.end() == 143
        with pytest.raises(BlockingIOError):
            os.read(woken, 1)
    finally:
        signal.set_wakeup_fd(fd)
        signal.signal(signal.SIGTERM, before)
        for each in (woken, wake, place):
            os.close(each)
