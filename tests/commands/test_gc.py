"""`gc` changes no view, and removes a block only if no session, readable or not, can refer to it."""

import os
import shutil
import subprocess
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.base.env import Env
from codeh_history.commands import gc
from codeh_history.commands.gc import split
from codeh_history.session.fold import fold
from codeh_history.session.records import dumps, parse
from codeh_history.store import cache
from codeh_history.store.blocks import open_store
from in_process import run_in_process
from plain_logs import contents
from support import PROGRAM, environ, lines, run, session_path

DAY = 86400


def collected(data):
    return b"".join(split(data)[0])


@given(data=some.files_of(), undone=st.lists(st.integers(0, 11), max_size=4))
def test_removed_deltas_are_in_no_view_whatever_is_undone(data, undone):
    more = b"\n" + b"".join(
        dumps({"type": "revert", "id": f"undo{n}", "of": f"r{number}", "ts": some.TS}) + b"\n"
        for n, number in enumerate(undone)
    )
    assert contents(fold(parse(collected(data) + more))) == contents(fold(parse(data + more)))


@st.composite
def streams(draw):
    """Few ids, many deltas, commits and updates, so that each delta may matter."""
    log = []
    ids = ["m"]
    for number in range(draw(st.integers(1, 10))):
        kind = draw(st.sampled_from(["open", "delta", "delta", "commit", "whole", "update", "revert"]))
        of = draw(st.sampled_from(ids))
        if kind == "open":
            id = draw(st.sampled_from(["m", "n"]))
            log.append({"type": "open", "id": id, "kind": "codeh", "ts": some.TS})
        elif kind == "delta":
            log.append({"type": "delta", "of": of, "parts": [{"text": f"d{number}"}]})
        elif kind in ("commit", "whole"):
            parts = {"parts": [{"text": f"c{number}"}]} if kind == "whole" else {}
            log.append({"type": "commit", "of": of, "ts": some.TS, **parts})
        elif kind == "update":
            log.append({"type": "update", "id": f"u{number}", "of": of, "parts": [{"text": f"u{number}"}]})
            ids.append(f"u{number}")
        else:
            of = draw(st.sampled_from(ids))
            log.append({"type": "revert", "id": f"x{number}", "of": of, "ts": some.TS})
    return draw(some.with_copies(log)) if draw(st.booleans()) else log


@given(log=streams(), undone=st.lists(st.sampled_from([*"mn", *(f"u{n}" for n in range(10))]), max_size=4))
def test_updates_and_undo_around_a_stream(log, undone):
    more = [{"type": "revert", "id": f"z{n}", "of": id, "ts": some.TS} for n, id in enumerate(undone)]
    whole, tail = some.encode(log), some.encode(more)
    assert contents(fold(parse(collected(whole) + tail))) == contents(fold(parse(whole + tail)))


def count(*records):
    return len(split(some.encode(list(records)))[1])


OPEN = {"type": "open", "id": "m", "kind": "codeh", "ts": some.TS}
DELTA = {"type": "delta", "of": "m", "parts": [{"text": "Hel"}]}
WHOLE = {"type": "commit", "of": "m", "ts": some.TS, "parts": [{"text": "Hello"}]}
JOINED = {"type": "commit", "of": "m", "ts": some.TS}
UPDATE = {"type": "update", "id": "u", "of": "m", "parts": [{"text": "new"}]}


def test_which_deltas_are_removed():
    assert count(OPEN, DELTA, DELTA, WHOLE) == 2
    assert count(OPEN, DELTA, {**WHOLE, "parts": 0, "blockIds": ["0" * 64]}) == 0  # damaged: no commit
    assert count(OPEN, DELTA, {"type": "commit", "of": "m", "blockIds": ["0" * 64]}) == 1
    assert count(OPEN, DELTA) == 0  # pending
    assert count(OPEN, DELTA, JOINED) == 0  # the only place where the content stands
    assert count(OPEN, DELTA, JOINED, WHOLE) == 0
    assert count(OPEN, DELTA, UPDATE, DELTA, WHOLE) == 0  # an answer that came twice
    assert count(OPEN, DELTA, UPDATE, {"type": "commit", "of": "u"}, WHOLE) == 0
    assert count(OPEN, DELTA, UPDATE, {**WHOLE, "of": "u"}) == 0  # undone with the update
    assert count(OPEN, DELTA, WHOLE, UPDATE, DELTA) == 1
    assert count(OPEN, OPEN, DELTA, WHOLE) == 0
    assert count(OPEN, DELTA, {**WHOLE, "id": "c"}) == 0  # such a commit can be undone


