"""A sync is between two stores, and is carried out only on what was looked at."""

import hashlib
import os
import time
from pathlib import Path

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, HistoryError, TryAgain, Usage
from codeh_history.store.awaiting import awaiting
from codeh_history.store.blocks.directory import DirectoryStore
from codeh_history.store.stores import Files
from codeh_history.sync import run
from codeh_history.sync.replica import AWAITING, Replica, other_replica, own_replica
from codeh_history.sync.run import Synced, sync
from synced import HEADER, message


class Store(Replica):
    """A store in a folder; `meanwhile` is called before each session is put."""

    def __init__(self, env, folder):
        folder.mkdir()
        super().__init__(Files(env, str(folder)), [], folder.name, str(folder))
        self.folder = folder
        self.meanwhile = lambda _: None

    def put(self, session, before, after):
        self.meanwhile(session)
        return super().put(session, before, after)

    def write_session(self, name, *lines):
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


def test_after_a_sync_stores_are_equal_and_a_second_does_nothing(stores):
    env, one, two = stores
    one.write_session("x", A)
    two.write_session("x", A, B)
    two.write_session("y", C)
    assert [type(each) for each in done(env, one, two)] == [Synced, Synced]
    assert one.held == two.held
    assert list(one.held) == ["x", "y"]
    assert done(env, one, two) == []


def test_only_what_is_named_is_synced_and_dry_nothing_is_written(stores):
    env, one, two = stores
    two.write_session("x", A)
    two.write_session("y", A)
    (planned,) = done(env, one, two, "y", dry=True)
    assert [write.session for write in planned.plan.writes] == ["y"]
    assert one.held == {}
    done(env, one, two, "y")
    assert list(one.held) == ["y"]


def test_concurrent_appends_reach_both_sides(stores):
    env, one, two = stores
    one.write_session("x", A)
    two.write_session("x", A, B)
    times = 0

    def append(_):
        nonlocal times
        times += 1
        if times == 1:
            one.write_session("x", A, message("mine", "mine", 9))

    one.meanwhile = append
    (outcome,) = done(env, one, two)
    assert isinstance(outcome, Synced)
    assert one.held == two.held
    everything = b"".join(one.held.values())
    assert all(f'"id":"{id}"'.encode() in everything for id in ("a", "b", "mine"))


def test_a_session_that_keeps_changing_is_retried_later(stores, monkeypatch):
    env, one, two = stores
    one.write_session("x", A)
    two.write_session("x", A, B)
    lines = [A]

    def append(_):
        lines.append(message(f"n{len(lines)}", "new", 9))
        one.write_session("x", *lines)

    one.meanwhile = append
    monkeypatch.setattr(run, "TRIES", 3)
    (outcome,) = done(env, one, two)
    assert isinstance(outcome, TryAgain)
    assert "x: kept changing during the sync; try again" in str(outcome)
    assert one.held["x"].endswith(b"".join(lines[1:]))


def test_a_failure_of_one_stops_no_other(stores):
    env, one, two = stores
    (one.folder / "bad.jsonl").write_bytes(b"a diary\n")
    two.write_session("bad", A)
    two.write_session("good", A)
    outcomes = done(env, one, two)
    assert {isinstance(each, HistoryError) for each in outcomes} == {True, False}
    (failed,) = (each for each in outcomes if isinstance(each, HistoryError))
    assert isinstance(failed, BadData)
    assert "bad.jsonl: not a session; left unchanged" in str(failed)
    assert one.held["good"] == two.held["good"]
    assert one.held["bad"] == b"a diary\n"


HEAD = b'{"type":"session","version":1,"id":"s"}\n'
LINE = b'{"type":"message","id":"a","kind":"user","role":"user","parts":[{"text":"x"}]}\n'
PART = b'{"text":"kept"}'
ID = hashlib.sha256(PART).hexdigest()


def side(env, *, sweeps=False):
    files = Files(env, f"{env.home}/sessions")
    blocks = [DirectoryStore(env, f"{env.home}/blocks")]
    return Replica(files, blocks, "here", files.name, home=env.home, sweeps=sweeps)


def session(env, name="s"):
    return Path(env.home) / "sessions" / f"{name}.jsonl"


def test_a_session_is_replaced_if_it_is_still_what_was_seen(env):
    replica = side(env)
    assert replica.put("s", None, HEAD)
    assert session(env).read_bytes() == HEAD
    replica.sessions()
    assert replica.put("s", HEAD, HEAD + LINE)
    assert not replica.put("s", HEAD, b"")  # it was another then
    assert not replica.put("s", None, HEAD)  # it is there by now
    assert session(env).read_bytes() == HEAD + LINE
    session(env).unlink()
    assert not replica.put("s", HEAD + LINE, HEAD)  # it is gone by now
    assert not session(env).exists()


