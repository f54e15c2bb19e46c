"""A session → a file that another program goes on with: where it is put, and by which command it goes on."""

import os
import shlex
import subprocess
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest

import opencode_files
import program_databases
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput
from codeh_history.programs import registry
from codeh_history.programs.protocol import Written
from codeh_history.talk.send import program
from codeh_history.talk.send.program import ProgramFile
from histories import record
from strategies import view_of

HEADER = {"type": "session", "version": 1, "id": "s"}
TALK = [
    {"type": "message", **record(1, "user", [{"text": "hi"}])},
    {"type": "message", **record(2, "codeh", [{"text": "ho"}], model="m")},
]


@pytest.fixture
def env(home, tmp_path):
    fixed = {"CODEH_NOW": "2026-01-02T03:04:05Z", "CODEH_ID_SEED": "x"}
    return Env({"CODEH_HOME": str(home), "HOME": str(tmp_path), **fixed})


@contextmanager
def noting(env, tmp_path):
    """The lines that are noted within."""
    notes = []
    with (tmp_path / "err").open("wb") as err:
        env.stderr = err.fileno()
        yield notes
    notes += (tmp_path / "err").read_text().replace("codeh-history: ", "").splitlines()


def made(data=b"file", name="dir/f.jsonl", **more):
    """A file for a program that is resumed by `prog -r ID`."""
    written = Written(data, name, ["prog", "-r", "ID"], Counter(), **more)
    return ProgramFile("s", "prog", "/my dir", "" if written.imported else "/home/dir/f.jsonl", written)


