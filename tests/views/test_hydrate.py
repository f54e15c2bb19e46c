"""Every command reads a session by reference as it reads any other."""

import re
import shutil
from pathlib import Path

import orjson
import pytest

from blocks.stored import BIG, PROVIDERS, blocks, contents
from codeh_history.base.env import Env
from codeh_history.session.fold import fold
from codeh_history.session.records import parse
from codeh_history.views.stored_parts import hydrated
from in_process import run_in_process, run_ok
from support import lines, session_path

READERS = [
    ["show", "demo", "--jsonl"], ["show", "demo"], ["show", "demo", "--items"], ["last", "demo"],
    ["search", "after", "demo"], ["stats", "demo", "--json"], ["export", "demo"], ["calls", "demo"],
    ["verify", "demo"], ["verify", "demo", "--to", "anthropic", "--json"], ["expand", "-s", "demo", ":2"],
    ["context", "demo"], ["fixture", "demo"], ["compact", "demo", "--budget", "2k", "--plan"],
    *(["export", "demo", "--to", form] for form in ("exchanges", "persisted", "refs", "markdown", "html")),
    *(["payload", "demo", "--to", name, "--model", "m"] for name in PROVIDERS),
    ["payload", "demo", "--to", "gemini", "--budget", "2k"], ["payload", "demo", "--to", "gemini", "--context"],
]  # fmt: skip
FILTERS = [
    ["curate", "-", "--only", "kinds"], ["compact", "-", "--budget", "2k"], ["compact", "-", "--max-chars", "9000"],
    ["compact", "-", "--max-items", "3"], ["repair", "-"], ["redact", "-"], ["fixture", "-"],
    ["summarize", "-", "--max-conversations", "1", "--min-batch", "1"],
]  # fmt: skip


@pytest.fixture(scope="module")
def plain(made, tmp_path_factory):
    """A copy of `made`, as exporting references stores blocks."""
    return Path(shutil.copytree(made, tmp_path_factory.mktemp("plain"), dirs_exist_ok=True))


@pytest.fixture(scope="module")
def same(plain, tmp_path_factory):
    """The session of `plain`, all of it by reference."""
    home = Path(shutil.copytree(plain, tmp_path_factory.mktemp("same"), dirs_exist_ok=True))
    run_ok("persist", "demo", "-i", "--all", home=home)
    assert "parts" not in session_path(home, "demo").read_text()
    return home


@pytest.mark.parametrize("argv", READERS, ids=" ".join)
def test_readers_hydrate(plain, same, argv):
    whole, by_reference = (run_in_process(*argv, home=home) for home in (plain, same))
    assert whole.code in (0, 1)
    assert (by_reference.code, by_reference.out) == (whole.code, whole.out)


@pytest.mark.parametrize("argv", FILTERS, ids=" ".join)
def test_filters_print_the_same_session(plain, same, argv):
    env = {"CODEH_ID_SEED": "same", "CODEH_NOW": "2026-01-02T03:04:05Z"}
    files = [session_path(home, "demo").read_bytes() for home in (plain, same)]
    printed = [run_ok(*argv, stdin=file, home=same, env=env).out for file in files]
    views = [hydrated(Env({"CODEH_HOME": str(same)}), fold(parse(out))) for out in printed]
    shown = [[(m.id, m.kind, m.parts) for m in view.messages] for view in views]
    assert shown[0] == shown[1] != []
    assert [s.text for s in views[0].summaries] == [s.text for s in views[1].summaries]


SECRET = "sk-ant-api03-" + "Ab3dEf6hIj" * 9


def test_secrets_in_blocks_are_found(home):
    for text in ("nothing here", f"my key is {SECRET}"):
        run_ok("append", "-s", "a", "-m", text, home=home)
    run_ok("persist", "a", "-i", "--all", home=home)
    kept, leaking = lines(session_path(home, "a"))[1:]
    done = run_ok("redact", "a", home=home)
    assert b"1 found" in done.err
    assert done.lines[1] == kept
    assert done.lines[2]["parts"] == [{"text": "my key is [redacted:anthropic-key]"}]
    cleaned = run_in_process("redact", "a", "-i", "--yes", home=home)
    assert cleaned.code == 1  # the block itself goes with gc
    assert b"is still in 1 block" in cleaned.err
    assert leaking["blockIds"][0] not in session_path(home, "a").read_text()
    stored = [line for line in lines(session_path(home, "a")) if line["type"] != "redaction"]
    assert stored[1:] == done.lines[1:]
    assert SECRET.encode() not in run_ok("export", "a", home=home).out


