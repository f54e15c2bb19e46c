"""A sync that is killed, or refused, at each call that touches a file, and then run again: equal stores."""

import shutil
import signal

import orjson
import pytest

from codeh_history.session.records import parse
from codeh_history.sync.plan import plan
from faults.each_call import WRITES
from faults.runner import Fault
from faults.scenarios import BIG, FIXED, HEADER, SECRET, TALK, message, plain
from length import by_profile

EACH = by_profile(short=9, medium=5, long=1)  # of the faults; the next step begins elsewhere
LATER = "2026-01-03T03:04:05.000Z"
TITLE = orjson.dumps({"type": "meta", "ts": LATER, "set": {"title": "t"}}) + b"\n"
REDACTED = orjson.dumps({"type": "redaction", "id": "x", "ts": LATER, "lines": ["secret"]}) + b"\n"
OURS = HEADER + message("secret", SECRET) + TALK


class Stores:
    """Two homes of which each has what the other lacks; the sync runs in the first."""

    def __init__(self, place, runner):
        self.place, self.runner = place, runner
        self.one, self.two = place / "one", place / "two"
        theirs = HEADER + REDACTED + message("secret", "[redacted:x]") + TALK
        plain(place / "before" / "one", OURS + message("mine", "mine", ts="2026-01-02T09:00:00.000Z"))
        plain(place / "before" / "two", theirs + message("yours", BIG) + TITLE)
        plain_too(place / "before" / "two", "grown", HEADER + TALK + message("big", BIG))
        plain_too(place / "before" / "one", "grown", HEADER + TALK)
        plain_too(place / "before" / "one", "only", HEADER.replace(b"demo", b"only") + TITLE)
        for session in ("demo", "grown"):
            argv = ["persist", session, "-i"]
            assert runner.run(argv, place / "before" / "two", env=FIXED).code == 0
        self.fresh()
        self.ids_before = self.ids()

    def fresh(self):
        for name in ("one", "two"):
            shutil.rmtree(self.place / name, ignore_errors=True)
            shutil.copytree(self.place / "before" / name, self.place / name)

    def run(self, fault=None):
        url = f"dir:{self.two / 'sessions'}"
        return self.runner.run(["sync", url], self.one, env=FIXED, fault=fault)

    def stores(self):
        homes = (self.one, self.two)
        return [
            {path.stem: path.read_bytes() for path in (home / "sessions").glob("*.jsonl")} for home in homes
        ]

    def ids(self):
        """The records of each store."""
        return [
            {r.data.get("id") for data in store.values() for r in parse(data).records}
            for store in self.stores()
        ]

    def wrong(self):
        """What is not as promised, before it is run again and after."""
        for before, now in zip(self.ids_before, self.ids(), strict=True):
            if not before <= now:
                return f"lost: {before - now}"
        done = self.run()
        if done.code:
            return f"run again: {done.code} {done.err!r}"
        one, two = self.stores()
        if one != two or plan([one, two]).writes:
            return "run again, they are not equal"
        if SECRET.encode() in b"".join(one.values()):
            return "what was redacted is there"
        again = self.run()
        return f"run once more: {again.err!r}" if again.err else None


@pytest.fixture
def stores(place, runner):
    return Stores(place, runner)


def plain_too(home, session, data):
    (home / "sessions" / f"{session}.jsonl").write_bytes(
        data.replace(b'"demo"', b'"%s"' % session.encode(), 1)
    )


def test_interrupted_sync_is_completed_by_the_next(stores, tally):
    calls = stores.run().calls
    assert stores.wrong() is None
    assert len(stores.stores()[0]) == 4  # a fork is among them
    faults = [Fault(n, signal.SIGKILL) for n, name in enumerate(calls) if name in WRITES or EACH == 1]
    faults += [Fault(n, error="ENOSPC") for n, name in enumerate(calls) if name in WRITES]
    for fault in faults[::EACH]:
        stores.fresh()
        done = stores.run(fault)
        assert done.code in (-9, 0, 74), (fault, done)
        assert b"Traceback" not in done.err
        assert stores.wrong() is None, (fault, done)
    tally("kill -9, or an error, at each call of a sync, then another", len(faults[::EACH]))
