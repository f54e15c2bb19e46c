"""The trash: nothing in it is ever replaced, nothing comes back over another session, and it can be emptied."""

import errno
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.store import log, new_file, trash
from in_process import run_in_process as run
from support import environ, lines, session_path, start

DAYS = {"CODEH_NOW": "2100-01-01T00:00:00Z"}


def say(home, text, session="demo"):
    outcome = run("append", "-s", session, "-m", text, home=home)
    assert outcome.code == 0
    return outcome.text


def removed(home, *texts):
    """Removed sessions of these texts, one after the other under the same name."""
    for text in texts:
        say(home, text)
        run("rm", "demo", home=home)


def names(home):
    return sorted(os.listdir(home / "trash"))


def env_of(home):
    return Env({"CODEH_HOME": str(home)})


def test_both_names_of_a_move_are_made_durable(home, monkeypatch):
    """After the move: a session must be somewhere when the power fails."""
    say(home, "one")
    synced = []
    monkeypatch.setattr(
        new_file, "sync_dir", lambda folder: synced.append((Path(folder).name, len(names(home))))
    )
    trash.remove(env_of(home), "demo")
    assert sorted(synced) == [("sessions", 1), ("trash", 1)]
    synced.clear()
    trash.restore(env_of(home), "demo")
    assert sorted(synced) == [("sessions", 0), ("trash", 0)]


def test_the_trash_may_be_on_another_file_system(home, monkeypatch):
    say(home, "one")
    before = session_path(home, "demo").read_bytes()

    def refused(source, target):
        if os.path.dirname(source) != os.path.dirname(target):
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        replace(source, target)

    replace = os.replace
    monkeypatch.setattr(os, "replace", refused)
    trash.remove(env_of(home), "demo")
    assert (names(home), session_path(home, "demo").exists()) == (["demo.1.jsonl"], False)
    trash.restore(env_of(home), "demo")
    assert (names(home), session_path(home, "demo").read_bytes()) == ([], before)


def test_the_newest_comes_back_whatever_numbers_are_missing(home):
    removed(home, "one", "two", "three", "four")
    for number in (1, 3):
        (home / "trash" / f"demo.{number}.jsonl").unlink()
    assert run("rm", "--restore", "demo").code == 0
    assert run("last", "demo").text == "four"
    run("rm", "demo")
    removed(home, "five")
    assert names(home) == ["demo.2.jsonl", "demo.3.jsonl", "demo.4.jsonl"]
    assert b"two" in (home / "trash" / "demo.2.jsonl").read_bytes()
    assert b"five" in (home / "trash" / "demo.4.jsonl").read_bytes()


def test_the_command_that_restores_beside_another_may_be_pasted(tmp_path):
    home = tmp_path / "my home"
    for line in ("append -s s -m one", "rm s", "append -s s -m two"):
        assert run(*line.split(), home=home).code == 0
    command = run("rm", "--restore", "s", home=home).err.decode().split("`")[1]
    assert run(*shlex.split(command.replace("NEW", "new"))[1:], home=home).code == 0
    assert run("last", "new", home=home).out == b"one\n"


def test_restoring_without_a_name_says_what_is_in_the_trash(home):
    assert b"in the trash" not in run("rm", "--restore").err
    for name in ("a", "b"):
        say(home, "x", name)
        run("rm", name, env={"CODEH_NOW": f"2026-01-0{1 + (name == 'b')}T00:00:00Z"})
    done = run("rm", "--restore")
    assert (done.code, done.err.decode().partition("; ")[2]) == (2, "in the trash: b, a\n")


def test_a_number_of_two_digits_is_newer_than_one_of_one(home):
    removed(home, "ninth")
    (home / "trash" / "demo.1.jsonl").rename(home / "trash" / "demo.9.jsonl")
    removed(home, "tenth")
    assert names(home) == ["demo.10.jsonl", "demo.9.jsonl"]
    run("rm", "--restore", "demo")
    assert run("last", "demo").text == "tenth"


def test_names_that_differ_in_case_only_do_not_collide(home):
    """On a file system that does not tell them apart one would take the other's place."""
    for name in ("demo", "Demo"):
        say(home, name, name)
        run("rm", name)
    assert len({name.lower() for name in names(home)}) == 2


