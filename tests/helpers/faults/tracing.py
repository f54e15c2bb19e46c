"""Run the program under strace: list its system calls, or make one of them fail."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

from faults.runner import MUTANTS, Done
from faults.scenarios import FIXED
from support import ROOT, environ, stdin_arguments

LINE = re.compile(r"^(?:(\d+) +)?([a-z0-9_]+)\((.*)$")
CHANGES = (
    "write", "pwrite64", "fdatasync", "fsync", "rename", "ftruncate", "mkdir", "unlink", "chmod", "fchmod", "flock",
)  # fmt: skip


def can_trace():
    """Whether strace exists and is allowed to trace."""
    if shutil.which("strace") is None:
        return False
    argv = ["strace", "-f", "-e", "trace=write", "-o", "/dev/null", "true"]
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


needs_strace = pytest.mark.skipif(not can_trace(), reason="strace is missing, or tracing is not permitted")


@dataclass(frozen=True)
class Call:
    """A system call on a file of the home or an output; `when` counts the calls of that name from the start."""

    name: str
    when: int
    text: str

    @property
    def changes(self):
        return self.name in CHANGES or (self.name == "openat" and "O_CREAT" in self.text)

    @property
    def output(self):
        return self.name == "write" and self.text.startswith(("1<", "2<"))


def strace(subject, *options, mutant=None):
    """Run a subject's command under strace, in its current home."""
    scenario = subject.scenario
    env = {**FIXED, **scenario.extra}
    return strace_of(scenario.argv, subject.home, env, scenario.stdin, *options, mutant=mutant)


def strace_of(
    argv, home, env, stdin, *options,
    mutant = None
):  # fmt: skip
    """Run a command line under strace with these options."""
    places = [str(ROOT / "cli"), str(Path(orjson.__file__).parent.parent)]
    program = [
        sys.executable,
        "-I",
        "-S",
        "-B",
        str(ROOT / "tests" / "helpers" / "faults" / "lean.py"),
        ":".join(places),
    ]
    program.append(str(MUTANTS / f"{mutant}.py") if mutant else "-")
    done = subprocess.run(
        ["strace", "-f", *options, *program, *map(str, argv)], capture_output=True, check=False, timeout=60,
        env=environ(env, home), cwd="/", **stdin_arguments(stdin),
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


def calls(subject, *, mutant=None):
    """The calls of a run without faults on files of the home and outputs, in order."""
    subject.fresh()
    trace = subject.home.parent / "trace"
    strace(subject, "-y", "-s", "80", "-o", str(trace), mutant=mutant)
    counts = Counter()
    traced = []
    main = ""
    for line in trace.read_text(errors="replace").splitlines():
        match = LINE.match(line)
        if match is None:
            continue
        pid, name, text = match.groups()
        main = main or pid
        if pid != main:
            continue
        counts[name] += 1
        call = Call(name, counts[name], text)
        if str(subject.home) in text or call.output:
            traced.append(call)
    return traced


def inject(subject, call, fault, *, mutant=None):
    """Run with this fault (in strace's syntax) at this call.

    Without `--seccomp-bpf`, which is faster and injects no signals.
    """
    subject.fresh()
    trace = subject.home.parent / "trace"
    injection = f"inject={call.name}:{fault}:when={call.when}"
    done = strace(subject, "-o", str(trace), "-e", f"trace={call.name}", "-e", injection, mutant=mutant)
    assert re.search(r"\(INJECTED\)|killed by SIG", trace.read_text(errors="replace")), (
        call,
        "it never came to it",
    )
    return done


def undurable(calls, place):
    """What was acknowledged or relied on before it was on disk; empty for a durable run.

    A file is on disk once it is synced, its name once its directory is. Nothing may be acknowledged on
    stdout, and no session may name a block, before; no file may be renamed that is not synced.
    """
    dirty = set()
    changed = False
    for call in calls:
        path = path_of(call)
        if call.output:
            if dirty and call.text.startswith("1<"):
                yield f"acknowledged before {dirty} was synced"
        elif " = -1 " in call.text or not path.startswith(str(place)) or "/cache" in path:
            continue
        elif call.name in ("write", "pwrite64", "ftruncate"):
            if "/sessions/" in path and any("/blocks" in other for other in dirty):
                yield f"{path} was written before {dirty} was synced"
            if "/blocks/" in path and changed:
                yield f"{path} was written after the session that may name it"
            dirty.add(path)
            changed = changed or "/sessions/" in path
        elif call.name in ("fsync", "fdatasync"):
            dirty.discard(path)
        elif call.name == "mkdir" or (
            call.name == "openat" and "O_CREAT" in call.text and "O_EXCL" in call.text
        ):
            dirty.add(str(Path(path).parent))
        elif call.name == "rename":
            old, new = re.findall(r'"([^"]*)"', call.text)
            if dirty & {old}:
                yield f"{new} was replaced by what was not synced"
            dirty.add(str(Path(new).parent))
    if dirty:
        yield f"{dirty} was never synced"


def path_of(call):
    """The file or directory of a call."""
    if call.name in ("openat", "mkdir", "rename", "unlink"):
        return next(iter(re.findall(r'"([^"]*)"', call.text)), "")
    return next(iter(re.findall(r"^\d+<([^>]*)>", call.text)), "")


def problems(subject, fault, chosen, mutant=None):
    """The system calls at which the fault breaks a promise."""
    broken = []
    for call in chosen:
        done = inject(subject, call, fault, mutant=mutant)
        wrong = subject.wrong(done)
        if "error" in fault and call.name in ("fdatasync", "fsync", "rename") and done.code == 0:
            wrong = wrong or f"{call.name} failed, and it says nothing of it"
        if wrong:
            broken.append((call, fault, wrong, done.code, done.err))
    return broken
