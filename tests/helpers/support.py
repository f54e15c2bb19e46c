"""Shared by the tests: the real program as a subprocess, scratch homes, recorded data."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

import forks
from codeh_history.base.env import Env
from codeh_history.session.records import dumps
from codeh_history.store import log

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (sys.executable, "-m", "codeh_history")
NOW = "2026-01-02T03:04:05Z"
MODELS = {  # of each provider one
    "gemini": "gemini-3-pro", "openai-chat": "gpt-5.1", "openai-responses": "gpt-5.1",
    "anthropic": "claude-opus-4-8", "ollama": "llama3.2",
}  # fmt: skip


def append_text(path, text):
    """Append a user's message to a session's file in this process; return its id."""
    id = Env.random_id()
    line = dumps({"type": "message", "id": id, "kind": "user", "role": "user", "parts": [{"text": text}]})
    log.append(Env(), str(path), lambda _: line + b"\n", create=True)
    return id


@dataclass(frozen=True)
class Result:
    """The result of a command: its exit code (negative: the signal that killed it) and output."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self):
        """stdout as text, without its last newline."""
        return self.out.decode().removesuffix("\n")

    @property
    def lines(self):
        """stdout as JSON lines."""
        return lines(self.out)


def run(*argv, stdin=b"", env=None, home=None, cwd=None):
    """Run `codeh-history ARGV…` as users do, in its own process (forked from one that has loaded it).

    `env` is added to the environment of the tests, in which `CODEH_HOME` is a scratch directory
    already; `home` names another. Without `stdin` there is none to read (`/dev/null`, no pipe).
    """
    merged = environ(env, home)
    if forks.Forks.possible:
        forked = forks.server().run([os.fspath(word) for word in argv], merged, cwd, stdin)
        if forked is not None:
            return Result(*forked)
    how = {"capture_output": True, "env": merged, "cwd": cwd, "timeout": 120, **stdin_arguments(stdin)}
    done = subprocess.run([*PROGRAM, *argv], check=False, **how)
    return Result(done.returncode, done.stdout, done.stderr)


def program():
    """The command that runs the program as `run` does, for callers with files of their own."""
    return (str(forks.program()),)


def stdin_arguments(stdin):
    """Arguments of `subprocess.run` for this stdin: a pipe with the bytes, or `/dev/null`."""
    return {"input": stdin} if stdin else {"stdin": subprocess.DEVNULL}


def start(*argv, env=None, home=None, **popen):
    """Start the program without waiting for it; `popen`: arguments of `subprocess.Popen`."""
    return subprocess.Popen([*PROGRAM, *argv], env=environ(env, home), **popen)


def piped(*argv, home):
    """Start the program with unbuffered pipes for its three streams."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return start(*argv, home=home, bufsize=0, **pipes)


def until(done):
    """Wait until this holds."""
    deadline = time.monotonic() + 30
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_running(pid):
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def environ(env=None, home=None):
    """The environment of a child process: this tree's program, without the user's settings."""
    merged = {**os.environ, "PYTHONPATH": str(ROOT / "cli"), **(env or {})}
    if home is not None:
        merged["CODEH_HOME"] = os.fspath(home)
    return merged


def lines(data):
    """The JSON values of a text or a file, one per line, split at `\\n` only."""
    if isinstance(data, Path):
        data = data.read_bytes()
    if isinstance(data, str):
        data = data.encode()
    return [orjson.loads(line) for line in data.split(b"\n") if line.strip()]


def session_path(home, session):
    """The path of a session in this home."""
    return Path(home) / "sessions" / f"{session}.jsonl"


def corpus(*below):
    """The recorded data, or a path in it; the test is skipped if there is none."""
    root = Path(os.environ.get("CODEH_CORPUS") or ROOT.parent / "shared" / "corpus")
    if not root.is_dir():
        pytest.skip(f"no recorded data: CODEH_CORPUS is not set and {root} is missing")
    return root.joinpath(*below)


def corpus_files(pattern):
    """The recorded files that match, for `parametrize`; empty without recorded data."""
    root = Path(os.environ.get("CODEH_CORPUS") or ROOT.parent / "shared" / "corpus")
    return sorted(root.glob(pattern)) if root.is_dir() else []
