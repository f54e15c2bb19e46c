"""Run the program with injected faults, by forking a process that has loaded it.

A run costs some milliseconds, so every place of every command can be tried. Faults are real where the
system can make them: signals, and a limit on a file's size, at which a write is cut short at any byte and
the next one fails. Other errors are raised in the place of a call. `Runner` is the client; run as a
program this file is the server: pickled requests on stdin, pickled results on stdout.
"""

import contextlib
import errno
import fcntl
import os
import pickle
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from forks import load_all

HERE = Path(__file__).resolve().parent
MUTANTS = HERE / "mutants"
SECONDS = 60  # a run that takes longer hangs; it is ended by SIGALRM


@dataclass(frozen=True)
class Fault:
    """A fault to inject into a run.

    `place`: at the n-th call that touches a file (0-based; -1: never), before it when `signum` is sent or
    `error` (a name of errno) is raised, `after` it with that flag. `limit`: no file grows above so many
    bytes; the write that would is cut short, the next one fails, or with `deadly` kills. `short`: every
    write to a file takes at most so many bytes.
    """

    place: int = -1
    signum: int = 0
    error: str = ""
    after: bool = False
    limit: int = -1
    deadly: bool = False
    short: int = 0


@dataclass(frozen=True)
class Done:
    """The result of a run: exit code (negative: the signal), output, and the calls that touched files.

    `seconds` of processor time, its own and that of what it started.
    """

    code: int
    out: bytes
    err: bytes
    calls: Sequence[str] = field(default_factory=list)
    seconds: float = 0.0


class Runner:
    """The server and its one connection."""

    def __init__(self):
        path = os.pathsep.join([str(HERE.parents[2] / "cli"), str(HERE.parent)])
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip

    def run(self, argv, home, *, env=None, stdin=None, fault=None, mutant=None, stdout="pipe", umask=0o022):
        """Run `codeh-history ARGV…` in this home; `stdout` is `pipe`, `closed`, `full` or `broken`."""
        request = {
            "argv": [str(word) for word in argv], "home": str(home), "env": dict(env or {}), "stdin": stdin,
            "fault": fault or Fault(), "mutant": mutant, "stdout": stdout, "umask": umask,
        }  # fmt: skip
        assert self._process.stdin
        assert self._process.stdout
        pickle.dump(request, self._process.stdin)
        self._process.stdin.flush()
        return Done(*pickle.load(self._process.stdout))

    def close(self):
        self._process.communicate()


# -- the server -------------------------------------------------------------------------------------------


def serve():
    """Answer requests until stdin ends."""
    load_all()
    while sys.stdin.buffer.peek(1):
        pickle.dump(run(pickle.load(sys.stdin.buffer)), sys.stdout.buffer)
        sys.stdout.buffer.flush()


def run(request):
    """Fork, run, and collect the output."""
    stdin = os.memfd_create("stdin")
    if request["stdin"] is not None:
        os.write(stdin, request["stdin"])
        os.lseek(stdin, 0, os.SEEK_SET)
    pipes = [os.pipe() for _ in range(3)]  # stdout, stderr, calls
    child = os.fork()
    if child == 0:
        try:
            become(request, stdin, [writing for _, writing in pipes])
        finally:
            os._exit(99)
    os.close(stdin)
    texts = []
    for _, writing in pipes:
        os.close(writing)
    for reading, _ in pipes:
        with open(reading, "rb") as file:
            texts.append(file.read())
    _, status, used = os.wait4(child, 0)
    out, err, calls = texts
    code = os.waitstatus_to_exitcode(status)
    return code, out, err, calls.decode().split(), used.ru_utime + used.ru_stime


def become(request, stdin, writing):
    """Run the program with these streams, environment, mutant and fault."""
    signal.alarm(SECONDS)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever this process inherited (nohup, &)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ.update(request["env"], CODEH_HOME=request["home"])
    os.chdir("/")
    os.umask(request["umask"])
    if request["stdin"] is None:
        stdin = os.open(os.devnull, os.O_RDONLY)
    os.dup2(stdin, 0)
    os.dup2(stdout_of(request["stdout"], writing[0]), 1)
    os.dup2(writing[1], 2)
    calls_fd = fcntl.fcntl(writing[2], fcntl.F_DUPFD_CLOEXEC, 100)
    os.closerange(3, 100)
    if request["stdout"] == "closed":
        os.close(1)
    place_fault(request["fault"], calls_fd)
    if request["mutant"]:  # last, for what it does not heed is to happen
        exec((MUTANTS / f"{request['mutant']}.py").read_text(), {"__name__": request["mutant"]})
    from codeh_history.main import program

    sys.argv = ["codeh-history", *request["argv"]]
    program()


def stdout_of(kind, pipe):
    if kind == "full":
        return os.open("/dev/full", os.O_WRONLY)
    if kind == "broken":
        reading, writing = os.pipe()
        os.close(reading)
        return writing
    return pipe


WATCHED = (
    "open", "write", "fdatasync", "fsync", "replace", "rename", "link", "unlink", "ftruncate", "mkdir", "chmod", "fchmod",
    "pread", "read", "fstat", "stat", "utime", "scandir", "listdir",
)  # fmt: skip


def place_fault(fault, calls_fd):
    """Inject the fault at its call, and report each call that touches a file."""
    if fault.limit >= 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL if fault.deadly else signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (fault.limit, fault.limit))
    if fault.short:
        shorten(fault.short)
    count, process = -1, os.getpid()

    def watch(name, call):
        def watched(*args, **more):
            nonlocal count
            if os.getpid() != process:  # a worker of `serve`
                return call(*args, **more)
            count += 1
            due = count == fault.place
            with contextlib.suppress(OSError):
                posix_write(calls_fd, f"{name}\n".encode())
            if due and not fault.after:
                happen(fault)
            try:
                return call(*args, **more)
            finally:
                if due and fault.after:
                    happen(fault)

        return watched

    posix_write = os.write
    for name in WATCHED:
        setattr(os, name, watch(name, getattr(os, name)))
    fcntl.flock = watch("flock", fcntl.flock)


def happen(fault):
    if fault.signum:
        os.kill(os.getpid(), fault.signum)
    else:
        number = getattr(errno, fault.error)
        raise OSError(number, os.strerror(number))


def shorten(most):
    """Limit each write to a file to `most` bytes."""
    write = os.write

    def short(fd, data):
        return write(fd, data if fd < 3 else memoryview(data)[:most])

    os.write = short


if __name__ == "__main__":
    serve()
