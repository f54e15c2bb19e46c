"""Kill and failure at every system call: what was acknowledged stays, what was not is whole or absent."""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from codeh_history.records import lines_of, parse
from codeh_history.session import fold
from support import ROOT, environ, run, session_path

HEADER = b'{"type":"session","version":1,"id":"demo","created":"2026-01-02T03:04:05.000Z"}\n'
KEPT = [
    b'{"type":"message","id":"m%d","kind":"user","role":"user","parts":[{"text":"kept"}]}\n' % n
    for n in (1, 2)
]
BEFORE = {
    "a new session": b"",
    "a session": HEADER + b"".join(KEPT),
    "a torn one": HEADER + KEPT[0] + KEPT[1][:20],
}
LEAN = """\
import sys
sys.path[:0] = {path!r}
sys.argv = ["codeh-history", "append", "-s", "demo", "-m", "new"]
{mutant}
from codeh_history import times  # what Python itself reads later is not the subject
from codeh_history.main import main
main()
"""
REWRITER = """
import os
from codeh_history.store import log
def rewrite(fd, path, size, data):  # what many a program does: read all, write all
    old = log.pread_all(fd, size)
    os.ftruncate(fd, 0)
    os.write(fd, old + data)
    os.fdatasync(fd)
log._write = rewrite
"""
CALL = re.compile(rb"^([a-z0-9_]+)\(")
LATE = ("exit_group", "munmap", "rt_sigaction", "brk", "mmap", "mprotect")  # they touch no file


def can_trace() -> bool:
    if shutil.which("strace") is None:
        return False
    return (
        subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode
        == 0
    )


needs_strace = pytest.mark.skipif(not can_trace(), reason="strace is missing, or tracing is not permitted")


class Subject:
    """The program under strace, in a home of its own that is rebuilt for every run."""

    def __init__(self, home: Path, before: bytes, mutant: str = "") -> None:
        self.home, self.before = home, before
        self.path = session_path(home, "demo")
        path = [str(ROOT / "cli"), str(Path(orjson.__file__).parent.parent)]
        self.program = [sys.executable, "-I", "-S", "-c", LEAN.format(path=path, mutant=mutant)]

    def run(self, *strace: str) -> subprocess.CompletedProcess[bytes]:
        shutil.rmtree(self.home, ignore_errors=True)
        if self.before:
            self.path.parent.mkdir(parents=True)
            self.path.write_bytes(self.before)
        return subprocess.run(
            ["strace", *strace, *self.program], capture_output=True, stdin=subprocess.DEVNULL, check=False,
            env=environ({"PYTHONDONTWRITEBYTECODE": "1"}, self.home), timeout=60,
        )  # fmt: skip

    def calls(self, trace: Path) -> list[tuple[str, int]]:
        """The system calls from the first that names the home on, each with how often its name came before."""
        self.run("-o", str(trace))
        counts: dict[bytes, int] = {}
        found: list[tuple[str, int]] = []
        for line in trace.read_bytes().splitlines():
            call = CALL.match(line)
            if call is None:
                continue
            name = call[1]
            counts[name] = counts.get(name, 0) + 1
            if (found or bytes(self.home) in line) and name.decode() not in LATE:
                found.append((name.decode(), counts[name]))
        return found

    def wrong(self, done: subprocess.CompletedProcess[bytes]) -> str | None:
        """Why what is on disk, and what was said, is not as promised."""
        after = self.path.read_bytes() if self.path.exists() else b""
        if not after.startswith(self.before):
            return "earlier bytes changed"
        view = fold(parse(lines_of(after)))
        new = [message for message in view.messages if message.parts == [{"text": "new"}]]
        if done.stdout and [message.id for message in new] != [done.stdout.decode().strip()]:
            return "acknowledged, and not there"
        if done.returncode == 0 and not done.stdout:
            return "success without an id"
        run("append", "-s", "demo", "-m", "next", home=self.home)
        again = fold(parse(lines_of(self.path.read_bytes())))
        texts = [message.parts[0]["text"] for message in again.messages]
        if texts != [*["kept"] * self.before.count(b'"}]}\n'), *["new"] * len(new), "next"]:
            return f"the next append gives {texts}"
        return None


