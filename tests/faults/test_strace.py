"""Kill and failure at every system call, and what is on disk when it is acknowledged."""

import pytest

from faults.scenarios import SCENARIOS, Subject
from faults.tracing import calls, inject, needs_strace, problems, undurable
from length import FAULTS, by_profile, sampled

pytestmark = needs_strace
FEW = ["append to a new session", "redact -i"]
KILLED = by_profile(FEW, list(SCENARIOS), list(SCENARIOS))
FAILING = by_profile(["append"], [*FEW, "append", "append --from, a stream", "gc"], list(SCENARIOS))
ALL = by_profile(short=False, medium=False, long=True)  # every call, else those that change something
ERRORS = by_profile(["EIO"], ["EIO"], ["EIO", "ENOSPC", "EDQUOT", "EROFS", "ENOLCK"])
FAILS = "openat write fdatasync fsync rename mkdir flock fchmod pread64 read fstat".split()


def made(name, place, runner):
    return Subject(SCENARIOS[name], place, runner)


@pytest.mark.parametrize("name", KILLED)
def test_killed(name, place, runner, tally):
    subject = made(name, place, runner)
    every = calls(subject)
    assert any(call.changes for call in every) or "retry" in name
    chosen = [call for call in every if ALL or call.changes]
    assert problems(subject, "signal=SIGKILL", chosen) == []
    tally("kill -9 at each system call (strace)", len(chosen))


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("name", FAILING)
def test_failing(name, error, place, runner, tally):
    subject = made(name, place, runner)
    chosen = [call for call in calls(subject) if call.name in FAILS and (ALL or call.changes)]
    written = {"write", "fdatasync"} <= {call.name for call in chosen}
    assert written or subject.scenario.replaces or "retry" in name
    assert problems(subject, f"error={error}", chosen) == []
    tally("an error from each system call (strace)", len(chosen))


@pytest.mark.parametrize("name", sampled(SCENARIOS, run=FAULTS))
def test_acknowledgement_follows_fsync(name, place, runner, tally):
    subject = made(name, place, runner)
    trace = calls(subject)
    assert [call for call in trace if call.changes]
    assert list(undurable(trace, place)) == []
    tally("a trace of writes, syncs and acknowledgement (strace)", 1)


@pytest.mark.parametrize("error", ["ENOSPC", "EDQUOT", "EROFS"])
def test_a_full_disk(error, place, runner, tally):
    subject = made("append", place, runner)
    (write,) = (call for call in calls(subject) if call.name == "write" and not call.output)
    done = inject(subject, write, f"error={error}")
    assert (done.code, done.out) == (74, b"")
    assert b"nothing was stored" in done.err
    assert subject.bytes() == subject.before
    tally("an error from each system call (strace)", 1)


def test_failed_fsync_is_reported(place, runner):
    subject = made("append", place, runner)
    (sync,) = (call for call in calls(subject) if call.name == "fdatasync")
    done = inject(subject, sync, "error=EIO")
    assert (done.code, done.out) == (74, b"")
    assert b"durability is unknown" in done.err
