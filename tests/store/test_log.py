"""The store: no writer loses another's record, and nothing is written that is not a session of ours."""

import fcntl
import os
import shutil
import subprocess
import sys

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import HistoryError, NotFound, TryAgain
from codeh_history.session.records import parse
from codeh_history.store import log, new_file
from in_process import run_in_process, run_ok, write_session
from support import PROGRAM, ROOT, environ, lines, run, session_path

WORKER = ROOT / "tests" / "helpers/worker.py"
HEADER = b'{"type":"session","version":1,"id":"demo","created":"2026-01-02T03:04:05.000Z"}\n'
FIRST = b'{"type":"message","id":"first","ts":"2026-01-02T03:04:05.000Z","kind":"user","role":"user","parts":[{"text":"\xc3\xa9"}]}\n'
NEW = b'{"type":"message","id":"new","kind":"user","role":"user","parts":[]}\n'


def work(*argv, home, **popen):
    return subprocess.Popen([sys.executable, WORKER, *argv], env=environ(home=home), **popen)


def made(home, content=HEADER + FIRST):
    return write_session(home, content, "demo")


def append(path, line=NEW, *, create=False, wait=0.05):
    return log.append(Env({}), str(path), lambda _: line, create=create, wait=wait)


def ids(path):
    return [record.data["id"] for record in parse(path.read_bytes()).records]


# -- many writers: `faults/test_crowd.py` has many at once ---------------------------------------------


def careless(path, *, create, wait):
    """A writer that does not look whether the path still names the file it has locked."""
    fd, created = log._open(path, create=create)
    log.lock(fd, path, wait)
    return fd, created


@pytest.mark.parametrize(("opener", "kept"), [(log.open_locked, True), (careless, False)])
def test_a_file_replaced_while_a_writer_waits_is_reopened(home, monkeypatch, opener, *, kept):
    path = made(home)

    def replace_then_lock(fd, name, deadline):
        monkeypatch.undo()
        copy = path.with_suffix(".tmp")
        copy.write_bytes(path.read_bytes())
        copy.replace(path)
        log.lock(fd, name, deadline)

    monkeypatch.setattr(log, "lock", replace_then_lock)
    monkeypatch.setattr(log, "open_locked", opener)
    append(path)
    assert ids(path) == ["demo", "first", *(["new"] if kept else [])]


@pytest.mark.parametrize("step", ["replace", "sync_dir"])
def test_the_new_file_is_locked_until_all_is_done(home, monkeypatch, step):
    """Whoever opens it before its name is durable waits, as its lock is held from its first byte on."""
    path = made(home)
    owner, states = (new_file if step == "sync_dir" else log.os), []
    done = getattr(owner, step)

    def look(place, *more):
        fd = os.open(path if step == "sync_dir" else place, os.O_RDONLY)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            states.append("free")
        except BlockingIOError:
            states.append("locked")
        finally:
            os.close(fd)
        done(place, *more)

    monkeypatch.setattr(owner, step, look)
    log.replace(Env(), str(path), lambda locked: locked.read())
    assert states == ["locked"]


@pytest.mark.parametrize("before", [-(1 << 10), -20, -8, -1, 0, 1 << 10])
@pytest.mark.parametrize("steps", [1, 2])
def test_a_key_is_found_wherever_it_stands(home, steps, before):
    """Also across what is read at once, long before the end, and behind a line that only mentions it."""
    path = made(home)
    line = b'{"type":"later","x":{"key":"the-key"}}\n' + NEW.replace(b'"new"', b'"k","key":"the-key"')
    line = line.replace(b"[]", b'[{"text":"x"}]')
    at = line.rindex(b'"key"')
    room = (steps << 20) + before - len(path.read_bytes()) - at - len(b'{"type":"later","x":""}\n')
    with path.open("ab") as file:
        file.write(b'{"type":"later","x":"' + b"." * room + b'"}\n' + line + b'{"type":"later"}\n' * 70_000)
    size = path.stat().st_size
    assert run("append", "-s", "demo", "-m", "x", "--key", "the-key").text == "k"
    assert path.stat().st_size == size


def test_a_removed_session_is_not_written_under_its_old_name(home):
    path = made(home)
    with pytest.raises(NotFound):
        log.append(Env({}), str(path.with_name("other.jsonl")), lambda _: NEW)
    assert sorted(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    "line",
    ["append -s {} -m x", "append -s {} --jsonl", "append -s {} --stream --role model", "set -s {} title=x", "fork demo --into {}",
     "ask -s {} -m x --to text --via cat"],
)  # fmt: skip
def test_2026_11_23_a_misspelt_path_makes_no_folders(home, line):
    path = made(home)
    before = path.read_bytes()
    folder = home / "no" / "such"
    stdin = b'{"role":"user","parts":[{"text":"x"}]}\n' if "-m" not in line else b""
    done = run_in_process(*line.format(folder / "x.jsonl").split(), stdin=stdin)
    assert (done.code, done.out) == (74, b"")
    assert done.err.decode() == f"codeh-history: {folder}: no such directory; nothing was stored\n"
    assert not folder.parent.exists()
    assert path.read_bytes() == before


