"""`gc` removes nothing while anything that may name a block cannot be read."""

import os
import shutil
import subprocess

import pytest

from codeh_history.base.env import Env
from codeh_history.blocks import open_store
from codeh_history.commands.gc import unused
from inside import inside as run
from support import PROGRAM, environ, session_path

LATER = {"CODEH_NOW": "2100-01-01T00:00:00Z"}
STREAM = (
    b'{"type":"open","id":"m","kind":"codeh","role":"model"}\n{"type":"delta","of":"m","parts":[{"text":"a"}]}\n'
    b'{"type":"commit","of":"m","parts":[{"text":"a"}]}\n'
)


@pytest.fixture
def home(home):
    """A home with a session by reference, deltas that may go, and a removed session."""
    for name in ("demo", "gone"):
        run("append", "-s", name, "-m", name * 2000, home=home)
        run("persist", name, "-i", home=home)
    with session_path(home, "demo").open("ab") as file:
        file.write(STREAM)
    run("rm", "gone", home=home)
    return home


def tree(home):
    return {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def stopped(home, *more):
    """`gc` removes nothing and is 74, dry or not."""
    before = tree(home)
    for argv in (["gc"], ["gc", "--yes"], ["gc", "--yes", "--trash", "1d"]):
        outcome = run(*argv, *more, home=home, env=LATER)
        assert (outcome.code, outcome.out) == (74, b""), outcome.err
        assert tree(home) == before
    assert b"nothing was removed" in outcome.err
    return outcome.err.decode()


@pytest.mark.parametrize("folder", ["sessions", "trash"])
def test_a_session_in_a_subfolder_stops_it(home, folder):
    below = home / folder / "2025"
    below.mkdir()
    session_path(home, "demo").rename(below / "demo.jsonl")
    assert "2025" in stopped(home)


def test_an_empty_subfolder_hides_nothing(home):
    (home / "sessions" / "empty").mkdir()
    assert run("gc", home=home).code == 0


@pytest.mark.parametrize("folder", ["sessions", "trash"])
@pytest.mark.parametrize("name", ["demo.jsonl", "notes"])
def test_a_link_to_what_is_not_there_stops_it(home, folder, name):
    path = home / folder / name
    if path.exists():
        path.rename(home / "aside")
    path.symlink_to(home / "nowhere")
    assert name in stopped(home)


def test_a_folder_of_sessions_that_is_not_mounted_stops_it(home):
    shutil.move(home / "sessions", home / "aside")
    (home / "sessions").symlink_to(home / "not-mounted")
    assert "sessions" in stopped(home)


def test_a_session_reached_through_a_link_keeps_its_blocks(home):
    path = session_path(home, "demo")
    path.rename(home / "elsewhere.jsonl")
    path.symlink_to(home / "elsewhere.jsonl")
    run("gc", "--yes", home=home, env=LATER)
    assert run("last", "demo", home=home).code == 0


@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root may read anything")
def test_a_session_that_may_not_be_read_stops_it(home):
    path = session_path(home, "demo")
    path.chmod(0)
    capabilities = "-dac_override,-dac_read_search"
    humble = (
        ["setpriv", "--bounding-set", capabilities, "--inh-caps", capabilities] if os.geteuid() == 0 else []
    )
    done = subprocess.run(
        [*humble, *PROGRAM, "gc", "--yes"], env=environ(LATER, home), stdin=subprocess.DEVNULL,
        capture_output=True, check=False,
    )  # fmt: skip
    path.chmod(0o600)
    assert (done.returncode, done.stdout) == (74, b""), done.stderr
    assert b"demo.jsonl: Permission denied; nothing was removed" in done.stderr
    assert run("last", "demo", home=home).code == 0


def test_blocks_reached_through_a_link_may_be_others(home, tmp_path):
    shared = tmp_path / "shared"
    shutil.move(home / "blocks", shared)
    (home / "blocks").symlink_to(shared)
    session_path(home, "demo").unlink()
    before = tree(shared)
    outcome = run("gc", "--yes", home=home, env=LATER)
    assert (outcome.code, outcome.out) == (0, b"")
    assert b"--shared" in outcome.err
    assert tree(shared) == before
    assert run("gc", "--yes", "--shared", home=home, env=LATER).lines[0]["blocks"] == 1


def test_a_home_reached_through_a_link_owns_its_blocks(home, tmp_path):
    session_path(home, "demo").unlink()
    (tmp_path / "link").symlink_to(home)
    assert run("gc", "--yes", home=tmp_path / "link", env=LATER).lines[0]["blocks"] == 1


@pytest.mark.parametrize("before", [-70, -65, -64, -63, -40, -1, 0, 1])
def test_a_block_named_across_two_reads_stays(home, before):
    """Files are read in pieces of a MiB; the id stands across the end of the first."""
    path = session_path(home, "demo")
    data = path.read_bytes()
    at = data.index(b'"blockIds":["') + 13
    path.write_bytes(b"x" * ((1 << 20) + before - at - 1) + b"\n" + data)
    run("gc", "--yes", home=home, env=LATER)
    assert run("last", "demo", "--role", "user", home=home).text == "demo" * 2000


def test_a_block_named_in_another_spelling_stays(home):
    path = session_path(home, "demo")
    data = path.read_bytes()
    at = data.index(b'"blockIds":["') + 13
    spelled = b"".join(b"\\u00%02x" % digit for digit in data[at : at + 64])
    for shift in (0, 5):  # within one read, and across two
        room = (1 << 20) - at - 100 * shift if shift else 0
        path.write_bytes(b"x" * room + b"\n" * bool(room) + data[:at] + spelled + data[at + 64 :])
        run("gc", "--yes", home=home, env=LATER)
        assert run("last", "demo", "--role", "user", home=home).text == "demo" * 2000


def test_a_session_somewhere_else_keeps_its_blocks(home, tmp_path):
    """By its path, persisted there or begun with a large file; one that is gone may have been moved."""
    (tmp_path / "big.png").write_bytes(b"\x89PNG" * 20_000)
    told, begun = tmp_path / "told.jsonl", tmp_path / "begun\n\xfc.jsonl"
    run("append", "-s", str(told), "-m", "told" * 2000, home=home)
    run("persist", str(told), "-i", home=home)
    run("append", "-s", str(begun), "-m", "q", "--attach", str(tmp_path / "big.png"), home=home)
    for name in ("demo", "gone"):
        (home / "sessions" / f"{name}.jsonl").unlink(missing_ok=True)
    shutil.rmtree(home / "trash")
    before = [run("hydrate", str(path), home=home).out for path in (told, begun)]
    assert run("gc", "--yes", home=home, env=LATER).lines[0]["blocks"] == 2
    assert [run("hydrate", str(path), home=home).out for path in (told, begun)] == before
    moved = told.rename(tmp_path / "moved.jsonl")
    left = run("gc", "--yes", home=home, env=LATER)
    assert (left.code, left.out) == (0, b"")
    assert b"told.jsonl referred to blocks and is missing" in left.err
    assert run("hydrate", str(moved), home=home).code == 0
    assert run("gc", "--yes", "--shared", home=home, env=LATER).lines[0]["blocks"] == 1
    assert run("gc", "--yes", home=home, env=LATER).err == b"codeh-history: nothing to remove\n"
    assert run("hydrate", str(begun), home=home).code == 0


@pytest.mark.parametrize("how", ["a link", "CODEH_BLOCKS"])
def test_a_store_that_another_home_writes_to_is_left_alone(home, tmp_path, how):
    other, env = tmp_path / "other", {}
    if how == "a link":
        other.mkdir()
        (other / "blocks").symlink_to(home / "blocks")
    else:
        env["CODEH_BLOCKS"] = str(home / "blocks")
    run("append", "-s", "x", "-m", "other" * 2000, home=other)
    assert run("persist", "x", "-i", home=other, env=env).code == 0
    assert b"--shared" in run("gc", "--yes", home=home, env=LATER).err
    assert run("hydrate", "x", home=other, env=env).code == 0


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


@pytest.mark.parametrize("restored", [True, False])
def test_a_session_moved_while_gc_reads_keeps_its_blocks(home, *, restored):
    env = Env({"CODEH_HOME": str(home), "HOME": str(home), **LATER})
    trashed, session = home / "trash" / "gone.1.jsonl", session_path(home, "gone")
    if not restored:
        trashed.rename(session)
    moving = _Moving(trashed, session) if restored else _Moving(session, trashed)
    assert unused.unused(env, open_store(env), unused.grace(env), but=moving) == {}
    assert session.exists() == restored
