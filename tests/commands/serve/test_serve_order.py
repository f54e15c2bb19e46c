"""Requests about the same session are answered in their order, others at once."""

import pytest

from codeh_history.base.env import Env
from codeh_history.commands.serve.request import Request, Scope, scope_of
from codeh_history.main import options_of
from codeh_history.store.paths import path_of

A, B, AB, NONE, EVERY = frozenset("a"), frozenset("b"), frozenset("ab"), frozenset(), None


@pytest.mark.parametrize(
    ("earlier", "later", "waits"),
    [
        (A, A, True), (A, B, False), (AB, B, True), (A, AB, True), (EVERY, A, True), (A, EVERY, True), (EVERY, EVERY, True),
        (NONE, EVERY, True), (NONE, A, False), (EVERY, NONE, False), (NONE, NONE, False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("endless", [False, True])
def test_each_request_waits_only_for_earlier_ones_it_depends_on(earlier, later, waits, endless):
    """`show --follow` waits like other requests and blocks none."""
    assert Scope(later, endless).waits_for(Scope(earlier)) == waits
    assert not Scope(later).waits_for(Scope(earlier, endless=True))


ANY = None
SCOPES = [
    (["append", "-s", "new", "-m", "x"], {"new"}),
    (["append", "--session=new", "-m", "- x"], {"new"}),
    (["append", "-snew", "-m-s", "-q"], {"new"}),
    (["append", "-qs", "new"], {"new"}),
    (["append", "-m", "x"], {"env"}),
    (["append", "-s", "@", "-m", "x"], ANY),
    (["append", "-s", "@.", "-m", "x"], ANY),
    (["append", "-s", "a/b", "-m", "x"], ANY),
    (["append", "-s", "new", "--wrong"], {"new"}),
    (["ask", "-s", "new", "-m", "x", "--via", "cat"], {"new"}),
    (["show", "demo"], {"demo"}),
    (["show", "-n", "3", "demo"], {"demo"}),
    (["show", "--", "demo"], {"demo"}),
    (["show", "dem"], ANY),  # a prefix
    (["show", "begun"], ANY),  # perhaps one that is being made
    (["show", "HOME/sessions/demo.jsonl"], {"demo"}),
    (["show", "HOME/sessions/../sessions/demo.jsonl"], {"demo"}),
    (["show", "old"], {"old"}),  # an older form
    (["payload", "-", "--to", "gemini"], set()),
    (["expand", "ID", "demo"], {"demo"}),
    (["expand", "ID", "-s", "demo"], {"demo"}),
    (["search", "x", "demo"], {"demo"}),
    (["search", "x"], ANY),
    (["update", ":1", "-m", "x", "-s", "demo"], {"demo"}),
    (["fork", "demo", "--into", "new"], {"demo", "new"}),
    (["fork", "demo"], {"demo"}),
    (["set", "title=x"], {"env"}),
    (["compact", "demo", "-i", "--budget", "9k"], {"demo"}),
    (["compact", "demo", "--calibrated"], ANY),
    (["summarize", "demo"], {"demo"}),
    (["summarize", "--all"], ANY),
    (["export", "--all", "--to", "html", "--output", "x"], ANY),
    (["list"], ANY),
    (["list", "-s", "demo"], ANY),
    (["usage", "demo"], ANY),
    (["rm", "demo"], ANY),
    (["import", "x", "--into", "new"], ANY),
    (["redact", "demo"], ANY),
    (["gc"], ANY),
    (["sync", "postgres://localhost/x", "demo"], ANY),
    (["config"], ANY),
    (["no-such-verb", "-s", "demo"], ANY),
]


def scope(argv, env, existing=(), cwd="/"):
    env.options_of = options_of
    return scope_of(Request(1, argv, cwd=cwd), env, existing)


@pytest.mark.parametrize(("argv", "expected"), SCOPES, ids=[" ".join(argv) for argv, _ in SCOPES])
def test_the_sessions_of_a_command_line(home, argv, expected):
    sessions = home / "sessions"
    sessions.mkdir(parents=True)
    for name in ("demo.jsonl", "old.json", "env.jsonl"):
        (sessions / name).touch()
    env = Env({"CODEH_HOME": str(home), "CODEH_SESSION": "env"})
    argv = [word.replace("HOME", str(home)) for word in argv]
    root = sessions.resolve()
    sessions_used, endless = scope(argv, env)
    assert sessions_used == (None if expected is None else {str(root / name) for name in expected})
    assert not endless


def test_a_session_on_a_server_is_certain_where_it_is_written_or_was():
    env = Env({"CODEH_HOME": "/none", "CODEH_STORE": "postgres://localhost/x"})
    [session] = scope(["append", "-s", "a", "-m", "x"], env).sessions or ()
    assert session == path_of(env, "a")
    assert scope(["last", "a"], env).sessions is None
    assert scope(["last", "a"], env, {session}).sessions == {session}


def test_a_path_is_relative_to_the_request_and_follow_is_endless(home):
    home.mkdir()
    env = Env({"CODEH_HOME": "."})
    (home / "x.jsonl").touch()
    result = scope(["show", "-f", "./x.jsonl"], env, cwd=str(home))
    assert result == (frozenset({str(home.resolve() / "x")}), True)
    result = scope(["append", "-s", "y"], env, cwd=str(home))
    assert result == (frozenset({str(home.resolve() / "sessions" / "y")}), False)
