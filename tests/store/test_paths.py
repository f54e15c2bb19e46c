"""Which file a SESSION is: an id in the store, a path, or nothing that could be one, and then what was meant."""

import os

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import Usage
from codeh_history.store import paths

HOME = {"CODEH_HOME": "/h"}


@pytest.mark.parametrize(
    ("session", "path"),
    [
        ("demo", "/h/sessions/demo.jsonl"), ("9-_x", "/h/sessions/9-_x.jsonl"),
        ("d" * 128, f"/h/sessions/{'d' * 128}.jsonl"), ("demo.jsonl", "demo.jsonl"), ("a/b.json", "a/b.json"),
        ("/x/../y.jsonl", "/x/../y.jsonl"), ("postgres://h/d/s.jsonl", "./postgres://h/d/s.jsonl"),
    ],
)  # fmt: skip
def test_an_id_is_a_file_of_the_store_and_a_path_is_itself(session, path):
    assert paths.path_of(Env(HOME), session) == path


@pytest.mark.parametrize(
    ("session", "said"),
    [
        ("a/b", "a path must end in .jsonl or .json (ids are"), ("", "no session id ("),
        ("-x", "at most 128); did you mean x?"), ("my chat!", "at most 128); did you mean my-chat?"),
        ("ä", "at most 128)"), ("con", "no session id"), ("d" * 129, "no session id"),
        ("../demo", "a path must end in"), ("postgres://elsewhere/d/s", "a path must end in"),
    ],
)  # fmt: skip
def test_what_can_be_no_session_is_exit_2_and_says_what_was_meant(session, said):
    with pytest.raises(Usage) as error:
        paths.path_of(Env(HOME), session)
    assert said in str(error.value)
    assert ("did you mean" in str(error.value)) == ("did you mean" in said)


def test_a_file_that_is_there_is_called_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").touch()
    with pytest.raises(Usage, match=r"^notes\.txt: a path must end in \.jsonl or \.json [^?]*$"):
        paths.path_of(Env(HOME), "notes.txt")


@pytest.mark.parametrize(
    ("store", "folder"),
    [(None, "/h/sessions"), ("", "/h/sessions"), ("dir:/work", "/work"), ("dir:rel", "rel"),
     ("dir:~/s", "/user/s")],
)  # fmt: skip
def test_the_store_is_a_folder_by_name_else_the_homes_own(store, folder, monkeypatch):
    monkeypatch.setenv("HOME", "/user")
    env = Env(HOME | ({} if store is None else {"CODEH_STORE": store}))
    assert paths.sessions_dir(env) == folder
    assert paths.path_of(env, "s") == os.path.join(folder, "s.jsonl")
    assert paths.own_dir(env) == "/h/sessions"


@pytest.mark.parametrize("store", ["dir:", "/work", "mysql://x", "dir"])
def test_a_store_of_no_known_kind_is_exit_2(store):
    with pytest.raises(Usage, match=r"^CODEH_STORE: dir:PATH or postgres://… expected$"):
        paths.sessions_dir(Env(HOME | {"CODEH_STORE": store}))


@pytest.mark.parametrize(
    ("path", "id"),
    [("/h/sessions/demo.jsonl", "demo"), ("a.b.json", "a.b"), ("/x/demo", "demo"), ("/x/de.mo", "de.mo"),
     ("postgres://h/d/demo", "demo"), (os.fsdecode(b"/x/\xff.jsonl"), "?")],
)  # fmt: skip
def test_a_files_name_stands_for_an_id(path, id):
    assert paths.id_of(path) == id


def test_a_session_beside_it_with_a_name_much_like_it_was_meant(tmp_path):
    for name in ("demo.jsonl", "other.jsonl", "dmeo.txt", "dmeoo!.jsonl"):
        (tmp_path / name).touch()
    assert paths.meant(str(tmp_path / "dmeo.jsonl")) == " (did you mean demo?)"
    assert paths.hint(str(tmp_path / "dmeo.jsonl")) == " (did you mean demo?)"
    assert paths.meant(str(tmp_path / "unlike.jsonl")) == ""
    assert paths.hint(str(tmp_path / "unlike.jsonl")) == " (`codeh-history list` shows all)"
    assert paths.meant(str(tmp_path / "none/dmeo.jsonl")) == ""


def test_a_session_is_there_where_anything_is(tmp_path):
    (tmp_path / "a.jsonl").touch()
    assert paths.exists(str(tmp_path / "a.jsonl"))
    assert paths.exists(str(tmp_path))
    assert not paths.exists(str(tmp_path / "b.jsonl"))
