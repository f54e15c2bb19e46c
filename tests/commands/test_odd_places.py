"""Every verb where something odd is the matter: a documented exit code and one line, never a bug."""

import os
import tempfile
from pathlib import Path

import orjson
import pytest

from faults.verbs import COMMANDS
from inside import inside
from support import lines

DOCUMENTED = {0, 1, 2, 3, 5, 65, 74, 75}


def go(command, home, argv=None, **env):
    """Run it here, its home prepared: a bug is raised (see `inside`)."""
    command.prepare(home)
    outcome = inside(
        *(argv or command.argv), home=home, stdin=command.stdin or b"", env={**command.env, **env}
    )
    assert outcome.code in DOCUMENTED, outcome
    return outcome.code


def commands(test):
    return pytest.mark.parametrize("name", COMMANDS)(test)


@pytest.fixture
def no_cwd(tmp_path):
    """A working directory that was removed."""
    before = os.getcwd()
    place = tempfile.mkdtemp(dir=tmp_path)
    os.chdir(place)
    os.rmdir(place)
    yield
    os.chdir(before)


@commands
def test_in_a_directory_that_was_removed(tmp_path, no_cwd, name):
    assert go(COMMANDS[name], tmp_path / "home") in (
        0,
        {"verify": 1, "calls": 1, "ask": 75, "chat": 75}.get(name, 0),
    )


def test_a_session_begun_in_a_directory_that_was_removed_has_none(home, no_cwd):
    assert inside("append", "-s", "demo", "-m", "x", home=home).code == 0
    assert inside("fork", "demo", "--into", "copy", home=home).code == 0
    for name in ("demo", "copy"):
        assert "cwd" not in lines(home / "sessions" / f"{name}.jsonl")[0]
    assert inside("last", "@.", home=home).code == 3
    assert inside("list", "--here", home=home).out == b""


@commands
def test_words_that_are_not_utf_8(tmp_path, name):
    """Each word in turn gets a byte that is none; a file's name that is so is a name."""
    command = COMMANDS[name]
    for place, word in enumerate(command.argv):
        if place and not word.startswith("-"):
            argv = list(command.argv)
            argv[place] = word + os.fsdecode(b"\xff")
            go(command, tmp_path / str(place), argv)


@commands
def test_a_session_whose_path_is_not_utf_8(tmp_path, name):
    command = COMMANDS[name]
    command.prepare(tmp_path / "home")
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl")
    made = tmp_path / "home" / "sessions" / "demo.jsonl"
    if made.exists():
        Path(path).write_bytes(made.read_bytes())
    argv = [path if word == "demo" else word for word in command.argv]
    outcome = inside(
        *argv,
        home=tmp_path / "home",
        stdin=command.stdin or b"",
        env={**command.env, "CODEH_SESSION": path},
    )
    assert outcome.code in DOCUMENTED, outcome


def test_a_path_that_is_not_utf_8_is_written_and_read(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl")
    copy = os.fsdecode(os.fsencode(tmp_path) + b"/copy\xe9.jsonl")
    assert inside("append", "-s", path, "-m", "x", home=tmp_path).code == 0
    assert inside("last", path, home=tmp_path).text == "x"
    assert inside("fork", path, "--into", copy, home=tmp_path).out == os.fsencode(copy) + b"\n"
    assert inside("last", copy, home=tmp_path).text == "x"


@pytest.mark.parametrize(
    "argv", [["append", "-m", "x", "--key", "k\udcff"], ["append", "-m", "\udcff"], ["set", "title=\udcff"], ["update", ":1", "-m", "\udcff"]],
    ids=lambda argv: argv[0],
)  # fmt: skip
def test_text_that_is_not_utf_8_is_65_and_nothing_is_stored(home, argv):
    inside("append", "-s", "s", "-m", "first", home=home)
    before = (home / "sessions" / "s.jsonl").read_bytes()
    outcome = inside(*argv, "-s", "s", home=home)
    assert outcome.code == 65
    assert outcome.err.count(b"\n") == 1
    assert b"UTF-8" in outcome.err
    assert (home / "sessions" / "s.jsonl").read_bytes() == before


@commands
def test_a_home_that_is_a_file(tmp_path, name):
    home = tmp_path / "home"
    home.write_bytes(b"no folder")
    command = COMMANDS[name]
    outcome = inside(*command.argv, home=home, stdin=command.stdin or b"", env=command.env)
    inner = name == "serve"  # its answers say what failed
    assert outcome.code in ({0} if name in ("completion", "store") or inner else DOCUMENTED - {0, 1}), (
        outcome
    )
    assert not inner or orjson.loads(outcome.out)["code"] == 74
    assert home.read_bytes() == b"no folder"


def test_without_any_home_it_says_what_to_set(monkeypatch, tmp_path):
    """A user without an entry among the system's users, as in many a container."""
    import pwd

    def unknown(_):
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.chdir(tmp_path)
    outcome = inside("append", "-s", "demo", "-m", "x", home=tmp_path, env={"CODEH_HOME": "", "HOME": ""})
    assert outcome.code == 2
    assert b"neither CODEH_HOME nor HOME is set" in outcome.err
    assert list(tmp_path.iterdir()) == []