def test_session_resumes_in_its_directory_unless_given_another(env, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    real = os.path.realpath(tmp_path / "real")
    begun = view_of([{**HEADER, "cwd": str(tmp_path / "link")}, *TALK])
    assert program.make(env, begun, "claude-code").cwd == real
    assert program.make(env, begun, "claude-code", cwd=str(tmp_path)).cwd == os.path.realpath(tmp_path)
    for header in (HEADER, {**HEADER, "cwd": 7}):
        made = program.make(env, view_of([header, *TALK]), "claude-code")
        assert made.cwd == os.path.realpath(os.getcwd())


def test_missing_directory_is_noted(env, tmp_path):
    with noting(env, tmp_path) as notes:
        view = view_of([{**HEADER, "cwd": "/no/such"}, *TALK])
        assert program.directory(env, view, None) == "/no/such"
        assert program.directory(env, view, "/nor/this", or_current=True) == "/nor/this"
        current = os.path.realpath(os.getcwd())
        assert program.directory(env, view, None, or_current=True) == current
        made = program.make(env, view, "claude-code")
    assert notes[:3] == [
        "s: /no/such does not exist; --cwd DIR names another",
        "s: /nor/this does not exist; --cwd DIR names another",
        f"s: /no/such does not exist; it continues in {current}; --cwd DIR names another",
    ]
    assert program.command(made, ["prog"]) == "prog"


def test_installed_for_a_directory_that_does_not_exist_it_is_resumed_without_cd(env, tmp_path):
    gone = str(tmp_path / "gone")
    with noting(env, tmp_path) as notes:
        made = program.make(env, view_of([HEADER, *TALK]), "claude-code", cwd=gone, install=True)
        how = program.put(env, made, None, install=True)
    assert notes[0].startswith(f"s: {gone} does not exist; --cwd DIR ")
    assert how == f"resume with: {shlex.join(made.written.resume)}"


def test_installed_file_is_where_the_program_looks_and_overwrites_none(env, tmp_path):
    view = view_of([HEADER, *TALK])
    made = program.make(env, view, "claude-code", cwd=str(tmp_path))
    assert made.place.startswith(str(tmp_path / ".claude"))
    how = program.put(env, made, None, install=True)
    assert how == f"resume with: cd {shlex.quote(made.cwd)} && {shlex.join(made.written.resume)}"
    assert Path(made.place).read_bytes() == made.written.data
    assert Path(made.place).stat().st_mode & 0o777 == 0o600
    with pytest.raises(BadData):
        program.put(env, made, None, install=True)
    assert program.make(env, view, "claude-code", cwd=str(tmp_path)).written.resume != made.written.resume


def test_title_is_the_option_or_that_of_the_session(env):
    view = view_of([HEADER, {"type": "meta", "set": {"title": "Own"}}, *TALK])
    for title, other in ((None, "Given"), ("Given", "Own")):
        data = program.make(env, view, "claude-code", title=title).written.data.decode()
        assert f'"{title or "Own"}"' in data
        assert f'"{other}"' not in data


@pytest.mark.parametrize(
    "log",
    [[], [{**TALK[0], "kind": "info"}], [{"type": "open", "id": "o", "kind": "codeh", "role": "model"}]],
)
def test_empty_session_is_reported(env, log):
    with pytest.raises(BadData, match=r"s: no message to write; append one first"):
        program.make(env, view_of([HEADER, *log]), "codex")


@pytest.mark.parametrize(
    ("more", "path", "command"),
    [
        ({}, "/x/f.jsonl", None), ({"taken": ["prog", "-f"]}, "/x/f.jsonl", "cd '/my dir' && prog -f /x/f.jsonl"),
        ({"taken": ["prog", "-f"]}, "/x/f.txt", None), ({"taken": ["prog", "-f"]}, "/x/a b.jsonl", "cd '/my dir' && prog -f '/x/a b.jsonl'"),
        ({"imported": ["prog", "import"]}, "/x/f.txt", "cd '/my dir' && prog import /x/f.txt && prog -r ID"),
    ],
)  # fmt: skip
def test_resume_command_names_the_file_if_the_program_can_open_it(more, path, command):
    assert program.resumed(made(**more), path) == command


def test_manual_install_location_is_printed(env, tmp_path):
    path = str(tmp_path / "out.txt")
    put = "put it at /home/dir/f.jsonl and resume with: cd '/my dir' && prog -r ID"
    assert program.put(env, made(), path) == put
    assert Path(path).read_bytes() == b"file"
    with pytest.raises(BadData):
        program.put(env, made(), path)
    with (tmp_path / "stdout").open("wb") as out:
        env.stdout = out.fileno()
        assert program.put(env, made(), None) == put
        assert program.put(env, made(imported=["prog", "import"]), "-") == (
            "resume with: cd '/my dir' && prog import FILE && prog -r ID"
        )
    assert (tmp_path / "stdout").read_bytes() == b"file" * 2


SCRIPT = """#!/bin/sh
[ "$1" = import ] || exit 9
case "$2" in *f.jsonl) ;; *) exit 8 ;; esac
[ "$(cat "$2")" = "file" ] && echo "imported ${ANSWER}" && exit "${CODE:-0}"
"""


@pytest.mark.parametrize(
    ("environ", "why"),
    [
        ({"ANSWER": "ID"}, None),
        ({"ANSWER": "another"}, "imported another"),
        ({"ANSWER": "ID", "CODE": "3"}, "imported ID"),
    ],
)
def test_failed_import_by_the_program_is_an_error(env, tmp_path, environ, why):
    script = tmp_path / "prog"
    script.write_text(SCRIPT)
    script.chmod(0o755)
    env.environ = {**env.environ, **environ, "PATH": os.environ["PATH"]}
    file = made(imported=[str(script), "import"])._replace(cwd=str(tmp_path))
    if why is None:
        assert program.put(env, file, None, install=True) == f"resume with: cd {tmp_path} && prog -r ID"
    else:
        with pytest.raises(InputOutput, match=rf"prog import: {why}$"):
            program.put(env, file, None, install=True)


def test_missing_program_is_named(env, tmp_path):
    file = made(imported=[str(tmp_path / "none"), "import"])._replace(cwd=str(tmp_path))
    with pytest.raises(
        InputOutput, match=r"none import, in .*: No such file or directory; --output FILE writes"
    ):
        program.put(env, file, None, install=True)


def test_omitted_content_is_reported_once_per_kind(env, tmp_path):
    written = made(notes=["message 1: no image", "message 2: no image", "message 3: no sound"])
    written.written.left_out["thought"] += 2
    with noting(env, tmp_path) as notes:
        program.note_left_out(env, written)
    assert notes[:2] == ["s: 2 messages: no image", "s: message 3: no sound"]
    assert notes[2].startswith("s: left out: 2 thoughts")
    assert len(notes) == 3


def test_program_can_read_the_file(env, tmp_path):
    made = program.make(env, view_of([HEADER, *TALK]), "codex", cwd=str(tmp_path))
    assert all(isinstance(orjson.loads(line), dict) for line in made.written.data.splitlines())
    subprocess.run(["/bin/sh", "-nc", program.command(made, made.written.resume)], check=True)


def test_2026_11_23_database_session_is_identified_by_its_source(env, tmp_path):
    """opencode's ids begin with the time at which they were made."""
    view = view_of([HEADER, *TALK])
    made = program.make(env, view, "opencode", cwd=str(tmp_path), of=("a",))
    assert program.installed(env, made) is None
    id = made.written.resume[-1]
    earlier = f"ses_000000000001{id[-14:]}"
    database = tmp_path / ".local" / "share" / "opencode" / "opencode.db"
    database.parent.mkdir(parents=True)
    file = opencode_files.OpenCode(id=earlier)
    file.user("hi")
    database.write_bytes(program_databases.database(opencode_files.SCHEMA)([file.tables]))
    assert program.installed(env, made) == (str(database), earlier)


@pytest.mark.parametrize("name", registry.WRITTEN)
def test_moved_session_keeps_its_id_only_if_sessions_are_per_directory(env, tmp_path, name):
    """Elsewhere its second session with that id would hide the first, or replace it."""
    id = "11111111-2222-4333-8444-555555555555"
    view = view_of([HEADER, *TALK])
    kept = id if registry.program(name).by_folder else None
    folders = tmp_path / "north", tmp_path / "south"
    places = []
    for folder in folders:
        folder.mkdir()
        made = program.make(env, view, name, cwd=str(folder), install=True, of=("moved", id), id=kept)
        again = program.make(env, view, name, cwd=str(folder), install=True, of=("moved", id), id=kept)
        assert again.written.resume == made.written.resume
        assert (made.written.resume[-1] == id) == (kept is not None)
        places.append((made.place or made.cwd, made.written.resume[-1]))
        if made.place:
            assert program.installed(env, made, in_folder=bool(kept)) is None
            program.put(env, made, None, install=True)
            assert program.installed(env, made, in_folder=bool(kept)) is not None
    assert len({place for place, _ in places}) == 2
    assert len({resumed for _, resumed in places}) == (1 if kept else 2)