def test_2026_11_21_a_session_in_the_working_directory_could_not_be_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_ok("append", "-s", "x.jsonl", "-m", "hi", home=tmp_path / "home")
    assert (tmp_path / "x.jsonl").is_file()


@pytest.mark.parametrize("store", ["", "dir:{}/a/b", "dir:{}/a/b/"])
def test_the_folder_of_sessions_is_made(home, store):
    where = {"CODEH_STORE": store.format(home)} if store else {}
    run_ok("append", "-s", "demo", "-m", "x", home=home / "new" / "home", env=where)
    folder = home / "a" / "b" if store else home / "new" / "home" / "sessions"
    assert (folder / "demo.jsonl").exists()


# -- the lock -------------------------------------------------------------------------------------------


def held(path, home):
    """A process that holds the lock of a session until its stdin ends."""
    holder = work("hold", path, home=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout.readline() == b"held\n"
    return holder


def test_a_locked_session_is_exit_75_after_the_deadline(home):
    path = made(home)
    holder = held(path, home)
    with pytest.raises(TryAgain) as failure:
        append(path)
    assert failure.value.exit_code == 75
    assert path.read_bytes() == HEADER + FIRST
    holder.kill()  # the lock dies with its owner, however it ends
    holder.communicate()
    append(path)
    assert ids(path) == ["demo", "first", "new"]


def test_a_writer_waits_for_its_turn(home):
    path = made(home)
    holder = held(path, home)
    writer = work("append", path, "late", "1", home=home)
    holder.communicate()
    assert writer.wait(120) == 0
    assert ids(path) == ["demo", "first", "late-0"]


# -- what is never written --------------------------------------------------------------------------------


def refused(path):
    """The program refuses to append, in one line, and leaves what the path names as it is."""
    outcome = run("append", "-s", str(path), "-m", "x")
    assert (outcome.code, outcome.out) == (65, b""), outcome.err
    assert outcome.err.count(b"\n") == 1
    return outcome.err.decode()


NO_FILES = {
    "a link": (lambda path, victim: path.symlink_to(victim), "symbolic link"),
    "a link to nothing": (lambda path, victim: path.symlink_to(f"{victim}.none"), "symbolic link"),
    "a hard link": (lambda path, victim: path.hardlink_to(victim), "2 hard links"),
    "a fifo, without hanging": (lambda path, victim: os.mkfifo(path), "not a regular file"),
}
if os.geteuid() == 0:  # only root can make a file of another user
    NO_FILES["another user's"] = (
        lambda path, victim: os.chown(shutil.copy(victim, path), 65534, 65534),
        "another user",
    )


@pytest.mark.parametrize(("make", "why"), NO_FILES.values(), ids=NO_FILES)
def test_what_is_no_file_of_its_own_is_never_written(tmp_path, make, why):
    victim = tmp_path / "victim.jsonl"
    victim.write_bytes(HEADER)
    make(tmp_path / "demo.jsonl", victim)
    assert why in refused(tmp_path / "demo.jsonl")
    assert victim.read_bytes() == HEADER
    assert not os.path.exists(f"{victim}.none")


def test_a_directory_is_never_written(tmp_path):
    (tmp_path / "demo.jsonl").mkdir()
    assert "a directory, not a session" in refused(tmp_path / "demo.jsonl")


@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root may write anywhere")
def test_a_place_without_permission(tmp_path):
    capabilities = "-dac_override,-dac_read_search"
    humble = (
        ["setpriv", "--bounding-set", capabilities, "--inh-caps", capabilities] if os.geteuid() == 0 else []
    )
    tmp_path.chmod(0o500)
    path = tmp_path / "demo.jsonl"
    done = subprocess.run(
        [*humble, *PROGRAM, "append", "-s", path, "-m", "x"], env=environ(), stdin=subprocess.DEVNULL,
        capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (74, b""), done.stderr
    assert done.stderr == f"codeh-history: {path}: Permission denied; nothing was stored\n".encode()


# -- streams ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_no_note_is_written_into_the_session(home, closed):
    """`curate -i` tells of damage while it holds the session open."""
    error = b'{"type":"message","id":"e","kind":"error","parts":[{"text":"x"}]}\n'
    path = made(home, HEADER + b"damaged\n" + error)
    command = f"'{sys.executable}' -m codeh_history curate -i -s demo {closed}"
    subprocess.run(["bash", "-c", command], env=environ(home=home), stdin=-3, check=False, timeout=60)
    before, added = path.read_bytes().split(error)
    assert before == HEADER + b"damaged\n"
    assert [record["type"] for record in lines(added)] == ["compaction"]


# -- clock and ids ----------------------------------------------------------------------------------------


def test_a_clock_that_is_none_is_a_usage_error(home):
    outcome = run("append", "-s", "demo", "-m", "x", env={"CODEH_NOW": "noon"})
    assert (outcome.code, outcome.err) == (2, b"codeh-history: CODEH_NOW: not a time: noon\n")
    assert not session_path(home, "demo").exists()


def test_every_refusal_of_the_store_is_for_the_user():
    """None of its errors may look like a bug."""
    with pytest.raises(HistoryError):
        log.append(Env({}), "/dev/null/x.jsonl", lambda _: NEW, create=True)
