"""What plain commands must not import: their start-up is what scripts wait for; nor the package before a name is used."""

import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

import codeh_history
from codeh_history import providers
from support import ROOT

PLAIN = """
import sys
sys.path[:0] = {path!r}
before = set(sys.modules)
import os
sys.argv = ["codeh-history", *{argv!r}]
leave = os._exit
def leaving(code):
    print(*sorted(set(sys.modules) - before), file=sys.stderr, flush=True)
    leave(code)
os._exit = leaving
with open({path[0]!r} + "/codeh-history") as script:
    exec(script.read())
"""
HEAVY = ("typer", "tiktoken", "rich", "jinja2", "pydantic")
APPEND = (*HEAVY, "orjson", "typing", "dataclasses", "re", "enum", "json", "inspect", "hashlib", "datetime",
          "pathlib", "subprocess", "tempfile", "collections.abc")  # fmt: skip
LEAN = ("typing", "hashlib", "subprocess", "tempfile", "pathlib")  # of all that orjson does not load itself

LIBRARY = """
import sys
sys.path[:0] = {path!r}
before = set(sys.modules)
import codeh_history
session = codeh_history.Session.open("demo", create=True)
session.append(*{argv!r})
print(*sorted(set(sys.modules) - before), file=sys.stderr)
"""


WAITING = """
import sys
sys.path[:0] = {path!r}
from codeh_history.base.env import Env
from codeh_history.main import run
Env.read_stdin = lambda *_: sys.exit(print(*sorted(sys.modules), file=sys.stderr))
run({argv!r}, Env())
"""


def imported(home, *argv, program=PLAIN, stdin=subprocess.DEVNULL):
    """The modules that a command loads, site packages' own start-up aside."""
    program = program.format(path=[str(ROOT / "cli"), str(Path(orjson.__file__).parent.parent)], argv=argv)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], stdin=stdin, capture_output=True, text=True,
        env={"PATH": os.environ["PATH"], "CODEH_HOME": str(home), "CODEH_TRACEBACK": "1"}, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr  # 1: a negative answer
    assert "Traceback" not in done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("argv", [["-m", "hi"], ["-m", "hi", "--role", "model", "-q"], ["-F", __file__]])
def test_a_plain_append_imports_next_to_nothing(home, argv):
    for _ in ("a new session", "one that exists"):
        loaded = imported(home, "append", "-s", "demo", *argv)
        assert "codeh_history.talk.append.text" in loaded
        assert not loaded.intersection(APPEND)


def test_an_append_to_the_newest_session_of_the_directory_imports_little_more(home):
    imported(home, "append", "-s", "demo", "-m", "hi")
    loaded = imported(home, "append", "hi")
    assert "codeh_history.store.begun" in loaded
    assert not loaded.intersection(HEAVY)


@pytest.mark.parametrize("to", list(providers.FORMATS))
def test_a_plain_payload_imports_nothing_heavy(home, to):
    imported(home, "append", "-s", "demo", "-m", "hi")
    loaded = imported(home, "payload", "-s", "demo", "--to", to, "--model", "m")
    names = {name.split(".")[2] for name in loaded if name.startswith("codeh_history.providers.")}
    packages = set(providers.FORMATS.values())
    assert f"codeh_history.providers.{to.replace('-', '_')}.request" in loaded
    assert names & packages == {providers.FORMATS[to]}
    assert not loaded.intersection((*HEAVY, *LEAN, "codeh_history.store.blocks", "tomllib"))


@pytest.mark.parametrize(("argv", "needed"), [
    (["curate", "-"], {"filters.curate.pairs"}),
    (["compact", "-", "--budget", "9k"], {"filters.compact.tiered", "store.cache"}),
])  # fmt: skip
def test_a_stage_of_a_pipe_is_ready_before_its_session_has_come(home, argv, needed):
    soon = imported(home, *argv, program=WAITING)
    quiet, writer = os.pipe()
    try:
        loaded = imported(home, *argv, program=WAITING, stdin=quiet)
    finally:
        os.close(quiet)
        os.close(writer)
    assert {f"codeh_history.{name}" for name in needed} <= soon <= loaded


def test_a_budget_that_holds_everything_loads_no_policy(home):
    imported(home, "append", "-s", "demo", "-m", "hi")
    loaded = imported(home, "payload", "-s", "demo", "--to", "gemini", "--budget", "9k")
    assert "codeh_history.filters.compact" in loaded
    assert "codeh_history.filters.compact.tiered" not in loaded


def test_a_configuration_is_read_if_it_exists_and_never_by_append(home):
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('to = "gemini"\n')
    (home / "config.toml").chmod(0o600)
    assert not imported(home, "append", "-s", "demo", "-m", "hi").intersection(APPEND)
    assert "tomllib" in imported(home, "payload", "-s", "demo")


@pytest.mark.parametrize("verb", ["list", "curate", "undo", "calls", "last", "show"])
def test_no_command_imports_what_only_others_need(home, verb):
    """In a pipe: rich is for terminals, tiktoken for counting, jinja2 for templates, Typer for the unusual."""
    imported(home, "append", "-s", "demo", "-m", "hi")
    arguments = [] if verb == "list" else ["-s", "demo"]
    loaded = imported(home, verb, *arguments)
    assert not loaded.intersection((*HEAVY, *(LEAN if verb == "curate" else ())))


def test_an_append_by_the_library_imports_what_the_command_does_and_little_more(home):
    command = imported(home, "append", "-s", "other", "-m", "hi")
    for _ in ("a new session", "one that exists"):
        loaded = imported(home, "hi", program=LIBRARY)
        assert not loaded.intersection(APPEND)
        ours = {
            f"codeh_history.library{name}"
            for name in ("", ".session", ".methods", ".opened", ".env", ".options")
        }
        assert loaded - command <= ours


def test_each_public_name_is_what_its_module_has():
    from codeh_history.base import errors
    from codeh_history.library import session, stream

    public = {name: getattr(codeh_history, name) for name in codeh_history.__all__}
    assert public["Session"] is session.Session
    assert public["Stream"] is stream.Stream
    assert (public["Answer"], public["Filtered"]) == (stream.Answer, stream.Filtered)
    assert public["BadData"] is errors.BadData
    assert {*codeh_history.__all__} <= {*dir(codeh_history)}
    with pytest.raises(AttributeError, match="has no attribute 'Sessions'"):
        _ = codeh_history.Sessions  # type: ignore[attr-defined]


def test_modules_load_on_first_use():
    code = (
        "import sys, codeh_history as c; before = {*sys.modules}; c.TryAgain;"
        "print('codeh_history.base.errors' in before, 'codeh_history.library' in sys.modules, 'TryAgain' in vars(c))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False True\n"
