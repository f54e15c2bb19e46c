"""A command under strace, killed or failing at its calls."""

from __future__ import annotations

from collections.abc import Sequence

from faults.scenarios import Subject
from faults.tracing import Call, inject


def problems(
    subject: Subject, fault: str, chosen: Sequence[Call], mutant: str | None = None
) -> list[object]:
    """Each system call at which the fault breaks a promise."""
    found: list[object] = []
    for call in chosen:
        done = inject(subject, call, fault, mutant=mutant)
        wrong = subject.wrong(done) or misreported(call, fault, done.code)
        if wrong:
            found.append((call, fault, wrong, done.code, done.err))
    return found


def misreported(call: Call, fault: str, code: int) -> str | None:
    if "error" in fault and call.name in ("fdatasync", "fsync", "rename") and code == 0:
        return f"{call.name} failed, and it says nothing of it"
    return None
