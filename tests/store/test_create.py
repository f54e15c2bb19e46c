"""New sessions and files, whole or not at all; replacing one loses nothing."""

import errno
import os
import stat
from pathlib import Path

import orjson
import pytest

from codeh_history.base.errors import BadData, InputOutput
from codeh_history.store import create, new_file

HEADER = b'{ "type":"session", "version":1, "id":"old", "later":[1] }\n'
LINE = b'{"type":"message","id":"a","kind":"user","role":"user","parts":[{"text":"x"}]}\n'


@pytest.mark.parametrize(
    ("like", "id"),
    [
        ("demo", "demo-2"), ("new", "new"), ("/x/my chat.jsonl", "my-chat"), ("grün!", "gr-n"), ("--x--", "x"),
        ("con", "session"), ("", "session"), ("日本", "session"), ("n" * 200, "n" * 100), ("empty", "empty"),
        ("a.b", "a-b"), ("linked", "linked-2"), ("many", "many-3"),
    ],
)  # fmt: skip
def test_a_free_id_is_much_like_what_was_asked_for(env, home, like, id):
    for name in ("demo", "many", "many-2", "many-4"):
        (home / "sessions" / f"{name}.jsonl").write_bytes(LINE)
    (home / "sessions" / "empty.jsonl").touch()
    (home / "sessions" / "linked.jsonl").symlink_to("nowhere")
    assert create.free_path(env, None, like) == str(home / "sessions" / f"{id}.jsonl")


def test_one_that_is_asked_for_by_name_is_that_or_refused(env, home):
    (home / "sessions" / "demo.jsonl").write_bytes(LINE)
    assert create.free_path(env, "new", "demo") == str(home / "sessions" / "new.jsonl")
    with pytest.raises(BadData, match=r"demo.jsonl: already exists; choose another id$"):
        create.free_path(env, "demo", "x")
    with pytest.raises(BadData, match=r"ends in .jsonl$"):
        create.free_path(env, "x.json", "x")


def test_a_session_is_begun_with_its_parent_and_its_lines(env, home, tmp_path):
    parent = {"session": "p", "at": "m"}
    path = home / "sessions" / "s.jsonl"
    assert create.session(env, str(path), lambda _: LINE, parent=parent) == "s" == env.stored
    first, rest = path.read_bytes().split(b"\n", 1)
    assert rest == LINE
    assert orjson.loads(first)["parent"] == parent
    outside = str(tmp_path / "s.jsonl")
    assert create.session(env, outside, lambda _: LINE) == outside
    assert b"parent" not in Path(outside).read_bytes()


@pytest.mark.parametrize("made", ["session", "copied"])
def test_nothing_is_written_over_one_that_came_meanwhile(env, home, made):
    path = home / "sessions" / "s.jsonl"
    path.write_bytes(HEADER + LINE)
    make = {
        "session": lambda: create.session(env, str(path), lambda _: LINE),
        "copied": lambda: create.copy_session(env, str(path), HEADER + LINE * 2, renamed=False),
    }[made]
    with pytest.raises(BadData, match=r"already exists"):
        make()
    assert path.read_bytes() == HEADER + LINE


def test_a_copy_has_the_same_bytes_and_a_new_name_changes_its_first_line_alone(env, home):
    path = home / "sessions" / "s.jsonl"
    create.copy_session(env, str(path), HEADER + LINE + b"{torn", renamed=False)
    assert path.read_bytes() == HEADER + LINE + b"{torn"
    for header, new in ((HEADER, {"later": [1]}), (b"", {})):  # lines without a header get one
        path.unlink()
        create.copy_session(env, str(path), header + LINE, renamed=True)
        first, rest = path.read_bytes().split(b"\n", 1)
        assert orjson.loads(first).items() >= {"type": "session", "version": 1, "id": "s", **new}.items()
        assert rest == LINE


def test_what_is_something_else_is_not_copied(env, home):
    with pytest.raises(BadData, match=r"not a session"):
        create.copy_session(env, str(home / "sessions" / "s.jsonl"), b"a diary\n", renamed=True)
    assert not list((home / "sessions").iterdir())


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_and_its_folders_are_for_their_owner_alone(tmp_path):
    before = os.umask(0)
    try:
        new_file.write(str(tmp_path / "a" / "b" / "c.jsonl"), b"x\n", folders=True)
    finally:
        os.umask(before)
    assert (tmp_path / "a" / "b" / "c.jsonl").read_bytes() == b"x\n"
    assert mode(tmp_path / "a" / "b" / "c.jsonl") == 0o600
    assert mode(tmp_path / "a") == mode(tmp_path / "a" / "b") == 0o700
    assert os.listdir(tmp_path / "a" / "b") == ["c.jsonl"]


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_a_replaced_file_is_private_under_any_umask_and_nothing_else_is_left(tmp_path, umask):
    descriptors = len(os.listdir("/dev/fd"))
    before = os.umask(umask)
    try:
        for data in (b"old", b"new"):
            new_file.replace_file(str(tmp_path / "f"), data)
    finally:
        os.umask(before)
    assert ((tmp_path / "f").read_bytes(), mode(tmp_path / "f")) == (b"new", 0o600)
    assert (os.listdir(tmp_path), len(os.listdir("/dev/fd"))) == (["f"], descriptors)


@pytest.mark.parametrize("kind", ["file", "empty", "folder", "link", "dangling"])
def test_what_is_there_is_left_as_it_is(tmp_path, kind):
    path = tmp_path / "c.jsonl"
    other = tmp_path / "other"
    if kind == "folder":
        path.mkdir()
    elif kind in ("link", "dangling"):
        path.symlink_to(other)
        if kind == "link":
            other.write_bytes(b"old")
    else:
        path.write_bytes(b"old" if kind == "file" else b"")
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(BadData, match="already exists; not overwritten"):
        new_file.write(str(path), b"new")
    assert sorted(os.listdir(tmp_path)) == before
    assert kind != "file" or path.read_bytes() == b"old"


def test_an_open_file_is_written_to_and_keeps_what_it_has(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"before\n")
    with path.open("ab") as file:  # as `--output /dev/stdout >> log`
        new_file.write(f"/dev/fd/{file.fileno()}", b"new\n")
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"before\nnew\n", ["log"])
    new_file.write(os.devnull, b"x")


def test_nothing_is_left_of_what_cannot_be_written(tmp_path):
    with pytest.raises(InputOutput, match="nothing was written"):
        new_file.write(str(tmp_path / "no" / "c.jsonl"), b"x")
    (tmp_path / "plain").write_bytes(b"")
    with pytest.raises(InputOutput):
        new_file.write(str(tmp_path / "plain" / "c.jsonl"), b"x", folders=True)
    assert os.listdir(tmp_path) == ["plain"]


@pytest.mark.parametrize("code", [errno.EPERM, errno.ENOTSUP, errno.ENOSYS])
def test_where_there_are_no_hard_links_it_is_written_all_the_same_and_never_over_another(
    tmp_path, monkeypatch, code
):
    def refused(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", refused)  # as FAT does
    path = tmp_path / "c.jsonl"
    new_file.write(str(path), b"new")
    assert (path.read_bytes(), mode(path), os.listdir(tmp_path)) == (b"new", 0o600, ["c.jsonl"])
    with pytest.raises(BadData, match="already exists; not overwritten"):
        new_file.write(str(path), b"newer")
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"new", ["c.jsonl"])

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(InputOutput, match="nothing was written"):
        new_file.write(str(tmp_path / "d.jsonl"), b"x")
    assert os.listdir(tmp_path) == ["c.jsonl"]
