"""The memory of counts: locked by another process, it is waited for once."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeh_history.tokens import memory


def test_a_cache_that_another_process_has_locked_is_waited_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    path = str(tmp_path / "cache" / "counts.db")
    memory.remember(path, [(b"k", 7)])
    other = sqlite3.connect(path)
    other.execute("begin exclusive")
    assert memory.recall(path, [b"k"]) == {}
    with monkeypatch.context() as patch:  # nothing asks SQLite any more
        patch.setattr(memory, "_connected", lambda _: pytest.fail("waited again"))
        assert memory.recall(path, [b"k"]) == {}
        memory.remember(path, [(b"l", 8)])
    other.rollback()
    memory._locked.clear()
    assert memory.recall(path, [b"k", b"l"]) == {b"k": 7}
