"""What is written is for its owner alone, goes nowhere else, and no command takes a session away unasked."""

import os
import shutil
import signal
import stat
from pathlib import Path

import orjson
import pytest

from faults.runner import Fault
from faults.scenarios import ANSWER, FIXED, SCENARIOS, SESSION, Subject, message, plain
from faults.tracing import needs_strace, strace_of
from faults.verbs import COMMANDS
from length import FAULTS, by_profile, sampled
from support import session_path

UMASKS = by_profile([0], [0, 0o022, 0o777], [0, 0o022, 0o777])
WRITERS = [name for name, command in COMMANDS.items() if command.writes and command.argv[0] != "import"]
CANARY = "canary-8c1d5e"


def modes(home):
    """Mode and inode of all there is."""
    paths = [home, *home.rglob("*")]
    infos = {str(path): path.lstat() for path in paths if path.exists() or path.is_symlink()}
    return {path: (stat.S_IMODE(info.st_mode), info.st_ino) for path, info in infos.items()}


def open_to_others(before, after):
    """What is new (or was replaced) and is not 0600, or 0700 for a directory."""
    new = {path: mode for path, (mode, inode) in after.items() if before.get(path, (0, 0))[1] != inode}
    return {
        path: oct(mode) for path, mode in new.items() if mode != (0o700 if Path(path).is_dir() else 0o600)
    }


@pytest.mark.parametrize("umask", UMASKS, ids=oct)
def test_every_command_creates_private_files(umask, place, runner):
    for name, command in COMMANDS.items():
        home = place / name.replace(" ", "")
        command.prepare(home)
        before = modes(home)
        argv = [
            word for word in command.argv if word not in ("--counter", "approx")
        ]  # so that counts are kept
        done = runner.run(argv, home, env=command.env, stdin=command.stdin, umask=umask)
        assert done.code == 0, (name, done)
        assert open_to_others(before, modes(home)) == {}, name
        assert (home / "cache").exists() or name != "stats"


@pytest.mark.parametrize("umask", UMASKS, ids=oct)
def test_new_home_is_private(umask, place, runner):
    """By whatever command comes first, even one that only remembers counts in it."""
    elsewhere = place / "x.jsonl"
    elsewhere.write_bytes(SESSION)
    for line in ("append -m x", f"stats {elsewhere}", f"payload {elsewhere} --to gemini --budget 4k"):
        home = place / line.split()[0]
        done = runner.run(line.split(), home, env=FIXED, umask=umask)
        assert done.code == 0, done
        assert open_to_others({}, modes(home)) == {}


@pytest.mark.parametrize("name", [name for name, scenario in SCENARIOS.items() if scenario.replaces])
def test_temporary_files_are_private(name, place, runner):
    subject = Subject(SCENARIOS[name], place, runner)
    subject.fresh()
    before = modes(subject.home)
    subject.run(fault=Fault(list(subject.done.calls).index("replace"), signal.SIGKILL), umask=0)
    left = [path for path in subject.home.rglob("*.tmp") if str(path) not in before]
    assert left
    assert open_to_others(before, modes(subject.home)) == {}


# -- other people's files -----------------------------------------------------------------------------------


def another_users(path, victim):
    if os.geteuid():
        pytest.skip("only root can make a file of another user")
    shutil.copy(victim, path)
    os.chown(path, 65534, 65534)


KINDS = {
    "symlink": Path.symlink_to,
    "hard_link": Path.hardlink_to,
    "fifo": lambda path, _: os.mkfifo(path),
    "directory": lambda path, _: path.mkdir(),
    "another_users": another_users,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", sampled(WRITERS, run=FAULTS))
def test_links_and_foreign_files_are_not_written(name, kind, place, runner, tally):
    command = COMMANDS[name]
    home, victim = place / "home", place / "victim.jsonl"
    command.prepare(home)
    restored = command.argv[:2] == ["rm", "--restore"]
    path = home / "trash" / "demo.1.jsonl" if restored else session_path(home, "demo")
    content = path.read_bytes() if path.exists() else SESSION
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True, parents=True)
    victim.write_bytes(content)
    KINDS[kind](path, victim)
    owner = path.lstat()
    done = runner.run(command.argv, home, env=command.env, stdin=command.stdin)
    assert victim.read_bytes() == content
    tally("links, FIFOs, directories, other users' files", 1)
    if restored or (command.argv[0] == "fork" and kind not in ("fifo", "directory")):
        return  # moved as it is; read, and copied into a file of ours
    assert (path.lstat().st_ino, path.lstat().st_size) == (owner.st_ino, owner.st_size)
    assert done.code in (3, 65, 74) or (done.code == 0 and command.argv[0] in ("gc", "prune")), done
    if command.argv[0] not in ("gc", "prune"):
        shown = b"Because.\n" if name == "append --echo" else b""  # it was paid for
        assert done.out == shown


