"""Kill a command, or make it fail, at its system calls under strace."""

from faults.tracing import inject


def problems(subject, fault, chosen, mutant=None):
    """The system calls at which the fault breaks a promise."""
    broken = []
    for call in chosen:
        done = inject(subject, call, fault, mutant=mutant)
        wrong = subject.wrong(done) or misreported(call, fault, done.code)
        if wrong:
            broken.append((call, fault, wrong, done.code, done.err))
    return broken


def misreported(call, fault, code):
    if "error" in fault and call.name in ("fdatasync", "fsync", "rename") and code == 0:
        return f"{call.name} failed, and it says nothing of it"
    return None
