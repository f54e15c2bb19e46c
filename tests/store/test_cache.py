"""What is remembered between two runs: it comes back as it was saved, and nothing that is wrong with it matters."""

from __future__ import annotations

from operator import itemgetter
from pathlib import Path

import pytest

from codeh_history.base.env import Env
from codeh_history.store import cache


@pytest.fixture
def file(tmp_path: Path) -> str:
    return cache.path(Env({"CODEH_HOME": str(tmp_path)}), "some.json")


def test_what_is_saved_comes_back_under_its_version(file: str) -> None:
    assert cache.load(file, 1, itemgetter("rows")) is None
    cache.save(file, 1, rows={"a": [1]})
    assert cache.load(file, 1, itemgetter("rows")) == {"a": [1]}
    assert cache.load(file, [1, "newer"], itemgetter("rows")) is None
    assert Path(file).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "data", ["", "no json", "[]", "1", "null", '{"version":1}', '{"version":1,"rows":7}']
)
def test_whatever_stands_there_is_as_if_it_did_not(file: str, data: str) -> None:
    Path(file).parent.mkdir()
    Path(file).write_text(data)
    assert cache.load(file, 1, lambda found: found["rows"]["a"]) is None


def test_a_cache_that_cannot_be_written_is_no_error(file: str) -> None:
    Path(file).parent.write_text("in the way")
    cache.save(file, 1, rows={})
    assert cache.load(file, 1, itemgetter("rows")) is None