LISTING = """list; search x; gc --yes; prune --keep 0 --yes; status -s @; summarize --all;
redact -i demo --yes; show fi; rm fifo"""


@pytest.mark.parametrize("line", LISTING.split(";"))
def test_fifo_among_the_sessions_blocks_no_command(line, place, runner):
    plain(home := place / "home")
    os.mkfifo(home / "sessions" / "fifo.jsonl")
    done = runner.run(line.split(), home, env=FIXED)
    assert done.code >= 0, done
    assert b"bug" not in done.err


# -- what leaves the process ----------------------------------------------------------------------------------


@needs_strace
@pytest.mark.parametrize(
    "name", by_profile(["append", "payload", "compact"], list(COMMANDS)[::4], list(COMMANDS))
)
def test_no_command_opens_a_connection(name, place, tally):
    """Not even a socket. The counter is the exact one, whose vocabularies lie in a package."""
    command = COMMANDS[name]
    home = place / "home"
    command.prepare(home)
    argv = [word for word in command.argv if word not in ("--counter", "approx")]
    done = strace_of(
        argv, home, command.env, command.stdin, "-e", "trace=network", "-o", str(place / "trace")
    )
    assert done.code == 0, done
    trace = (place / "trace").read_text()
    assert "+++ exited with 0 +++" in trace
    assert "socket(" not in trace
    assert "connect(" not in trace
    tally("a trace of network calls (strace)", 1)


CALL = {"functionCall": {"name": "$(touch pwned)", "args": {"secret": CANARY}, "id": "c1"}}


@needs_strace
@pytest.mark.parametrize(
    "argv",
    [
        ["ask", "-m", CANARY, "--to", "gemini", "--via", "cat >/dev/null; cat $CODEH_HOME/answer", "--unanswered", "stub"],
        ["calls", "--via", "cat; echo $CODEH_CALL_NAME"],
        ["summarize", "demo", "-i", "--max-conversations", "3", "--min-batch", "1", "--via", "cat >/dev/null; echo The user asked."],
    ],
    ids=lambda argv: argv[0],
)  # fmt: skip
def test_no_text_of_a_session_is_in_a_command_line(argv, place):
    """Nor a key of the environment; and no text is run."""
    home = place / "home"
    record = {"type": "message", "id": "c", "kind": "codeh", "role": "model", "parts": [CALL]}
    plain(home, SESSION + orjson.dumps(record) + b"\n" + message("u9", f"more {CANARY}"))
    (home / "answer").write_bytes(ANSWER)
    env = {**FIXED, "API_KEY": CANARY}
    done = strace_of(
        argv, home, env, None, "-s", "100000", "-e", "trace=execve", "-o", str(place / "trace")
    )
    assert done.code == 0, done
    lines = (place / "trace").read_text().splitlines()[1:]  # the first is our own
    commands = [line for line in lines if "execve(" in line]
    assert any('"/bin/sh", "-c"' in line for line in commands)
    assert not [line for line in commands if CANARY in line]
    assert not list(place.rglob("pwned"))
    assert not Path("/pwned").exists()


LATER = {"CODEH_NOW": "2100-01-01T00:00:00Z"}  # whatever is old enough to go is
REMOVING = {"rm", "prune --yes"}
REWRITING = {"redact -i", "persist -i", "payload --persist", "hydrate -i", "gc", "sync"}


def sessions(home, folder):
    return {path.name: path.read_bytes() for path in (home / folder).glob("*.jsonl")}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_deletes_a_session(name, place, runner):
    command, home = COMMANDS[name], place / "home"
    command.prepare(home)
    (home / "trash").mkdir(exist_ok=True)
    (home / "trash" / "old.1.jsonl").write_bytes(b'{"role":"user","parts":[{"text":"long ago"}]}\n')
    before, trash = sessions(home, "sessions"), sessions(home, "trash")
    done = runner.run(command.argv, home, env={**command.env, **LATER}, stdin=command.stdin)
    assert done.code in (0, 1), done.err
    after, removed = sessions(home, "sessions"), sessions(home, "trash")
    back = {file.split(".")[0] for file in trash.keys() - removed.keys()}
    assert back == ({"demo"} if name == "rm --restore" else set())
    assert all(removed[file] == trash[file] for file in trash.keys() & removed.keys())
    gone = before.keys() - after.keys()
    assert bool(gone) == (name in REMOVING)
    assert {before[file] for file in gone} <= set(removed.values())
    kept = before.keys() & after.keys()
    assert name in REWRITING or all(after[file].startswith(before[file]) for file in kept)
