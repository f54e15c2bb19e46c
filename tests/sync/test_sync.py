"""`sync`: two homes and a folder between them, with the real files, blocks, locks and commands."""

import hashlib
import os
import shlex
import shutil
import sys

import orjson
import pytest

from in_process import run_in_process, run_ok, write_session
from support import lines, run
from synced import HEADER, message, opened, record, sessions, sync, texts

SECRET = "sk-ant-api03-" + "Ab3" * 31 + "AA"


@pytest.fixture
def one(tmp_path):
    return tmp_path / "one"


@pytest.fixture
def two(tmp_path):
    return tmp_path / "two"


def other(home):
    """The URL of a home's sessions."""
    return f"dir:{home / 'sessions'}"


# -- what it makes of two stores -------------------------------------------------------------------------------


def test_two_sessions_of_one_name_have_no_common_parent(one, two):
    write_session(one, HEADER + message("a", "x"), "demo")
    write_session(two, HEADER.replace(b"00:00:00", b"09:00:00") + message("b", "y"), "demo")
    sync(one, other(two))
    [fork] = sessions(two).keys() - {"demo"}
    assert "parent" not in lines(sessions(two)[fork])[0]
    assert {tuple(texts(two, name)) for name in sessions(two)} == {("x",), ("y",)}


def test_summaries_and_settings_of_one_side_are_appended(one, two):
    quiet = record(type="meta", ts="2026-01-01T00:00:02.000Z", set={"title": "t"})
    talk = HEADER + message("a", "x")
    write_session(one, talk + quiet, "demo")
    write_session(two, talk + message("b", "y", 5), "demo")
    sync(one, other(two))
    assert sessions(one) == sessions(two) == {"demo": talk + message("b", "y", 5) + quiet}


def test_deltas_and_references_are_not_a_difference(one, two):
    delta = record(type="delta", of="s", parts=[{"text": "hi"}])
    commit = record(type="commit", of="s", ts="2026-01-01T00:01:01.000Z", parts=[{"text": "hi"}])
    whole = HEADER + message("a", "x" * 5000) + opened("s") + delta + commit
    for home in (one, two):
        write_session(home, whole, "demo")
    run_ok("gc", "--yes", home=one)
    run_ok("persist", "demo", "-i", home=two)
    before = sessions(one), sessions(two)
    assert before[0] != before[1]
    assert sync(one, other(two)).err == b""
    assert (sessions(one), sessions(two)) == before


def test_blocks_are_synced_with_their_session(one, two, tmp_path):
    write_session(one, HEADER + message("a", "x" * 5000), "demo")
    run_in_process("persist", "demo", "-i", home=one)
    for url in (other(two), f"dir:{tmp_path / 'stick'}"):
        sync(one, url)
    third = tmp_path / "three"
    sync(third, f"dir:{tmp_path / 'stick'}")
    assert texts(two, "demo") == texts(third, "demo") == ["x" * 5000]


def test_a_session_that_lost_its_blocks_returns_with_them_after_rm(one, two):
    write_session(one, HEADER + message("a", "x" * 5000), "demo")
    run_ok("persist", "-i", "demo", home=one)
    sync(one, other(two))
    shutil.rmtree(two / "blocks")
    sync(two, other(one))
    assert run_in_process("verify", "demo", home=two).code == 1
    run_ok("rm", "demo", home=two)
    sync(two, other(one))
    assert texts(two, "demo") == ["x" * 5000]


def test_a_block_missing_on_both_sides_is_reported_and_the_session_synced(one, two):
    ref = {"type": "ref", "id": "r", "kind": "user", "role": "user", "flowId": "demo"}
    write_session(one, HEADER + record(**ref, ts="2026-01-01T00:00:00.000Z", blockIds=["0" * 64]), "demo")
    assert b"1 block missing, not copied" in sync(one, other(two)).err
    assert sessions(one) == sessions(two)


def test_an_invalid_session_is_reported_and_stops_no_other(one, two):
    write_session(one, HEADER + message("a", "x"), "demo")
    write_session(one, b"a shopping list\n", "alist")
    write_session(one, HEADER.replace(b'version":1', b'version":2'), "newer")
    done = sync(one, other(two), code=65)
    assert b"alist" in done.err
    assert b"newer" in done.err
    assert set(sessions(two)) == {"demo"}


def test_rm_does_not_travel(one, two):
    write_session(one, HEADER + message("a", "x"), "demo")
    sync(one, other(two))
    run_in_process("rm", "demo", home=one)
    sync(one, other(two))
    assert set(sessions(one)) == {"demo"}


# -- what is being written -------------------------------------------------------------------------------------


def test_a_session_with_an_unfinished_stream_is_not_switched(one, two):
    write_session(one, HEADER + message("a", "x") + message("late", "y", 9) + opened("s"), "demo")
    write_session(two, HEADER + message("a", "x") + message("early", "z", 5), "demo")
    before = sessions(one), sessions(two)
    assert b"a stream in it is unfinished" in sync(one, other(two), "--json", code=75).err
    assert (sessions(one), sessions(two)) == before
    abort = record(type="abort", of="s", ts="2026-01-01T00:02:00.000Z", reason="x")
    write_session(one, before[0]["demo"] + abort, "demo")
    sync(one, other(two))
    assert len(sessions(one)) == 2


