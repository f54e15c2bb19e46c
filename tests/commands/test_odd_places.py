"""Odd session files and paths give a documented exit code and one line, never a traceback."""

import os
import shlex
import tempfile
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
import support
from codeh_history.base.env import Env
from codeh_history.main import run
from faults.verbs import COMMANDS
from in_process import run_in_process, run_ok, write_session
from program_files import SAMPLES, written
from support import lines

DOCUMENTED = {0, 1, 2, 3, 5, 65, 74, 75}


def go(command, home, argv=None, **env):
    """Run it here, its home prepared: a bug is raised (see `inside`)."""
    command.prepare(home)
    outcome = run_in_process(
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
    code = {"verify": 1, "calls": 1, "ask": 75, "chat": 75}.get(name, 0)
    assert go(COMMANDS[name], tmp_path / "home") in (0, code)


def test_a_session_started_in_a_removed_directory_has_no_cwd(home, no_cwd):
    run_ok("append", "-s", "demo", "-m", "x")
    run_ok("fork", "demo", "--into", "copy")
    for name in ("demo", "copy"):
        assert "cwd" not in lines(home / "sessions" / f"{name}.jsonl")[0]
    assert run_in_process("last", "@.").code == 3
    assert run_in_process("list", "--here").out == b""
    assert b"which session" in run_in_process("last").err


@commands
def test_words_that_are_not_utf_8(tmp_path, name):
    """Each argument in turn gets an invalid byte; a file name may contain it."""
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
    env = {**command.env, "CODEH_SESSION": path}
    outcome = run_in_process(*argv, home=tmp_path / "home", stdin=command.stdin or b"", env=env)
    assert outcome.code in DOCUMENTED, outcome


def test_a_path_that_is_not_utf_8_is_written_and_read(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl")
    copy = os.fsdecode(os.fsencode(tmp_path) + b"/copy\xe9.jsonl")
    run_ok("append", "-s", path, "-m", "x", home=tmp_path)
    assert run_in_process("last", path, home=tmp_path).text == "x"
    assert run_in_process("fork", path, "--into", copy, home=tmp_path).out == os.fsencode(copy) + b"\n"
    assert run_in_process("last", copy, home=tmp_path).text == "x"


def test_a_file_whose_name_is_no_id_has_a_state_and_can_be_asked(home, tmp_path):
    path = str(tmp_path / "two words.jsonl")
    run_ok("append", "-s", path, "-m", "x")
    assert f"ask -s '{path}'" in run_ok("status", path).text
    request = "--to", "openai-chat", "--model", "m", "--via"
    answer = """echo '{"choices":[{"finish_reason":"stop","message":{"content":"yes"}}]}'"""
    assert run_ok("ask", "-s", path, *request, answer).text == "yes"
    failed = run_in_process("ask", "-s", path, "-m", "y", *request, "exit 1")
    assert failed.code == 75
    assert f"ask -s '{path}'" in failed.err.decode()


@pytest.mark.parametrize("name", ["two words.jsonl", "old.json"])
def test_the_next_command_for_a_file_that_is_only_read_imports_it(home, tmp_path, name):
    path = tmp_path / name
    if name.endswith("l"):
        written(path, SAMPLES["claude-code"]())
    else:
        path.write_bytes(b'[{"role":"user","content":"hi"}]')
    state = orjson.loads(run_ok("status", path, "--json").out)
    _, *argv = shlex.split(state["next"])
    assert argv == ["import", str(path)]
    (id,) = run_ok(*argv).text.splitlines()
    assert orjson.loads(run_ok("status", id, "--json").out)["next"].startswith("codeh-history ask -s")


@pytest.mark.parametrize(
    "argv", [["append", "-m", "x", "--key", "k\udcff"], ["append", "-m", "\udcff"], ["set", "title=\udcff"], ["update", ":1", "-m", "\udcff"]],
    ids=lambda argv: argv[0],
)  # fmt: skip
def test_text_that_is_not_utf_8_is_65_and_nothing_is_stored(home, argv):
    run_in_process("append", "-s", "s", "-m", "first")
    before = (home / "sessions" / "s.jsonl").read_bytes()
    outcome = run_in_process(*argv, "-s", "s")
    assert outcome.code == 65
    assert outcome.err.count(b"\n") == 1
    assert b"UTF-8" in outcome.err
    assert (home / "sessions" / "s.jsonl").read_bytes() == before


@commands
def test_a_home_that_is_a_file(tmp_path, name):
    home = tmp_path / "home"
    home.write_bytes(b"no folder")
    command = COMMANDS[name]
    outcome = run_in_process(*command.argv, home=home, stdin=command.stdin or b"", env=command.env)
    inner = name == "serve"  # its answers say what failed
    expected = {0} if name in ("completion", "store") or inner else DOCUMENTED - {0, 1}
    assert outcome.code in expected, outcome
    assert not inner or orjson.loads(outcome.out)["code"] == 74
    assert home.read_bytes() == b"no folder"


def test_without_a_home_the_error_names_the_variable(monkeypatch, tmp_path):
    """A user missing from the system's user database, as in many containers."""
    import pwd

    def unknown(_):
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.chdir(tmp_path)
    nowhere = {"CODEH_HOME": "", "HOME": ""}
    outcome = run_in_process("append", "-s", "demo", "-m", "x", home=tmp_path, env=nowhere)
    assert outcome.code == 2
    assert b"neither CODEH_HOME nor HOME is set" in outcome.err
    assert list(tmp_path.iterdir()) == []


LOOKS = [
    "show", "show --json", "show --items -n 2", "show --curated", "last", "last --code --role model", "search e",
    "search -i H --jsonl", "stats --counter approx", "stats --json --counter approx", "status --counter approx",
    "status --json --counter approx", "verify", "verify --json", "verify --to gemini", "verify --to anthropic",
    "verify --to openai-chat", "verify --to openai-responses", "expand :1", "list",
]  # fmt: skip


def code_of(line, home, *, session="s"):
    """The exit code of a look, run here; a bug is raised."""
    with (home / "out").open("wb") as out:
        environ = {"CODEH_HOME": str(home), "CODEH_TRACEBACK": "1", "CODEH_SESSION": session}
        env = Env(environ, stdin=os.open(os.devnull, os.O_RDONLY), stdout=out.fileno(), stderr=out.fileno())
        verb, *rest = line.split()
        named = [session] if verb == "search" else []
        try:
            return run([verb, *rest, *named], env)
        finally:
            os.close(env.stdin)


@given(data=some.files_of() | st.binary(max_size=60), look=st.sampled_from(LOOKS))
def test_generated_files(data, look, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    path = write_session(home, data)
    assert code_of(look, home) in (0, 1, 3, 65)
    assert path.read_bytes() == data


def deep(levels):
    value = "x"
    for _ in range(levels):
        value = {"a": value}
    return value


ODD = [
    {"type": "message", "id": "a", "kind": "user", "parts": [{"inlineData": {"mimeType": 7, "data": {}}}]},
    {"type": "message", "id": "a", "kind": "user", "parts": [{"fileData": {}}, {"native": {}}, {"text": "x", "thought": "?"}]},
    {"type": "message", "id": "a", "kind": "codeh", "parts": [{"functionCall": {"name": "", "args": 7, "id": 7}}]},
    {"type": "message", "id": "a", "kind": "tool", "parts": [{"functionResponse": {"name": "f", "response": 7, "id": []}}]},
    {"type": "message", "id": "a", "kind": "tool", "parts": [{"functionResponse": {"name": "f", "parts": {"a": 1}}}]},
    {"type": "message", "id": "a", "kind": "user", "parts": [], "references": {"a": 1}, "attached": 7, "model": 7, "ts": []},
    {"type": "message", "id": "a", "kind": "user", "parts": [], "references": [7, {"number": [], "score": "x"}], "ts": -1e300},
    {"type": "message", "id": "", "kind": "user", "parts": [{}], "attached": [{"part": []}, {"part": 0, "name": 7}]},
    {"type": "meta", "set": {"title": 7, "tags": {"a": 1}, "system": [], "tools": "x", "model.gemini": 7}},
    {"type": "session", "version": "x", "id": 7, "created": {}, "cwd": 7},
    {"type": "summary", "id": "s", "summary": "x", "covers": [], "periodStart": 7, "conversationCount": "x"},
    {"type": "summary", "id": "s", "summary": "x", "covers": 7},
    {"type": "compaction", "id": "k", "ops": [{"op": "summarize", "ids": 7, "summary": "x"}]},
    {"type": "compaction", "id": "k", "ops": [{"op": 7}, {"op": "replace"}, {"op": "insert", "message": {}}, {"op": "drop"}]},
    {"type": "abort", "of": "a", "reason": {}},
    {"type": "ref", "id": "r", "kind": "user", "blockIds": ["../x"]},
    {"type": "ref", "id": "r", "kind": "user", "blockIds": ["0" * 64]},
    {"type": "message", "id": "a", "kind": "codeh", "parts": [{"functionCall": {"name": "f", "args": deep(300)}}]},
    {"type": "later", "id": {"a": 1}},
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(ODD)))
def test_odd_shapes(number, tmp_path):
    (tmp_path / "sessions").mkdir()
    import json

    first = {"type": "message", "id": "a", "kind": "codeh", "role": "model", "parts": [{"text": "hi"}]}
    lines = [json.dumps(record) for record in (first, ODD[number], {**first, "id": "z"})]
    (tmp_path / "sessions" / "s.jsonl").write_text("".join(f"{line}\n" for line in lines))
    for look in LOOKS:
        assert code_of(look, tmp_path) in (0, 1, 3, 65), look


@pytest.mark.parametrize("path", support.corpus_files("sessions/*.jsonl"), ids=lambda path: path.name)
def test_other_programs_files(path, tmp_path):
    """They are not native sessions and any line may be damage; none causes a bug."""
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "s.jsonl").write_bytes(path.read_bytes())
    for look in LOOKS:
        assert code_of(look, tmp_path) in (0, 1, 3, 65), look


@pytest.mark.parametrize("form", ["gemini", "anthropic", "openai-chat", "openai-responses", "ollama"])
def test_recorded_conversations(form, tmp_path):
    """Every recorded request, imported, can be looked at."""
    paths = support.corpus_files(f"exchanges/{form}/*.json")
    if not paths:
        pytest.skip("no recorded data")
    (tmp_path / "sessions").mkdir()
    for path in paths[::7]:
        exchange = orjson.loads(path.read_bytes())
        request = exchange.get("request") if isinstance(exchange, dict) else None
        if path.name.endswith(".expected.json") or not isinstance(request, dict):
            continue
        body = tmp_path / "body.json"
        body.write_bytes(orjson.dumps(request))
        session = tmp_path / "sessions" / "s.jsonl"
        session.unlink(missing_ok=True)
        if support.run("import", body, "--from", form, "--into", "s", home=tmp_path).code != 0:
            continue
        for look in LOOKS:
            assert code_of(look, tmp_path) in (0, 1, 3, 65), (path.name, look)
