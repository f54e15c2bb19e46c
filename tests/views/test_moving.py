"""A session whose store changes between commands: its blocks go along, and nothing is half here, half there."""

import hashlib
from pathlib import Path

import orjson
import pytest

from blocks.stored import BIG, blocks, contents
from in_process import run_in_process, run_ok
from support import lines, session_path


@pytest.fixture
def other(tmp_path):
    """The environment that names another store."""
    return {"CODEH_BLOCKS": str(tmp_path / "other")}


def in_folder(env):
    return {p.name: p.read_bytes() for p in Path(env["CODEH_BLOCKS"]).glob("??/*")}


def half(home):
    """A session with a persisted message, and one that is not yet."""
    run_ok("append", "-s", "a", "-m", BIG + "one", home=home)
    run_ok("persist", "a", "-i", home=home)
    run_ok("append", "-s", "a", "--role", "model", "-m", BIG + "two", home=home)


def named(home, session="a"):
    return {id for record in lines(session_path(home, session)) for id in record.get("blockIds", ())}


def test_persist_to_another_store_keeps_the_session_readable(home, other):
    half(home)
    done = run_ok("persist", "a", "-i", home=home, env=other)
    assert b"1 block copied to" in done.err
    assert in_folder(other).keys() == named(home)
    for id in blocks(home):  # the other store alone has it all
        (home / "blocks" / id[:2] / id).unlink()
    messages = orjson.loads(run_ok("export", "a", home=home, env=other).out)
    assert [message["parts"][0]["text"][-3:] for message in messages] == ["one", "two"]


def test_persist_as_a_filter_stores_all_blocks_in_the_other_store(home, other):
    half(home)
    small = run_ok("persist", "a", home=home, env=other).out
    whole = run_ok("export", "-", stdin=small, home=home / "elsewhere", env=other).out
    assert whole == run_ok("export", "a", home=home).out


def test_persisted_session_is_moved_to_another_store(home, other):
    half(home)
    run_ok("persist", "a", "-i", home=home)
    before = session_path(home, "a").read_bytes()
    assert b"2 blocks copied" in run_ok("persist", "a", "-i", home=home, env=other).err
    assert b"nothing to persist" in run_ok("persist", "a", "-i", home=home, env=other).err
    assert session_path(home, "a").read_bytes() == before
    assert in_folder(other) == blocks(home)


def test_undone_and_cleared_content_is_moved(home, other):
    half(home)
    run_ok("persist", "a", "-i", "--all", home=home)
    run_ok("undo", "-s", "a", home=home)
    undo = lines(session_path(home, "a"))[-1]["id"]
    run_ok("persist", "a", "-i", home=home, env=other)
    for id in blocks(home):
        (home / "blocks" / id[:2] / id).unlink()
    run_ok("undo", "-s", "a", "--id", undo, home=home, env=other)
    assert len(orjson.loads(run_ok("export", "a", home=home, env=other).out)) == 2


def test_blocks_of_a_third_store_are_moved(home, tmp_path, other):
    """Neither the store named nor the home has them: refused, and nothing is stored or changed."""
    half(home)
    run_ok("persist", "a", "-i", home=home, env={"CODEH_BLOCKS": str(tmp_path / "third")})
    for id in blocks(home):
        (home / "blocks" / id[:2] / id).unlink()
    for new in (None, BIG + "three"):  # there is nothing to persist, and there is something
        if new:
            run_ok("append", "-s", "a", "-m", new, home=home)
        before = session_path(home, "a").read_bytes()
        for env in (other, {}):
            refused = run_in_process("persist", "a", "-i", home=home, env=env)
            assert (refused.code, refused.out) == (65, b"")
            assert b"is missing from" in refused.err
            assert b"is CODEH_BLOCKS right?" in refused.err
        assert session_path(home, "a").read_bytes() == before
    assert (in_folder(other), blocks(home)) == ({}, {})
    assert b"left out" in run_ok("persist", "a", "-i", "--allow-missing", home=home, env=other).err


def test_gc_with_another_store_keeps_blocks_used_at_home(home, other):
    half(home)
    run_ok("fork", "a", "--into", "b", home=home, env=other)
    run_ok("rm", "a", home=home)
    later = {"CODEH_NOW": "2100-01-01T00:00:00Z"}
    shown = run_ok("export", "b", home=home).out
    for env in ({**other, **later}, later):
        run_ok("gc", "--yes", "--shared", home=home, env=env)
        assert run_ok("export", "b", home=home, env=env).out == shown


def test_an_edit_sends_only_the_part_that_changed(home, other):
    image = {"inlineData": {"mimeType": "image/png", "data": "A" * 8000}}
    parts = [{"text": "see"}, image, {"text": BIG, "thought": True}]
    line = orjson.dumps({"role": "model", "parts": parts})
    run_ok("append", "-s", "a", "--jsonl", stdin=line, home=home)
    run_ok("persist", "a", "-i", home=home)
    before = blocks(home)
    for id in before:  # what is touched is written now
        (home / "blocks" / id[:2] / id).touch()
    times = {id: (home / "blocks" / id[:2] / id).stat().st_mtime_ns for id in before}
    run_ok("update", "-s", "a", ":1", "-m", "look", home=home)
    run_ok("persist", "a", "-i", "--all", home=home)
    new = {hashlib.sha256(b'{"text":"look"}').hexdigest()}
    assert blocks(home).keys() - before.keys() == new
    assert {id: (home / "blocks" / id[:2] / id).stat().st_mtime_ns for id in before} == times
    assert contents(home, "a")[0]["parts"] == [{"text": "look"}, *parts[1:]]


def test_a_failed_persist_changes_no_session(home, other):
    """A block cannot be written; `gc` removes those that nothing names."""
    run_ok("append", "-s", "a", "-m", BIG, home=home)
    id = hashlib.sha256(orjson.dumps({"text": BIG})).hexdigest()
    (home / "blocks" / id[:2] / id).mkdir(parents=True)
    before = session_path(home, "a").read_bytes()
    assert run_in_process("persist", "a", "-i", home=home).code == 74
    assert session_path(home, "a").read_bytes() == before


def test_relative_store_is_reported_with_its_absolute_path(home, tmp_path, monkeypatch):
    env = {"CODEH_BLOCKS": "mine"}
    monkeypatch.chdir(tmp_path)
    run_ok("append", "-s", "a", "-m", BIG, home=home)
    run_ok("persist", "a", "-i", home=home, env=env)
    run_ok("export", "a", home=home, env=env)
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "there")
    lost = run_in_process("export", "a", home=home, env=env)
    assert (lost.code, f"missing from {tmp_path}/there/mine or " in lost.err.decode()) == (65, True)
    run_ok("export", "a", home=home, env={"CODEH_BLOCKS": str(tmp_path / "mine")})
