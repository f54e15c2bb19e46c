"""Kill a command, or make it fail, at each of its system calls."""

import signal

from faults.profiles import by_profile
from faults.runner import Fault

WRITES = "write fdatasync fsync replace rename ftruncate mkdir open unlink fchmod".split()


ALL = by_profile(short=False, medium=True, long=True)


ERRORS = by_profile(["ENOSPC"], ["ENOSPC"], ["ENOSPC", "EIO", "EDQUOT", "EROFS"])


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
