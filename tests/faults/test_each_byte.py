"""Writes cut at each byte: by a kill, by a full disk, by a system that takes less than it was given.

A limit on the size of files makes the kernel cut a write where it stands; the next write fails, or its
signal kills. So a line is torn at every byte there is.
"""

import pytest

from codeh_history.base.env import Env
from codeh_history.session.records import parse
from codeh_history.store import log
from faults.each_call import cuts, problems
from faults.runner import Fault
from faults.scenarios import SCENARIOS, SESSION, Subject, message, view_of


def test_killed_while_it_writes(subject, tally):
    tries, faults = problems(subject, cuts(subject, deadly=True))
    assert faults == []
    tally("kill -9 inside a write, after each byte", tries)


def test_the_disk_is_full(subject, tally):
    tries, faults = problems(subject, cuts(subject, deadly=False))
    assert faults == []
    tally("a write that fails after each byte", tries)


@pytest.mark.parametrize("most", [1, 7, 100])
def test_short_writes(subject, most, tally):
    subject.fresh()
    done = subject.run(fault=Fault(short=most))
    assert subject.wrong(done) is None
    assert done.code == 0
    tally("writes that take 1, 7 or 100 bytes", 1)


def test_a_file_cut_at_each_byte(place, runner, tally):
    """As a power cut may leave it: what is whole is read, and the next record is too.

    2026-11-21: a header that was cut after its version was taken for whole.
    """
    whole = b"".join(SESSION.splitlines(keepends=True)[:4]) + message("last", "é\u2028")
    subject = Subject(SCENARIOS["append"], place, runner)
    for content in (*(whole[:cut] for cut in range(len(whole) + 1)), b"\0" * 512):
        assert wrong_after(subject.path, content) is None, content
    tally("a file cut at each byte, then an append", len(whole) + 1)


def wrong_after(path, content):
    """What is wrong after an append to a file with this content."""
    path.write_bytes(content)
    new = message("new", "new")
    log.append(Env({}), str(path), lambda _: new, create=True)
    after = path.read_bytes()
    if not after.startswith(content) or not after.endswith(b"\n" + new):
        return "bytes changed"
    before = [r.data["id"] for r in parse(content).records if r.data["type"] == "message"]
    view = view_of(after)
    ids = [message.id for message in view.messages]
    return None if (view.id, ids) == ("demo", [*before, "new"]) else f"read as {view.id}: {ids}"