# -- the command --------------------------------------------------------------------------------------


BIG = "x" * 5000


def aged(home, days):
    """Set the age of every block."""
    then = time.time() - days * DAY
    for path in (home / "blocks").rglob("*"):
        if path.is_file():
            os.utime(path, (then, then))


def blocks(home):
    return sorted(p.name for p in (home / "blocks").rglob("*") if p.is_file())


def persisted(home, session, text=BIG):
    id = run("append", "-s", session, "-m", text).text
    assert run("persist", session, "-i").code == 0
    return id


def test_blocks_go_with_the_last_session_that_names_them(home):
    persisted(home, "a")
    persisted(home, "b")  # the same content: the same block
    persisted(home, "c", "y" * 5000)
    run("fork", "c", "--into", "d")
    aged(home, 8)
    assert len(blocks(home)) == 2
    for name in ("a", "c"):
        session_path(home, name).unlink()
    assert run("gc", "--yes").out == b""
    session_path(home, "b").unlink()
    dry = run("gc")
    assert lines(dry.out) == [{"store": str(home / "blocks"), "blocks": 1, "bytes": 5011, "removed": False}]
    assert b"--yes" in dry.err
    assert len(blocks(home)) == 2
    assert lines(run("gc", "--yes").out)[0]["removed"] is True
    assert len(blocks(home)) == 1
    assert run("show", "d").code == 0


def test_the_trash_and_damaged_lines_keep_blocks(home):
    persisted(home, "a")
    persisted(home, "b", "y" * 5000)
    run("rm", "a")
    path = session_path(home, "b")
    path.write_bytes(path.read_bytes().replace(b'{"type":"ref"', b'{"type":"ref'))
    aged(home, 8)
    assert run("gc", "--yes").out == b""
    assert len(blocks(home)) == 2
    assert run("rm", "--restore", "a").code == 0
    assert run("last", "a").text == BIG


def test_a_recent_or_rewritten_block_is_kept(home):
    persisted(home, "a")
    session_path(home, "a").unlink()
    aged(home, 6.9)
    assert run("gc", "--yes").out == b""
    aged(home, 7.1)
    persisted(home, "b")
    session_path(home, "b").unlink()
    assert run("gc", "--yes").out == b""
    aged(home, 7.1)
    assert lines(run("gc", "--yes").out)[0]["blocks"] == 1
    assert blocks(home) == []


def test_leftovers_of_killed_processes_are_swept(home):
    persisted(home, "a")
    half = session_path(home, "a").parent / ".a.jsonl.00000000.tmp"
    block = next((home / "blocks").iterdir()) / ".0.00000000.tmp"
    for path in (half, block):
        path.write_bytes(b"half")
        os.utime(path, (0, 0))
    young = half.with_name(".a.jsonl.11111111.tmp")
    young.write_bytes(b"half")
    assert run("gc").code == 0
    assert half.exists()
    assert run("gc", "--yes").code == 0
    assert not half.exists()
    assert not block.exists()
    assert young.exists()


LATER = {"CODEH_NOW": "2100-01-01T00:00:00Z"}
STREAM = (
    b'{"type":"open","id":"m","kind":"codeh","role":"model"}\n{"type":"delta","of":"m","parts":[{"text":"a"}]}\n'
    b'{"type":"commit","of":"m","parts":[{"text":"a"}]}\n'
)


@pytest.fixture
def filled_home(home):
    """A home with a session by reference, deltas that may go, and a removed session."""
    for name in ("demo", "gone"):
        run_in_process("append", "-s", name, "-m", name * 2000)
        run_in_process("persist", name, "-i")
    with session_path(home, "demo").open("ab") as file:
        file.write(STREAM)
    run_in_process("rm", "gone")
    return home


def tree(filled_home):
    return {str(path): path.read_bytes() for path in filled_home.rglob("*") if path.is_file()}


