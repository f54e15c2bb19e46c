"""What the plan makes of two stores, case by case; and that it is carried out on nothing else."""

import orjson

from codeh_history.base.env import Env
from codeh_history.session.records import lines_of
from codeh_history.sync.places import own_side
from codeh_history.sync.plan import Write, _turn, plan
from inside import lay
from syncing import HEADER, message, opened, record


def synced(one, two):
    """What both stores hold afterwards."""
    stores = [dict(one), dict(two)]
    for write in plan(stores).writes:
        stores[write.side][write.session] = write.after
    assert stores[0] == stores[1]
    return stores[0]


def commit(text):
    return record(type="commit", of="s", ts="2026-01-01T00:01:01.000Z", parts=[{"text": text}])


def redaction(*names, id="x"):
    return record(type="redaction", id=id, ts="2026-01-01T00:02:00.000Z", lines=list(names))


def test_the_deltas_of_a_redacted_stream_go():
    """Where it was redacted they were gone already, so that it could not name them."""
    delta = record(type="delta", of="s", parts=[{"text": "SECRET"}])
    one = {"demo": HEADER + redaction("commit s") + opened("s") + commit("[redacted:x]")}
    two = {"demo": HEADER + opened("s") + delta + commit("SECRET")}
    assert synced(one, two) == one


def test_one_redaction_with_two_outcomes_leaves_nothing_of_the_line():
    """Each may hold what the other lost."""
    one = {"demo": HEADER + redaction("a") + message("a", "[redacted:x] and two")}
    two = {"demo": HEADER + redaction("a") + message("a", "one and [redacted:x]")}
    assert synced(one, two) == {"demo": HEADER + redaction("a") + message("a", "[redacted]")}


def test_of_more_redactions_the_line_of_whoever_knows_all_is_taken():
    more = HEADER + redaction("a") + redaction("a", id="y") + message("a", "[redacted:x] and [redacted:y]")
    less = HEADER + redaction("a") + message("a", "[redacted:x] and two")
    assert synced({"demo": more}, {"demo": less}) == {"demo": more}
    assert synced({"demo": HEADER + message("a", "one and two")}, {"demo": more}) == {"demo": more}


def test_a_fork_of_a_fork_is_one_of_the_first_session():
    """Its name is the same, whichever branches met first."""
    base = HEADER + message("a", "a")
    kept = {"demo": base + message("b", "b", 2)}
    x, y = (base + message("c", "c", 3) + message(id, id, 4) for id in "xy")
    [fork] = synced({"demo": x}, kept).keys() - {"demo"}
    first = synced(synced(kept, {"demo": x}), synced(kept, {"demo": y}))
    other = synced(synced({"demo": x}, {"demo": y}), kept)
    assert first == other
    assert len(first) == 3
    assert fork in first
    for name in first.keys() - {"demo"}:
        assert name.rpartition("-")[0] == "demo"
        assert orjson.loads(first[name].partition(b"\n")[0])["parent"]["session"] == "demo"


def test_a_third_copy_of_a_branch_goes_into_its_fork():
    base = HEADER + message("a", "a")
    kept, late = {"demo": base + message("b", "b", 2)}, base + message("c", "c", 3)
    two = synced(kept, {"demo": late})
    three = synced(two, {"demo": late + message("d", "d", 4)})
    [fork] = three.keys() - {"demo"}
    assert two.keys() == three.keys()
    assert list(lines_of(three[fork]))[1:] == list(lines_of(late + message("d", "d", 4)))[1:]


def test_what_has_changed_since_is_not_replaced(tmp_path):
    path = lay(tmp_path, HEADER + message("a", "a"), "demo")
    side = own_side(Env({"CODEH_HOME": str(tmp_path)}))
    side.sessions()
    assert not side.put("demo", HEADER, HEADER + message("b", "b"))
    assert not side.put("demo", None, HEADER)
    assert path.read_bytes() == HEADER + message("a", "a")
    assert side.put("demo", HEADER + message("a", "a"), HEADER + message("b", "b"))
    assert path.read_bytes() == HEADER + message("b", "b")


def test_what_loses_nothing_comes_first_and_forks_before_what_they_are_forks_of():
    writes = [Write(0, name, b"", b"", 0, switched=switched)
              for name, switched in (("s", True), ("s", False), ("s-2", True), ("s-2", False))]  # fmt: skip
    turns = [(write.switched, write.session) for write in sorted(writes, key=_turn)]
    assert turns == [(False, "s-2"), (False, "s"), (True, "s-2"), (True, "s")]
