"""Kill a command, signal it, or make it fail, at each of its system calls or after each byte that it writes."""

import shutil
import signal

from faults.runner import Fault
from faults.scenarios import LITTER
from length import by_profile

WRITES = "write fdatasync fsync replace rename ftruncate mkdir open unlink fchmod".split()
ALL = by_profile(short=False, medium=True, long=True)
ERRORS = by_profile(["ENOSPC"], ["ENOSPC"], ["ENOSPC", "EIO", "EDQUOT", "EROFS"])
APPENDED = by_profile(6, 25, 1 << 30)  # places in a line that is appended
REPLACED = by_profile(6, 25, 400)  # places in a file that is written anew


def runs(subject, faults, **how):
    for fault in faults:
        subject.fresh()
        yield fault, subject.run(fault=fault, **how)


def places(subject, mutant=""):
    """The system calls of a run without faults."""
    subject.fresh()
    calls = subject.run(mutant=mutant).calls
    assert calls
    return list(calls)


def kills(subject, mutant=""):
    """Kill before each call; in the short profile only before those that change something, which is equivalent."""
    calls = [*places(subject, mutant), "write"]
    return (Fault(n, signal.SIGKILL) for n, name in enumerate(calls) if name in WRITES or ALL)


def errors(subject):
    calls = places(subject)
    return (Fault(n, error=error) for n, name in enumerate(calls) if name in WRITES for error in ERRORS)


def problems(subject, faults, **how):
    """The number of faults tried, and the broken promises."""
    broken = []
    tries = 0
    for fault, done in runs(subject, faults, **how):
        tries += 1
        wrong = subject.wrong(done, torn=fault.limit >= 0) or misreported(fault, done)
        if wrong:
            broken.append((fault, wrong, done.code, done.err))
    return tries, broken


def misreported(fault, done):
    """A failed sync or rename that is not reported, or a fault that did not happen."""
    call = done.calls[fault.place] if 0 <= fault.place < len(done.calls) else ""
    if fault.error and call in ("fdatasync", "fsync", "replace") and done.code == 0:
        return f"{call} failed, and it says nothing of it"
    return "it was not killed" if call and fault.signum == signal.SIGKILL and done.code != -9 else None


def cuts(subject, *, deadly):
    """Limits from 0 to the number of bytes written, for each file."""
    start = 0 if subject.scenario.replaces else len(subject.before)
    sizes = [path.stat().st_size for path in subject.home.rglob("*") if path.is_file()]
    end = max(len(subject.before), len(subject.after), *sizes)
    step = max(1, (end - start) // (REPLACED if subject.scenario.replaces else APPENDED))
    for limit in sorted({*range(start, end + 1, step), start + 1, end - 1}):
        yield Fault(limit=limit, deadly=deadly)


def wrong_ending(done, fault):
    """Why a command ended wrongly after a signal; a shell reports death by signal N as 128 + N."""
    if done.code not in (128 + fault.signum, -fault.signum):
        return f"exit {done.code}, {done.err!r}"
    return f"it says {done.err!r}" if b"Traceback" in done.err or b"bug" in done.err else None


def signal_problems(command, home, runner, chosen, mutant=None):
    """The number of signals tried, and the wrong endings."""

    def run(fault=None):
        shutil.rmtree(home, ignore_errors=True)
        command.prepare(home)
        return runner.run(
            command.argv, home, env=command.env, stdin=command.stdin, fault=fault, mutant=mutant
        )

    broken = []
    calls = run().calls
    tried = chosen(len(calls))
    for fault in tried:
        done = run(fault)
        if len(done.calls) <= fault.place:
            continue  # it took fewer calls this time: how many reads a pipe takes is chance
        left = {path.name for path in home.rglob("*.tmp")} - {LITTER}
        problem = wrong_ending(done, fault) or (f"left behind: {left}" if left else None)
        if problem:
            broken.append((fault, calls[fault.place], problem))
    return len(tried), broken
