"""One of two stores: what was seen is replaced and nothing that came since, and no block that is still named goes."""

import hashlib
import time
from pathlib import Path

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.blocks.directory import DirectoryStore
from codeh_history.store.awaiting import awaiting
from codeh_history.store.stores import Files
from codeh_history.sync.side import AWAITING, Side

HEADER = b'{"type":"session","version":1,"id":"s"}\n'
LINE = b'{"type":"message","id":"a","kind":"user","role":"user","parts":[{"text":"x"}]}\n'
PART = b'{"text":"kept"}'
ID = hashlib.sha256(PART).hexdigest()


@pytest.fixture
def env(home):
    (home / "sessions").mkdir(parents=True)
    return Env({"CODEH_HOME": str(home)})


def side(env, *, sweeps=False):
    files = Files(env, f"{env.home}/sessions")
    blocks = [DirectoryStore(env, f"{env.home}/blocks")]
    return Side(files, blocks, "here", files.name, home=env.home, sweeps=sweeps)


def session(env, name="s"):
    return Path(env.home) / "sessions" / f"{name}.jsonl"


def test_a_session_is_replaced_if_it_is_still_what_was_seen(env):
    found = side(env)
    assert found.put("s", None, HEADER)
    assert session(env).read_bytes() == HEADER
    found.sessions()
    assert found.put("s", HEADER, HEADER + LINE)
    assert not found.put("s", HEADER, b"")  # it was another then
    assert not found.put("s", None, HEADER)  # it is there by now
    assert session(env).read_bytes() == HEADER + LINE
    session(env).unlink()
    assert not found.put("s", HEADER + LINE, HEADER)  # it is gone by now
    assert not session(env).exists()


def test_while_an_answer_is_awaited_nothing_is_replaced(env):
    found = side(env)
    found.put("s", None, HEADER)
    found.sessions()
    with awaiting(env, str(session(env))):
        assert found.busy(["s", "t"]) == {"s": AWAITING}
        assert not found.put("s", HEADER, HEADER + LINE)
    assert session(env).read_bytes() == HEADER
    assert found.busy(["s"]) == {}
    assert found.put("s", HEADER, HEADER + LINE)


def test_only_what_was_listed_is_read_and_an_empty_file_is_none(env):
    found = side(env)
    session(env).write_bytes(HEADER)
    session(env, "empty").touch()
    assert found.read("s") is None
    assert set(found.sessions()) == {"s", "empty"}
    assert found.read("s") == HEADER
    assert found.read("empty") is None
    session(env).unlink()
    assert found.read("s") is None


def test_what_is_no_session_may_not_be_written(env):
    side(env).check("s", HEADER)
    with pytest.raises(BadData, match=r"s.jsonl: not a session; left unchanged"):
        side(env).check("s", b"a diary\n")


@pytest.mark.parametrize("sweeps", [True, False])
@pytest.mark.parametrize("named", [True, False])
def test_a_block_goes_where_nobody_else_collects_and_no_session_names_it(env, *, sweeps, named):
    found = side(env, sweeps=sweeps)
    found.blocks[0].mset({ID: PART})
    found.put("s", None, HEADER + (b'{"type":"x","id":"%b"}\n' % ID.encode() if named else b""))
    left = found.forget([ID, "0" * 64], time.time() + 60)
    gone = sweeps and not named
    assert found.blocks[0].mget([ID]) == ({} if gone else {ID: PART})
    assert left == (1 if not sweeps and not named else 0)


def test_what_was_written_since_stays(env):
    found = side(env, sweeps=True)
    found.blocks[0].mset({ID: PART})
    assert found.forget([ID], time.time() - 60) == 0
    assert found.blocks[0].mget([ID]) == {ID: PART}