BEGUN = """
import os, sys
from codeh_history.store import trash
from codeh_history.main import run
from codeh_history.base.env import Env
replace = os.replace
def late(source, target):
    if "trash" in source:
        print("now", flush=True)
        sys.stdin.readline()
    replace(source, target)
os.replace = late
sys.exit(run(["rm", "--restore", "demo"], Env()))
"""


def test_a_session_begun_while_another_is_restored_is_not_overwritten(home):
    """The restore is held right before it puts the file in its place; who appends then waits for it."""
    removed(home, "old")
    restoring = subprocess.Popen([sys.executable, "-c", BEGUN], env=environ(home=home), stdin=-1, stdout=-1)
    assert restoring.stdout.readline() == b"now\n"
    with start("append", "-s", "demo", "-m", "new", stdin=-3, stdout=-1) as begun:
        with pytest.raises(subprocess.TimeoutExpired):
            begun.wait(0.5)
        restoring.communicate(b"\n")
        assert begun.wait(30) == 0
    texts = [record["parts"][0]["text"] for record in lines(session_path(home, "demo"))[1:]]
    assert texts == ["old", "new"]


def test_a_session_begun_before_the_name_is_taken_stays(home):
    """The look before the lock is not what protects it."""
    removed(home, "old")
    say(home, "new")
    with pytest.raises(BadData):
        trash.restore(env_of(home), "demo")
    assert run("last", "demo").text == "new"
    assert names(home) == ["demo.1.jsonl"]


def test_an_empty_file_that_a_killed_process_left_is_no_session(home):
    removed(home, "old")
    session_path(home, "demo").touch()
    assert run("rm", "--restore", "demo").code == 0
    assert run("last", "demo").text == "old"


def test_what_cannot_be_restored_leaves_no_empty_session(home):
    removed(home, "old")
    assert [item.id for item in trash.trashed(env_of(home), "demo")] == ["demo"]
    (home / "trash" / "demo.1.jsonl").unlink()
    with pytest.raises(Exception, match="no such session in the trash"):
        trash.restore(env_of(home), "demo")
    assert not session_path(home, "demo").exists()


def test_two_that_remove_at_once_each_have_a_place(home):
    """Removing waits for the trash's lock, under which the number is chosen."""
    removed(home, "one")
    say(home, "two")
    holder = os.open(home / "trash", os.O_RDONLY)
    log.lock(holder, "", 0)
    second = start("rm", "demo", stderr=-1)
    with pytest.raises(subprocess.TimeoutExpired):
        second.wait(0.5)
    (home / "trash" / "demo.2.jsonl").write_bytes(b"of another process")
    os.close(holder)
    second.communicate()
    assert second.returncode == 0
    assert (home / "trash" / "demo.2.jsonl").read_bytes() == b"of another process"
    assert b"two" in (home / "trash" / "demo.3.jsonl").read_bytes()


# -- emptying it ----------------------------------------------------------------------------------------


def test_what_was_last_used_long_ago_stays_as_long_in_the_trash(home):
    """Its age there counts from its removal, not from its last message."""
    say(home, "old")
    os.utime(session_path(home, "demo"), (0, 0))
    run("rm", "demo")
    assert (home / "trash" / "demo.1.jsonl").stat().st_mtime > 0
    assert run("gc", "--trash", "1d", "--yes").out == b""
    assert names(home) == ["demo.1.jsonl"]


def test_blocks_go_with_the_trash_that_named_them(home):
    say(home, "x" * 5000)
    run("persist", "demo", "-i")
    run("rm", "demo")
    dry = run("gc", "--trash", "30d", env=DAYS).lines
    assert [line.get("blocks") for line in dry] == [None, 1]
    assert run("gc", env=DAYS).out == b""
    run("gc", "--trash", "30d", "--yes", env=DAYS)
    assert not [path for path in (home / "blocks").rglob("*") if path.is_file()]


def test_a_folder_in_the_trash_is_no_session(home):
    removed(home, "words")
    (home / "trash" / "demo.7.jsonl").mkdir()
    gone = run("gc", "--trash", "0d", "--yes", env=DAYS)
    assert (gone.code, [line["trash"] for line in gone.lines]) == (0, ["demo"])