def stopped(filled_home, *more):
    """Check that `gc` removes nothing and exits with 74, dry run or not."""
    before = tree(filled_home)
    for argv in (["gc"], ["gc", "--yes"], ["gc", "--yes", "--trash", "1d"]):
        outcome = run_in_process(*argv, *more, env=LATER)
        assert (outcome.code, outcome.out) == (74, b""), outcome.err
        assert tree(filled_home) == before
    return outcome.err.decode()


@pytest.mark.parametrize("folder", ["sessions", "trash"])
def test_a_session_in_a_subfolder_stops_gc(filled_home, folder):
    below = filled_home / folder / "2025"
    below.mkdir()
    session_path(filled_home, "demo").rename(below / "demo.jsonl")
    assert "2025" in stopped(filled_home)


@pytest.mark.parametrize("folder", ["sessions", "trash"])
@pytest.mark.parametrize("name", ["demo.jsonl", "notes"])
def test_a_broken_link_stops_gc(filled_home, folder, name):
    path = filled_home / folder / name
    if path.exists():
        path.rename(filled_home / "aside")
    path.symlink_to(filled_home / "nowhere")
    assert name in stopped(filled_home)


def test_an_unmounted_sessions_folder_stops_gc(filled_home):
    shutil.move(filled_home / "sessions", filled_home / "aside")
    (filled_home / "sessions").symlink_to(filled_home / "not-mounted")
    assert "sessions" in stopped(filled_home)


def test_a_session_reached_through_a_link_keeps_its_blocks(filled_home):
    path = session_path(filled_home, "demo")
    path.rename(filled_home / "elsewhere.jsonl")
    path.symlink_to(filled_home / "elsewhere.jsonl")
    run_in_process("gc", "--yes", env=LATER)
    assert run_in_process("last", "demo").code == 0


@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root may read anything")
def test_an_unreadable_session_stops_gc(filled_home):
    path = session_path(filled_home, "demo")
    path.chmod(0)
    capabilities = "-dac_override,-dac_read_search"
    humble = (
        ["setpriv", "--bounding-set", capabilities, "--inh-caps", capabilities] if os.geteuid() == 0 else []
    )
    done = subprocess.run(
        [*humble, *PROGRAM, "gc", "--yes"], env=environ(LATER, filled_home), stdin=subprocess.DEVNULL,
        capture_output=True, check=False,
    )  # fmt: skip
    path.chmod(0o600)
    assert (done.returncode, done.stdout) == (74, b""), done.stderr
    assert b"demo.jsonl: Permission denied" in done.stderr
    assert run_in_process("last", "demo").code == 0


def test_blocks_behind_a_link_may_belong_to_others(filled_home, tmp_path):
    shared = tmp_path / "shared"
    shutil.move(filled_home / "blocks", shared)
    (filled_home / "blocks").symlink_to(shared)
    session_path(filled_home, "demo").unlink()
    before = tree(shared)
    outcome = run_in_process("gc", "--yes", env=LATER)
    assert (outcome.code, outcome.out) == (0, b"")
    assert b"--shared" in outcome.err
    assert tree(shared) == before
    assert run_in_process("gc", "--yes", "--shared", env=LATER).lines[0]["blocks"] == 1


def test_a_home_reached_through_a_link_owns_its_blocks(filled_home, tmp_path):
    session_path(filled_home, "demo").unlink()
    (tmp_path / "link").symlink_to(filled_home)
    assert run_in_process("gc", "--yes", home=tmp_path / "link", env=LATER).lines[0]["blocks"] == 1


def test_a_block_referenced_in_another_spelling_is_kept(filled_home):
    path = session_path(filled_home, "demo")
    data = path.read_bytes()
    at = data.index(b'"blockIds":["') + 13
    spelled = b"".join(b"\\u00%02x" % digit for digit in data[at : at + 64])
    path.write_bytes(data[:at] + spelled + data[at + 64 :])
    run_in_process("gc", "--yes", env=LATER)
    assert run_in_process("last", "demo", "--role", "user").text == "demo" * 2000


