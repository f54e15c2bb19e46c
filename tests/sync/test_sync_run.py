"""What makes two stores equal is carried out on what was looked at: on anything newer only after another look."""

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, HistoryError, TryAgain
from codeh_history.store.stores import Files
from codeh_history.sync.run import Synced, sync
from codeh_history.sync.side import Side
from syncing import HEADER, message


class Store(Side):
    """A store in a folder; `meanwhile` is called before each session is put."""

    def __init__(self, env, folder):
        folder.mkdir()
        super().__init__(Files(env, str(folder)), [], folder.name, str(folder))
        self.folder = folder
        self.meanwhile = lambda _: None

    def put(self, session, before, after):
        self.meanwhile(session)
        return super().put(session, before, after)

    def lay(self, name, *lines):
        header = HEADER.replace(b'"demo"', f'"{name}"'.encode())
        (self.folder / f"{name}.jsonl").write_bytes(header + b"".join(lines))

    @property
    def held(self):
        return {path.stem: path.read_bytes() for path in sorted(self.folder.glob("*.jsonl"))}


A, B, C = (message(id, id, second) for second, id in enumerate("abc", 1))


@pytest.fixture
def stores(tmp_path):
    env = Env({"CODEH_HOME": str(tmp_path / "home")})
    return env, Store(env, tmp_path / "one"), Store(env, tmp_path / "two")


def done(env, one, two, *only, **how):
    return list(sync(env, [one, two], only, **how))


def test_afterwards_they_are_equal_and_then_there_is_nothing_to_do(stores):
    env, one, two = stores
    one.lay("x", A)
    two.lay("x", A, B)
    two.lay("y", C)
    assert [type(each) for each in done(env, one, two)] == [Synced, Synced]
    assert one.held == two.held
    assert list(one.held) == ["x", "y"]
    assert done(env, one, two) == []


def test_only_what_is_named_is_synced_and_dry_nothing_is_written(stores):
    env, one, two = stores
    two.lay("x", A)
    two.lay("y", A)
    (planned,) = done(env, one, two, "y", dry=True)
    assert [write.session for write in planned.plan.writes] == ["y"]
    assert one.held == {}
    done(env, one, two, "y")
    assert list(one.held) == ["y"]


def test_what_is_appended_meanwhile_is_there_on_both_sides(stores):
    env, one, two = stores
    one.lay("x", A)
    two.lay("x", A, B)
    times = 0

    def append(_):
        nonlocal times
        times += 1
        if times == 1:
            one.lay("x", A, message("mine", "mine", 9))

    one.meanwhile = append
    (outcome,) = done(env, one, two)
    assert isinstance(outcome, Synced)
    assert one.held == two.held
    everything = b"".join(one.held.values())
    assert all(f'"id":"{id}"'.encode() in everything for id in ("a", "b", "mine"))


def test_what_changes_again_and_again_is_left_for_another_time(stores):
    env, one, two = stores
    one.lay("x", A)
    two.lay("x", A, B)
    lines = [A]

    def append(_):
        lines.append(message(f"n{len(lines)}", "new", 9))
        one.lay("x", *lines)

    one.meanwhile = append
    (outcome,) = done(env, one, two, tries=3)
    assert isinstance(outcome, TryAgain)
    assert "x: kept changing during the sync; try again" in str(outcome)
    assert one.held["x"].endswith(b"".join(lines[1:]))


def test_a_failure_of_one_stops_no_other(stores):
    env, one, two = stores
    (one.folder / "bad.jsonl").write_bytes(b"a diary\n")
    two.lay("bad", A)
    two.lay("good", A)
    outcomes = done(env, one, two)
    assert {isinstance(each, HistoryError) for each in outcomes} == {True, False}
    (failed,) = (each for each in outcomes if isinstance(each, HistoryError))
    assert isinstance(failed, BadData)
    assert "bad.jsonl: not a session" in str(failed)
    assert one.held["good"] == two.held["good"]
    assert one.held["bad"] == b"a diary\n"
