"""Settings of sessions that are not imported: appended, private, and read whatever else is in the file."""

import os
import stat

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.store.foreign_settings import NAME, keep, kept
from in_process import run_in_process
from opencode_files import SCHEMA, tables
from program_databases import database


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
    with pytest.raises(OSError, match=NAME):
        keep(env, "pi-a", {"title": "A"})


def test_2026_11_26_a_fifo_is_refused_at_once(env, tmp_path):
    (tmp_path / "home").mkdir()
    os.mkfifo(tmp_path / "home" / NAME)
    with pytest.raises(BadData, match="not a regular file"):
        keep(env, "pi-a", {"title": "A"})
    with pytest.raises(BadData, match="not a regular file"):
        kept(env)


def test_a_database_names_its_session_unless_it_holds_several(env, tmp_path):
    path = tmp_path / "opencode.db"
    (whole,) = tables()
    path.write_bytes(database(SCHEMA)([whole]))
    set_title = ["set", "-s", str(path), "title=A"]
    assert run_in_process(*set_title, home=tmp_path / "home").code == 0
    assert kept(env) == {f"opencode-{whole['session'][0]['id']}": {"title": "A"}}
    other = {**whole["session"][0], "id": "ses_other"}
    message = {**whole["message"][0], "id": "msg_other", "session_id": "ses_other"}
    part = {**whole["part"][0], "id": "prt_other", "session_id": "ses_other", "message_id": "msg_other"}
    rows = {"session": other, "message": message, "part": part}
    path.write_bytes(database(SCHEMA)([{name: [*whole[name], row] for name, row in rows.items()}]))
    done = run_in_process(*set_title, home=tmp_path / "home")
    assert (done.code, b"holds 2 sessions; name one as `list --all-programs` does" in done.err) == (2, True)
