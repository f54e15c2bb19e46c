"""What is remembered between two runs: it comes back as it was kept, and nothing that is wrong with it matters."""

import sqlite3
import time
from pathlib import Path

import pytest

from codeh_history.store import cache
from codeh_history.store.cache import Cache, Remembered
from codeh_history.store.protocol import Stamp

OLD = Stamp(7, 2**63 + 1, 5)  # as large as an inode may be


def kept(home, use="rows", version=1, **values):
    entries = Remembered(str(home), use, version)
    for name, value in values.items():
        entries.keep(name, OLD, value)
    entries.save()


def test_a_value_is_known_while_its_stamp_and_its_version_are_the_same(home):
    kept(home, a={"n": [1]}, b=2)
    again = Remembered(str(home), "rows", 1)
    assert (again.get("a", OLD), again.get("b", OLD), again.get("c", OLD)) == ({"n": [1]}, 2, None)
    assert again.get("a", OLD._replace(changed=6)) is None
    assert again.get("a", None) is None
    assert Remembered(str(home), "rows", 2).get("a", OLD) is None
    assert Remembered(str(home), "others", 1).get("a", OLD) is None
    path = Path(Cache(str(home)).path)
    assert [each.stat().st_mode & 0o777 for each in (path.parent, path)] == [0o700, 0o600]


def test_recent_changes_are_not_cached(home):
    entries = Remembered(str(home), "rows", 1)
    now = Stamp(1, 1, time.time_ns())
    entries.keep("a", now, 1)
    assert entries.get("a", now) is None


def test_only_what_is_named_stays(home):
    kept(home, a=1, b=2)
    kept(home, use="others", b=3)
    Remembered(str(home), "rows", 1).save(["a", "c"])
    assert Remembered(str(home), "rows", 1).get("b", OLD) is None
    assert Remembered(str(home), "rows", 1).get("a", OLD) == 1
    assert Remembered(str(home), "others", 1).get("b", OLD) == 3


@pytest.mark.parametrize(
    "value", [b"", b"{", b"[]", b"7", b"null", b"[1,[1],2]", b"[1,7,2]", "text", 8, None]
)
def test_a_spoilt_value_is_not_known(home, value):
    kept(home, a=1)
    with sqlite3.connect(Cache(str(home)).path) as db:
        db.execute("pragma ignore_check_constraints=on")
        db.execute("update or ignore known set value = ?", (value,))
    assert Remembered(str(home), "rows", 1).get("a", OLD) in (None, 1 if value is None else None)


def test_a_damaged_file_is_made_again(home):
    kept(home, a=1)
    Path(Cache(str(home)).path).write_bytes(b"no database at all, but long enough to look at" * 20)
    assert Remembered(str(home), "rows", 1).get("a", OLD) is None
    kept(home, a=1)
    assert Remembered(str(home), "rows", 1).get("a", OLD) == 1


def test_an_unwritable_cache_is_not_an_error(home):
    home.mkdir()
    (home / "cache").write_text("in the way")
    kept(home, a=1)
    memory = Cache(str(home))
    memory.remember({b"k": 1})
    assert Remembered(str(home), "rows", 1).get("a", OLD) is None
    assert memory.recall([b"k"]) == {}


def test_what_is_removed_is_gone_for_all(home):
    kept(home, a=1)
    memory = Cache(str(home))
    memory.remember({b"k": 1})
    memory.remove()
    assert not list((home / "cache").iterdir())
    assert memory.recall([b"k"]) == {}
    memory.remember({b"k": 2})
    assert memory.recall([b"k"]) == {b"k": 2}


def test_a_cache_that_another_process_has_locked_is_waited_for_once(home, monkeypatch):
    """2026-11-27: each use waited a second, `payload --budget` 15 s in all."""
    monkeypatch.setattr(cache, "_paused", {})
    monkeypatch.setattr(cache, "_WAIT", 0.01)
    memory = Cache(str(home))
    memory.remember({b"k": 7})
    other = sqlite3.connect(memory.path)
    other.execute("begin exclusive")
    assert memory.recall([b"k"]) == {}
    with monkeypatch.context() as patch:  # SQLite is not used any more
        patch.setattr(Cache, "_connect", lambda _: pytest.fail("waited again"))
        memory.remember({b"l": 8})
    other.rollback()
    assert memory.recall([b"k"]) == {}
    cache._paused.clear()
    assert memory.recall([b"k", b"l"]) == {b"k": 7}
