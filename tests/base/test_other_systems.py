"""Systems that lack names which Linux has: every verb works there, and what is acknowledged was synced."""

import errno
import subprocess
import sys

import orjson
import pytest

from support import environ, lines, session_path

ELSEWHERE = {
    "os": """
        fdatasync sched_getaffinity sched_setaffinity posix_fadvise posix_fallocate copy_file_range splice
        memfd_create eventfd pidfd_open getxattr setxattr listxattr removexattr getrandom preadv2 pwritev2
        pipe2 unshare setns getresuid getresgid O_DIRECT O_PATH O_TMPFILE O_LARGEFILE O_NOATIME O_RSYNC
    """,
    "fcntl": """
        F_SETPIPE_SZ F_GETPIPE_SZ F_OFD_SETLK F_OFD_SETLKW F_OFD_GETLK F_SETLEASE F_GETLEASE F_NOTIFY
        F_ADD_SEALS F_GET_SEALS F_SETSIG F_GETSIG
    """,
    "select": "epoll EPOLLIN EPOLLHUP",
    "signal": "pidfd_send_signal sigtimedwait sigwaitinfo SIGPWR SIGPOLL SIGSTKFLT SIGRTMIN SIGRTMAX",
    "time": "clock_settime CLOCK_BOOTTIME",
    "socket": "AF_NETLINK AF_PACKET SO_PEERCRED",
}
WRAPPED = """
import fcntl, importlib, json, os, sys
config = json.load(sys.stdin)
for module, names in config["elsewhere"].items():
    for name in names.split():
        vars(importlib.import_module(module)).pop(name, None)
synced, control = [], fcntl.fcntl
def full(fd, command, *more):
    if command != 51:
        return control(fd, command, *more)
    if config["full"] != "works":
        raise OSError(int(config["full"]), "as asked for")
    synced.append(fd)
    return 0
if config["full"]:
    fcntl.F_FULLFSYNC, fcntl.fcntl = 51, full
    sync = os.fsync
    os.fsync = lambda fd: (synced.append(fd), sync(fd))[1]
from codeh_history.base.env import Env
from codeh_history.main import run
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
stdout = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
codes = []
for argv in config["argvs"]:
    before = len(synced)
    codes.append([run(argv, Env()), len(synced) - before])
os.write(stdout, json.dumps(codes).encode())
"""
VERBS = [
    ["append", "-m", "question"], ["append", "-m", "x", "--key", "k"], ["append", "--role", "model", "-m", "x" * 5000], ["update", ":1", "-m", "y"],
    ["commit"], ["set", "title=t"], ["persist", "demo", "-i"], ["hydrate", "demo", "-i"], ["curate", "demo", "-i"],
    ["compact", "demo", "--max-chars", "9000", "-i"], ["fork", "demo", "--into", "copy"], ["undo"],
    ["rm", "copy"], ["rm", "--restore", "copy"], ["gc", "--yes", "--trash", "1d"], ["append", "-s", "copy", "-m", "z"],
    ["list"], ["show"], ["search", "question"], ["verify"], ["status", "--counter", "approx"], ["stats", "--counter", "approx"],
    ["export", "--to", "markdown"], ["append", "-m", "more"], ["payload", "--to", "anthropic", "--model", "m"],
    ["summarize", "--all"],
]  # fmt: skip


def elsewhere(home, argvs, *, full=""):
    """Each command's exit code and how often it synced fully, and what was printed."""
    done = subprocess.run(
        [sys.executable, "-c", WRAPPED], capture_output=True, check=False, timeout=120,
        input=orjson.dumps({"elsewhere": ELSEWHERE, "argvs": argvs, "full": full}),
        env=environ({"CODEH_SESSION": "demo"}, home),
    )  # fmt: skip
    return orjson.loads(done.stdout or b"[]"), done.stderr.decode()


@pytest.mark.parametrize(
    "full",
    ["", "works", str(errno.ENOTSUP)],
    ids=["another Unix", "macOS", "macOS, a file system without it"],
)
def test_every_verb_works_without_linux_only_names(home, full):
    codes, stderr = elsewhere(home, VERBS, full=full)
    assert [code for code, _ in codes] == [0] * len(VERBS), stderr
    assert [record["type"] for record in lines(session_path(home, "demo"))][:2] == ["session", "message"]
    if full == "works":
        unsynced = [argv for argv, (_, count) in zip(VERBS[:16], codes, strict=False) if not count]
        assert [
            argv[0] for argv in unsynced if argv[0] not in ("gc", "commit", "curate", "compact", "hydrate")
        ] == []


def test_failed_full_sync_is_exit_74(home):
    codes, stderr = elsewhere(home, [["append", "-m", "x"]], full="5")
    assert codes == [[74, 0]]
    assert "as asked for" in stderr
    codes, stderr = elsewhere(home, [["append", "-m", "y"]])
    assert codes == [[0, 0]]
    codes, stderr = elsewhere(home, [["append", "-m", "z"]], full="5")
    assert codes == [[74, 0]]
    assert "its durability is unknown" in stderr


def test_system_without_locks_is_referred_to_wsl(home):
    program = "import sys; sys.modules['fcntl'] = None; from codeh_history.main import program; program()"
    for argv in (["append", "-s", "demo", "-m", "x"], ["--help"], ["payload", "--to", "gemini"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *argv], capture_output=True, env=environ(home=home), check=False
        )
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.count(b"\n") == 1
        assert b"WSL" in done.stderr