def test_missing_block_stops_redact_and_fixture(home):
    run_ok("append", "-s", "a", "-m", BIG, home=home)
    run_ok("persist", "a", "-i", home=home)
    (id,) = blocks(home)
    (home / "blocks" / id[:2] / id).unlink()
    before = session_path(home, "a").read_bytes()
    for argv in (["redact", "a"], ["fixture", "a"], ["redact", "a", "-i", "--yes"]):
        lost = run_in_process(*argv, home=home)
        assert (lost.code, lost.out) == (65, b"")
        assert id.encode() in lost.err
    assert session_path(home, "a").read_bytes() == before
    (problem,) = run_in_process("verify", "a", "--json", home=home).lines
    assert id in orjson.dumps(problem).decode()


# -- one block that is missing or altered: what shows text goes on without it, all others name it --------


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
def test_display_commands_print_a_placeholder_and_a_note(home, lost, argv):
    shown = run_ok(*argv, home=home)
    assert f"a: 1 block left out: block {lost} is missing from {home}/blocks" in shown.err.decode()
    assert f"[block {lost} is missing]" in shown.out.decode()
    strict = run_in_process(*argv, "--strict", home=home)
    assert (strict.code, strict.out) == (65, shown.out)
    assert lost in strict.err.decode()


def test_unneeded_missing_block_is_not_reported(home, lost):
    for argv in (["show", "a", "-n", "1"], ["last", "a", "--role", "user"]):
        shown = run_ok(*argv, home=home)
        assert (b"and now?" in shown.out, shown.err) == (True, b"")
    assert lost.encode() in run_ok("show", "a", "-n", "3", home=home).err


@pytest.mark.parametrize("argv", OTHERS, ids=" ".join)
def test_commands_that_pass_content_on_name_the_missing_block(home, lost, argv):
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


def test_search_continues_after_a_session_with_a_missing_block(home, lost):
    run_ok("append", "-s", "b", "-m", "now here", home=home)
    done = run_in_process("search", "now", "--strict", home=home)
    assert done.code == 65
    assert [line.split(":")[0] for line in done.text.splitlines()] == ["a", "b"]
    assert lost.encode() in done.err


def test_hydrate_keeps_references_to_missing_blocks(home, lost):
    """With half of the blocks gone, `-i --allow-missing` brings the other half back and loses no reference."""
    run_ok("append", "-s", "a", "-m", BIG + "two", home=home)
    run_ok("persist", "a", "-i", "--allow-missing", home=home)
    done = run_ok("hydrate", "a", "-i", "--allow-missing", home=home)
    assert lost in done.err.decode()
    text = session_path(home, "a").read_text()
    assert (lost in text, BIG + "two" in text) == (True, True)
    (home / "blocks" / lost[:2] / lost).write_text(f'{{"text":"{BIG}"}}')
    assert contents(home, "a")[0]["parts"] == [{"text": BIG}]


def test_append_result_beside_a_missing_block(home, lost):
    run_ok("append", "-s", "a", "--call", "ls", "--args", "{}", home=home)
    run_ok("append", "-s", "a", "--result", "ls", "-m", "x", home=home)
    assert run_ok("show", "a", "-n", "2", home=home).err == b""
    assert lost in run_ok("append", "-s", "a", "-m", "y", "--max-items", "3", home=home).err.decode()


def test_last_prints_a_placeholder_for_a_missing_block(home, lost):
    for _ in range(2):
        run_ok("undo", "-s", "a", home=home)
    assert run_ok("last", "a", home=home).text == f"[block {lost} is missing]"
    assert run_in_process("last", "a", "--strict", home=home).code == 65


def test_2026_11_23_first_of_many_missing_blocks_is_named(home):
    """`persist` named any of them, another one in each process."""
    for number in range(20):
        run_ok("append", "-s", "a", "-m", f"{number} {BIG}", home=home)
    run_ok("persist", "a", "-i", home=home)
    first = re.findall(rb'"blockIds":\["(\w+)"', session_path(home, "a").read_bytes())[0]
    shutil.rmtree(home / "blocks")
    done = run_in_process("persist", "a", "-i", "--all", home=home)
    assert done.code == 65
    assert b"block %b is missing" % first in done.err