def test_nothing_is_replaced_while_an_answer_is_awaited(env):
    replica = side(env)
    replica.put("s", None, HEAD)
    replica.sessions()
    with awaiting(env, str(session(env))):
        assert replica.busy(["s", "t"]) == {"s": AWAITING}
        assert not replica.put("s", HEAD, HEAD + LINE)
    assert session(env).read_bytes() == HEAD
    assert replica.busy(["s"]) == {}
    assert replica.put("s", HEAD, HEAD + LINE)


def test_only_what_was_listed_is_read_and_an_empty_file_is_none(env):
    replica = side(env)
    session(env).write_bytes(HEAD)
    session(env, "empty").touch()
    assert replica.read("s") is None
    assert set(replica.sessions()) == {"s", "empty"}
    assert replica.read("s") == HEAD
    assert replica.read("empty") is None
    session(env).unlink()
    assert replica.read("s") is None


@pytest.mark.parametrize("sweeps", [True, False])
@pytest.mark.parametrize("named", [True, False])
def test_a_block_is_removed_if_unreferenced_and_uncollected(env, *, sweeps, named):
    replica = side(env, sweeps=sweeps)
    replica.blocks[0].mset({ID: PART})
    replica.put("s", None, HEAD + (b'{"type":"x","id":"%b"}\n' % ID.encode() if named else b""))
    left = replica.delete_unused([ID, "0" * 64], time.time() + 60)
    gone = sweeps and not named
    assert replica.blocks[0].mget([ID]) == ({} if gone else {ID: PART})
    assert left == (1 if not sweeps and not named else 0)


def test_newer_blocks_are_kept(env):
    replica = side(env, sweeps=True)
    replica.blocks[0].mset({ID: PART})
    assert replica.delete_unused([ID], time.time() - 60) == 0
    assert replica.blocks[0].mget([ID]) == {ID: PART}


def test_a_folder_has_its_blocks_in_it_and_a_home_in_its_own_place(env, tmp_path):
    own = own_replica(env)
    assert (own.name, own.place) == ("here", os.path.realpath(f"{env.home}/sessions"))
    stick, other = (other_replica(env, f"dir:{tmp_path}/{name}") for name in ("stick", "other/sessions"))
    names = [[store.name for store in replica.blocks] for replica in (own, stick, other)]
    assert names == [[f"{env.home}/blocks"], [f"{tmp_path}/stick/blocks"], [f"{tmp_path}/other/blocks"]]


@pytest.mark.parametrize("name", ["home/sessions", "home/../home/sessions/", "link"])
def test_a_home_is_not_synced_with_itself(env, tmp_path, name):
    (tmp_path / "link").symlink_to(tmp_path / "home" / "sessions")
    with pytest.raises(Usage, match=r"these are the sessions of this home; name another store"):
        other_replica(env, f"dir:{tmp_path}/{name}")


def test_a_file_is_no_folder(env, tmp_path):
    (tmp_path / "f").touch()
    with pytest.raises(Usage, match=r"/f: not a folder$"):
        other_replica(env, f"dir:{tmp_path}/f")


def test_a_home_is_refused_in_place_of_its_sessions(env, tmp_path):
    (tmp_path / "other" / "sessions").mkdir(parents=True)
    (tmp_path / "other" / "foreign.jsonl").touch()
    with pytest.raises(Usage, match=r"/other: a home, which keeps its sessions in dir:.*/other/sessions$"):
        other_replica(env, f"dir:{tmp_path}/other")
    (tmp_path / "other" / "demo.jsonl").touch()  # a folder in use, with one of that name in it
    assert other_replica(env, f"dir:{tmp_path}/other").name == f"{tmp_path}/other"


def test_plain_and_encrypted_sessions_are_not_mixed(env, tmp_path):
    pyrage = pytest.importorskip("pyrage", reason="the extra `age` is not installed")
    to = str(pyrage.x25519.Identity.generate().to_public())
    for name, file in (("sealed", "s.tar.age"), ("plain", "s.jsonl"), ("empty", "notes.txt")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).touch()
    with pytest.raises(Usage, match=r"encrypted; pass --encrypt-to"):
        other_replica(env, f"dir:{tmp_path}/sealed")
    with pytest.raises(Usage, match=r"encrypted; pass --encrypt-to"):
        other_replica(env, f"dir:{tmp_path}/empty", identities=["key"])
    with pytest.raises(Usage, match=r"contains unencrypted sessions"):
        other_replica(env, f"dir:{tmp_path}/plain", [to])
    assert other_replica(env, f"dir:{tmp_path}/empty", [to]).name == f"{tmp_path}/empty"
    assert other_replica(env, f"dir:{tmp_path}/plain").name == f"{tmp_path}/plain"


def test_a_server_is_not_encrypted_to(env):
    pytest.importorskip("psycopg")
    with pytest.raises(Usage, match=r"--encrypt-to needs a dir:PATH store"):
        other_replica(env, "postgres://localhost/x", ["age1"])
