"""One block that is missing or altered: what shows text goes on without it, all others name it."""

import re
import shutil

import pytest

from blocks.stored import BIG, blocks, contents
from in_process import run_in_process, run_ok
from support import session_path

SHOWING = [
    ["show", "a"], ["show", "a", "--jsonl"], ["show", "a", "--curated"], ["search", "missing", "a"], ["search", "missing"], ["export", "a", "--to", "markdown"],
    ["export", "a", "--to", "html"],
]  # fmt: skip
OTHERS = [
    ["export", "a"], ["export", "a", "--to", "exchanges"], ["payload", "a", "--to", "gemini"], ["curate", "a"],
    ["hydrate", "a"], ["hydrate", "a", "-i"], ["stats", "a"],
]  # fmt: skip


@pytest.fixture
def lost(home):
    """The one block of a session, which is gone."""
    run_ok("append", "-s", "a", "-m", BIG, home=home)
    run_ok("append", "-s", "a", "--role", "model", "-m", "ok", home=home)
    run_ok("append", "-s", "a", "-m", "and now?", home=home)
    run_ok("persist", "a", "-i", home=home)
    (id,) = blocks(home)
    (home / "blocks" / id[:2] / id).unlink()
    return id


@pytest.mark.parametrize("argv", SHOWING, ids=" ".join)
def test_what_shows_text_prints_a_placeholder_and_says_so(home, lost, argv):
    shown = run_ok(*argv, home=home)
    assert f"a: 1 block left out: block {lost} is missing from {home}/blocks" in shown.err.decode()
    assert f"[block {lost} is missing]" in shown.out.decode()
    strict = run_in_process(*argv, "--strict", home=home)
    assert (strict.code, strict.out) == (65, shown.out)
    assert lost in strict.err.decode()


def test_an_altered_block_is_shown_as_little_as_a_missing_one(home, lost):
    (home / "blocks" / lost[:2] / lost).write_bytes(b'{"text":"another"}')
    shown = run_ok("show", "a", home=home)
    assert b"another" not in shown.out
    assert b"is altered" in shown.err


def test_what_is_not_shown_is_not_missed(home, lost):
    for argv in (["show", "a", "-n", "1"], ["last", "a", "--role", "user"]):
        shown = run_ok(*argv, home=home)
        assert (b"and now?" in shown.out, shown.err) == (True, b"")
    assert lost.encode() in run_ok("show", "a", "-n", "3", home=home).err


@pytest.mark.parametrize("argv", OTHERS, ids=" ".join)
def test_what_hands_content_on_names_the_block_and_its_store(home, lost, argv):
    before = session_path(home, "a").read_bytes()
    failed = run_in_process(*argv, home=home)
    assert (failed.code, failed.out, failed.err.count(b"\n")) == (65, b"", 1)
    assert session_path(home, "a").read_bytes() == before
    assert f"block {lost} is missing from {home}/blocks" in failed.err.decode()
    allowed = run_ok(*argv, "--allow-missing", home=home)
    assert lost in allowed.err.decode()
    if argv == ["hydrate", "a"]:
        parts = [record["parts"] for record in allowed.lines[1:]]
        assert parts[:2] == [[{"text": f"[block {lost} is missing]"}], [{"text": "ok"}]]


def test_search_of_all_sessions_goes_on_after_one_with_a_missing_block(home, lost):
    run_ok("append", "-s", "b", "-m", "now here", home=home)
    found = run_in_process("search", "now", "--strict", home=home)
    assert found.code == 65
    assert [line.split(":")[0] for line in found.text.splitlines()] == ["a", "b"]
    assert lost.encode() in found.err


def test_hydrate_keeps_the_reference_to_what_may_be_found_again(home, lost):
    """With half of the blocks gone, `-i --allow-missing` brings the other half back and loses no reference."""
    run_ok("append", "-s", "a", "-m", BIG + "two", home=home)
    run_ok("persist", "a", "-i", "--allow-missing", home=home)
    done = run_ok("hydrate", "a", "-i", "--allow-missing", home=home)
    assert lost in done.err.decode()
    text = session_path(home, "a").read_text()
    assert (lost in text, BIG + "two" in text) == (True, True)
    (home / "blocks" / lost[:2] / lost).write_text(f'{{"text":"{BIG}"}}')
    assert contents(home, "a")[0]["parts"] == [{"text": BIG}]


def test_a_result_can_be_stored_beside_a_missing_block(home, lost):
    run_ok("append", "-s", "a", "--call", "ls", "--args", "{}", home=home)
    run_ok("append", "-s", "a", "--result", "ls", "-m", "x", home=home)
    assert run_ok("show", "a", "-n", "2", home=home).err == b""
    assert lost in run_ok("append", "-s", "a", "-m", "y", "--max-items", "3", home=home).err.decode()


def test_last_prints_a_placeholder_where_the_last_is_lost(home, lost):
    for _ in range(2):
        run_ok("undo", "-s", "a", home=home)
    assert run_ok("last", "a", home=home).text == f"[block {lost} is missing]"
    assert run_in_process("last", "a", "--strict", home=home).code == 65


def test_2026_11_23_of_many_missing_blocks_the_first_is_named(home):
    """`persist` named any of them, another one in each process."""
    for number in range(20):
        run_ok("append", "-s", "a", "-m", f"{number} {BIG}", home=home)
    run_ok("persist", "a", "-i", home=home)
    first = re.findall(rb'"blockIds":\["(\w+)"', session_path(home, "a").read_bytes())[0]
    shutil.rmtree(home / "blocks")
    done = run_in_process("persist", "a", "-i", "--all", home=home)
    assert done.code == 65
    assert b"block %b is missing" % first in done.err
