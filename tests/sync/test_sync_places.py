"""Which stores a sync is between: never a home with itself, never plain into an encrypted folder."""

import os

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import NotFound, Usage
from codeh_history.sync.places import other_side, own_side


@pytest.fixture
def env(home):
    (home / "sessions").mkdir(parents=True)
    return Env({"CODEH_HOME": str(home)})


def test_a_folder_has_its_blocks_in_it_and_a_home_in_its_own_place(env, tmp_path):
    other = tmp_path / "other" / "sessions"
    assert [store.name for store in other_side(env, f"dir:{tmp_path}/stick").blocks] == [
        f"{tmp_path}/stick/blocks"
    ]
    assert [store.name for store in other_side(env, f"dir:{other}").blocks] == [f"{tmp_path}/other/blocks"]
    own = own_side(env)
    assert own.place == os.path.realpath(f"{env.home}/sessions")
    assert own.name == "here"
    assert [store.name for store in own.blocks] == [f"{env.home}/blocks"]


@pytest.mark.parametrize("name", ["home/sessions", "home/../home/sessions/", "link"])
def test_a_home_is_not_synced_with_itself(env, tmp_path, name):
    (tmp_path / "link").symlink_to(tmp_path / "home" / "sessions")
    with pytest.raises(Usage, match=r"these are the sessions of this home; name another store"):
        other_side(env, f"dir:{tmp_path}/{name}")


@pytest.mark.parametrize("url", ["dir:", "/tmp/x", "x", "s3://bucket", ""])
def test_what_names_no_store_is_exit_2(env, url):
    with pytest.raises(Usage, match=r"^pass the other store: dir:PATH"):
        other_side(env, url)


def test_a_disk_that_is_not_there_is_not_made(env):
    with pytest.raises(NotFound, match=r"there is no /mnt/no-such-stick: is it mounted"):
        other_side(env, "dir:/mnt/no-such-stick/sessions")


def test_a_file_is_no_folder(env, tmp_path):
    (tmp_path / "f").touch()
    with pytest.raises(Usage, match=r"/f: not a folder$"):
        other_side(env, f"dir:{tmp_path}/f")


def test_plain_and_encrypted_sessions_are_not_mixed(env, tmp_path):
    pyrage = pytest.importorskip("pyrage", reason="the extra `age` is not installed")
    to = str(pyrage.x25519.Identity.generate().to_public())
    for name, file in (("sealed", "s.tar.age"), ("plain", "s.jsonl"), ("empty", "notes.txt")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).touch()
    with pytest.raises(Usage, match=r"encrypted; pass --encrypt-to"):
        other_side(env, f"dir:{tmp_path}/sealed")
    with pytest.raises(Usage, match=r"encrypted; pass --encrypt-to"):
        other_side(env, f"dir:{tmp_path}/empty", identities=["key"])
    with pytest.raises(Usage, match=r"contains unencrypted sessions"):
        other_side(env, f"dir:{tmp_path}/plain", [to])
    assert other_side(env, f"dir:{tmp_path}/empty", [to]).name == f"{tmp_path}/empty"
    assert other_side(env, f"dir:{tmp_path}/plain").name == f"{tmp_path}/plain"


def test_a_server_is_not_encrypted_to(env):
    pytest.importorskip("psycopg")
    with pytest.raises(Usage, match=r"--encrypt-to needs a dir:PATH store"):
        other_side(env, "postgres://localhost/x", ["age1"])