def test_a_stream_that_goes_on_elsewhere_is_followed(one, two):
    """Half of it came with an earlier sync; what was said after that half is a branch."""
    begun = HEADER + opened("s") + record(type="delta", of="s", parts=[{"text": "h"}])
    write_session(one, begun, "demo")
    sync(one, other(two))
    commit = record(type="commit", of="s", ts="2026-01-01T00:01:02.000Z", parts=[{"text": "hi"}])
    write_session(one, begun + commit, "demo")
    sync(two, other(one))
    assert texts(two, "demo") == ["hi"]


ANSWER = '{"candidates":[{"content":{"parts":[{"text":"yes"}]},"finishReason":"STOP"}]}'


def test_a_session_that_awaits_an_answer_is_not_switched(one, two):
    """The command of an `ask` is itself the sync; the answer comes after its prompt."""
    write_session(one, HEADER + message("a", "x"), "demo")
    write_session(two, HEADER + message("a", "x") + message("early", "z", 5), "demo")
    again = shlex.join([sys.executable, "-m", "codeh_history", "sync", other(two)])
    via = f"cat >/dev/null; {again} 2>$CODEH_HOME/said; echo '{ANSWER}'"
    assert run("ask", "-s", "demo", "-m", "q", "--to", "gemini", "--via", via, home=one).code == 0
    assert b"an answer is awaited in it" in (one / "said").read_bytes()
    assert texts(one, "demo") == ["x", "q", "yes"]
    assert list((one / "awaiting").iterdir()) == []
    assert b"new messages on both sides" in sync(one, other(two)).err


# -- what was redacted -----------------------------------------------------------------------------------------


def test_a_redaction_reaches_the_other_side_and_its_forks(one, two):
    write_session(one, HEADER + message("a", f"the key is {SECRET}") + message("b", "y", 2), "demo")
    sync(one, other(two))
    run_in_process("fork", "demo", "--into", "plan-b", home=two)
    run_in_process("append", "-s", "demo", "-m", "more", home=two)
    run_ok("redact", "demo", "-i", "--yes", home=one)
    done = sync(one, other(two))
    assert b"what was redacted" in done.err
    assert sessions(one) == sessions(two)
    for data in sessions(two).values():
        assert SECRET.encode() not in data
    assert texts(two, "plan-b") == ["the key is [redacted:anthropic-key]", "y"]
    assert texts(one, "demo")[-1] == "more"


def test_a_fork_without_a_parent_is_one_of_the_session_that_it_was_a_branch_of(one, two):
    """So that what is redacted in it is redacted in what was copied while it had the session's name."""
    later = HEADER.replace(b"00:00:00", b"09:00:00")
    write_session(one, later + message("a", f"the key is {SECRET}"), "demo")
    run_in_process("fork", "demo", "--into", "plan-b", home=one)
    write_session(two, HEADER + message("b", "y"), "demo")
    sync(one, other(two))
    [fork] = sessions(one).keys() - {"demo", "plan-b"}
    assert run_in_process("redact", fork, "-i", "--yes", home=one).code == 1  # it is still in plan-b
    sync(one, other(two))
    assert sessions(one) == sessions(two)
    for data in sessions(two).values():
        assert SECRET.encode() not in data


def test_a_redaction_names_lines_without_revealing_them(one):
    parts = [{"text": f"the key is {SECRET}"}]
    bare = record(role="user", parts=parts)
    setting = record(type="meta", ts="2026-01-01T00:00:03.000Z", set={"system": SECRET})
    write_session(one, HEADER + message("a", "x") + bare + setting + message("b", SECRET, 4), "demo")
    run_ok("redact", "demo", "-i", "--yes", home=one)
    redaction = lines(sessions(one)["demo"])[1]
    assert redaction["type"] == "redaction"
    assert redaction["lines"] == ["a +1", "meta 2026-01-01T00:00:03.000Z", "b"]
    raw = orjson.dumps(redaction)
    for data in (SECRET.encode(), orjson.dumps(parts[0]), bare.strip(), bare, message("b", SECRET, 4)):
        for length in (8, 20):
            assert hashlib.sha256(data).hexdigest()[:length].encode() not in raw
    again = sessions(one)
    run_ok("redact", "demo", "-i", "--yes", home=one)
    assert sessions(one) == again


def test_a_block_of_what_was_redacted_leaves_the_folder_between(one, two, tmp_path):
    """What another session names stays; in a home it is for `gc`, as after `redact`."""
    kept = "kept " * 1000
    write_session(one, HEADER + message("a", f"{kept}") + message("b", f"{SECRET} {'x' * 5000}"), "demo")
    write_session(one, HEADER.replace(b"demo", b"else") + message("c", kept), "else")
    for session in ("demo", "else"):
        run_in_process("persist", session, "-i", home=one)
    folder = tmp_path / "folder"
    for home in (one, two):
        sync(home, f"dir:{folder}")
    assert run_in_process("redact", "demo", "-i", "--yes", home=one).code == 1  # a block still holds it
    for path in (folder / "blocks").rglob("*"):
        os.utime(path, (10**9, 10**9))
    for home in (one, two):
        err = sync(home, f"dir:{folder}").err
    assert b"1 block with redacted content left" in err
    [left] = [path.read_bytes() for path in (folder / "blocks").glob("??/*")]
    assert kept.encode() in left
    assert SECRET.encode() not in b"".join(sessions(two).values())
