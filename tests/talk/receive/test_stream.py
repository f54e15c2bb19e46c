"""`append --stream`: what a program prints, on disk while it prints it."""

import itertools
import os
import signal
import time

import pytest

from codeh_history.base.errors import InputOutput
from codeh_history.store import log as store_log
from codeh_history.talk.append import text
from codeh_history.talk.receive import answer as receive
from in_process import run_in_process, write_session
from receiving import HEADER
from support import NOW, lines, piped, session_path, until


def log(home):
    path = session_path(home, "s")
    return lines(path)[1:] if path.exists() else []


def pending(home):
    """The text that is pending on disk, without the commit that may follow."""
    return "".join(r["parts"][0]["text"] for r in log(home) if r["type"] == "delta")


def written(process, home, data, end):
    """Write this, and wait until the pending text on disk ends so."""
    process.stdin.write(data)
    process.stdin.flush()
    until(lambda: pending(home).endswith(end))


def test_output_is_pending_at_once_and_committed_at_the_end(home):
    process = piped("append", "-s", "s", "--stream", "--role", "model", "--echo", home=home)
    written(process, home, "Look, é\u2028:\n".encode(), "\u2028:\n")
    assert [r["type"] for r in log(home)] == ["open", "delta"]
    written(process, home, b"```\nls\n", "ls\n")  # within the second that a flush may wait
    out, err = process.communicate(b"```\n\n")
    assert (process.returncode, err) == (0, b"codeh-history: new session s\n")
    assert out.decode() == "Look, é\u2028:\n```\nls\n```\n\n"
    end = log(home)[-1]
    assert (end["type"], end["parts"]) == ("commit", [{"text": out.decode()}])
    assert set(log(home)[0]) == {"type", "id", "ts", "kind", "role"}


TEXT = " \n\tA é, a €, a 😀.\r\n```\ncode\n```\n\n"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_text_is_kept_under_any_chunking(tmp_path, size):
    data = TEXT.encode()
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    done = run_in_process("append", "-s", "s", "--stream", "--echo", stdin=pieces, home=tmp_path)
    assert (done.code, done.out) == (0, data)
    assert log(tmp_path)[-1]["parts"] == [{"text": TEXT}]
    assert pending(tmp_path)
    assert TEXT.startswith(pending(tmp_path))  # what came last may be in the commit alone


@pytest.mark.parametrize(
    ("data", "byte", "left"),
    [(b"one \xff two\n", 4, "one \ufffd two\n"), (b"cut \xc3", 4, "cut \ufffd")], ids=["inside", "at the end"],
)  # fmt: skip
def test_invalid_utf_8_is_named_and_stays_pending(home, data, byte, left):
    done = run_in_process("append", "-s", "s", "--stream", stdin=[data], home=home)
    assert (done.code, done.out) == (65, b"")
    assert f"byte {byte} of the text is not UTF-8; what arrived stays pending".encode() in done.err
    assert [r["type"] for r in log(home)][-1] == "abort"
    assert pending(home) == left


@pytest.mark.parametrize("data", [[], [b"\n", b"  \n"]], ids=["nothing", "blanks"])
def test_empty_text_is_refused_and_creates_no_session(home, data):
    assert run_in_process("append", "-s", "s", "--stream", stdin=data, home=home).code == 65
    assert log(home) == []


@pytest.mark.parametrize("stored", [False, True], ids=["a new session", "one that exists"])
@pytest.mark.parametrize("fails", [0, 1, 100])
def test_a_full_disk_does_not_end_a_stream(home, monkeypatch, stored, fails):  # 2026-11-27
    failures = iter(range(fails))
    write = store_log.write

    def full(fd, path, *rest, **more):
        if next(failures, None) is not None:
            raise InputOutput(f"{path}: No space left on device; nothing was stored")
        write(fd, path, *rest, **more)

    if stored:
        run_in_process("append", "-s", "s", "-m", "hi", home=home)
    monkeypatch.setattr(store_log, "write", full)
    monkeypatch.setattr(receive.Streaming, "flush_seconds", 0)
    pieces = [b"one ", b"two ", b"three ", b"four"]
    done = run_in_process("append", "-s", "s", "--stream", "--echo", stdin=pieces, home=home)
    assert done.out == b"one two three four\n"
    if fails == 100:
        assert (done.code, b"No space left on device; nothing was stored" in done.err) == (74, True)
    else:
        assert (done.code, log(home)[-1]["parts"]) == (0, [{"text": "one two three four"}])
        assert run_in_process("verify", "s", home=home).code == 0


def test_a_stream_begins_a_session_of_its_own_if_another_took_its_name(home, monkeypatch):  # 2026-11-27
    begin, taken = text.begin, []

    def overtaken(env, words):
        target = begin(env, words)
        taken.append(write_session(home, HEADER, target.id))
        return target

    monkeypatch.setattr(text, "begin", overtaken)
    done = run_in_process("append", "--new", "--stream", stdin=b"hi", home=home, env={"CODEH_NOW": NOW})
    (path,) = taken
    assert (done.code, done.err) == (0, f"codeh-history: new session {path.stem}-2\n".encode())
    assert path.read_bytes() == HEADER
    assert lines(session_path(home, f"{path.stem}-2"))[-1]["parts"] == [{"text": "hi"}]


def test_signal_keeps_streamed_text(home):
    process = piped("append", "-s", "s", "--stream", "--role", "model", home=home)
    written(process, home, b"half an ", "half an ")
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 143
    assert log(home)[-1] == {**log(home)[-1], "type": "abort", "reason": "interrupted"}


def test_a_signal_keeps_an_answer_whose_echo_nobody_reads(home):  # 2026-11-27
    write_session(home, HEADER)
    process = piped("append", "-s", "s", "--from", "text", "--echo", home=home)
    process.stdin.write(b"word " * 20_000)  # more than a pipe holds
    until(lambda: any(line["type"] == "delta" for line in log(home)))
    time.sleep(0.2)  # it waits for the reader
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 143
    assert log(home)[-1]["reason"] == "interrupted"


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("write", [1, 2], ids=["the first write", "a later one"])
def test_signal_during_a_write_neither_loses_nor_doubles_text(home, monkeypatch, when, write):
    seconds = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: float(next(seconds)))
    real, count = os.write, 0
    whole = "Hel" * (receive.CHUNK // 3) + "lo"  # which takes two reads

    def interrupted(fd, data):
        nonlocal count
        count += b'"delta"' in bytes(data)
        if count == write and when == "before":
            count += 1
            raise KeyboardInterrupt
        done = real(fd, data)
        if count == write:
            count += 1
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(os, "write", interrupted)
    done = run_in_process("append", "-s", "s", "--stream", stdin=[whole[:-2].encode(), b"lo"], home=home)
    assert done.code == 130
    monkeypatch.undo()
    assert [r["type"] for r in log(home)][-1] == "abort"
    assert pending(home)
    assert whole.startswith(pending(home))
    assert [r["type"] for r in log(home)].count("open") == 1
