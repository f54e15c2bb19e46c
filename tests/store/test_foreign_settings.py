"""Settings of sessions that are not imported: appended, private, and read whatever else is in the file."""

import stat

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import InputOutput
from codeh_history.store.foreign_settings import NAME, keep, kept


@pytest.fixture
def env(tmp_path):
    return Env({"CODEH_HOME": str(tmp_path / "home"), "CODEH_NOW": "2026-01-02T03:04:05Z"})


def test_later_ones_win_key_by_key(env, tmp_path):
    assert kept(env) == {}
    keep(env, "pi-a", {"title": "A", "pinned": True})
    keep(env, "pi-b", {"title": "B"})
    keep(env, "pi-a", {"title": "C", "pinned": None})
    assert kept(env) == {"pi-a": {"title": "C", "pinned": None}, "pi-b": {"title": "B"}}
    assert stat.S_IMODE((tmp_path / "home" / NAME).stat().st_mode) == 0o600


def test_a_torn_or_damaged_line_costs_only_itself(env, tmp_path):
    keep(env, "pi-a", {"title": "A"})
    path = tmp_path / "home" / NAME
    path.write_bytes(path.read_bytes() + b'7\n{"set": 7}\n\xff\n{"session": "pi-b", "se')
    keep(env, "pi-c", {"title": "C"})
    assert kept(env) == {"pi-a": {"title": "A"}, "pi-c": {"title": "C"}}


def test_a_link_is_not_followed(env, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputOutput, match=NAME):
        keep(env, "pi-a", {"title": "A"})