def test_a_session_somewhere_else_keeps_its_blocks(filled_home, tmp_path):
    """Sessions named by path, persisted or started with a large file; a missing one may have been moved."""
    (tmp_path / "big.png").write_bytes(b"\x89PNG" * 20_000)
    kept, begun = tmp_path / "told.jsonl", tmp_path / "begun\n\xfc.jsonl"
    run_in_process("append", "-s", str(kept), "-m", "told" * 2000)
    run_in_process("persist", str(kept), "-i")
    run_in_process("append", "-s", str(begun), "-m", "q", "--attach", str(tmp_path / "big.png"))
    for name in ("demo", "gone"):
        (filled_home / "sessions" / f"{name}.jsonl").unlink(missing_ok=True)
    shutil.rmtree(filled_home / "trash")
    before = [run_in_process("hydrate", str(path)).out for path in (kept, begun)]
    assert run_in_process("gc", "--yes", env=LATER).lines[0]["blocks"] == 2
    assert [run_in_process("hydrate", str(path)).out for path in (kept, begun)] == before
    moved = kept.rename(tmp_path / "moved.jsonl")
    left = run_in_process("gc", "--yes", env=LATER)
    assert (left.code, left.out) == (0, b"")
    assert b"told.jsonl referred to blocks and is missing" in left.err
    assert run_in_process("hydrate", str(moved)).code == 0
    assert run_in_process("gc", "--yes", "--shared", env=LATER).lines[0]["blocks"] == 1
    assert run_in_process("gc", "--yes", env=LATER).err == b"codeh-history: nothing to remove\n"
    assert run_in_process("hydrate", str(begun)).code == 0


@pytest.mark.parametrize("how", ["a link", "CODEH_BLOCKS"])
def test_a_store_used_by_another_home_is_left_alone(filled_home, tmp_path, how):
    other, env = tmp_path / "other", {}
    if how == "a link":
        other.mkdir()
        (other / "blocks").symlink_to(filled_home / "blocks")
    else:
        env["CODEH_BLOCKS"] = str(filled_home / "blocks")
    run_in_process("append", "-s", "x", "-m", "other" * 2000, home=other)
    assert run_in_process("persist", "x", "-i", home=other, env=env).code == 0
    assert b"--shared" in run_in_process("gc", "--yes", env=LATER).err
    assert run_in_process("hydrate", "x", home=other, env=env).code == 0


class _Moving(set[str]):
    """Paths that are to go: none; a session is moved just before its file would be read."""

    def __init__(self, path, to):
        super().__init__()
        self.path = path
        self.to = to

    def __contains__(self, path):
        if path == str(self.path) and self.path.exists():
            self.path.rename(self.to)
        return False


@pytest.mark.parametrize("store", [None, "store"])
@pytest.mark.parametrize("restored", [True, False])
def test_a_session_moved_while_gc_reads_keeps_its_blocks(filled_home, tmp_path, restored, store):
    """2026-11-27: not from the folder of `CODEH_STORE`, which was read after the trash."""
    folder = tmp_path / store if store else filled_home / "sessions"
    folder.mkdir(exist_ok=True)
    home = {"CODEH_HOME": str(filled_home), "HOME": str(filled_home)}
    env = Env({**home, "CODEH_STORE": f"dir:{folder}", **LATER})
    trashed, session = filled_home / "trash" / "gone.1.jsonl", folder / "gone.jsonl"
    if not restored:
        trashed.rename(session)
    moving = _Moving(trashed, session) if restored else _Moving(session, trashed)
    assert gc.unused(env, open_store(env), env.millis() / 1000 - 7 * 86400, ignored=moving) == {}
    assert session.exists() == restored


def test_an_emptied_trash_leaves_no_words_in_the_cache(home, monkeypatch):
    monkeypatch.setattr(cache, "SETTLED", -1e9)  # however young
    run_in_process("append", "-s", "demo", "-m", "the Zanzibar plan")
    for argv in (["list"], ["search", "--words", "plan"]):
        run_in_process(*argv)
    assert [path for path, data in tree(home).items() if b"zanzibar" in data.lower() and "cache" in path]
    run_in_process("rm", "demo")
    run_in_process("gc", "--yes", "--trash", "0d", env=LATER)
    assert not [path for path, data in tree(home).items() if b"zanzibar" in data.lower()]