@pytest.fixture(params=BEFORE.values(), ids=BEFORE)
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Subject:
    return Subject(tmp_path / "home", request.param)


def failures(subject: Subject, trace: Path, fault: str) -> Iterator[tuple[Any, ...]]:
    """Each system call at which the fault breaks a promise; `fault` is what strace injects."""
    calls = subject.calls(trace)
    assert {"openat", "flock", "write", "fdatasync"} <= {name for name, _ in calls}
    for name, when in calls:
        done = subject.run(
            "-o", "/dev/null", "-e", f"trace={name}", "-e", f"inject={name}:{fault}:when={when}"
        )
        wrong = subject.wrong(done) or unclear(done, fault)
        if wrong:
            yield name, when, wrong, done.returncode, done.stderr.decode()


def unclear(done: subprocess.CompletedProcess[bytes], fault: str) -> str | None:
    """Why a failed call was not told as it should be: a line for people, and never a bug."""
    if "signal" in fault:
        return None
    if done.returncode not in (0, 3, 65, 74, 75):
        return f"exit {done.returncode}"
    if done.returncode and not done.stderr:
        return "no word about it"
    return "a traceback" if b"Traceback" in done.stderr else None


@needs_strace
def test_killed_at_any_system_call(subject: Subject, tmp_path: Path) -> None:
    assert list(failures(subject, tmp_path / "trace", "signal=SIGKILL")) == []


@needs_strace
def test_that_check_sees_a_program_that_rewrites_its_file(tmp_path: Path) -> None:
    subject = Subject(tmp_path / "home", BEFORE["a session"], REWRITER)
    assert "earlier bytes changed" in [
        found[2] for found in failures(subject, tmp_path / "trace", "signal=SIGKILL")
    ]


@needs_strace
def test_an_io_error_at_any_system_call(subject: Subject, tmp_path: Path) -> None:
    assert list(failures(subject, tmp_path / "trace", "error=EIO")) == []


@needs_strace
@pytest.mark.parametrize("error", ["ENOSPC", "EDQUOT"])
def test_a_full_disk(tmp_path: Path, error: str) -> None:
    subject = Subject(tmp_path / "home", BEFORE["a session"])
    calls = subject.calls(tmp_path / "trace")
    when = next(when for name, when in calls if name == "write")
    done = subject.run("-o", "/dev/null", "-e", f"inject=write:error={error}:when={when}")
    assert (done.returncode, done.stdout) == (74, b"")
    assert b"nothing was stored" in done.stderr
    assert subject.path.read_bytes() == subject.before


@needs_strace
def test_a_sync_that_fails_is_not_called_durable(tmp_path: Path) -> None:
    subject = Subject(tmp_path / "home", BEFORE["a session"])
    done = subject.run("-o", "/dev/null", "-e", "inject=fdatasync:error=EIO:when=1")
    assert (done.returncode, done.stdout) == (74, b"")
    assert b"durability is unknown" in done.stderr


def test_a_write_cut_short_by_the_system_is_taken_back(home: Path) -> None:
    """`ulimit -f` lets a part of the record through and then fails."""
    path = session_path(home, "demo")
    path.parent.mkdir(parents=True)
    path.write_bytes(HEADER)
    limit = len(HEADER) + 500
    program = [sys.executable, "-m", "codeh_history", "append", "-s", "demo", "-m", "x" * 2000]
    done = subprocess.run(
        program, env=environ(home=home), stdin=subprocess.DEVNULL, capture_output=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (74, b"")
    assert b"File too large; nothing was stored" in done.stderr
    assert path.read_bytes() == HEADER
